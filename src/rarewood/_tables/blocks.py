"""Rows of a file in blocks, for tables larger than memory."""

from __future__ import annotations

import csv
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, BinaryIO

from rarewood._tables._columns import Columns
from rarewood._tables._other_blocks import DATABASES, READERS, check_names
from rarewood._tables._plain_lines import parse_plain
from rarewood._tables.cells import Form, levels, make_table
from rarewood._tables.dialects import Dialect, legacy_encoding
from rarewood._tables.formats import WITHOUT_ORDER, format_of

ORDINARY = Dialect()


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
    file: BinaryIO,
    where: str,
    n_rows: int,
    forms: Mapping[str, Form] | None = None,
    *,
    dialect: Dialect = ORDINARY,
    table: str | None = None,
    note: Callable[[str], None] | None = None,
) -> Iterator[tuple[list[str], Iterator[Block]]]:
    """The names of the columns and the rows of an open file, compressed by gzip or not.

    What it is, its first bytes tell, so the file may be a pipe. Only `n_rows` rows are in memory at a time; what cannot be
    read from a pipe is copied to a temporary file first. With `forms`, other columns may be left out, and lines of CSV
    without peculiarities are parsed several times as fast. `table` names a table of a database or a sheet of a workbook; `note`
    is told how a text file is read if it is an unusual one.
    """
    unpacked, suffix = format_of(file, where)
    with ExitStack() as stack:
        if suffix == ".csv":
            if table is not None:
                raise ValueError(f"{where} is a text file: it holds one table, so leave out ::{table}.")
            blocks = CsvBlocks(unpacked, where, n_rows, forms, dialect)
            words = blocks.dialect.in_words()
            if note is not None and words:
                note(f"{where} is {words}")
            yield blocks.names, blocks
            return
        whole: Any = (
            stack.enter_context(_seekable(file, unpacked)) if suffix in (*WITHOUT_ORDER, ".arrows") else unpacked
        )
        if suffix in DATABASES:
            whole = stack.enter_context(_named(whole))
        names, parts = READERS[suffix](whole, where, n_rows, table)
        yield names, _numbered(parts)


def suffix_of(file: BinaryIO, where: str) -> tuple[BinaryIO, str]:
    """The file, unpacked if need be, and how its name should end, by its first bytes."""
    return format_of(file, where)


def _numbered(parts: Iterator[dict[str, Sequence[Any]]]) -> Iterator[Block]:
    done = 0
    for columns in parts:
        block = Block(done + 1, columns)
        yield block
        done += block.n_rows


@contextmanager
def _seekable(file: BinaryIO, unpacked: BinaryIO) -> Iterator[BinaryIO]:
    if unpacked is file and file.seekable():
        yield file
        return
    with tempfile.NamedTemporaryFile() as whole:
        shutil.copyfileobj(unpacked, whole)
        whole.flush()
        whole.seek(0)
        yield whole  # type: ignore[misc]


@contextmanager
def _named(file: BinaryIO) -> Iterator[str]:
    """Where the file lies: databases want a name."""
    yield str(file.name)


# ---------------------------------------------------------------------------------------------------------
# CSV


class CsvBlocks(Iterator[Block]):
    """The rows of a CSV file, as text. The first line names the columns."""

    def __init__(
        self,
        file: BinaryIO,
        where: str,
        n_rows: int,
        forms: Mapping[str, Form] | None = None,
        dialect: Dialect = ORDINARY,
    ) -> None:
        self._where, self._n_rows, self._forms = where, n_rows, forms
        self._rows_done = self._lines_done = 0
        start = file.peek(1)  # type: ignore[attr-defined]
        self.dialect = dialect.of_file(start, where)
        self.about_rows = _about_rows(file, start)
        self._delimiter = str(self.dialect.separator)
        self._text = io.TextIOWrapper(file, encoding=self.dialect.encoding, newline="")
        try:
            first = self._text.readline().removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
        except UnicodeDecodeError as error:
            raise self._not_text(error) from error
        self.names = [name.strip() for name in next(csv.reader([first], delimiter=self._delimiter), [])]
        if not any(self.names):
            raise ValueError(f"{where} is empty; its first line should name the columns.")
        check_names(self.names, where)

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
        if self._forms is not None and not self.dialect.thousands:  # pandas would find some in 10.0.0.1
            lines = list(islice(self._text, self._n_rows))
            typed = parse_plain(lines, self.names, self._delimiter, self._forms, self.dialect.decimal or ".")
            if typed is not None:
                self._lines_done += len(lines)
                return typed, len(lines)
        rows = self._read_carefully(lines)
        columns: dict[str, Any] = dict(zip(self.names, zip(*rows)))
        numbers = [name for name, form in (self._forms or {}).items() if form == "number" and name in columns]
        for name in numbers if not self.dialect.is_plain else ():
            columns[name] = self.dialect.plain_cells(columns[name])
        return columns, len(rows)

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
                f"{self._where}, line {self._rows_done + place + 2}: {len(rows[place])} cells, but the header has "
                f"{width}."
            )
        return rows

    def _not_text(self, error: UnicodeDecodeError) -> ValueError:
        near = legacy_encoding(error.object[error.start : error.start + 200])
        return NotTextError(
            f"{self._where} is not text in {str(self.dialect.encoding).upper()} ({error.reason}); perhaps it is in "
            f"{near}; if so, use --encoding {near}."
        )


def _about_rows(file: BinaryIO, start: bytes) -> int:
    """How many lines a file has, by those of its start; 0 if its size is not known."""
    try:
        size = os.fstat(file.fileno()).st_size
    except OSError:  # in memory
        return 0
    return int(1.03 * size * start.count(b"\n") / max(len(start), 1))


class NotTextError(ValueError):
    """Bytes that are no text in the encoding of the rest of the file."""


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
