"""Observed shares of rare rows at predicted scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarewood.report._charts.axes import Axes


def calibration(summary: Mapping[str, Any]) -> dict[str, Any]:
    bins = summary["calibration"]["bins"]
    axes = Axes(x_limit=summary["calibration"]["limit"])
    end = min(axes.x_limit, 1.0)
    return {
        "axes": axes,
        "even": axes.path([(0.0, 0.0), (end, end)]),
        "line": axes.path([(each["score"], each["share"]) for each in bins]),
        "bins": [
            (axes.x(each["score"]), axes.y(each["share"]), axes.y(each["high"]), axes.y(each["low"])) for each in bins
        ],
    }
