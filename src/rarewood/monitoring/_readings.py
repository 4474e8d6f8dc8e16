"""What precision and recall may be among rows without labels: two readings of the same scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import expit, logit

from rarewood._memory import Cut, ScoreMemory
from rarewood.monitoring._share import Z99, share_of
from rarewood.monitoring._tally import Sums

LEAST_ALARMS = 10.0  # expected, to say anything about alarms
_APART = 0.1  # readings that are nearer than that are no matter


@dataclass(frozen=True)
class Alarms:
    """Alarms of new rows, and how many to expect of so many rows: 99 of 100 tables without a change are within `low` and `high`."""

    n: int
    expected: float
    low: float
    high: float


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
    return (
        Readings(
            above.rare / max(above.rows, 1e-300), precision, _at_share(above, below, share_of(memory, sums).value)
        ),
        Readings(recall_before, found / (found + missed) if found + missed else 0.0, recall_before),
    )


def are_apart(memory: ScoreMemory, sums: Sums, cut: float) -> bool:
    """Whether the two readings of precision are so far apart that only labels can tell, and farther than chance explains.

    Few rare rows or a weak signal make a share uncertain, and precision more so where the share is low: so the end of the interval of the
    share, which holds in 99 of 100 tables without a change, is carried over to precision. To that adds the error of the mean scores of
    alarms, then and now.
    """
    precision, _ = readings_of(memory, sums, cut)
    above, below, share = memory.above(cut), memory.below(cut), share_of(memory, sums, Z99)
    is_higher = precision.if_probabilities_hold > precision.if_share_changed
    end = _at_share(above, below, share.high if is_higher else share.low)
    n_before = max(memory.n_rows * above.rows / float(memory.rows.sum()), 1.0)
    of_log_odds = [
        math.sqrt(sums.alarm_variance / n) / (mean * (1.0 - mean))
        for n, mean in ((sums.alarms, _inside(sums.alarm_score / sums.alarms)), (n_before, _inside(above.mean)))
    ]
    slope = precision.if_probabilities_hold * (1.0 - precision.if_probabilities_hold)
    chance = math.hypot(end - precision.if_share_changed, *(Z99 * slope * error for error in of_log_odds))
    return precision.apart > max(_APART, chance)


def _at_share(above: Cut, below: Cut, share: float) -> float:
    """Precision where rare and other rows raise alarms as often as before, with another share of the rare ones."""
    true = share * above.rare / max(above.rare + below.rare, 1e-300)
    rest = max(above.rows + below.rows - above.rare - below.rare, 1e-300)
    wrong = (1.0 - share) * (above.rows - above.rare) / rest
    return true / (true + wrong) if true + wrong else 0.0


def _held(side: Cut, mean: float) -> float:
    """The share of rare rows by the mean score, whose odds are corrected as training rows ask for."""
    now, share, then = (_inside(each) for each in (mean, side.share, side.mean))
    return float(expit(logit(now) + logit(share) - logit(then)))


def _inside(mean: float) -> float:
    """Where log-odds are finite."""
    return min(max(mean, 1e-9), 1.0 - 1e-9)
