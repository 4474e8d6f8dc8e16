"""Several models in one drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarewood._pages.axes import Axes

_MOST_LINES = 6  # that can be told apart


def precision_recall_of_all(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Precision against recall of each method; None for a summary of an earlier release."""
    drawn = [each for each in summary["baselines"]["compared"] if "curve" in each][:_MOST_LINES]
    if not drawn:
        return None
    axes = Axes()
    return {
        "axes": axes,
        "lines": [(each["name"], axes.path([tuple(point) for point in each["curve"]])) for each in drawn],
    }
