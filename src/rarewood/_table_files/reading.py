"""Whole columns of a file, from blocks of its rows: numbers, dates and times, categories, each in a few bytes per row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files._matrix import Growing, GrowingMatrix, MatrixColumn
from rarewood._table_files.csv import NotTextError
from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.sources import Block, Source
from rarewood._tables.cells import MISSING, Form, InfiniteCellError, as_text, is_number
from rarewood._tables.kinds import Categories, Kind, Moments, Numbers, named_kind
from rarewood._tables.moments import MOMENTS, are_days, moment_of, moments_in

_ROWS_AT_ONCE = 20_000
_ODD: Mapping[Any, str] = {list: "lists", tuple: "lists", dict: "objects", set: "sets"} | dict.fromkeys(
    (bytes, bytearray, memoryview), "bytes"
)
_FORMS: Mapping[str, Form] = {Numbers.word: "number", Categories.word: "nominal"}


@dataclass
class Gathered:
    """Columns by name: moments, codes of categories, lists of what was asked for as it is; numbers lie in a matrix.

    The matrix has a place for every column, in their order: that of another column is for the codes or seconds that trees read.
    """

    columns: dict[str, NDArray[Any]]
    matrix: GrowingMatrix
    kinds: dict[str, Kind]
    categories: dict[str, list[str]]
    as_they_are: dict[str, list[Any]]
    notes: list[str]

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Leave out all other rows; a column at a time, so that no table is there twice."""
        for name in self.columns:
            self.columns[name] = self.columns[name][rows]
        self.matrix.end(rows)


