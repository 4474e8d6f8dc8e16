"""Files -> `Rows`: `guess` says of what kind each column is, `read` reads the file so and corrects what later rows refute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files._builder import Kinds, RowsBuilder, some_cells
from rarewood._table_files._structures import refuse_structures
from rarewood._table_files.csv import NotTextError
from rarewood._table_files.labels import is_unlabelled
from rarewood._table_files.proportion import Proportion
from rarewood._table_files.reading_notes import note_on_footer, notes_on_reading, notes_on_zeros
from rarewood._table_files.sources import Block, Source
from rarewood._tables.cells import Form
from rarewood._tables.kinds import Categories, Kind, Moments, Numbers, named_kind, writing_of
from rarewood._tables.kinds.guessing import TextHints, guess_among_odd, guess_kind
from rarewood._tables.notes import Note
from rarewood._tables.number_texts import has_decimal_points

_ROWS_AT_ONCE = 20_000


@dataclass(frozen=True)
class ColumnRoles:
    """What a caller knows of the columns of a file.

    Parameters
    ----------
    nominal, numeric : sequence of str
        Columns whose kind need not be guessed. In a numeric one, cells that are no numbers are missing if few, else an error.
    text : sequence of str
        Columns whose cells are handed over as they are.
    apart : sequence of str
        Columns that are read like the others, into rows of their own.
    drop : sequence of str
        Columns that are not read.
    label : str, or None
        The column of labels, one of `text`. Rows without a label have no say in what the other columns are.
    """

    nominal: Sequence[str] = ()
    numeric: Sequence[str] = ()
    text: Sequence[str] = ()
    apart: Sequence[str] = ()
    drop: Sequence[str] = ()
    label: str | None = None


@dataclass(frozen=True)
class FileColumns:
    """What a file holds: columns to learn from, columns apart, cells as they are, and notes on how it was read."""

    learned: RowsBuilder
    apart: RowsBuilder
    text: dict[str, list[Any]]
    notes: list[Note]
    table: str | None = None
    """The sheet or table that was read, of a file with several."""


@dataclass(frozen=True)
class Guess:
    """The kinds of the columns of a file, and what helps to guess again where later rows refute them.

    `unsettled` are columns of whole numbers so far. `zeros` has a cell with a zero in front, of columns of numbers that have such.
    """

    kinds: Kinds
    hints: TextHints
    unsettled: frozenset[str] = frozenset()
    zeros: Mapping[str, str] = field(default_factory=dict)


def guess(source: Source, roles: ColumnRoles) -> Guess:
    """The kinds of all columns but those to `drop` and of `text`, as the first rows of a file have them.

    Nominal are those of `roles.nominal` and those that have more than a few cells which are neither numbers, nor missing, nor dates
    or times.
    """
    with source.blocks(_ROWS_AT_ONCE) as (names, blocks):
        block = next(blocks, None)
        hints = getattr(blocks, "dialect", source.dialect).text_hints(source.dialect)
        if block is None:
            return Guess({}, hints)
        kept = [name for name in names if name not in (*roles.drop, *roles.text)]
        refuse_structures({name: block.columns[name] for name in kept}, source.where, block.first, may_drop=True)
        used = _used(block, roles)
        cells = {name: block.columns[name] if used is None else some_cells(block.columns[name], used) for name in kept}
    kinds = {name: _kind(name, column, roles, hints) for name, column in cells.items()}
    surer = _surer(hints, kinds, cells)
    if surer != hints:
        kinds |= {name: _kind(name, cells[name], roles, surer) for name, kind in kinds.items() if _in_doubt(kind)}
    plain = [name for name, kind in kinds.items() if kind == Numbers()]
    unsettled = frozenset(name for name in plain if _are_without_marks(cells[name]))
    zeros = {name: text for name in plain if (text := _with_zero(cells[name])) is not None}
    return Guess(kinds, surer, unsettled, zeros)


def _are_without_marks(cells: Any) -> bool:
    return isinstance(cells, (list, tuple)) and not any(
        isinstance(cell, str) and set(cell) & {".", ","} for cell in cells
    )


def _with_zero(cells: Any) -> str | None:
    """A number with a zero in front of its digits, which looks like a code."""
    if isinstance(cells, np.ndarray):
        return None
    texts = (cell.strip() for cell in cells if isinstance(cell, str))
    return next((text for text in texts if text[:1] == "0" and len(text) > 1 and text.isdecimal()), None)


def _surer(hints: TextHints, kinds: Kinds, cells: Mapping[str, Any]) -> TextHints:
    """What columns that are not in doubt say of the others, which come from the same program."""
    doubtful = [kind for kind in kinds.values() if _in_doubt(kind)]
    if any(isinstance(kind, Numbers) for kind in doubtful):
        plain = [name for name, kind in kinds.items() if kind == Numbers()]
        texts = ([cell for cell in cells[name] if isinstance(cell, str)] for name in plain)
        hints = replace(hints, marks=replace(hints.marks, has_points=any(map(has_decimal_points, texts))))
    if any(isinstance(kind, Moments) for kind in doubtful):
        written = (kind.writing for kind in kinds.values() if isinstance(kind, Moments) and not _in_doubt(kind))
        hints = replace(hints, order=next((each.order for each in written if each is not None), ""))
    return hints


def _in_doubt(kind: Kind) -> bool:
    writing = writing_of(kind)
    return writing is not None and writing.in_doubt


def _used(block: Block, roles: ColumnRoles) -> NDArray[np.bool_] | None:
    """Which rows of a block have a label; None if all have, or nobody has said which column has the labels."""
    if roles.label is None:
        return None
    cells = block.columns[roles.label]
    used = np.array([not is_unlabelled(cell.strip() if isinstance(cell, str) else cell) for cell in cells], bool)
    return None if used.all() or not used.any() else used


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
    found = guess(source, roles) if kinds is None else None
    tried: dict[str, list[Kind]] = {}
    kinds = kinds if found is None else found.kinds
    assert kinds is not None
    while True:
        columns, corrections = _read_as(source, roles, kinds, certain, found)
        if not corrections:
            return columns
        for name, kind in corrections.items():  # rows that refute each other leave nothing but words
            again = kind in tried.setdefault(name, [kinds[name]])
            tried[name].append(kind)
            kinds = kinds | {name: named_kind(Categories.word) if again else kind}


def _read_as(
    source: Source, roles: ColumnRoles, kinds: Kinds, certain: Sequence[str], found: Guess | None
) -> tuple[FileColumns, Kinds]:
    """The columns read as these kinds; where some cannot be, not all rows are read, and the kinds that fit better are told."""
    forms: dict[str, Form] = {name: kind.form for name, kind in kinds.items()} | dict.fromkeys(roles.text, "text")
    hints, unsettled = (None, frozenset[str]()) if found is None else (found.hints, found.unsettled)
    learned, apart = (
        RowsBuilder(
            {name: kind for name, kind in kinds.items() if (name in roles.apart) == is_apart},
            certain,
            hints,
            strict=source.dialect.strict,
            unsettled=unsettled,
        )
        for is_apart in (False, True)
    )
    columns = FileColumns(learned, apart, {name: [] for name in roles.text}, [])

    shared: dict[Any, Any] = {}
    n_shared = 0
    may_take = Proportion.of(source.path, source.where)
    footer: Note | None = None
    n_rows = 0
    with source.blocks(_ROWS_AT_ONCE, forms, columns.notes.append, roles.label) as (_, blocks):
        may_take.check(getattr(blocks, "n_rows", 0), len(forms))
        for block in blocks:
            about = getattr(blocks, "about_rows", 0)
            n_rows += block.n_rows
            may_take.check(n_rows, len(forms), learned.n_characters + apart.n_characters + n_shared)
            used = _used(block, roles)
            corrections = learned.add(block, source.where, about, used) | apart.add(block, source.where, about, used)
            if corrections:
                return columns, corrections
            n_known = len(shared)
            for name, cells in columns.text.items():
                cells.extend(_shared(block.columns[name], shared))
            n_shared += sum(
                len(cell) for _, cell in islice(reversed(shared), len(shared) - n_known) if isinstance(cell, str)
            )
            footer = None if roles.label is None else note_on_footer(block, roles.label)
        table = getattr(blocks, "table", None)
    corrections = learned.corrections() | apart.corrections()
    if corrections:
        return columns, corrections
    guessed = {} if found is None else learned.kinds | apart.kinds
    columns.notes.extend(notes_on_reading(guessed, learned.errors + apart.errors, n_rows))
    for builder in (learned, apart):
        remedy = {} if found is None else {"remedy": "; --strict refuses such cells, --nominal NAME reads categories"}
        columns.notes.extend(builder.odd.notes(builder.kinds, n_rows, **remedy))
    zeros = {} if found is None else found.zeros
    columns.notes.extend(notes_on_zeros({name: text for name, text in zeros.items() if name in kinds}))
    columns.notes.extend([] if footer is None else [footer])
    return replace(columns, table=table), {}


def _shared(cells: Sequence[Any], known: dict[Any, Any]) -> Sequence[Any]:
    """Equal cells as one object: those of each block would keep its memory from being used again."""
    try:
        return [known.setdefault((type(cell), cell), cell) for cell in cells]
    except TypeError:  # a list, which no dictionary can find
        return cells


def _kind(name: str, cells: Sequence[Any], roles: ColumnRoles, hints: TextHints) -> Kind:
    """The kind that the cells of the first rows seem to be of."""
    if name in roles.nominal:
        return named_kind(Categories.word)
    found = guess_kind(cells, name, hints) or Numbers()
    if isinstance(found, Categories):
        found = guess_among_odd(cells, name, hints) or found
    return found if name not in roles.numeric or isinstance(found, Numbers) else Numbers()
