"""What precision and recall may be among rows without labels: two readings of the same scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import expit, logit

from rarewood._memory import Cut, ScoreMemory
from rarewood.monitoring._share import Z99, share_of
from rarewood.monitoring._tally import Sums

LEAST_ALARMS = 10.0  # expected, to say anything about alarms
_APART, _FAR_APART = 0.1, 0.15  # readings; the second where the memory rests on few rare rows
_MANY_RARE = 100


@dataclass(frozen=True)
class Alarms:
    """Alarms of new rows, and how many to expect of so many rows: 99 of 100 tables without a change are within `low` and `high`."""

    n: int
    expected: float
    low: float
    high: float

    @property
    def are_expected(self) -> bool:
        return self.low <= self.n <= self.high


@dataclass(frozen=True)
class Readings:
    """A figure before, if the probabilities still hold, and if only the share of the rare class has changed."""

    before: float
    if_probabilities_hold: float
    if_share_changed: float

    @property
    def apart(self) -> float:
        """How far the readings are from each other."""
        return abs(self.if_probabilities_hold - self.if_share_changed)


def alarms_of(memory: ScoreMemory, sums: Sums, cut: float) -> Alarms:
    """On the scale on which a share has the same variance everywhere, with that of both tables (Anscombe's transformation)."""
    n, m = memory.n_rows, sums.rows
    share = memory.above(cut).rows / float(memory.rows.sum())
    centre = math.asin(math.sqrt((n * share + 0.375) / (n + 0.75)))
    half = Z99 / 2.0 * math.sqrt(1.0 / n + 1.0 / m)
    low, high = max(centre - half, 0.0), min(centre + half, math.pi / 2.0)
    return Alarms(sums.alarms, m * share, m * math.sin(low) ** 2, m * math.sin(high) ** 2)


def readings_of(memory: ScoreMemory, sums: Sums, cut: float) -> tuple[Readings, Readings]:
    """Of precision and of recall; there are alarms, and rows without one."""
    above, below = memory.above(cut), memory.below(cut)
    precision = _held(above, sums.alarm_score / sums.alarms)
    others = sums.rows - sums.alarms
    missed = others * _held(below, (sums.score - sums.alarm_score) / others) if others else 0.0
    found = sums.alarms * precision
    recall_before = above.rare / max(above.rare + below.rare, 1e-300)
    false = (above.rows - above.rare) / max(above.rows + below.rows - above.rare - below.rare, 1e-300)
    share = share_of(memory, sums).value
    true, wrong = share * recall_before, (1.0 - share) * false
    return (
        Readings(above.rare / max(above.rows, 1e-300), precision, true / (true + wrong) if true + wrong else 0.0),
        Readings(recall_before, found / (found + missed) if found + missed else 0.0, recall_before),
    )


def _held(side: Cut, mean: float) -> float:
    """The share of rare rows by the mean score, whose odds are corrected as training rows ask for."""
    inside = (min(max(each, 1e-9), 1.0 - 1e-9) for each in (mean, side.share, side.mean))
    now, share, then = inside
    return float(expit(logit(now) + logit(share) - logit(then)))


def differ(readings: Readings, n_rare: float) -> bool:
    """Whether the two readings are so far apart that only labels can tell."""
    return readings.apart > (_APART if n_rare >= _MANY_RARE else _FAR_APART)
