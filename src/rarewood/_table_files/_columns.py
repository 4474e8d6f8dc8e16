"""What every reader of a format needs: blocks of rows, names of columns, rows turned into columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from rarewood._table_files._structures import Unreadable
from rarewood._table_files.dialects import Dialect
from rarewood._tables.cells import blanked
from rarewood._tables.notes import Note, NoteCode
from rarewood._validation import did_you_mean

Cells = dict[str, Sequence[Any]]

MOST_IN_BLOCK = 2**22
"""Cells that are in memory as objects at the same time, and as many times eight characters in them."""

MOST_CHARACTERS = 8 * MOST_IN_BLOCK

MOST_IN_NAMES = 2**24
"""Characters in all names of columns that are inside others."""


@dataclass(frozen=True)
class Request:
    """What is asked of the reader of a format.

    Parameters
    ----------
    where : str
        What to call the file in errors.
    n_rows : int
        Rows in a block.
    table : str, or None
        The name of a table inside; None for the only or the first one.
    skip : int, or None
        Rows above the names of the columns, in formats that may have such; None is found out.
    note : function
        Is told what a user should know of how the file is read.
    """

    where: str
    n_rows: int
    table: str | None = None
    skip: int | None = None
    note: Callable[[Note], None] = lambda _: None

    def rows_of(self, n_columns: int) -> int:
        """Rows in a block of a table that is as wide."""
        return rows_at_once(self.n_rows, n_columns)


def rows_at_once(n_rows: int, n_columns: int) -> int:
    """Rows in a block, fewer in a very wide table."""
    return max(1, min(n_rows, MOST_IN_BLOCK // max(1, n_columns)))


class Opened(NamedTuple):
    """The names of the columns, blocks of rows as columns of cells, which table of several it is, and how many rows are known of."""

    names: list[str]
    blocks: Iterator[Cells]
    table: str | None = None
    n_rows: int = 0


@dataclass(frozen=True)
class Block:
    """Some rows of a file that follow each other.

    Parameters
    ----------
    first : int
        Number of the first of them (`_tables.row_numbers`).
    columns : dict of str to sequence
        Text in a CSV file, values in others; None or NaN is missing there. Columns whose forms `open_blocks` was given may
        be typed already.
    """

    first: int
    columns: dict[str, Sequence[Any]]
    texts: Callable[[str], Sequence[Any]] | None = None
    """How a column is written, for cells that are typed already; to be asked before the next block is read."""
    last: Sequence[str] | None = None
    """The cells of the last row, where columns that nobody asked for are not among `columns`."""

    @property
    def n_rows(self) -> int:
        """Rows in this block."""
        return len(next(iter(self.columns.values()), ()))

    @property
    def last_row(self) -> Sequence[Any]:
        """The cells of the last row, as far as they were read."""
        return [cells[-1] for cells in self.columns.values() if len(cells)] if self.last is None else self.last


class JoinedNames:
    """Names of columns made of those of the objects or structures around them, such as user.country.

    Each is made once and kept, because a file can spell in a few bytes what takes gigabytes when it is written out.
    """

    def __init__(self, where: str) -> None:
        self._where, self._known, self._n_characters = where, dict[str, str](), 0

    def __call__(self, around: Sequence[str], name: str) -> str:
        """The name of a column inside others."""
        if not around:
            return name
        joined = ".".join([*around, name])
        if joined not in self._known:
            self._n_characters += len(joined)
            if self._n_characters > MOST_IN_NAMES:
                raise ValueError(
                    f"{self._where}: the columns inside others have names of more than {MOST_IN_NAMES:,} characters "
                    "together, because each has the names of those around it; shorten them."
                )
        return self._known.setdefault(joined, joined)


def refuse_table_name(asked: Request) -> None:
    """Raise for a table named inside a file that holds only one."""
    if asked.table is not None:
        raise ValueError(
            f"{asked.where} is not a database or workbook: it holds one table, so leave out the name {asked.table!r}."
        )


def note_on_header(asked: Request, skip: int, what: str, place: str = "") -> None:
    """Tell that the names of the columns are not at the top, unless a user has said so."""
    if skip and asked.skip is None:
        above = f"the {skip} {what}s above are" if skip > 1 else f"the {what} above is"
        asked.note(
            Note(
                NoteCode.HEADER,
                f"{place or asked.where}: the names of the columns are in {what} {skip + 1}, {above} left out",
                remedy="; if that is wrong, use --skip",
            )
        )


def chosen(table: str, tables: Sequence[str], where: str, what: str) -> str:
    """The name of a table or sheet that is there."""
    if table not in tables:
        raise ValueError(f"{where} has no {what} {table!r}{did_you_mean(table, tables)} It has {', '.join(tables)}.")
    return table


def without_missing(columns: Cells, dialect: Dialect) -> Cells:
    """Columns with empty cells where a user has a word for a missing one."""
    if not dialect.missing:
        return columns
    return {
        name: blanked(cells, words) if (words := dialect.missing_in(name)) else cells for name, cells in columns.items()
    }


def columns_of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]], n_rows: int) -> Iterator[Cells]:
    """Blocks of columns from single rows."""
    left = iter(rows)
    while some := some_rows(left, rows_at_once(n_rows, len(names))):
        yield dict(zip(names, zip(*some)))


def some_rows(rows: Iterator[Sequence[Any]], n_rows: int) -> list[Sequence[Any]]:
    """The next rows, fewer where their texts are long."""
    found: list[Sequence[Any]] = []
    n_characters = 0
    for row in islice(rows, n_rows):
        found.append(row)
        n_characters += sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))
        if n_characters > MOST_CHARACTERS:
            break
    return found


def rejoined(parts: Iterable[Cells], n_rows: int) -> Iterator[Cells]:
    """Small blocks that follow each other as one, as far as there are `n_rows` in it."""
    waiting: list[Cells] = []
    n_waiting = 0
    for part in parts:
        n = len(next(iter(part.values())))
        if waiting and n_waiting + n > n_rows:
            yield _one_below_another(waiting)
            waiting, n_waiting = [], 0
        waiting.append(part)
        n_waiting += n
    if waiting:
        yield _one_below_another(waiting)


def _one_below_another(parts: Sequence[Cells]) -> Cells:
    if len(parts) == 1:
        return parts[0]
    return {name: _joined([part[name] for part in parts]) for name in parts[0]}


def _joined(pieces: Sequence[Any]) -> Any:
    """An array where all pieces are such, or else a list."""
    if all(isinstance(piece, np.ndarray) for piece in pieces):
        return np.concatenate(pieces)
    if isinstance(pieces[0], Unreadable):
        return Unreadable(pieces[0].hold, sum(map(len, pieces)))
    return [cell for piece in pieces for cell in (piece.tolist() if isinstance(piece, np.ndarray) else piece)]


def check_names(names: Sequence[str], where: str) -> None:
    """Raise for names that come twice, in the first line of a text or sheet."""
    twice = _twice(names)
    if twice is not None:
        raise ValueError(f"{where}: the first line names the column {twice!r} more than once.")


def checked_names(given: Iterable[Any], where: str) -> list[str]:
    """The names of columns as text."""
    names = [str(name) for name in given]
    if not names:
        raise ValueError(f"{where} has no columns.")
    twice = _twice(names)
    if twice is not None:
        raise ValueError(f"{where} has more than one column named {twice!r}; give each a different name.")
    return names


def _twice(names: Sequence[str]) -> str | None:
    return next((name for name, times in Counter(names).items() if times > 1), None)


def target_name(target: str | int, names: list[str], where: str) -> str:
    """The name of the column of labels, which may be given by its position."""
    if isinstance(target, str):
        if target not in names:
            raise ValueError(
                f"{where}: no column target={target!r}{did_you_mean(target, names)} The columns are {', '.join(names)}."
            )
        return target
    if not -len(names) <= target < len(names):
        raise ValueError(f"{where}: target={target} is out of range; the table has {len(names)} columns.")
    return names[target]
