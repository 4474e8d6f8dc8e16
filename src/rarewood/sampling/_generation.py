"""New rows from patterns: what a pattern says about a column is obeyed, every other cell follows the training table.

Rows are encoded as the forests read them: numbers, category codes, NaN for missing. A number drawn here is one its column can
hold: whole where all others are, a float32 where that is its type, so nothing moves when it is written into the caller's table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rarewood._rules import Conditions, gather_segments
from rarewood._tables import Column

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PRECISIONS: dict[str, type[np.floating[Any]]] = {"float16": np.float16, "float32": np.float32}


class Scale(Protocol):
    """The numbers that a column can hold; scales of columns that can hold the same numbers are equal."""

    def above(self, bound: Floats) -> Floats:
        """The smallest such number above the bound, infinite if there is none."""

    def at_most(self, bound: Floats) -> Floats:
        """The largest such number that is not above the bound, minus infinity if there is none."""

    def uniform(self, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
        """One number for each pair of closed bounds, which are numbers of this scale."""


@dataclass(frozen=True)
class Levels:
    """A few values, ascending."""

    values: tuple[float, ...]

    def above(self, bound: Floats) -> Floats:
        return np.array([*self.values, np.inf])[np.searchsorted(self.values, bound, side="right")]

    def at_most(self, bound: Floats) -> Floats:
        return np.array([-np.inf, *self.values])[np.searchsorted(self.values, bound, side="right")]

    def uniform(self, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
        places = IntegerScale().uniform(
            np.searchsorted(self.values, low).astype(np.float64),
            np.searchsorted(self.values, high).astype(np.float64),
            rng,
        )
        return np.array(self.values)[places.astype(np.int64)]


@dataclass(frozen=True)
class IntegerScale:
    """Whole numbers."""

    def above(self, bound: Floats) -> Floats:
        return np.floor(bound) + 1.0

    def at_most(self, bound: Floats) -> Floats:
        return np.floor(bound)

    def uniform(self, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
        return np.clip(np.floor(low + rng.random(len(low)) * (high - low + 1.0)), low, high)


@dataclass(frozen=True)
class RealNumbers:
    """Floating-point numbers of some precision."""

    precision: type[np.floating[Any]] = np.float64

    def above(self, bound: Floats) -> Floats:
        with np.errstate(over="ignore"):
            nearest = bound.astype(self.precision)
            next_one = np.nextafter(nearest, self.precision(np.inf))
        return np.where(nearest <= bound, next_one, nearest).astype(np.float64)

    def at_most(self, bound: Floats) -> Floats:
        with np.errstate(over="ignore"):
            nearest = bound.astype(self.precision)
            one_before = np.nextafter(nearest, self.precision(-np.inf))
        return np.where(nearest > bound, one_before, nearest).astype(np.float64)

    def uniform(self, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
        u = rng.random(len(low))
        drawn = low * (1.0 - u) + high * u  # high - low may overflow
        return np.clip(drawn.astype(self.precision).astype(np.float64), low, high)


def scale_of(column: Column, values: NDArray[Any], n_levels: int) -> Scale:
    """The scale of a column by its values: at most `n_levels` of them, whole numbers only, or any numbers of its type.

    A draw between the values of a column that has but a few would give the new row away at once.
    """
    present = np.unique(values[~np.isnan(values)]).astype(np.float64)
    if len(present) <= n_levels or column.type == "moment":
        return Levels(tuple(present.tolist()))
    precision = _PRECISIONS.get(column.dtype_name.lower(), np.float64)
    largest = 2.0 ** (np.finfo(precision).nmant + 1)  # up to here the type holds every whole number
    if np.all((present == np.floor(present)) & (np.abs(present) <= largest)):
        return IntegerScale()
    return RealNumbers(precision)


def scales_of(
    columns: Sequence[Column], matrix: NDArray[Any], nominal: NDArray[np.bool_], n_levels: int
) -> dict[int, Scale]:
    """The scale of each numeric column; it is that of all rows, even if values are drawn from some of them."""
    return {j: scale_of(columns[j], matrix[:, j], n_levels) for j in np.flatnonzero(~nominal).tolist()}


class TrainingTable:
    """Statistics of training rows that generation needs: ranges, histograms, observed categories, shares of missing cells.

    Histograms have `n_bins` bins of equal width, or one bar per value for a column that has no more values than that; without
    `histograms`, free cells repeat the values of their column.
    """

    def __init__(
        self,
        matrix: NDArray[Any],
        scales: Mapping[int, Scale],
        nominal: NDArray[np.bool_],
        n_bins: int,
        histograms: bool = True,
    ) -> None:
        self._matrix = matrix
        self._nominal = nominal
        self._missing_share = np.isnan(matrix).mean(axis=0)
        self._scales = scales
        self._low, self._high = _ranges(matrix)
        binned = [j for j in scales if histograms and not isinstance(scales[j], Levels)]
        self._edges = {j: self._equal_bins(j, n_bins) for j in binned}

    def _equal_bins(self, column: int, n_bins: int) -> Floats:
        share = np.linspace(0.0, 1.0, n_bins + 1)
        low, high = self._low[column], self._high[column]
        edges = np.clip(low * (1.0 - share) + high * share, low, high)  # rounding must not leave a narrow range
        scale = self._scales[column]
        return scale.at_most(edges) if isinstance(scale, RealNumbers) else edges

    def free_cells(self, n_rows: int, rng: np.random.Generator) -> Floats:
        """Rows whose cells are drawn column by column, independently, as the training rows are distributed.

        A cell is that of a random training row, which gives missing values and categories their frequencies; a number is then
        replaced by a uniform draw from its bin of the histogram, if there are bins.
        """
        rows = np.empty((n_rows, self._matrix.shape[1]), order="F")
        for j, picked in enumerate(rng.integers(len(self._matrix), size=(self._matrix.shape[1], n_rows))):
            cells = self._matrix[picked, j].astype(np.float64)
            if j in self._edges:
                present = ~np.isnan(cells)
                cells[present] = self._within_bins(j, cells[present], rng)
            rows[:, j] = cells
        return rows

    def _within_bins(self, column: int, values: Floats, rng: np.random.Generator) -> Floats:
        edges, scale = self._edges[column], self._scales[column]
        place = np.searchsorted(edges[1:-1], values, side="right")
        low, high = edges[place], edges[place + 1]
        if isinstance(scale, IntegerScale):  # a bin is closed below and open above, except for the last one
            low = np.ceil(low)
            high = np.where(place == len(edges) - 2, np.floor(high), np.ceil(high) - 1.0)
        return scale.uniform(low, high, rng)

    def allowed(self, conditions: Conditions) -> AllowedValues:
        """The training values that meet the conditions."""
        low, high = conditions.lower.copy(), conditions.upper.copy()
        for scale, here in self._by_scale(conditions.column):
            low[here] = np.maximum(scale.above(low[here]), self._low[conditions.column[here]])
            high[here] = np.minimum(scale.at_most(high[here]), self._high[conditions.column[here]])
        owner = np.repeat(np.arange(len(conditions.column)), np.diff(conditions.code_start))
        kept = self._is_observed(conditions.column[owner], conditions.codes)
        counts = np.bincount(owner[kept], minlength=len(conditions.column))
        return AllowedValues(
            conditions,
            low,
            high,
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            conditions.codes[kept],
            np.where(conditions.missing, self._missing_share[conditions.column], 0.0),
        )

    def _is_observed(self, column: Ints, codes: Ints) -> NDArray[np.bool_]:
        found = np.zeros(len(codes), dtype=bool)
        for j in np.flatnonzero(self._nominal).tolist():
            here = column == j
            found[here] = np.isin(codes[here], self._matrix[:, j])
        return found

    def draw_numbers(self, column: Ints, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
        """Numbers of several columns, each uniform between its bounds."""
        drawn = np.empty(len(column))
        for scale, here in self._by_scale(column):
            drawn[here] = scale.uniform(low[here], high[here], rng)
        return drawn

    def _by_scale(self, column: Ints) -> Iterator[tuple[Scale, NDArray[np.bool_]]]:
        """Each scale with a mask of the listed columns that have it."""
        for scale in dict.fromkeys(self._scales.values()):
            yield scale, np.isin(column, [j for j, each in self._scales.items() if each == scale])


@dataclass(frozen=True)
class AllowedValues:
    """Per condition: closed bounds of a number, the observed categories it admits, and how often a cell is missing."""

    conditions: Conditions
    low: Floats
    high: Floats
    code_start: Ints
    codes: Ints
    missing_share: Floats


class RowMaker:
    """Makes rows that obey patterns."""

    def __init__(
        self, table: TrainingTable, conditions: Conditions, strength: Floats, nominal: NDArray[np.bool_]
    ) -> None:
        self._table = table
        self._allowed = table.allowed(conditions)
        self._cumulated = np.cumsum(strength)
        self._nominal = nominal

    @property
    def n_columns(self) -> int:
        return len(self._nominal)

    def make(self, n_rows: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Rows, and the pattern behind each: drawn with a probability proportional to its strength."""
        pattern = np.searchsorted(self._cumulated, rng.random(n_rows) * self._cumulated[-1], side="right")
        pattern = np.minimum(pattern, len(self._cumulated) - 1)
        rows = self._table.free_cells(n_rows, rng)
        self._obey(rows, pattern, rng)
        return rows, pattern

    def _obey(self, rows: Floats, pattern: Ints, rng: np.random.Generator) -> None:
        """Overwrite the cells about which the pattern of a row says something."""
        allowed = self._allowed
        start, condition = gather_segments(allowed.conditions.start, pattern)
        row = np.repeat(np.arange(len(pattern)), np.diff(start))
        column = allowed.conditions.column[condition]
        cells = np.full(len(row), np.nan)
        present = rng.random(len(row)) >= allowed.missing_share[condition]
        is_number = present & ~self._nominal[column] & (allowed.low <= allowed.high)[condition]
        chosen = condition[is_number]
        cells[is_number] = self._table.draw_numbers(column[is_number], allowed.low[chosen], allowed.high[chosen], rng)
        n_codes = np.diff(allowed.code_start)[condition]
        is_category = present & self._nominal[column] & (n_codes > 0)
        place = np.floor(rng.random(int(is_category.sum())) * n_codes[is_category]).astype(np.int64)
        cells[is_category] = allowed.codes[allowed.code_start[condition[is_category]] + place]
        rows[row, column] = cells


def _ranges(matrix: NDArray[Any]) -> tuple[Floats, Floats]:
    """Smallest and largest value per column; NaN for a column without any."""
    present = ~np.isnan(matrix)
    low = np.min(matrix, axis=0, initial=np.inf, where=present).astype(np.float64)
    high = np.max(matrix, axis=0, initial=-np.inf, where=present).astype(np.float64)
    empty = low > high
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
