"""Rows built from blocks of a file, each column straight in the coding that trees read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files._matrix import GrowingMatrix
from rarewood._table_files.sources import Block
from rarewood._tables import Columns, Rows
from rarewood._tables.cells import MISSING, InfiniteCellError, as_text, is_number
from rarewood._tables.kinds import Categories, Kind, Moments, Numbers, codes_of, named_kind
from rarewood._tables.moments import MOMENTS, are_days, moment_of, moments_in

Kinds = dict[str, Kind]

_ODD: Mapping[Any, str] = {list: "lists", tuple: "lists", dict: "objects", set: "sets"} | dict.fromkeys(
    (bytes, bytearray, memoryview), "bytes"
)


class RowsBuilder:
    """A matrix that takes blocks of rows; its categories are numbered as they appear until `build` sorts them.

    The kind of a column is doubted unless it is `certain`: then a cell that is not of its kind is an error.
    """

    def __init__(self, kinds: Kinds, certain: Collection[str] = ()) -> None:
        self.kinds = dict(kinds)
        self._certain = frozenset(certain)
        self._matrix: GrowingMatrix | None = None
        self._codes: dict[str, dict[str, int]] = {
            name: {} for name, kind in kinds.items() if isinstance(kind, Categories)
        }
        self._with_values: set[str] = set()

    def add(self, block: Block, where: str, about: int) -> Kinds:
        """Append the rows of a block; the kinds of columns that cannot be of the kind they were taken for.

        `about` so many rows are to be expected in all.
        """
        if self._matrix is None:
            codes_only = all(isinstance(kind, Categories) for kind in self.kinds.values())
            self._matrix = GrowingMatrix(len(self.kinds), about, np.float32 if codes_only else np.float64)
        corrections: Kinds = {}
        for place, name in enumerate(self.kinds):
            cells = self._read(name, block, where)
            if isinstance(cells, str):
                corrections[name] = named_kind(cells)
            else:
                self._matrix.add(place, cells)
        return corrections

    def _read(self, name: str, block: Block, where: str) -> NDArray[Any] | str:
        """The cells of a block as floats, or the word of a kind that fits better."""
        cells, kind = block.columns[name], self.kinds[name]
        if isinstance(kind, Categories):
            refuse_odd(cells, name, where, block.first)
            return self._codes_of(name, cells)
        try:
            parse = kind.parse_seconds if isinstance(kind, Moments) else kind.parse
            floats: NDArray[Any] = parse(cells, name, where, block.first)
        except InfiniteCellError:
            raise
        except ValueError:
            if name in self._certain:
                raise
            # A first block without any value is no evidence against dates later on.
            word = None if name in self._with_values else word_of_cells(cells)
            return word if word in MOMENTS and word != kind.word else Categories.word
        if isinstance(kind, Moments) and name not in self._certain:
            word = _wider(kind, cells)
            if word is not None:
                return word
        if name not in self._with_values and not np.isnan(floats).all():
            self._with_values.add(name)
        return floats

    def _codes_of(self, name: str, cells: Any) -> NDArray[np.float64]:
        codes = self._codes[name]
        if hasattr(cells, "categories"):  # a pandas Categorical
            of_levels = [codes.setdefault(str(level), len(codes)) for level in cells.categories]
            return np.asarray(np.array([*of_levels, np.nan])[np.asarray(cells.codes)])
        return np.array([np.nan if cell in MISSING else codes.setdefault(cell, len(codes)) for cell in as_text(cells)])

    def build(self, rows: NDArray[np.bool_] | None = None, *, ordered: bool = True) -> Rows:
        """The rows, all or some of them; nothing can be added any more.

        Categories are `ordered` by the alphabet, so that no order of rows shows in a model, or else as they appear.
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
                self.kinds[name] = Moments("date")
            return kind.learned_from(cells)
        if not isinstance(kind, Categories):
            return kind
        texts = list(self._codes[name])
        if ordered and texts != sorted(texts):
            order = sorted(range(len(texts)), key=texts.__getitem__)
            places = np.empty(len(texts) + 1)
            places[order] = np.arange(len(texts))
            places[-1] = np.nan
            cells[:] = places[codes_of(cells)]
            texts = [texts[place] for place in order]
        return kind.listed(texts)


def _wider(kind: Moments, cells: Sequence[Any]) -> str | None:
    """The word for points in time among days, or for something else altogether; None if the cells are of the kind."""
    word = word_of_cells(cells)
    if word is None or word == kind.word or (word == "date" and kind.word == "datetime"):
        return None
    return "datetime" if word == "datetime" and kind.word == "date" else Categories.word


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
