"""Step functions of columns and pairs, fitted to rows by the core: where steps end, what they cost, which columns need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rarewood._core import StepFit, pair_misfits
from rarewood._decisions._effects import Bounds, steps_of

_MOST_STEPS = 16  # of a column of numbers alone
_MOST_STEPS_OF_PAIR = 8  # of each column of a pair
_MOST_CATEGORIES = 64  # of a column that takes part
_MOST_VALUES = 640  # of all columns together: time grows with the third power
_NOMINAL = 0.25  # of the stiffness costs the square of a category's own value: it has no neighbours
_SHRINKAGE = 1.0  # costs the square of any value
_PAIR_STIFFNESS = 5.0

Numbers = NDArray[np.float64]
Scores = tuple[Numbers, Numbers]
"""Log-odds of rows, and what half of the trees say."""
Pairs = list[tuple[int, int]]
Range = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Steps:
    """Where the steps of each column end: alone, and as one of a pair; which columns are nominal, and of which cells are missing."""

    alone: tuple[Bounds, ...]
    paired: tuple[Bounds, ...]
    nominal: NDArray[np.bool_]
    missing: NDArray[np.bool_]

    @classmethod
    def of(cls, matrix: NDArray[Any], n_categories: NDArray[Any]) -> Steps:
        """At quantiles, or after every category."""
        alone, paired = [], []
        ordered = np.sort(matrix, axis=0)  # missing cells last
        n_known = len(matrix) - np.count_nonzero(np.isnan(ordered), axis=0)
        for cells, known, n in zip(ordered.T, n_known.tolist(), n_categories.tolist(), strict=True):
            if n > 0:
                alone.append(np.arange(n if n <= _MOST_CATEGORIES else 0) + 0.5)
                paired.append(np.empty(0))
                continue
            alone.append(_quantiles(cells[:known], _MOST_STEPS))
            paired.append(_quantiles(cells[:known], _MOST_STEPS_OF_PAIR))
        return cls(tuple(alone), tuple(paired), n_categories > 0, n_known < len(matrix))

    def sizes(self, bounds: tuple[Bounds, ...]) -> NDArray[np.int64]:
        """How many steps of each column rows may be on: behind the others that of missing cells, if there are any."""
        return np.array([len(limits) + 1 for limits in bounds]) + self.missing

    def penalty_of_column(self, column: int, stiffness: float) -> Numbers:
        """The matrix Q of the penalty v'Qv on values v: `stiffness` is what a squared difference of 1 between neighbours costs."""
        size = len(self.alone[column]) + 1 + int(self.missing[column])
        own = _SHRINKAGE * np.eye(size)
        if self.nominal[column]:
            return own + stiffness * _NOMINAL * np.eye(size)
        return own + stiffness * _rises(len(self.alone[column]), size)

    def penalty_of_pair(self, pair: tuple[int, int]) -> Numbers:
        one, other = (
            _rises(len(self.paired[column]), len(self.paired[column]) + 1 + int(self.missing[column]))
            for column in pair
        )
        along = np.kron(one, np.eye(len(other))) + np.kron(np.eye(len(one)), other)
        return _SHRINKAGE * np.eye(len(along)) + _PAIR_STIFFNESS * along


