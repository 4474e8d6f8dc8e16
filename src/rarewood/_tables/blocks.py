"""Rows of a file in blocks, for tables larger than memory."""

from __future__ import annotations

import csv
import gzip
import io
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, BinaryIO

from rarewood._tables._columns import Columns
from rarewood._tables._plain_lines import parse_plain
from rarewood._tables.cells import Form, are_exact, levels, make_table
from rarewood._validation import import_optional

_GZIP, _PARQUET, _ARFF = b"\x1f\x8b", b"PAR1", (b"@", b"%")
_DELIMITERS = ",;\t"


@dataclass(frozen=True)
class Block:
    """Some rows of a file that follow each other.

    Parameters
    ----------
    first : int
        Number of the first of them, counted from 1.
    columns : dict of str to sequence
        Text in a CSV file, values in others; None or NaN is missing there. Columns whose forms were told to `open_blocks` may
        be typed already.
    """

    first: int
    columns: dict[str, Sequence[Any]]

    @property
    def n_rows(self) -> int:
        """Rows in this block."""
        return len(next(iter(self.columns.values()), ()))


@contextmanager
def open_blocks(
    file: BinaryIO, where: str, n_rows: int, forms: Mapping[str, Form] | None = None
) -> Iterator[tuple[list[str], Iterator[Block]]]:
    """The names of the columns and the rows of an open CSV, Parquet or ARFF file, compressed by gzip or not.

    What it is, its first bytes tell, so the file may be a pipe. Only `n_rows` rows are in memory at a time; Parquet cannot be
    read from a pipe, so it is copied to a temporary file first. With `forms`, other columns may be left out, and lines of CSV
    without peculiarities are parsed several times as fast.
    """
    unpacked, suffix = suffix_of(file)
    if suffix == ".parquet":
        with _seekable(file, unpacked) as whole:
            yield _parquet_blocks(whole, where, n_rows)
    elif suffix == ".arff":
        yield _arff_blocks(unpacked, where, n_rows)
    else:
        blocks = CsvBlocks(unpacked, where, False, n_rows, forms)
        yield blocks.names, blocks


def suffix_of(file: BinaryIO) -> tuple[BinaryIO, str]:
    """The file, unpacked if need be, and how its name should end, by its first bytes."""
    unpacked = _unzipped(file)
    start = unpacked.peek(4).lstrip()
    kind = ".parquet" if start.startswith(_PARQUET) else ".arff" if start.startswith(_ARFF) else ".csv"
    return unpacked, kind


def _unzipped(file: BinaryIO) -> Any:
    """The same file, unpacked if its first bytes are those of gzip, with a `peek` method."""
    ready: Any = file if hasattr(file, "peek") else io.BufferedReader(file)
    if not ready.peek(2).startswith(_GZIP):
        return ready
    return io.BufferedReader(gzip.GzipFile(fileobj=ready))


@contextmanager
def _seekable(file: BinaryIO, unpacked: BinaryIO) -> Iterator[BinaryIO]:
    if unpacked is file and file.seekable():
        yield file
        return
    with tempfile.TemporaryFile() as whole:
        shutil.copyfileobj(unpacked, whole)
        whole.seek(0)
        yield whole


# ---------------------------------------------------------------------------------------------------------
# CSV


