"""Step functions of columns fitted to rows: a penalised likelihood, and the tables of sums that show where one would help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from column_effects.steps import Bounds, steps_of

_MOST_STEPS = 24  # of a column of numbers alone
_MOST_STEPS_OF_PAIR = 8  # of each column of a pair
_NOMINAL = 0.25  # of the stiffness costs the square of a category's own value: it has no neighbours
_SHRINKAGE = 1.0  # costs the square of any value
_PAIR_STIFFNESS = 5.0
_STEEPEST = 2.0  # |log slope|
_N_NEWTON = 8  # steps: two numbers that start near their values

Pairs = tuple[tuple[int, int], ...]
Fitted = tuple[float, float, NDArray[np.float64]]
"""Slope, offset, and the values of all steps."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Where the steps of each column end: alone, and as one of a pair."""

    alone: tuple[Bounds, ...]
    paired: tuple[Bounds, ...]
    nominal: tuple[bool, ...]

    @classmethod
    def of(cls, matrix: NDArray[Any], n_categories: NDArray[Any]) -> Steps:
        """At quantiles, or after every category."""
        columns = [np.asarray(matrix[:, column], dtype=np.float64) for column in range(matrix.shape[1])]
        alone = tuple(_ends(cells, int(n), _MOST_STEPS) for cells, n in zip(columns, n_categories, strict=True))
        paired = tuple(_ends(cells, 0, _MOST_STEPS_OF_PAIR) for cells in columns)
        return cls(alone, paired, tuple(bool(n > 0) for n in n_categories))

    def sizes(self, pairs: Pairs) -> list[int]:
        """How many values each step function has, those of pairs behind those of columns."""
        wide = [len(limits) + 2 for limits in self.paired]
        return [*(len(limits) + 2 for limits in self.alone), *(wide[a] * wide[b] for a, b in pairs)]

    def penalty(self, pairs: Pairs, stiffness: float) -> sparse.csr_matrix:
        """The matrix Q of the penalty v'Qv on values v: `stiffness` is what a squared difference of 1 between neighbours costs."""
        blocks = []
        for limits, nominal in zip(self.alone, self.nominal, strict=True):
            own = stiffness * _NOMINAL * sparse.eye(len(limits) + 2) if nominal else stiffness * _rises(len(limits))
            blocks.append(own)
        for a, b in pairs:
            one, other = _rises(len(self.paired[a])), _rises(len(self.paired[b]))
            along = sparse.kron(one, sparse.eye(other.shape[0])) + sparse.kron(sparse.eye(one.shape[0]), other)
            blocks.append(_PAIR_STIFFNESS * along)
        whole = sparse.block_diag(blocks, format="csr")
        return (whole + _SHRINKAGE * sparse.eye(whole.shape[0])).tocsr()


