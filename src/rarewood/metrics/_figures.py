"""What a threshold will give on new rows: on those that it was chosen on, it looks better than it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rarewood.metrics._labelled_scores import Floats, LabelledScores

Find = Callable[[LabelledScores], float]
"""Finds a threshold for rows."""

_FEWEST = 5  # rows, or groups, of either class to draw from
_MOST_DRAWS = 200
_LEAST_DRAWS = 10
_POSITIVE_ROWS = 10_000  # in all draws together: with many rows, one draw says almost the same as another
_SEED = 20_261


@dataclass(frozen=True)
class Figures:
    """Precision, recall and F-measure of a threshold; hits and false alarms as shares of all rows; the share of the positive class."""

    precision: float
    recall: float
    f1: float
    hits: float
    false_alarms: float
    share: float

    @classmethod
    def of(cls, rows: LabelledScores, value: float) -> Figures:
        """On these rows."""
        return cls.counted(*_counts(rows, value).tolist())

    @classmethod
    def counted(cls, hits: float, false: float, positive: float, total: float) -> Figures:
        """From weights of rows; where nothing is called, precision is 0."""
        return cls(
            hits / (hits + false) if hits + false > 0 else 0.0,
            hits / positive,
            2.0 * hits / (hits + false + positive),
            hits / total,
            false / total,
            positive / total,
        )

    def cost(self, costs: tuple[float, float]) -> float:
        """Mean cost per row, of false alarms and of misses."""
        return costs[0] * self.false_alarms + costs[1] * (self.share - self.hits)

    @property
    def _numbers(self) -> Floats:
        return np.array([self.precision, self.recall, self.f1, self.hits, self.false_alarms])


def expected_figures(rows: LabelledScores, value: float, find: Find) -> Figures:
    """Of a threshold that `find` found on these rows, to expect on new ones; with too few rows, those on these rows.

    Thresholds are found again on rows drawn with replacement, as many as there are. Two estimates come from that:

    - what the threshold gives here, less what thresholds give on the rows drawn beyond what they give here (Efron's optimism);
    - what thresholds give on the rows that were not drawn, added up. Sums favour thresholds with many alarms, so the difference that this
      makes here is taken off.

    The second is right for precision; of recall and the rest, one errs upwards by about as much as the other does downwards, so the
    mean is taken (docs/promises.md).
    """
    here = Figures.of(rows, value)
    optimism, alone, left_out, together, n_draws = np.zeros(5), np.zeros(5), np.zeros(4), np.zeros(4), 0
    for drawn, untouched in _draws(rows):
        found = find(drawn)
        now = Figures.of(rows, found)
        optimism += Figures.of(drawn, found)._numbers - now._numbers
        alone += now._numbers
        left_out += _counts(rows.take(untouched), found)
        together += _counts(rows, found)
        n_draws += 1
    if n_draws == 0:
        return here
    corrected = here._numbers - optimism / n_draws
    outside = (
        Figures.counted(*left_out.tolist())._numbers + alone / n_draws - Figures.counted(*together.tolist())._numbers
    )
    mean = (corrected + outside) / 2.0
    mean[0] = outside[0]
    precision, recall, f1, hits, false = np.clip(mean, 0.0, 1.0).tolist()
    return Figures(precision, recall, f1, hits, false, here.share)


def _counts(rows: LabelledScores, value: float) -> Floats:
    """Weights of hits, of false alarms, of positive rows and of all."""
    called, weight = rows.scores >= value, rows.weight
    hit, false = weight[called & rows.is_positive].sum(), weight[called & ~rows.is_positive].sum()
    return np.array([hit, false, weight[rows.is_positive].sum(), weight.sum()])


def _draws(rows: LabelledScores) -> Iterator[tuple[LabelledScores, NDArray[np.bool_]]]:
    """Rows drawn with replacement, and which rows were not drawn.

    Whole groups are drawn, separately those that hold a positive row. A group drawn twice counts as two.
    """
    if rows.groups is None:
        unit, holds = np.arange(len(rows.scores)), rows.is_positive
    else:
        _, unit = np.unique(rows.groups, return_inverse=True)
        holds = np.bincount(unit, weights=rows.is_positive) > 0
    strata = np.flatnonzero(holds), np.flatnonzero(~holds)
    if min(map(len, strata)) < _FEWEST:
        return
    generator = np.random.default_rng(_SEED)
    for _ in range(min(_MOST_DRAWS, max(_LEAST_DRAWS, _POSITIVE_ROWS // rows.n_positive))):
        times = np.zeros(len(holds), dtype=np.intp)
        for stratum in strata:
            times += np.bincount(generator.choice(stratum, len(stratum)), minlength=len(times))
        of_row = times[unit]
        positions = np.repeat(np.arange(len(of_row)), of_row)
        groups = None
        if rows.groups is not None:
            copy = np.arange(len(positions)) - np.repeat(np.cumsum(of_row) - of_row, of_row)
            groups = unit[positions] + len(holds) * copy
        yield rows.take(positions, groups), of_row == 0
