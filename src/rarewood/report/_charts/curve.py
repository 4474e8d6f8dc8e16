"""Counts at all thresholds of a summary, for whatever is drawn along them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def curve(summary: Mapping[str, Any]) -> list[tuple[int, int, int, int]]:
    """Hits, false alarms and the rows of both kinds, from the highest threshold to the lowest."""
    at, cuts = summary["decisions"], summary["cut_offs"]
    n_rare = at["true_positives"] + at["false_negatives"]
    n_rest = at["false_positives"] + at["true_negatives"]
    pairs = zip(reversed(cuts["true_positives"]), reversed(cuts["false_positives"]))
    return [(tp, fp, n_rare, n_rest) for tp, fp in pairs]
