"""Files -> `Rows`: `guess` says of what kind each column is, `read` reads the file so and corrects what later rows refute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rarewood._table_files._builder import Kinds, RowsBuilder, refuse_odd, word_of_cells
from rarewood._table_files.csv import NotTextError
from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.sources import Source
from rarewood._tables.cells import Form
from rarewood._tables.kinds import Categories, Numbers, named_kind

_ROWS_AT_ONCE = 20_000


@dataclass(frozen=True)
class ColumnRoles:
    """What a caller knows of the columns of a file.

    Parameters
    ----------
    nominal, numeric : sequence of str
        Columns whose kind need not be guessed. In a numeric one, a cell that is no number is an error.
    text : sequence of str
        Columns whose cells are handed over as they are.
    apart : sequence of str
        Columns that are read like the others, into rows of their own.
    drop : sequence of str
        Columns that are not read.
    """

    nominal: Sequence[str] = ()
    numeric: Sequence[str] = ()
    text: Sequence[str] = ()
    apart: Sequence[str] = ()
    drop: Sequence[str] = ()


@dataclass(frozen=True)
class FileColumns:
    """What a file holds: columns to learn from, columns apart, cells as they are, and notes on how it was read."""

    learned: RowsBuilder
    apart: RowsBuilder
    text: dict[str, list[Any]]
    notes: list[str]


def guess(source: Source, roles: ColumnRoles) -> Kinds:
    """The kinds of all columns but those to `drop` and of `text`, as the first rows of a file have them.

    Nominal are those of `roles.nominal` and those that have a cell which is neither a number, nor missing, nor a date or time.
    """
    with source.blocks(_ROWS_AT_ONCE) as (names, blocks):
        block = next(blocks, None)
        if block is None:
            return {}
        dialect: Dialect = getattr(blocks, "dialect", ORDINARY)
        kept = [name for name in names if name not in (*roles.drop, *roles.text)]
        for name in kept:
            refuse_odd(block.columns[name], name, source.where, block.first)
        cells = {name: dialect.plain_cells(block.columns[name]) for name in kept}
    return {name: named_kind(_word(name, column, roles)) for name, column in cells.items()}


def read(source: Source, roles: ColumnRoles, kinds: Kinds | None = None) -> FileColumns:
    """All columns of a file but those to drop, of these kinds, or of those that are guessed.

    A guess that later rows refute is corrected, and the file read again: no column is held twice. Kinds that are given are not
    doubted: a cell of another kind is an error. A file without an encoding named that turns out not to be UTF-8 is read again,
    too.
    """
    try:
        return _read(source, roles, kinds)
    except NotTextError:
        if source.dialect.encoding is not None:
            raise
        return _read(replace(source, dialect=replace(source.dialect, encoding="cp1252")), roles, kinds)


def _read(source: Source, roles: ColumnRoles, kinds: Kinds | None) -> FileColumns:
    certain = roles.numeric if kinds is None else list(kinds)
    kinds = guess(source, roles) if kinds is None else kinds
    while True:
        columns, corrections = _read_as(source, roles, kinds, certain)
        if not corrections:
            return columns
        kinds = kinds | corrections


def _read_as(source: Source, roles: ColumnRoles, kinds: Kinds, certain: Sequence[str]) -> tuple[FileColumns, Kinds]:
    """The columns read as these kinds; where some cannot be, not all rows are read, and the kinds that fit better are told."""
    forms: dict[str, Form] = {name: kind.form for name, kind in kinds.items()} | dict.fromkeys(roles.text, "text")
    learned = RowsBuilder({name: kind for name, kind in kinds.items() if name not in roles.apart}, certain)
    apart = RowsBuilder({name: kind for name, kind in kinds.items() if name in roles.apart}, certain)
    columns = FileColumns(learned, apart, {name: [] for name in roles.text}, [])
    shared: dict[Any, Any] = {}
    with source.blocks(_ROWS_AT_ONCE, forms, columns.notes.append) as (_, blocks):
        for block in blocks:
            about = getattr(blocks, "about_rows", 0)
            corrections = learned.add(block, source.where, about) | apart.add(block, source.where, about)
            if corrections:
                return columns, corrections
            for name, cells in columns.text.items():
                cells.extend(_shared(block.columns[name], shared))
    return columns, {}


def _shared(cells: Sequence[Any], known: dict[Any, Any]) -> Sequence[Any]:
    """Equal cells as one object: those of each block would keep its memory from being used again."""
    try:
        return [known.setdefault((type(cell), cell), cell) for cell in cells]
    except TypeError:  # a list, which no dictionary can find
        return cells


def _word(name: str, cells: Sequence[Any], roles: ColumnRoles) -> str:
    """The kind that the cells of the first rows seem to be of."""
    if name in roles.nominal:
        return Categories.word
    if name in roles.numeric:
        return Numbers.word
    return word_of_cells(cells) or Numbers.word
