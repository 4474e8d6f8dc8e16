"""How sure the figures of a fit are, and how many rare rows would make them surer."""

from __future__ import annotations

import math
from typing import Any

from rarewood.metrics import DecisionThreshold
from rarewood.metrics.uncertainty import times_for_half, wilson


def told_uncertainty(threshold: DecisionThreshold | Any | None, n_rare: int) -> str | None:
    """Intervals of precision and recall, and the rare rows that would halve the latter; None where nothing was counted."""
    if threshold is None or not n_rare or math.isnan(threshold.recall):
        return None
    low, high = wilson(threshold.recall * n_rare, n_rare)
    words = f"recall {low:.2f} to {high:.2f}"
    if threshold.n_alarms and not math.isnan(threshold.precision):
        least, most = wilson(threshold.precision * threshold.n_alarms, threshold.n_alarms)
        words = f"precision {least:.2f} to {most:.2f}, {words}"
    needed = round(times_for_half(threshold.recall, n_rare) * n_rare)
    return f"{words}, by {n_rare:,} rare rows; about {needed:,} would halve that of the recall"