def _quantiles(ordered: NDArray[Any], most: int) -> Bounds:
    rises = ordered[1:] > ordered[:-1]
    if np.count_nonzero(rises) < most:
        return ordered[:-1][rises].astype(np.float64)
    ends = ordered[np.arange(1, most + 1) * len(ordered) // most - 1]
    return ends[:-1][ends[1:] > ends[:-1]].astype(np.float64)


def _rises(n_bounds: int, size: int) -> Numbers:
    """Of the sum of squared differences between neighbouring steps; the value of missing cells has no neighbour."""
    rise = np.zeros((n_bounds, size))
    places = np.arange(n_bounds)
    rise[places, places], rise[places, places + 1] = -1.0, 1.0
    return np.asarray(rise.T @ rise)


@dataclass(frozen=True, eq=False)
class Ordered:
    """Steps whose values may only rise, or only fall: where they stand among all values, and what rows on each weigh."""

    begin: int
    weights: Numbers
    sign: int

    def project(self, found: Numbers) -> None:
        """Put the nearest values in order, by the squares of what each changes times its weight, in place of these."""
        own = slice(self.begin, self.begin + len(self.weights))
        found[own] = self.sign * _rising(self.sign * found[own], self.weights)


def _rising(values: Numbers, weights: Numbers) -> Numbers:
    """Isotonic regression: neighbours that fall become one level, their mean, until none does."""
    levels: list[tuple[float, float, int]] = []  # value, weight, number of steps
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        levels.append((value, weight, 1))
        while len(levels) > 1 and levels[-2][0] > levels[-1][0]:
            (a, weight_a, n_a), (b, weight_b, n_b) = levels[-2:]
            total = weight_a + weight_b
            levels[-2:] = [((a * weight_a + b * weight_b) / total, total, n_a + n_b)]
    return np.repeat([value for value, _, _ in levels], [n for _, _, n in levels])


@dataclass(frozen=True, eq=False)
class Fitting:
    """A fit of steps beside slope and offset, whose results obey the signs of columns."""

    fitted: StepFit
    ordered: tuple[Ordered, ...] = ()

    def fit(self) -> Numbers:
        """Values of steps, offset and slope; found once."""
        return self._found

    @cached_property
    def _found(self) -> Numbers:
        return self._in_order(self.fitted.fit())

    def fit_without(self, begin: int, end: int) -> Numbers:
        """The same without these rows."""
        return self._in_order(self.fitted.fit_without(begin, end))

    def log_odds(self, found: Numbers) -> Numbers:
        """Of all rows."""
        return self.fitted.log_odds(found)

    def _in_order(self, found: Numbers) -> Numbers:
        if not self.ordered:
            return found
        found = found.copy()
        for each in self.ordered:
            each.project(found)
        return found


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to learn from: which steps they are on, what the forest says, whether of the second class, weight.

    A row is scored by few trees, a new row by all. What is learned here is meant for all trees: wherever a function f of log-odds is
    added up over rows, (1 + `more`) f(log-odds) - `more` f(those of half the trees) takes its place, which is f at the noise
    of all trees, extrapolated.

    `signs` says of each column whether log-odds may only rise with it (1), only fall (-1) or are free (0). One that is not free has
    steps in order alone, and is in no pair; the step of missing cells is free.
    """

    steps: Steps
    alone: NDArray[np.uint8]
    paired: NDArray[np.uint8]
    scores: Scores
    second: NDArray[np.uint8]
    weight: Numbers
    more: float
    signs: NDArray[np.int8]

    @classmethod
    def of(
        cls,
        matrix: NDArray[Any],
        n_categories: NDArray[Any],
        scores: Scores,
        second: NDArray[Any],
        weight: Numbers,
        more: float,
        signs: list[int] | None = None,
    ) -> Rows:
        matrix = np.asfortranarray(matrix)
        steps = Steps.of(matrix, n_categories)
        alone, paired = (steps_of(matrix, bounds) for bounds in (steps.alone, steps.paired))
        own_signs = np.array([0] * matrix.shape[1] if signs is None else signs, dtype=np.int8)
        return cls(steps, alone, paired, scores, second.astype(np.uint8), weight, more, own_signs)

    def losses(self, scores: Scores) -> Numbers:
        """Weight x minus the logarithm of the probability of the true class."""
        near, far = (np.logaddexp(0.0, np.where(self.second == 1, -each, each)) for each in scores)
        return np.asarray(self.weight * (near + self.more * (near - far)))

    def residuals(self, scores: Scores, out: Range = (0, 0)) -> tuple[Numbers, Numbers]:
        """What probabilities are too low by, and the variance of that; both 0 for the rows that are left out."""
        near, far = map(expit, scores)
        weight = self._weight_without(out)
        return weight * (self.second - near - self.more * (near - far)), weight**2 * near * (1.0 - near)

    def _weight_without(self, out: Range) -> Numbers:
        if out[0] == out[1]:
            return self.weight
        weight = self.weight.copy()
        weight[slice(*out)] = 0.0
        return weight

    def misfits(self, lack: Numbers, spread: Numbers) -> Numbers:
        """Of each column, the sum over few steps of G^2 / V, G being what is too little there and V its variance."""
        found = []
        for on in np.where(self.steps.nominal[:, np.newaxis], self.alone, self.paired):
            gap, width = np.bincount(on, lack), np.bincount(on, spread)
            found.append((gap * gap / (width + 0.5)).sum())  # where there is hardly any spread, a table says nothing
        return np.array(found)

    def n_free(self) -> NDArray[np.int64]:
        """How many steps misfits are the sums over."""
        steps = self.steps
        return np.where(steps.nominal, steps.sizes(steps.alone) - 1, steps.sizes(steps.paired))

    def misfits_of_pairs(self, lack: Numbers, spread: Numbers, columns: list[int]) -> list[tuple[float, int, int]]:
        """The same of each pair of these columns for the four quarters around the point where they fit worst; the worst first."""
        sizes, missing = self.steps.sizes(self.steps.paired)[columns], self.steps.missing[columns].astype(np.int64)
        found = pair_misfits(self.paired[columns], sizes.tolist(), missing.tolist(), lack, spread)
        names = [(a, b) for place, a in enumerate(columns) for b in columns[:place]]
        return sorted(((float(score), a, b) for score, (a, b) in zip(found, names, strict=True)), reverse=True)

    def telling(self, most: int, out: Range = (0, 0)) -> list[int]:
        """The columns of numbers, free ones, in whose steps the classes differ most."""
        weight = self._weight_without(out)
        share = float(np.average(self.second, weights=weight))
        misfits = self.misfits(weight * (self.second - share), weight**2 * (share * (1.0 - share)))
        order = np.argsort(-misfits, kind="stable").tolist()
        able = [column for column in order if len(self.steps.paired[column]) and not self.signs[column]]
        return sorted(able[:most])

    def of_columns(self, columns: list[int], stiffness: float, out: Range = (0, 0)) -> Fitting:
        """Steps of columns beside slope and offset; of no columns, slope and offset alone."""
        sizes = self.steps.sizes(self.steps.alone)[columns].tolist() if columns else []
        penalties = [self.steps.penalty_of_column(column, stiffness) for column in columns]
        begins = np.cumsum([0, *sizes]).tolist()
        ordered = [self._ordered(column, begin) for column, begin in zip(columns, begins) if self.signs[column]]
        return self._fit(self.alone[columns], sizes, self.scores, penalties, out, tuple(ordered))

    def _ordered(self, column: int, begin: int) -> Ordered:
        n_steps = len(self.steps.alone[column]) + 1
        weights = np.bincount(self.alone[column], self.weight, n_steps)[:n_steps]
        return Ordered(begin, weights + 1e-9 * self.weight.sum(), int(self.signs[column]))

    def of_pairs(self, pairs: Pairs, scores: Scores, out: Range = (0, 0)) -> Fitting:
        """Steps of pairs beside a slope and an offset of what `scores` say."""
        wide = self.steps.sizes(self.steps.paired)
        codes = np.stack([self.paired[a] * np.uint8(wide[b]) + self.paired[b] for a, b in pairs])
        penalties = [self.steps.penalty_of_pair(pair) for pair in pairs]
        return self._fit(codes, [int(wide[a] * wide[b]) for a, b in pairs], scores, penalties, out)

    def _fit(
        self,
        codes: NDArray[np.uint8],
        sizes: list[int],
        scores: Scores,
        penalties: list[Numbers],
        out: Range,
        ordered: tuple[Ordered, ...] = (),
    ) -> Fitting:
        penalty = np.zeros((sum(sizes), sum(sizes)))
        first = 0
        for own in penalties:
            penalty[first : first + len(own), first : first + len(own)] = own
            first += len(own)
        weight = self._weight_without(out)
        return Fitting(StepFit(codes, sizes, *scores, self.second, weight, self.more, penalty), ordered)

    def columns(self) -> list[int] | None:
        """Those that take part; None if they are so many that some have to be chosen."""
        sizes = self.steps.sizes(self.steps.alone)
        able = np.flatnonzero(sizes > 1)
        return able.tolist() if sizes[able].sum() <= _MOST_VALUES else None

    def worst_columns(self, lack: Numbers, spread: Numbers) -> list[int]:
        """Those with the largest misfits, as many as may take part."""
        sizes = self.steps.sizes(self.steps.alone)
        order = [column for column in np.argsort(-self.misfits(lack, spread), kind="stable") if sizes[column] > 1]
        n_chosen = int(np.searchsorted(np.cumsum(sizes[order]), _MOST_VALUES, side="right"))
        return sorted(int(column) for column in order[:n_chosen])
