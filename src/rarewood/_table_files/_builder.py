"""Rows built from blocks of a file, each column straight in the coding that trees read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files._matrix import GrowingMatrix
from rarewood._table_files.sources import Block
from rarewood._tables import Columns, Rows, in_order
from rarewood._tables.cells import ERRORS, MISSING, InfiniteCellError, as_text
from rarewood._tables.date_texts import DateWriting
from rarewood._tables.kinds import Categories, Kind, Moments, Numbers, codes_of, named_kind
from rarewood._tables.kinds.guessing import TextHints, guess_kind
from rarewood._tables.moments import are_days

Kinds = dict[str, Kind]

_ODD: Mapping[Any, str] = {list: "lists", tuple: "lists", dict: "objects", set: "sets"} | dict.fromkeys(
    (bytes, bytearray, memoryview), "bytes"
)


class RowsBuilder:
    """A matrix that takes blocks of rows; its categories are numbered as they appear until `build` sorts them.

    The kind of a column is doubted unless it is `certain`: then a cell that is not of its kind is an error.
    """

    def __init__(self, kinds: Kinds, certain: Collection[str] = (), hints: TextHints | None = None) -> None:
        """Without `hints`, cells are written as the kinds say, and in no other way."""
        self.kinds = dict(kinds)
        self.errors: Counter[str] = Counter()
        self._certain = frozenset(certain)
        self._hints = hints
        self._matrix: GrowingMatrix | None = None
        self._codes: dict[str, dict[str, int]] = {
            name: {} for name, kind in kinds.items() if isinstance(kind, Categories)
        }
        self._with_values: set[str] = set()

    def add(self, block: Block, where: str, about: int, used: NDArray[np.bool_] | None = None) -> Kinds:
        """Append the rows of a block; the kinds of columns that cannot be of the kind they were taken for.

        `about` so many rows are to be expected in all. Rows that are not `used` have no say in what a column is.
        """
        if self._matrix is None:
            codes_only = all(isinstance(kind, Categories) for kind in self.kinds.values())
            self._matrix = GrowingMatrix(len(self.kinds), about, np.float32 if codes_only else np.float64)
        corrections: Kinds = {}
        for place, name in enumerate(self.kinds):
            cells = self._read(name, block, where, used)
            if isinstance(cells, np.ndarray):
                self._matrix.add(place, cells)
            else:
                corrections[name] = cells
        return corrections

    def _read(self, name: str, block: Block, where: str, used: NDArray[np.bool_] | None) -> NDArray[Any] | Kind:
        """The cells of a block as floats, or a kind that fits better."""
        cells, kind = block.columns[name], self.kinds[name]
        counted = cells if used is None else some_cells(cells, used)
        if isinstance(counted, (list, tuple)):
            self.errors[name] += sum(isinstance(cell, str) and cell in ERRORS for cell in counted)
        if isinstance(kind, Categories):
            refuse_odd(cells, name, where, block.first)
            codes = self._codes_of(name, counted)
            return codes if used is None else _in_place(codes, used)
        parse = kind.parse_seconds if isinstance(kind, Moments) else kind.parse
        try:
            floats: NDArray[Any] = parse(cells, name, where, block.first)
        except InfiniteCellError:
            raise
        except ValueError as error:
            try:
                if used is None:
                    raise
                floats = _in_place(parse(counted, name, where, block.first), used)
            except ValueError:
                better = self._better(name, kind, counted)
                if better is None:
                    raise error from None
                return better
        if isinstance(kind, Moments) and name not in self._certain:
            wider = _wider(name, kind, counted)
            if wider is not None:
                return wider
        if name not in self._with_values and not np.isnan(floats).all():
            self._with_values.add(name)
        return floats

    def _better(self, name: str, kind: Kind, cells: Any) -> Kind | None:
        """What else cells may be that are not of the kind; None if the kind is certain, and so the cells are wrong."""
        found = None if self._hints is None else guess_kind(cells, name, self._hints)
        if found is not None and _family(found) == _family(kind) and found != kind:
            return found  # written in another way
        if name in self._certain:
            return None
        # A first block without any value is no evidence against dates later on.
        is_new = found is not None and name not in self._with_values and not isinstance(found, Numbers)
        return found if is_new else named_kind(Categories.word)

    def _codes_of(self, name: str, cells: Any) -> NDArray[np.float64]:
        codes = self._codes[name]
        if hasattr(cells, "categories"):  # a pandas Categorical
            of_levels = np.full(len(cells.categories) + 1, np.nan)
            for level in np.unique(np.asarray(cells.codes)).tolist():
                if level >= 0:
                    of_levels[level] = codes.setdefault(str(cells.categories[level]), len(codes))
            return np.asarray(of_levels[np.asarray(cells.codes)])
        return np.array([np.nan if cell in MISSING else codes.setdefault(cell, len(codes)) for cell in as_text(cells)])

    def build(self, rows: NDArray[np.bool_] | None = None, *, ordered: bool = True) -> Rows:
        """The rows, all or some of them; nothing can be added any more.

        Categories are `ordered` as everywhere, so that no order of rows shows in a model, or else as they appear.
        """
        matrix = np.empty((0, len(self.kinds))) if self._matrix is None else self._matrix.end(rows)
        self._matrix = None
        kinds = [self._learn(name, cells, ordered) for name, cells in zip(self.kinds, matrix.T, strict=True)]
        names = np.array(list(self.kinds), dtype=object)
        found = Columns(tuple(kinds), names, np.zeros(len(kinds), dtype=bool))
        return Rows(matrix, Columns.learn(Rows(matrix, found))[0])

    def _learn(self, name: str, cells: NDArray[Any], ordered: bool) -> Kind:
        """The kind of a whole column, whose codes are put in order."""
        kind = self.kinds[name]
        if isinstance(kind, Moments):
            if kind.word == "datetime" and are_days(cells):
                self.kinds[name] = replace(kind, word="date")
            return kind.learned_from(cells)
        if not isinstance(kind, Categories):
            return kind
        texts = list(self._codes[name])
        wanted = in_order(texts) if ordered else texts
        if wanted != texts:
            place_of = {text: place for place, text in enumerate(wanted)}
            places = np.array([*(place_of[text] for text in texts), np.nan])
            cells[:] = places[codes_of(cells)]
        return kind.listed(wanted)


def _in_place(cells: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
    """Cells of some rows among all, where the others are missing."""
    spread = np.full(len(rows), np.nan)
    spread[rows] = cells
    return spread


def _wider(name: str, kind: Moments, cells: Sequence[Any]) -> Kind | None:
    """Points in time among days, or something else altogether; None if the cells are of the kind."""
    written: dict[str | None, DateWriting] = {} if kind.writing is None else {name: kind.writing}
    found = guess_kind(cells, name, TextHints(dates=written))
    word = None if found is None else found.word
    if word is None or word == kind.word or (word == "date" and kind.word == "datetime"):
        return None
    if word == "datetime" and kind.word == "date":
        return replace(kind, word="datetime")
    return named_kind(Categories.word)


def _family(kind: Kind) -> str:
    return "point" if kind.word in ("date", "datetime") else kind.word


def some_cells(cells: Any, rows: NDArray[np.bool_]) -> Any:
    """Some of the cells of a column, in a container of the same kind."""
    if isinstance(cells, np.ndarray) or hasattr(cells, "categories"):
        return cells[rows]
    return [cell for cell, is_wanted in zip(cells, rows.tolist()) if is_wanted]


def refuse_odd(cells: Any, name: str, where: str, first: int) -> None:
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
