"""What a model remembers of its training rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._memory._columns import ColumnMemory
from rarewood._memory._scores import ScoreMemory
from rarewood._tables import Columns
from rarewood._tables.periods import date_of, days_of
from rarewood._tables.row_source import RowSource
from rarewood._terminal import shown

_MOST_ROWS = 100_000  # to count columns in; more would say the same
_MOST_CELLS = 2**22  # in memory at a time


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
        than ten rows are counted together. None in model files of older versions that were fitted to rows in parts.
    days : pair of ints or None
        The first and the last day of the rows, counted from 1970-01-01; None where that was not said.

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
    days: tuple[int, int] | None = None

    def dated(self, times: ArrayLike) -> Self:
        """Remember what time the training rows are of; `fit` is not told, `rarewood fit --time` is.

        Parameters
        ----------
        times : array-like of shape (n_samples,)
            Dates, or dates with times, of the training rows.

        Returns
        -------
        TrainingMemory
            A copy that knows the first and the last day.

        Examples
        --------
        >>> import rarewood as rw
        >>> year = rw.datasets.make_payment_year(2000, random_state=0)
        >>> model = rw.RareClassifier(n_estimators=30, random_state=0).fit(year.X, year.y)
        >>> model.memory_ = model.memory_.dated(year.times)
        >>> model.memory_.period
        ('2026-01-01', '2026-12-31')
        """
        days = days_of(times, self.n_rows)
        assert days is not None
        return replace(self, days=(int(days.min()), int(days.max())))

    @property
    def period(self) -> tuple[str, str] | None:
        """The first and the last day of the rows as dates."""
        return None if self.days is None else (str(date_of(self.days[0])), str(date_of(self.days[1])))

    @shown
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
    source: RowSource,
    groups: NDArray[np.intp] | None = None,
) -> TrainingMemory | None:
    """From out-of-bag scores of the positive class, the classes of the rows and the rows; None where a class has too few rows."""
    found = ScoreMemory.of(scores, codes == positive, weights, cut, groups)
    if found is None:
        return None
    return TrainingMemory(len(codes), positive, shares, found, remember_columns(columns, source, len(codes)))


def remember_columns(columns: Columns, source: RowSource, n_rows: int) -> tuple[ColumnMemory, ...]:
    """Of rows in the coding of their columns; a few columns at a time."""
    some = np.arange(0, n_rows, -(-n_rows // _MOST_ROWS))
    found: list[ColumnMemory] = []
    for together in np.array_split(np.arange(len(columns)), -(-len(some) * len(columns) // _MOST_CELLS)):
        cells = source.rows(some, together)
        for values, nominal in zip(cells.T, columns.nominal[together].tolist(), strict=True):
            found.append(ColumnMemory.of_categories(values) if nominal else ColumnMemory.of_numbers(values))
    return tuple(found)
