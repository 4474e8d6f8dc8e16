"""What a file is, by its first bytes: names lie."""

from __future__ import annotations

import gzip
import io
from typing import Any, BinaryIO

from rarewood._tables.dialects import SAMPLE

GZIP = b"\x1f\x8b"

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", ".parquet"),
    (b"ARROW1", ".arrow"),
    (b"\xff\xff\xff\xff", ".arrows"),
    (b"SQLite format 3\x00", ".sqlite"),
    (b"PK\x03\x04", ".xlsx"),
)
_REFUSED: tuple[tuple[bytes, str], ...] = (
    (b"FEA1", "a Feather file of version 1; write it again with a current pyarrow"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls); save it as .xlsx or CSV"),
    (b"%PDF", "a PDF document, not a table; save the table as CSV"),
    (b"<!DOCTYPE", "a web page, not a table; perhaps a download that needed a login"),
    (b"<html", "a web page, not a table; perhaps a download that needed a login"),
    (b"<?xml", "XML; save the table as CSV"),
    (b"BZh", "compressed with bzip2; decompress it first, or use gzip"),
    (b"\xfd7zXZ", "compressed with xz; decompress it first, or use gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstandard; decompress it first, or use gzip"),
    (b"7z\xbc\xaf", "a 7-zip archive; unpack it first"),
    (b"\x80\x04\x95", "a Python pickle, which can run code when it is read; save the table as CSV or Parquet"),
    (b"\x89HDF", "an HDF5 file; save the table as CSV or Parquet"),
    (b"RAREWOOD", "a rarewood model file, not a table"),
)
WITHOUT_ORDER = (".parquet", ".arrow", ".xlsx", ".sqlite", ".duckdb")
"""Formats that cannot be read from front to back."""


def format_of(file: BinaryIO, where: str) -> tuple[BinaryIO, str]:
    """The file, unpacked if need be, with a `peek` method, and how its name should end."""
    unpacked = _unzipped(file)
    start = unpacked.peek(SAMPLE)
    for beginning, what in _REFUSED:
        if start.lstrip()[:16].lower().startswith(beginning.lower()):
            raise ValueError(f"{where} is {what}.")
    for beginning, suffix in _BEGINNINGS:
        if start.startswith(beginning):
            return unpacked, suffix
    return unpacked, ".duckdb" if start[8:12] == b"DUCK" else _text_format(start)


def _text_format(start: bytes) -> str:
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{") and b":" in text[:2000]:
        return ".jsonl"
    if text.startswith(b"[") and text[1:].lstrip().startswith(b"{"):
        return ".json"
    lower = text.lower()
    if text.startswith(b"%") or (text.startswith(b"@") and (b"@relation" in lower or b"@attribute" in lower)):
        return ".arff"
    return ".csv"


def _unzipped(file: BinaryIO) -> Any:
    """The same file, unpacked if its first bytes are those of gzip, with a `peek` method that shows much of it."""
    ready: Any = file if hasattr(file, "peek") else io.BufferedReader(file, SAMPLE)
    if not ready.peek(2).startswith(GZIP):
        return ready
    return io.BufferedReader(gzip.GzipFile(fileobj=ready), SAMPLE)