class CsvBlocks(Iterator[Block]):
    """The rows of a CSV file, as text. The first line names the columns and shows what stands between them."""

    def __init__(
        self, file: BinaryIO, where: str, by_tabs: bool, n_rows: int, forms: Mapping[str, Form] | None = None
    ) -> None:
        self._where, self._n_rows, self._forms = where, n_rows, forms
        self._rows_done = self._lines_done = 0
        self._text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            first = self._text.readline()
        except UnicodeDecodeError as error:
            raise self._not_text(error) from error
        self._delimiter = "\t" if by_tabs else max(_DELIMITERS, key=first.count)
        self.names = [name.strip() for name in next(csv.reader([first], delimiter=self._delimiter), [])]
        if not any(self.names):
            raise ValueError(f"{where} is empty; its first line should name the columns.")
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise ValueError(f"{where}: the first line names the column {twice[0]!r} more than once.")

    def __next__(self) -> Block:
        try:
            columns, n_rows = self._columns()
        except UnicodeDecodeError as error:
            raise self._not_text(error) from error
        block = Block(self._rows_done + 1, columns)
        self._rows_done += n_rows
        return block

    def _columns(self) -> tuple[dict[str, Any], int]:
        """Of the next rows; typed if they may be and can be."""
        lines: list[str] = []
        if self._forms is not None:
            lines = list(islice(self._text, self._n_rows))
            typed = parse_plain(lines, self.names, self._delimiter, self._forms)
            if typed is not None:
                self._lines_done += len(lines)
                return typed, len(lines)
        rows = self._read_carefully(lines)
        return dict(zip(self.names, zip(*rows))), len(rows)

    def _read_carefully(self, lines: Sequence[str]) -> list[list[str]]:
        """The next rows, of which the first `lines` are read already: rows have a line at least, so none is left over."""
        reader = csv.reader(chain(lines, self._text), delimiter=self._delimiter)
        try:
            rows = [row for row in islice(reader, self._n_rows) if row]
            while not rows:  # nothing but empty lines
                rows = [row for row in [next(reader)] if row]
        except csv.Error as error:
            raise ValueError(f"{self._where}, line {self._lines_done + reader.line_num + 1}: {error}.") from error
        self._lines_done += reader.line_num
        width = len(self.names)
        if set(map(len, rows)) != {width}:
            place = next(i for i, row in enumerate(rows) if len(row) != width)
            raise ValueError(
                f"{self._where}, line {self._rows_done + place + 2}: {len(rows[place])} cells where the header has {width}."
            )
        return rows

    def _not_text(self, error: UnicodeDecodeError) -> ValueError:
        return ValueError(f"{self._where} is not text in UTF-8 ({error.reason}); convert it, or check what it is.")


# ---------------------------------------------------------------------------------------------------------
# Parquet and ARFF


def _parquet_blocks(file: BinaryIO, where: str, n_rows: int) -> tuple[list[str], Iterator[Block]]:
    parquet = import_optional("pyarrow.parquet", "data", "reading Parquet")
    arrow = import_optional("pyarrow", "data", "reading Parquet")
    try:
        contents = parquet.ParquetFile(file)
    except arrow.ArrowException as error:
        raise ValueError(f"{where} is not a proper Parquet file: {error}") from error

    def blocks() -> Iterator[Block]:
        done = 0
        for batch in contents.iter_batches(batch_size=n_rows):
            columns = [_plain(column) for column in batch.columns]
            yield Block(done + 1, dict(zip(batch.schema.names, columns)))
            done += batch.num_rows

    return [str(name) for name in contents.schema_arrow.names], blocks()


def _plain(column: Any) -> Any:
    """Numbers as an array with NaN where missing, everything else as a list."""
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    if not (types.is_floating(column.type) or types.is_integer(column.type)):
        return column.to_pylist()
    numbers = column.to_numpy(zero_copy_only=False)  # with missing cells among them, whole numbers become floats
    return column.to_pylist() if types.is_integer(column.type) and not are_exact(numbers) else numbers


def _arff_blocks(file: BinaryIO, where: str, n_rows: int) -> tuple[list[str], Iterator[Block]]:
    arff = import_optional("arff", "data", "reading ARFF")
    text = io.TextIOWrapper(file, encoding="utf-8")
    try:
        contents = arff.load(text, return_type=arff.DENSE_GEN)
    except arff.ArffException as error:
        raise ValueError(f"{where} is not a proper ARFF file: {error}") from error
    names = [str(name) for name, _ in contents["attributes"]]

    def blocks() -> Iterator[Block]:
        done, rows = 0, iter(contents["data"])
        try:
            while some := list(islice(rows, n_rows)):
                yield Block(done + 1, dict(zip(names, zip(*some))))
                done += len(some)
        except arff.ArffException as error:
            raise ValueError(f"{where} is not a proper ARFF file: {error}") from error

    return names, blocks()


# ---------------------------------------------------------------------------------------------------------
# columns that are known


def forms_of(columns: Columns) -> dict[str, Form]:
    """How `open_blocks` should hand over the cells of known columns."""
    return {columns.name(index): kind.form for index, kind in enumerate(columns.kinds)}


def table_of(columns: Columns, block: Block, where: str) -> Any:
    """A data frame of the block with the columns that are known, each read as its kind wants it."""
    cells: dict[str, Any] = {}
    categories: dict[str, Any] = {}
    for index, kind in enumerate(columns.kinds):
        name = columns.name(index)
        cells[name] = kind.parse(block.columns[name], name, where, block.first)
        if columns.nominal[index] and not hasattr(cells[name], "categories"):
            categories[name] = levels(cells[name])
    return make_table(cells, categories, where)
