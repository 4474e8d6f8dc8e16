"""What folds of a single data set can say: means and spreads, with intervals that know that folds share training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

from rarewood.evaluation._tables import TextTable


@dataclass(frozen=True)
class Interval:
    """The mean of some fold scores, their standard deviation, and a confidence interval of the mean."""

    mean: float
    spread: float
    low: float
    high: float
    n_folds: int


def corrected_interval(scores: NDArray[np.float64], n_train: float, n_test: float, level: float = 0.95) -> Interval:
    """Of scores on folds that share training rows: the variance gets the share of test rows added, as by Nadeau and Bengio."""
    known = scores[~np.isnan(scores)]
    n_folds = len(known)
    if n_folds < 2:
        mean = float(known.mean()) if n_folds else float("nan")
        return Interval(mean, float("nan"), float("nan"), float("nan"), n_folds)
    mean, spread = float(known.mean()), float(known.std(ddof=1))
    reach = float(student_t.ppf((1 + level) / 2, n_folds - 1)) * spread * float(np.sqrt(1 / n_folds + n_test / n_train))
    return Interval(mean, spread, mean - reach, mean + reach, n_folds)


@dataclass(frozen=True)
class FoldTable:
    """Methods on the folds of one data set: printed, a table.

    Parameters
    ----------
    title, protocol, dataset : str
        What was measured, how, and on what.
    methods : dict of str to Interval
        Scores of each method.
    differences : dict of str to Interval
        What each other method has more than the reference.
    reference : str
        The method that the others are compared with: the one asked for, or the best.
    level : float
        Confidence of the intervals.
    """

    title: str
    protocol: str
    dataset: str
    methods: dict[str, Interval]
    differences: dict[str, Interval]
    reference: str
    level: float = 0.95

    def cells(self) -> TextTable:
        """The table, ready to print."""
        rows = [
            [name, f"{of.mean:.3f}", f"{of.spread:.3f}", _range(of), self._difference(name)]
            for name, of in self.methods.items()
        ]
        percent = f"{100 * self.level:.0f} %"
        head = ["", "mean", "spread", percent, f"minus {self.reference}, {percent}"]
        return TextTable(
            f"{self.title} of {self.dataset}, {self.protocol}",
            head,
            rows,
            ["Folds of one table: intervals are corrected for shared training rows. One that holds 0 decides nothing."],
        )

    def _difference(self, name: str) -> str:
        return _range(self.differences[name]) if name in self.differences else ""

    def __repr__(self) -> str:
        return self.cells().text()


def _range(of: Interval) -> str:
    return "unknown" if np.isnan(of.low) else f"{of.low:.3f} to {of.high:.3f}"
