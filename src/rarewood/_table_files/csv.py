"""Text files, with a line per row and marks between cells, in blocks.

Lines without peculiarities are parsed a column at a time (`_plain_lines`); the careful reader is there for the others.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO

from rarewood._table_files._columns import MOST_CHARACTERS, Block, check_names, rows_at_once, without_missing
from rarewood._table_files._lines import BoundedLines
from rarewood._table_files._plain_lines import parse_plain
from rarewood._table_files.dialects import ORDINARY, Dialect, legacy_encoding, shows_in_first_bytes
from rarewood._tables.cells import Form
from rarewood._tables.row_numbers import row_in_file

_PIECE = 2**16  # characters
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


class CsvBlocks(Iterator[Block]):
    """The rows of a CSV file, as text. The first line, or one below a title, names the columns."""

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
        self._typed_lines: list[str] = []
        start = file.peek(1)  # type: ignore[attr-defined]
        self.dialect = dialect.of_file(start, where)
        self.skip = self.dialect.skip or 0
        self.about_rows = _about_rows(file, start)
        self._delimiter = str(self.dialect.separator)
        bounded: Any = BoundedLines(file, where)
        self._text = io.TextIOWrapper(bounded, encoding=self.dialect.encoding, newline="")
        self._ahead: Iterator[str] = iter(())
        self._n_characters = 0
        try:
            first = [self._text.readline() for _ in range(self.skip + 1)][-1]
        except UnicodeDecodeError as error:
            raise self._not_text(error) from error
        self.names = self._names_in(first)
        if not any(self.names):
            raise ValueError(f"{where} is empty; its first line should name the columns.")
        check_names(self.names, where)
        self._n_rows = rows_at_once(n_rows, len(self.names))

    def _names_in(self, line: str) -> list[str]:
        try:
            cells = next(csv.reader([line.removeprefix(_MARK)], delimiter=self._delimiter), [])
        except csv.Error as error:
            raise ValueError(f"{self._where}, line {self.skip + 1}: {_in_words(error)}.") from error
        return [cell.strip() for cell in cells]

    def __next__(self) -> Block:
        try:
            block, n_rows = self._block()
        except UnicodeDecodeError as error:
            raise self._not_text(error) from error
        self._rows_done += n_rows
        return block

    def _block(self) -> tuple[Block, int]:
        """The next rows, typed if they may be and can be, and how many they are."""
        lines: list[str] = []
        first = row_in_file(self._rows_done)
        self._typed_lines = []  # before new ones need memory
        if self._forms is not None:
            lines = list(islice(self._lines(MOST_CHARACTERS), self._n_rows))
            missing = {name: self.dialect.missing_in(name) for name in self._forms} if self.dialect.missing else {}
            typed = parse_plain(lines, self.names, self._delimiter, self._forms, self.dialect.decimal or ".", missing)
            if typed is not None:
                self._lines_done += len(lines)
                self._typed_lines = lines
                last = lines[-1].rstrip("\r\n").split(self._delimiter) if lines else ()
                return Block(first, typed, self._texts, last), len(lines)
        rows = self._read_carefully(lines)
        columns: dict[str, Any] = without_missing(dict(zip(self.names, zip(*rows))), self.dialect)
        numbers = [name for name, form in (self._forms or {}).items() if form == "number" and name in columns]
        if self.dialect.is_plain or not numbers:
            return Block(first, columns), len(rows)
        plain = {name: self.dialect.plain_cells(columns[name]) for name in numbers}
        return Block(first, columns | plain, columns.__getitem__), len(rows)

    def _lines(self, n_characters: float = math.inf) -> Iterator[str]:
        """The next lines, about so many characters of them; what nobody takes is there the next time.

        They are counted by pieces of the file, because a step per line would take longer than reading it.
        """
        return chain(self._ahead, chain.from_iterable(self._pieces(self._n_characters + n_characters)))

    def _pieces(self, end: float) -> Iterator[Iterator[str]]:
        while self._n_characters < end and (piece := self._text.readlines(_PIECE)):
            self._n_characters += max(_PIECE, len(piece[-1]))  # all lines but the last are less than a piece
            self._ahead = iter(piece)
            yield self._ahead

    def _texts(self, name: str) -> list[str]:
        """A column of the last typed block, as it is written; its lines have no peculiarities."""
        place = self.names.index(name)
        return [line.rstrip("\r\n").split(self._delimiter)[place] for line in self._typed_lines]

    def _read_carefully(self, lines: Sequence[str]) -> list[list[str]]:
        """The next rows, of which the first `lines` are read already: rows have a line at least, so none is left over."""
        reader = csv.reader(chain(lines, self._lines()), delimiter=self._delimiter)
        enough = self._n_characters + (0 if lines else MOST_CHARACTERS)  # `lines` are few enough, and all used up
        above = self.skip + 1 + self._lines_done
        try:
            read = []
            for row in islice(reader, self._n_rows):
                if row:
                    read.append((row, reader.line_num))
                if self._n_characters > enough:
                    break
            while not read:  # nothing but empty lines
                read = [(row, reader.line_num) for row in [next(reader)] if row]
        except csv.Error as error:
            raise ValueError(f"{self._where}, line {above + reader.line_num}: {_in_words(error)}.") from error
        self._lines_done += reader.line_num
        width, rows = len(self.names), [row for row, _ in read]
        if set(map(len, rows)) != {width}:
            place = next(i for i, row in enumerate(rows) if len(row) != width)
            raise ValueError(
                f"{self._where}, row {row_in_file(self._rows_done + place)} (line {above + read[place][1]}): {len(rows[place])} cells, "
                f"but the header has {width}."
            )
        return rows

    def _not_text(self, error: UnicodeDecodeError) -> ValueError:
        if shows_in_first_bytes(str(self.dialect.encoding)):
            return ValueError(
                f"{self._where} is not text in {str(self.dialect.encoding).upper()} all along ({error.reason}), though it begins so; "
                "perhaps it was cut off or damaged."
            )
        near = legacy_encoding(error.object[error.start : error.start + 200])
        return NotTextError(
            f"{self._where} is not text in {str(self.dialect.encoding).upper()} ({error.reason}); perhaps it is in "
            f"{near}; if so, use --encoding {near}."
        )


def _in_words(error: csv.Error) -> str:
    if "field larger" in str(error):
        return f"a cell has more than {csv.field_size_limit():,} characters; perhaps a quotation mark is not closed"
    return str(error)


def _about_rows(file: BinaryIO, start: bytes) -> int:
    """How many lines a file has, by those of its start; 0 if its size is not known."""
    try:
        size = os.fstat(file.fileno()).st_size
    except OSError:  # in memory
        return 0
    return int(1.03 * size * start.count(b"\n") / max(len(start), 1))


class NotTextError(ValueError):
    """Bytes that are no text in the encoding that the beginning of the file suggests; another may be right."""
