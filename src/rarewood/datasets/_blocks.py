"""Rows of a file in blocks, for tables larger than memory, and typed columns made of them."""

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

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import import_optional
from rarewood.datasets._dataset import MISSING, numbers
from rarewood.datasets._plain_lines import Kind, parse_plain

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
        Text in a CSV file, values in others; None or NaN is missing there. Columns whose kinds were told to `open_blocks` may
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
    file: BinaryIO, where: str, n_rows: int, kinds: Mapping[str, Kind] | None = None
) -> Iterator[tuple[list[str], Iterator[Block]]]:
    """The names of the columns and the rows of an open CSV, Parquet or ARFF file, compressed by gzip or not.

    What it is, its first bytes tell, so the file may be a pipe. Only `n_rows` rows are in memory at a time; Parquet cannot be
    read from a pipe, so it is copied to a temporary file first. With `kinds`, other columns may be left out, and lines of CSV
    without peculiarities are parsed several times as fast.
    """
    unpacked, suffix = suffix_of(file)
    if suffix == ".parquet":
        with _seekable(file, unpacked) as whole:
            yield _parquet_blocks(whole, where, n_rows)
    elif suffix == ".arff":
        yield _arff_blocks(unpacked, where, n_rows)
    else:
        blocks = CsvBlocks(unpacked, where, False, n_rows, kinds)
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
        self, file: BinaryIO, where: str, by_tabs: bool, n_rows: int, kinds: Mapping[str, Kind] | None = None
    ) -> None:
        self._where, self._n_rows, self._kinds = where, n_rows, kinds
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
        if self._kinds is not None:
            lines = list(islice(self._text, self._n_rows))
            typed = parse_plain(lines, self.names, self._delimiter, self._kinds)
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
    kinds = import_optional("pyarrow.types", "data", "reading Parquet")
    is_number = kinds.is_floating(column.type) or kinds.is_integer(column.type)
    return column.to_numpy(zero_copy_only=False) if is_number else column.to_pylist()


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
# columns


def as_numbers(values: Any, column: str, where: str, first: int = 1) -> NDArray[np.float64]:
    """Cells -> numbers, NaN where missing; the first cell that is no number is an error that says which row it is in."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        found = values.astype(np.float64)
    else:
        try:
            found = np.array([float(value or "nan") if value != 0 else 0.0 for value in values])
        except (TypeError, ValueError):  # missing in other words than an empty cell, or no number
            found = _slowly(values, column, where, first)
    infinite = np.flatnonzero(np.isinf(found))
    if len(infinite):
        raise ValueError(f"{where}: column {column!r} is infinite in row {first + infinite[0]}; leave the cell empty.")
    return found


def _slowly(values: Sequence[Any], column: str, where: str, first: int) -> NDArray[np.float64]:
    cells = ["" if value is None else str(int(value) if isinstance(value, bool) else value).strip() for value in values]
    try:
        return numbers(cells, column, where)
    except ValueError:
        row = next(i for i, cell in enumerate(cells) if not is_number(cell))
        raise ValueError(
            f"{where}: column {column!r} should hold numbers, but row {first + row} has {cells[row]!r}."
        ) from None


def as_text(values: Any) -> list[str]:
    """Cells -> text, empty where missing; a whole number has no decimal point, whatever its type."""
    try:
        return [value.strip() for value in values]
    except AttributeError:  # not all of them are text
        return [_word(value) for value in (values.tolist() if isinstance(values, np.ndarray) else values)]


def _word(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value).strip()


def is_number(cell: str) -> bool:
    """Whether a cell of text holds a number or nothing."""
    try:
        float(cell or "nan")
    except ValueError:
        return cell in MISSING
    return True
