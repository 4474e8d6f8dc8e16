"""What a model remembers of its training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._memory._columns import ColumnMemory
from rarewood._memory._scores import ScoreMemory
from rarewood._tables import Columns

_MOST_ROWS = 100_000  # to count columns in; more would say the same


@dataclass(frozen=True, eq=False)
class TrainingMemory:
    """What later rows are compared with: distributions of columns and of out-of-bag scores, without anything about single rows.

    Made by `fit` of forests that have out-of-bag scores; :func:`rarewood.save` keeps it unless told not to.
    :func:`rarewood.monitoring.monitor` reads it.

    Parameters
    ----------
    n_rows : int
        Number of training rows.
    positive : int
        The position of the class that the scores are of.
    class_shares : ndarray of shape (n_classes,)
        Shares of the classes among them, by weight.
    scores : ScoreMemory
        Out-of-bag scores of the positive class: counts in bins, means and variances, by class.
    columns : tuple of ColumnMemory, or None
        Of each column tenths of its values, or shares of its categories, and the share of missing values. Categories with fewer
        than ten rows are counted together. None of rows that were fitted to in parts.

    Examples
    --------
    >>> import rarewood as rw
    >>> payments = rw.datasets.make_planted_rules(1000, random_state=0)
    >>> model = rw.RareClassifier(n_estimators=30, random_state=0).fit(payments.X, payments.y)
    >>> model.memory_
    TrainingMemory of 1,000 rows and 10 columns
    """

    n_rows: int
    positive: int
    class_shares: NDArray[np.float64]
    scores: ScoreMemory
    columns: tuple[ColumnMemory, ...] | None

    def __repr__(self) -> str:
        of_columns = "" if self.columns is None else f" and {len(self.columns)} columns"
        return f"{type(self).__name__} of {self.n_rows:,} rows{of_columns}"


def remember(
    scores: NDArray[np.float64],
    codes: NDArray[Any],
    shares: NDArray[np.float64],
    positive: int,
    *,
    weights: NDArray[np.float64] | None,
    cut: float | None,
    columns: Columns,
    matrix: NDArray[Any] | None,
) -> TrainingMemory | None:
    """From out-of-bag scores of the positive class, the classes of the rows and the rows; None where a class has too few rows."""
    found = ScoreMemory.of(scores, codes == positive, weights, cut)
    if found is None:
        return None
    seen = None if matrix is None else remember_columns(columns, matrix)
    return TrainingMemory(len(codes), positive, shares, found, seen)


def remember_columns(columns: Columns, matrix: NDArray[Any]) -> tuple[ColumnMemory, ...]:
    """Of rows in the coding of their columns."""
    some = matrix[:: -(-len(matrix) // _MOST_ROWS)]
    return tuple(
        ColumnMemory.of_categories(some[:, number]) if nominal else ColumnMemory.of_numbers(some[:, number])
        for number, nominal in enumerate(columns.nominal.tolist())
    )
