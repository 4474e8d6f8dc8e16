"""Figures by the number of rare rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarewood._pages.axes import Axes
from rarewood._pages.numbers import count_in_words

_MARGIN = 1.35  # of the axis beyond the first and the last part
_ASIDE = {"recall": 0.94, "precision": 1.0, "average_precision": 1.06}  # bars must not hide each other


def learning_curve(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Average precision, precision and recall with their intervals, against rare rows on a logarithmic axis; None without a curve."""
    points = summary["learning_curve"]["points"]
    if not points:
        return None
    axes = Axes(x_from=points[0]["n_rare"] / _MARGIN, x_limit=points[-1]["n_rare"] * _MARGIN)
    return {
        "axes": axes,
        "ticks": [(axes.x(point["n_rare"]), count_in_words(point["n_rare"])) for point in points],
        "measures": {name: _dots(points, name, axes) for name in _ASIDE},
    }


def _dots(points: list[Mapping[str, Any]], name: str, axes: Axes) -> dict[str, Any]:
    known = [(point["n_rare"] * _ASIDE[name], point[name]) for point in points if point[name] is not None]
    return {
        "line": axes.path([(place, found["value"]) for place, found in known]),
        "dots": [
            (axes.x(place), axes.y(found["value"]), *(axes.y(found["value"] if end is None else end) for end in ends))
            for place, found in known
            for ends in [(found["high"], found["low"])]
        ],
    }