def gather(
    source: Source,
    *,
    nominal: Sequence[str] = (),
    numeric: Sequence[str] = (),
    text: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> Gathered:
    """All columns of a file but those to `drop`.

    Nominal are those of `nominal` and those that have a cell which is neither a number nor missing, except those of `numeric`,
    where such a cell is an error; dates and times are told by all of their cells. Columns of `text` are lists of cells. A guess
    from the first rows that later rows refute is given up, and the file read again: no column is held twice.
    """
    notes: list[str] = []
    words: dict[str, str] | None = None
    while True:
        try:
            return _gather_as(source, words, nominal, numeric, text, drop, notes)
        except _WrongGuess as wrong:
            words = wrong.words
        except NotTextError:
            if source.dialect.encoding is not None:
                raise
            source = replace(source, dialect=replace(source.dialect, encoding="cp1252"))
            words = None
        notes.clear()


class _WrongGuess(Exception):  # noqa: N818 - no error of anybody
    """Columns that are not what they seemed; carries a better guess."""

    def __init__(self, words: dict[str, str]) -> None:
        super().__init__()
        self.words = words


def _gather_as(
    source: Source,
    words: dict[str, str] | None,
    nominal: Sequence[str],
    numeric: Sequence[str],
    text: Sequence[str],
    drop: Sequence[str],
    notes: list[str],
) -> Gathered:
    forms: dict[str, Form] | None = None
    if words is not None:
        forms = {name: _FORMS.get(word, "text") for name, word in words.items()} | dict.fromkeys(text, "text")
    parts: dict[str, _Part] = {}
    matrix = GrowingMatrix(0)
    as_they_are: dict[str, list[Any]] = {name: [] for name in text}
    known: dict[
        Any, Any
    ] = {}  # equal cells are kept as one object: those of each block would keep its memory from being used again
    with source.blocks(_ROWS_AT_ONCE, forms, notes.append if words is not None else None) as (names, blocks):
        for block in blocks:
            if words is None:
                dialect: Dialect = getattr(blocks, "dialect", ORDINARY)
                kept = [name for name in names if name not in (*drop, *text)]
                for name in kept:
                    _refuse_odd(block.columns[name], name, source.where, block.first)
                seen = {name: dialect.plain_cells(block.columns[name]) for name in kept}
                raise _WrongGuess({name: _word(name, cells, nominal, numeric) for name, cells in seen.items()})
            about = getattr(blocks, "about_rows", 0)
            if not parts:
                matrix = GrowingMatrix(len(words), about)
                parts = {name: _Part.of(word, matrix, place, about) for place, (name, word) in enumerate(words.items())}
            refuted = {
                name: word for name, part in parts.items() if (word := part.add(name, block, source.where, numeric))
            }
            if refuted:
                raise _WrongGuess(words | refuted)
            for name, cells in as_they_are.items():
                cells.extend(_as_known(block.columns[name], known))
    columns = {name: column for name, part in parts.items() if (column := part.column()) is not None}
    categories = {name: list(part.codes) for name, part in parts.items() if isinstance(part.kind, Categories)}
    return Gathered(columns, matrix, {name: part.kind for name, part in parts.items()}, categories, as_they_are, notes)


def _refuse_odd(cells: Any, name: str, where: str, first: int) -> None:
    """Raise for cells that are no single value: Parquet and JSON can hold them."""
    if isinstance(cells, np.ndarray) or hasattr(cells, "categories"):
        return
    for row, cell in enumerate(cells):
        if isinstance(cell, (list, tuple, dict, set, bytes, bytearray, memoryview)):
            raise ValueError(
                f"{where}: column {name!r} holds {_ODD[type(cell)]}: row {first + row} has {cell!r:.60}; a cell can "
                "hold one number, word, boolean, date or time, so leave the column out (--drop) or split it into "
                "several."
            )


def _as_known(cells: Sequence[Any], known: dict[Any, Any]) -> Sequence[Any]:
    try:
        return [known.setdefault((type(cell), cell), cell) for cell in cells]
    except TypeError:  # a list, which no dictionary can find
        return cells


def _word(name: str, cells: Sequence[Any], nominal: Sequence[str], numeric: Sequence[str]) -> str:
    """What the cells of the first rows seem to be."""
    if name in nominal:
        return Categories.word
    if name in numeric:
        return Numbers.word
    return word_of_cells(cells) or Numbers.word


def word_of_cells(cells: Any) -> str | None:
    """The kind of some cells, as text or as values; None if all are missing."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        return None if cells.dtype.kind == "f" and np.isnan(cells).all() else Numbers.word
    if hasattr(cells, "categories"):
        return Categories.word
    present = {cell.strip() if isinstance(cell, str) else cell for cell in _distinct(cells) if _is_present(cell)}
    if not present:
        return None
    texts = [cell for cell in present if isinstance(cell, str)]
    if len(texts) == len(present):
        if all(map(is_number, texts)):
            return Numbers.word
        return moments_in(texts) or Categories.word
    if all(isinstance(cell, Number) and not isinstance(cell, bool) for cell in present):
        return Numbers.word
    moments = {moment_of(cell) for cell in present if hasattr(cell, "isoformat") or hasattr(cell, "total_seconds")}
    if texts or any(isinstance(cell, (bool, Number)) for cell in present) or not moments:
        return Categories.word
    if moments == {"date", "datetime"}:
        return "datetime"
    return moments.pop() if len(moments) == 1 else Categories.word


def _distinct(cells: Any) -> Any:
    """Each cell once, if that can be: columns of dates repeat theirs."""
    try:
        return dict.fromkeys(cells)
    except TypeError:  # lists in cells
        return cells


def _is_present(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell.strip() not in MISSING
    return cell is not None and cell == cell


@dataclass
class _Part:
    """A column in the making."""

    kind: Kind
    cells: Growing | MatrixColumn
    codes: dict[str, int] = field(default_factory=dict)
    has_values: bool = False

    @classmethod
    def of(cls, word: str, matrix: GrowingMatrix, place: int, about: int) -> _Part:
        """Numbers go where trees will read them, anything else into an array of its own."""
        return cls(named_kind(word), MatrixColumn(matrix, place) if word == Numbers.word else Growing(about))

    def add(self, name: str, block: Block, where: str, numeric: Sequence[str]) -> str | None:
        """Take the cells of a block; the word of another kind if they cannot be of this one."""
        cells = block.columns[name]
        if isinstance(self.kind, Categories):
            _refuse_odd(cells, name, where, block.first)
            self.cells.add(self._codes_of(cells))
            return None
        try:
            array = self.kind.parse(cells, name, where, block.first)
        except InfiniteCellError:
            raise
        except ValueError:
            if name in numeric:
                raise
            # A first block without any value is no evidence against dates later on.
            found = None if self.has_values else word_of_cells(cells)
            return found if found in MOMENTS and found != self.kind.word else Categories.word
        if isinstance(self.kind, Moments):
            better = self._wider(cells)
            if better is not None:
                return better
        self.has_values = self.has_values or bool(
            (~np.isnan(array) if array.dtype.kind == "f" else ~np.isnat(array)).any()
        )
        self.cells.add(array)
        return None

    def _wider(self, cells: Sequence[Any]) -> str | None:
        """Points in time among days, or something else altogether."""
        found = word_of_cells(cells)
        if found is None or found == self.kind.word or (found == "date" and self.kind.word == "datetime"):
            return None
        return "datetime" if found == "datetime" and self.kind.word == "date" else Categories.word

    def _codes_of(self, cells: Any) -> NDArray[np.int32]:
        if hasattr(cells, "categories"):  # a pandas Categorical
            of_levels = [self.codes.setdefault(str(level), len(self.codes)) for level in cells.categories]
            return np.asarray(np.array([*of_levels, -1], dtype=np.int32)[np.asarray(cells.codes)])
        known = self.codes
        codes = [-1 if cell in MISSING else known.setdefault(cell, len(known)) for cell in as_text(cells)]
        return np.array(codes, dtype=np.int32)

    def column(self) -> NDArray[Any] | None:
        """All cells, unless they are in the matrix."""
        if isinstance(self.cells, MatrixColumn):
            return None
        whole = self.cells.whole()
        if self.kind.word == "datetime" and are_days(np.where(np.isnat(whole), np.nan, whole.astype(np.int64) / 1e6)):
            self.kind = named_kind("date")
        return whole


def frame_of(gathered: Gathered) -> tuple[Any, NDArray[np.float64]]:
    """A data frame whose numbers are columns of the matrix, and that matrix.

    Categories are in the order of the alphabet, so that no order of rows shows in a model.
    """
    from rarewood._validation import import_optional

    pandas = import_optional("pandas", "cli", "tables from files")
    matrix = gathered.matrix.end()
    columns: dict[str, Any] = {}
    for place, name in enumerate(gathered.kinds):
        cells = gathered.columns.pop(name, None)
        if cells is None:
            columns[name] = matrix[:, place]
        elif name in gathered.categories:
            levels = gathered.categories[name]
            order = sorted(range(len(levels)), key=levels.__getitem__)
            places = np.empty(len(levels) + 1, dtype=np.int32)
            places[order] = np.arange(len(levels))
            places[-1] = -1
            columns[name] = pandas.Categorical.from_codes(places[cells], [levels[place] for place in order])
        else:
            columns[name] = cells
    return pandas.DataFrame(columns, copy=False), matrix
