"""What new rows add up to, so that a file may be larger than memory."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 10  # of probabilities, to show calibration


@dataclass
class Sums:
    """Of rows, of alarms, and of rows with labels; all of them can be added up."""

    rows: int = 0
    score: float = 0.0
    squares: float = 0.0
    alarms: int = 0
    alarm_score: float = 0.0
    alarm_squares: float = 0.0
    labelled: int = 0
    rare: int = 0
    labelled_alarms: int = 0
    hits: int = 0
    labelled_score: float = 0.0
    labelled_variance: float = 0.0  # of the number of rare rows, if the scores are right

    @classmethod
    def of(cls, scores: NDArray[np.float64], alarm: NDArray[np.bool_], rare: NDArray[Any] | None) -> Sums:
        """Of rows; `rare` is 1, 0 or, without a label, -1."""
        found = cls(
            len(scores),
            float(scores.sum()),
            float((scores**2).sum()),
            int(alarm.sum()),
            float(scores[alarm].sum()),
            float((scores[alarm] ** 2).sum()),
        )
        if rare is not None:
            known, is_rare = rare >= 0, rare == 1
            found.labelled, found.rare = int(known.sum()), int(is_rare.sum())
            found.labelled_alarms, found.hits = int((known & alarm).sum()), int((is_rare & alarm).sum())
            found.labelled_score = float(scores[known].sum())
            found.labelled_variance = float((scores[known] * (1.0 - scores[known])).sum())
        return found

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def mean(self) -> float:
        """Of the scores."""
        return self.score / self.rows

    @property
    def variance(self) -> float:
        """Of the scores."""
        return max(self.squares / self.rows - self.mean**2, 0.0)

    @property
    def alarm_variance(self) -> float:
        """Of the scores of alarms."""
        return max(self.alarm_squares / self.alarms - (self.alarm_score / self.alarms) ** 2, 0.0)


@dataclass
class Tally:
    """Sums over all rows and over those of each day, counts in the bins of columns, and labels by bins of scores."""

    whole: Sums = field(default_factory=Sums)
    days: dict[int, Sums] = field(default_factory=dict)
    columns: list[NDArray[np.int64]] | None = None
    calibration: NDArray[np.float64] = field(default_factory=lambda: np.zeros((3, BINS)))  # rows, scores, rare rows
    has_labels: bool = False
    n_undated: int = 0

    def add(
        self,
        scores: NDArray[np.float64],
        alarm: NDArray[np.bool_],
        rare: NDArray[Any] | None,
        days: NDArray[np.int64] | None,
        counts: list[NDArray[np.int64]] | None,
    ) -> None:
        """Some rows more."""
        self.whole = self.whole + Sums.of(scores, alarm, rare)
        if counts is not None:
            before = self.columns or [np.zeros_like(each) for each in counts]
            self.columns = [old + new for old, new in zip(before, counts, strict=True)]
        if rare is not None:
            self.has_labels = True
            known = rare >= 0
            place = np.minimum((scores[known] * BINS).astype(np.intp), BINS - 1)
            for row, weights in enumerate((None, scores[known], rare[known].astype(np.float64))):
                self.calibration[row] += np.bincount(place, weights=weights, minlength=BINS)
        if days is not None:
            for day in np.unique(days).tolist():
                inside = days == day
                sums = Sums.of(scores[inside], alarm[inside], None if rare is None else rare[inside])
                self.days[day] = self.days.get(day, Sums()) + sums
