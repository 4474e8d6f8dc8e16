"""New rows whose labels are known: precision, recall and calibration against what was promised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import fisher_exact

from rarewood.metrics.shares import wilson_interval
from rarewood.monitoring._share import Z99
from rarewood.monitoring._tally import Sums, Tally
from rarewood.monitoring._watched import Watched

Z95 = 1.959963984540054
_BY_CHANCE = 0.01


def figures_of(watched: Watched, tally: Tally) -> dict[str, Any]:
    """Shares as [value, low, high] with 95 % intervals, None of no rows; and the rare rows against what the scores add up to."""
    sums, bins = tally.whole, tally.calibration
    full = bins[0] > 0
    return {
        "n_rows": sums.labelled,
        "n_rare": sums.rare,
        "n_alarms": sums.labelled_alarms,
        "n_hits": sums.hits,
        "share": share_with_interval(sums.rare, sums.labelled),
        "precision": None if watched.cut is None else share_with_interval(sums.hits, sums.labelled_alarms),
        "recall": None if watched.cut is None else share_with_interval(sums.hits, sums.rare),
        "expected_rare": sums.labelled_score,
        "calibrated": _is_calibrated(watched, sums),
        "calibration": [
            {"mean": score / n, "share": rare / n, "n_rows": int(n)} for n, score, rare in bins[:, full].T.tolist()
        ],
    }


def share_with_interval(hits: float, n: float) -> list[float] | None:
    """Wilson's 95 % interval; None of no rows."""
    if not n:
        return None
    low, high = wilson_interval(hits, n, Z95)
    return [hits / n, max(float(low), 0.0), min(float(high), 1.0)]


def _is_calibrated(watched: Watched, sums: Sums) -> bool:
    """Whether as many rows are rare as the scores add up to, but for chance, here and among the rare rows of training."""
    spread = sums.labelled_variance + sums.labelled_score**2 / watched.n_rare
    return abs(sums.rare - sums.labelled_score) <= Z99 * math.sqrt(spread) + 0.5


def fell(watched: Watched, sums: Sums, figure: str) -> bool:
    """Whether precision or recall is lower than out of bag by more than chance explains (Fisher's exact test, 1 in 100)."""
    assert watched.cut is not None
    above, below = watched.reference.above(watched.cut), watched.reference.below(watched.cut)
    scale = watched.reference.n_rows / float(watched.reference.rows.sum())  # weights in rows
    of = {"precision": above.rows, "recall": above.rare + below.rare}[figure]
    before = _whole(above.rare * scale), _whole(of * scale)
    now = sums.hits, sums.labelled_alarms if figure == "precision" else sums.rare
    if not before[1] or not now[1]:
        return False
    table = [[now[0], now[1] - now[0]], [before[0], max(before[1] - before[0], 0)]]
    return bool(fisher_exact(table, alternative="less").pvalue < _BY_CHANCE)


def _whole(value: float) -> int:
    return int(np.rint(value))


def broken_promise(watched: Watched, tally: Tally) -> str | None:
    """What the threshold promised and the labels refute, in words; None if they do not."""
    threshold, sums = watched.threshold, tally.whole
    if threshold is None or not threshold.promised:
        return None
    if threshold.alerts is not None:
        low = wilson_interval(sums.alarms, sums.rows, Z95)[0]
        if low > threshold.alerts:
            return f"{sums.alarms:,} of {sums.rows:,} rows raise an alarm, more than the {100 * threshold.alerts:.3g}% promised"
        return None
    of = {"precision": sums.labelled_alarms, "recall": sums.rare}.get(threshold.rule, 0)
    if threshold.floor is None or not of:
        return None
    high = float(wilson_interval(sums.hits, of, Z95)[1])
    if high >= threshold.floor:
        return None
    return f"the {threshold.rule} is {sums.hits / of:.3g}, at most {high:.3g} with 95% confidence; {threshold.floor:g} was promised"
