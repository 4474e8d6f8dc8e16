"""What single columns and pairs of columns add to the log-odds of a forest: step functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import step_codes
from rarewood._terminal import shown

Bounds = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairEffect:
    """A step function of two columns.

    Parameters
    ----------
    columns : pair of int
        Which.
    bounds : pair of ndarray
        Of each of the two, the last value of every step but the last one, ascending.
    values : ndarray of shape (steps of the first + 1, steps of the second + 1)
        What is added to the log-odds; the last row and the last column are for missing values.
    """

    columns: tuple[int, int]
    bounds: tuple[Bounds, Bounds]
    values: NDArray[np.float64]

    def apply(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """What is added to the log-odds of each row."""
        first, second = step_codes(matrix[:, self.columns], *self._ends)
        return np.asarray(self.values[first, second])

    @cached_property
    def _ends(self) -> tuple[NDArray[np.int64], Bounds]:
        return _joined(self.bounds)


@dataclass(frozen=True, eq=False)
class ColumnEffects:
    """What columns, and a few pairs of columns, add to the log-odds of the second of two classes: step functions.

    Made by `fit` if they improve the prediction of out-of-bag rows. Each has a mean of 0 over the training rows it was fitted
    to.

    Parameters
    ----------
    bounds : tuple of ndarray
        For each column, the upper end of every step but the last, ascending; between codes for a nominal column. Empty for a
        column without an effect.
    values : tuple of ndarray
        For each column, what its steps add to the log-odds, followed by what a missing value adds.
    pairs : tuple of PairEffect
        What pairs of columns add.
    gain : float
        Gain in log-likelihood on rows left out of the fit.
    n_rows : int
        Number of rows it was fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> import rarewood as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2500, 10))
    >>> y = (X**2).sum(axis=1) > 16.0
    >>> effects = rw.RareClassifier(n_estimators=30, random_state=0).fit(X, y).column_effects_
    >>> left, middle, right = effects.values[1][[0, 7, 15]]
    >>> bool(left > middle < right)
    True
    """

    bounds: tuple[Bounds, ...]
    values: tuple[NDArray[np.float64], ...]
    pairs: tuple[PairEffect, ...]
    gain: float
    n_rows: int

    def apply(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Add up the effects of all columns and pairs for each row.

        Parameters
        ----------
        matrix : ndarray of shape (n_samples, n_features)
            Rows of numbers, with categories as codes (positions in `categories_`).

        Returns
        -------
        ndarray of shape (n_samples,)
            Amounts added to the log-odds.
        """
        total = np.zeros(len(matrix))
        if self._any_alone:
            for values, on in zip(self.values, step_codes(matrix, *self._ends), strict=True):
                total += values[on]
        for pair in self.pairs:
            total += pair.apply(matrix)
        return total

    # What a single row would wait for.
    @cached_property
    def _any_alone(self) -> bool:
        return any(values.any() for values in self.values)

    @cached_property
    def _ends(self) -> tuple[NDArray[np.int64], Bounds]:
        return _joined(self.bounds)

    def parts(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Split the effects by column; the effect of a pair is shared equally between its two columns.

        Parameters
        ----------
        matrix : ndarray of shape (n_samples, n_features)
            Rows of numbers, with categories as codes (positions in `categories_`).

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Amounts added to the log-odds.
        """
        steps = step_codes(matrix, *self._ends)
        found = np.stack([values[on] for values, on in zip(self.values, steps, strict=True)], axis=1)
        for pair in self.pairs:
            found[:, pair.columns] += 0.5 * pair.apply(matrix)[:, np.newaxis]
        return found

    def scaled(self, factor: float) -> ColumnEffects:
        """The same effects, each multiplied by a factor."""
        pairs = tuple(replace(pair, values=factor * pair.values) for pair in self.pairs)
        return replace(self, values=tuple(factor * each for each in self.values), pairs=pairs)

    @shown
    def __str__(self) -> str:
        widths = [float(np.ptp(values)) for values in self.values]
        n_columns = sum(width > 0 for width in widths)
        of = (
            [f"{n_columns} columns (the largest spans {max(widths):.2g}, column {int(np.argmax(widths))})"]
            if n_columns
            else []
        )
        if self.pairs:
            of.append(f"the pairs {', '.join(f'{a} x {b}' for a, b in (pair.columns for pair in self.pairs))}")
        return (
            f"effects of {' and '.join(of)} on the log-odds, fitted to {self.n_rows:,} out-of-bag rows; "
            f"log-likelihood of rows left out improves by {self.gain:.3g}"
        )

    __repr__ = __str__


def steps_of(matrix: NDArray[Any], bounds: Sequence[Bounds]) -> NDArray[np.uint8]:
    """Which step each cell is on, column by column; one past the last where it is missing."""
    return step_codes(matrix, *_joined(bounds))


def _joined(bounds: Sequence[Bounds]) -> tuple[NDArray[np.int64], Bounds]:
    """How many bounds each column has, and all of them."""
    return np.array([len(limits) for limits in bounds], dtype=np.int64), np.concatenate(bounds)
