"""The formats of files that hold tables: the one list of them.

To add a format, write a reader and append a `Format` to `FORMATS`. What a file is, its first bytes tell, because names lie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rarewood._files import MODEL_MAGIC
from rarewood._table_files._columns import Opened, Request
from rarewood._table_files.arff import arff_blocks, arff_categories, arff_nominal
from rarewood._table_files.arrow import arrow_blocks, arrow_nominal
from rarewood._table_files.databases import duckdb_blocks, sqlite_blocks
from rarewood._table_files.dialects import SAMPLE
from rarewood._table_files.excel import excel_blocks
from rarewood._table_files.json_objects import json_blocks, json_list_blocks
from rarewood._table_files.packing import unpacked
from rarewood._table_files.parquet import parquet_blocks, parquet_categories, parquet_nominal

Reader = Callable[[Any, Request], Opened]
"""From an open file or a path, and what is asked of it."""


@dataclass(frozen=True)
class Format:
    """A format of files.

    Parameters
    ----------
    name : str
        What it is called.
    suffixes : tuple of str
        How the names of such files end, the usual ending first.
    reader : function, or None
        Reads blocks of rows. None for plain text, whose dialect is found out first, and for what is refused.
    magic : tuple of bytes
        What such files begin with, behind `offset` bytes.
    looks_like : function, or None
        For text without magic: whether its beginning is of this format.
    nominal, categories : function, or None
        Read which columns the file itself declares nominal, and the lists of their categories where it keeps such.
    needs_seek, needs_path : bool
        Whether the reader has to jump about in the file, and whether it takes a path instead of an open file.
    writable : bool
        Whether predictions can be written so.
    refusal : str, or None
        For a format that is not read: what it is and what to do instead.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    reader: Reader | None = None
    magic: tuple[bytes, ...] = ()
    offset: int = 0
    looks_like: Callable[[bytes], bool] | None = None
    nominal: Callable[[BinaryIO, str], list[str]] | None = None
    categories: Callable[[BinaryIO, str], dict[str, list[str]]] | None = None
    needs_seek: bool = False
    needs_path: bool = False
    writable: bool = False
    refusal: str | None = None

    def begins(self, start: bytes) -> bool:
        """Whether a file that starts so is of this format; what is refused may be written in other cases."""
        if self.refusal is not None:
            return start.lstrip()[:16].lower().startswith(tuple(magic.lower() for magic in self.magic))
        if self.looks_like is not None:
            return self.looks_like(start.removeprefix(b"\xef\xbb\xbf").lstrip())
        return start[self.offset :].startswith(self.magic) if self.magic else False


def _is_json_lines(text: bytes) -> bool:
    return text.startswith(b"{") and b":" in text[:2000]


def _is_json_list(text: bytes) -> bool:
    return text.startswith(b"[") and text[1:].lstrip().startswith(b"{")


def _is_arff(text: bytes) -> bool:
    lower = text.lower()
    return text.startswith(b"%") or (text.startswith(b"@") and (b"@relation" in lower or b"@attribute" in lower))


def _refused(name: str, magic: bytes, what: str, *suffixes: str) -> Format:
    return Format(name, suffixes, magic=(magic,), refusal=what)


_WEB_PAGE = "a web page, not a table; perhaps a download that needed a login"

CSV = Format("CSV", (".csv", ".tsv"), writable=True)
"""What text is that is nothing else."""

FORMATS: tuple[Format, ...] = (
    _refused("Feather 1", b"FEA1", "a Feather file of version 1; write it again with a current pyarrow"),
    _refused("Excel 97", b"\xd0\xcf\x11\xe0", "an old Excel file (.xls); save it as .xlsx or CSV", ".xls"),
    _refused("PDF", b"%PDF", "a PDF document, not a table; save the table as CSV"),
    _refused("HTML", b"<!DOCTYPE", _WEB_PAGE),
    _refused("HTML", b"<html", _WEB_PAGE),
    _refused("XML", b"<?xml", "XML; save the table as CSV"),
    _refused("bzip2", b"BZh", "compressed with bzip2; decompress it first, or use gzip"),
    _refused("xz", b"\xfd7zXZ", "compressed with xz; decompress it first, or use gzip"),
    _refused("zstandard", b"\x28\xb5\x2f\xfd", "compressed with zstandard; decompress it first, or use gzip"),
    _refused("7-zip", b"7z\xbc\xaf", "a 7-zip archive; unpack it first"),
    _refused(
        "pickle",
        b"\x80\x04\x95",
        "a Python pickle, which can run code when it is read; save the table as CSV or Parquet",
    ),
    _refused("HDF5", b"\x89HDF", "an HDF5 file; save the table as CSV or Parquet"),
    _refused(
        "rarewood model",
        MODEL_MAGIC,
        "a rarewood model file, not a table; name a table such as a CSV or Parquet file here. `rarewood predict MODEL TABLE` "
        "scores a table with the model, `rarewood describe MODEL` says what is in it",
    ),
    CSV,
    Format(
        "Parquet",
        (".parquet",),
        parquet_blocks,
        (b"PAR1",),
        nominal=parquet_nominal,
        categories=parquet_categories,
        needs_seek=True,
        writable=True,
    ),
    Format(
        "Arrow",
        (".arrow", ".feather"),
        arrow_blocks,
        (b"ARROW1", b"\xff\xff\xff\xff"),
        nominal=arrow_nominal,
        needs_seek=True,
    ),
    Format("Excel", (".xlsx",), excel_blocks, (b"PK\x03\x04",), needs_seek=True),
    Format("SQLite", (".sqlite", ".db"), sqlite_blocks, (b"SQLite format 3\x00",), needs_seek=True, needs_path=True),
    Format("DuckDB", (".duckdb",), duckdb_blocks, (b"DUCK",), offset=8, needs_seek=True, needs_path=True),
    Format("JSON lines", (".jsonl",), json_blocks, looks_like=_is_json_lines, needs_seek=True),
    Format("JSON", (".json",), json_list_blocks, looks_like=_is_json_list, needs_seek=True),
    Format("ARFF", (".arff",), arff_blocks, looks_like=_is_arff, nominal=arff_nominal, categories=arff_categories),
)

TABLE_SUFFIXES = frozenset(suffix for format_ in FORMATS for suffix in format_.suffixes)
"""How the names of files of tables end, those of formats that are refused among them."""

WRITABLE_SUFFIXES = frozenset(suffix for format_ in FORMATS if format_.writable for suffix in format_.suffixes)

READABLE_SUFFIXES = tuple(suffix for format_ in FORMATS if format_.refusal is None for suffix in format_.suffixes)


def suffix_of(path: str | Path) -> str:
    """How a name ends, in small letters, without the ending of gzip."""
    return Path(str(path).lower().removesuffix(".gz")).suffix


def split_table(source: str) -> tuple[str, str | None]:
    """``payments.db::march`` -> the file, and the table of a database or the sheet of a workbook."""
    file, colons, table = source.rpartition("::")
    return (file, table) if colons and file and not Path(source).exists() else (source, None)


def recognise(file: BinaryIO, where: str) -> tuple[BinaryIO, Format]:
    """The file, unpacked if need be, with a `peek` method, and its format; raises for one that is not read."""
    ready = unpacked(file)
    start = ready.peek(SAMPLE)
    found = next((format_ for format_ in FORMATS if format_.begins(start)), CSV)
    if found.refusal is not None:
        raise ValueError(f"{where} is {found.refusal}.")
    return ready, found
