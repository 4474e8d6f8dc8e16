"""Results on a single data set: means and spreads of folds, with intervals that allow for shared training rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

from rarewood.evaluation._tables import TableDisplay, TextTable, digits_of

FEWEST_FOLDS = 3  # two fold scores have a spread, but nothing to judge it by


@dataclass(frozen=True)
class Interval:
    """The mean of some fold scores, their standard deviation, and a confidence interval of the mean."""

    mean: float
    spread: float
    low: float
    high: float
    n_folds: int


def corrected_interval(
    scores: NDArray[np.float64],
    n_train: float,
    n_test: float,
    level: float = 0.95,
    limits: tuple[float, float] = (-inf, inf),
) -> Interval:
    """The interval of a mean over folds that share training rows, with the variance corrected as by Nadeau and Bengio.

    The interval is cut at the limits of what is possible.
    """
    known = scores[~np.isnan(scores)]
    n_folds = len(known)
    mean = float(known.mean()) if n_folds else float("nan")
    spread = float(known.std(ddof=1)) if n_folds > 1 else float("nan")
    if n_folds < FEWEST_FOLDS:
        return Interval(mean, spread, float("nan"), float("nan"), n_folds)
    reach = float(student_t.ppf((1 + level) / 2, n_folds - 1)) * spread * float(np.sqrt(1 / n_folds + n_test / n_train))
    return Interval(mean, spread, max(mean - reach, limits[0]), min(mean + reach, limits[1]), n_folds)


@dataclass(frozen=True, repr=False)
class FoldTable(TableDisplay):
    """Results of methods on the folds of one data set; prints as a table.

    Parameters
    ----------
    title, protocol, dataset : str
        What was measured, how, and on what.
    methods : dict of str to Interval
        Scores of each method.
    differences : dict of str to Interval
        Difference of each other method from the reference.
    reference : str
        The method that the others are compared with: the one asked for, or the best.
    level : float
        Confidence of the intervals.
    failed : tuple of str
        Methods that failed on a fold or have not finished.
    is_best : bool
        Whether the reference was not asked for, but is the method with the best mean.
    """

    title: str
    protocol: str
    dataset: str
    methods: dict[str, Interval]
    differences: dict[str, Interval]
    reference: str
    level: float = 0.95
    failed: tuple[str, ...] = ()
    is_best: bool = False

    def cells(self) -> TextTable:
        """The table, ready to print."""
        digits = digits_of(np.array([of.mean for of in self.methods.values()]))
        rows = [
            [
                name,
                _number(of.mean, digits),
                _number(of.spread, digits),
                self._range(of, digits),
                self._difference(name, digits),
            ]
            for name, of in self.methods.items()
        ]
        percent = f"{100 * self.level:.0f} %"
        head = ["", "mean", "spread", percent, f"minus {self.reference}, {percent}"]
        return TextTable(f"{self.title} of {self.dataset}, {self.protocol}", head, rows, self._notes())

    def _notes(self) -> list[str]:
        counts = {of.n_folds for name, of in self.methods.items() if name not in self.failed}
        notes = [
            "Intervals are corrected for training rows shared by folds. A difference whose interval contains 0 is inconclusive."
        ]
        if max(counts, default=0) < FEWEST_FOLDS:
            notes = [
                f"{max(counts, default=0)} folds are too few: an interval needs at least {FEWEST_FOLDS}, preferably ten."
            ]
        elif len(counts) > 1:
            notes.append("Scores that are not defined on a fold were skipped.")
        if self.is_best and self.differences and not np.isnan(self.methods[self.reference].mean):
            notes.append(f"The others are compared with {self.reference}, which has the best mean.")
        if self.failed:
            notes.append(f"Failed on a fold, see failures(): {', '.join(self.failed)}.")
        return notes

    def _difference(self, name: str, digits: int) -> str:
        return self._range(self.differences[name], digits) if name in self.differences else ""

    def _range(self, of: Interval, digits: int) -> str:
        return "-" if np.isnan(of.low) else f"{of.low:,.{digits}f} to {of.high:,.{digits}f}"


def _number(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:,.{digits}f}"
