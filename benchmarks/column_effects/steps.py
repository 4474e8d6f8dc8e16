"""What single columns and pairs of columns add to the log-odds of a forest: step functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        first, second = (
            steps_of(matrix[:, column], limits) for column, limits in zip(self.columns, self.bounds, strict=True)
        )
        return np.asarray(self.values[first, second])


@dataclass(frozen=True, eq=False)
class ColumnEffects:
    """What columns, and a few pairs of columns, add to the log-odds of the second of two classes: step functions.

    Made where rows that the trees had left out are better predicted so. The mean of each over the training rows is 0.

    Parameters
    ----------
    bounds : tuple of ndarray
        Of each column, the last value of every step but the last one, ascending; for a nominal column between codes.
    values : tuple of ndarray
        Of each column, what its steps add to the log-odds, and behind them what a missing value adds.
    pairs : tuple of PairEffect
        What pairs of columns add.
    gain : float
        By how much the rows that no part of the model had seen are better off: their log-likelihood.
    n_rows : int
        How many rows it was fitted to.
    """

    bounds: tuple[Bounds, ...]
    values: tuple[NDArray[np.float64], ...]
    pairs: tuple[PairEffect, ...]
    gain: float
    n_rows: int

    def apply(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Add up what columns and pairs say of rows.

        Parameters
        ----------
        matrix : ndarray of shape (n_samples, n_features)
            Rows of numbers; categories as their codes, the positions in `categories_`.

        Returns
        -------
        ndarray of shape (n_samples,)
            What is added to the log-odds.
        """
        return np.asarray(self.parts(matrix).sum(axis=1))

    def parts(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Say what each column adds; what a pair adds is divided equally.

        Parameters
        ----------
        matrix : ndarray of shape (n_samples, n_features)
            Rows of numbers; categories as their codes.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            What is added to the log-odds.
        """
        found = self._singles(matrix)
        for pair in self.pairs:
            found[:, pair.columns] += 0.5 * pair.apply(matrix)[:, np.newaxis]
        return found

    def _singles(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """What single columns add, column by column."""
        found = np.empty(matrix.shape)
        for column, (limits, values) in enumerate(zip(self.bounds, self.values, strict=True)):
            found[:, column] = values[steps_of(matrix[:, column], limits)]
        return found

    def __str__(self) -> str:
        widths = [float(np.ptp(values[:-1])) for values in self.values]
        widest = int(np.argmax(widths))
        of = f"{len(self.values)} columns"
        if self.pairs:
            of += f" and of the pairs {', '.join(f'{a} x {b}' for a, b in (pair.columns for pair in self.pairs))}"
        return (
            f"effects of {of} on the log-odds by {self.n_rows:,} out-of-bag rows, the widest {widths[widest]:.2g} of column {widest}; "
            f"rows left out gain {self.gain:.3g} in log-likelihood"
        )

    __repr__ = __str__


def steps_of(cells: NDArray[Any], bounds: Bounds) -> NDArray[np.int64]:
    """Which step each cell of a column is on; one past the last where it is missing."""
    numbers = np.asarray(cells, dtype=np.float64)
    return np.where(np.isnan(numbers), len(bounds) + 1, np.searchsorted(bounds, numbers))