def _ends(cells: NDArray[np.float64], n_categories: int, most: int) -> Bounds:
    if n_categories > 0:
        return np.arange(n_categories, dtype=np.float64) + 0.5
    known = np.sort(cells[~np.isnan(cells)])
    distinct = np.unique(known)
    if len(distinct) > most:
        distinct = np.unique([*known[np.arange(1, most) * len(known) // most - 1], known[-1]])
    return np.asarray(distinct[:-1], dtype=np.float64)


def _rises(n_bounds: int) -> sparse.csr_matrix:
    """Of the sum of squared differences between neighbouring steps; the value of missing cells has no neighbour."""
    ones = np.ones(n_bounds)
    rise = (
        sparse.diags([-ones, ones], [0, 1], shape=(n_bounds, n_bounds + 2)) if n_bounds else sparse.csr_matrix((1, 2))
    )
    return (rise.T @ rise).tocsr()


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to learn from: which steps they are on, what the forest says as log-odds, whether of the second class, weight."""

    steps: Steps
    alone: NDArray[np.int64]
    paired: NDArray[np.int64]
    given: NDArray[np.float64]
    second: NDArray[Any]
    weight: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        steps: Steps,
        matrix: NDArray[Any],
        given: NDArray[np.float64],
        second: NDArray[Any],
        weight: NDArray[np.float64],
    ) -> Rows:
        alone, paired = (
            np.stack([steps_of(matrix[:, column], limits) for column, limits in enumerate(bounds)], axis=1)
            for bounds in (steps.alone, steps.paired)
        )
        return cls(steps, alone, paired, given, second, weight)

    def part(self, of: NDArray[np.bool_]) -> Rows:
        each = (getattr(self, name) for name in ("alone", "paired", "given", "second", "weight"))
        return Rows(self.steps, *(values[of] for values in each))

    def losses(self, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weight x minus the logarithm of the probability of the true class."""
        return np.asarray(self.weight * np.logaddexp(0.0, np.where(self.second == 1, -log_odds, log_odds)))

    def predict(self, fitted: Fitted, pairs: Pairs) -> NDArray[np.float64]:
        slope, offset, values = fitted
        return np.asarray(slope * self.given + offset + self.design(pairs) @ values)

    def design(self, pairs: Pairs) -> sparse.csr_matrix:
        """1 where a row is on a step, in the order of the values."""
        wide = [len(limits) + 2 for limits in self.steps.paired]
        both = [self.paired[:, a] * wide[b] + self.paired[:, b] for a, b in pairs]
        return _ones(np.column_stack([self.alone, *both]), self.steps.sizes(pairs))

    def fit(self, pairs: Pairs, stiffness: float, start: Fitted | None = None) -> Fitted:
        """The largest likelihood of slope x given + offset + values, penalised by v'Qv + log(slope)^2 + offset^2 / 2.

        `start` is a fit of the same columns, from which it is not far.
        """
        design, penalty = self.design(pairs), self.steps.penalty(pairs, stiffness)
        by_step = design.T.tocsr()

        def loss(v: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            u, offset, values = v[0], v[1], v[2:]
            slope = np.exp(u)
            log_odds = slope * self.given + offset + design @ values
            excess = self.weight * (expit(log_odds) - self.second)
            pull = penalty @ values
            value = self.losses(log_odds).sum() + values @ pull + u * u + 0.5 * offset * offset
            ends = [slope * (excess @ self.given) + 2.0 * u, excess.sum() + offset]
            return float(value), np.concatenate([ends, by_step @ excess + 2.0 * pull])

        n_values = design.shape[1]
        first = np.zeros(n_values + 2)
        if start is not None:
            first[: len(start[2]) + 2] = np.log(start[0]), start[1], *start[2]
        bounds = [(-_STEEPEST, _STEEPEST), *[(None, None)] * (n_values + 1)]
        options = {"maxiter": 200, "ftol": 1e-7}
        v = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
        return float(np.exp(v[0])), float(v[1]), v[2:]

    def fit_line(self) -> tuple[float, float]:
        """Slope and offset alone, penalised by (slope - 1)^2 + offset^2 / 2; by Newton's method."""
        terms = np.stack([self.given, np.ones(len(self.given))])
        found, penalty, aim = np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.array([1.0, 0.0])
        for _ in range(_N_NEWTON):
            lack, spread = self._lack(found @ terms)
            bend = (terms * spread) @ terms.T + np.diag(penalty)
            found = found + np.linalg.solve(bend, terms @ lack - penalty * (found - aim))
        return float(found[0]), float(found[1])

    def misfits(self, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of each column, the sum over its steps of G^2 / V, G being what is too little there and V its variance."""
        lack, spread = self._lack(log_odds)
        spread = self.weight * spread
        found = []
        for column, limits in enumerate(self.steps.paired):
            steps, size = self.paired[:, column], len(limits) + 2
            gap, width = (np.bincount(steps, values, size).astype(np.float64) for values in (lack, spread))
            found.append(_squared_over(gap, width).sum())
        return np.array(found)

    def misfits_of_pairs(self, log_odds: NDArray[np.float64], columns: list[int]) -> list[tuple[float, int, int]]:
        """The same of each pair of these columns for the four quarters around the point where they fit worst; the worst first."""
        if len(columns) < 2:
            return []
        lack, spread = self._lack(log_odds)
        spread = self.weight * spread
        sizes = [len(self.steps.paired[column]) + 2 for column in columns]
        on = _ones(self.paired[:, columns], sizes)
        gaps, spreads = ((on.T @ on.multiply(values[:, np.newaxis]).tocsr()).toarray() for values in (lack, spread))
        first = np.cumsum([0, *sizes])
        found = []
        for one, a in enumerate(columns):
            for other, b in enumerate(columns[:one]):
                where = np.s_[first[one] : first[one + 1] - 1, first[other] : first[other + 1] - 1]
                score = _squared_over(_quarters(gaps[where]), _quarters(spreads[where])).sum(axis=0).max()
                found.append((float(score), a, b))
        return sorted(found, reverse=True)

    def _lack(self, log_odds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        p = expit(log_odds)
        return self.weight * (self.second - p), self.weight * p * (1.0 - p)

    def telling(self, most: int) -> list[int]:
        """The columns of numbers in whose steps the classes differ most."""
        share = float(np.average(self.second, weights=self.weight))
        misfits = self.misfits(np.full(len(self.given), np.log(share / (1.0 - share))))
        numbers = [column for column in np.argsort(-misfits, kind="stable") if not self.steps.nominal[column]]
        return sorted(int(column) for column in numbers[:most])


def _ones(places: NDArray[np.int64], sizes: list[int]) -> sparse.csr_matrix:
    n_rows, n_columns = places.shape
    first = np.cumsum([0, *sizes])
    ends = np.arange(0, n_rows * n_columns + 1, n_columns)
    return sparse.csr_matrix(
        (np.ones(places.size), (places + first[:-1]).ravel(), ends), shape=(n_rows, int(first[-1]))
    )


def _quarters(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of the four quarters around each cell's lower right corner."""
    near = table.cumsum(axis=0).cumsum(axis=1)
    above, left, whole = near[:, -1:] - near, near[-1:, :] - near, near[-1, -1]
    return np.stack([near, above, left, whole - near - above - left])


def _squared_over(gap: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where there is hardly any spread, a table says nothing: half a case is added to it."""
    return np.asarray(gap * gap / (np.maximum(spread, 0.0) + 0.5))
