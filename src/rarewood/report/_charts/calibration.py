"""Observed shares of rare rows at predicted scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rarewood._pages.axes import Axes


def calibration(summary: Mapping[str, Any]) -> dict[str, Any]:
    return _drawn(summary, Axes(x_limit=summary["calibration"]["limit"]))


def calibration_near_zero(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The same on logarithmic axes, where the scores of most rows can be told apart."""
    bins, limit = summary["calibration"]["bins"], summary["calibration"]["limit"]
    least = min([each["score"] for each in bins if each["score"] > 0.0], default=limit)
    start = min(10.0 ** max(math.floor(math.log10(least)), -6), limit / 10)
    return _drawn(
        summary, Axes(x_limit=limit, x_from=start, y_from=start, left=66.0, width=282.0)
    )  # room for long ticks


def _drawn(summary: Mapping[str, Any], axes: Axes) -> dict[str, Any]:
    bins = summary["calibration"]["bins"]
    end = min(axes.x_limit, 1.0)
    return {
        "axes": axes,
        "even": axes.path([(axes.x_from, axes.x_from), (end, end)]),
        "line": axes.path([(each["score"], each["share"]) for each in bins]),
        "bins": [
            (axes.x(each["score"]), axes.y(each["share"]), axes.y(each["high"]), axes.y(each["low"])) for each in bins
        ],
    }
