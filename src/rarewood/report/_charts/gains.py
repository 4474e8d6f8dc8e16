"""Gains, lift, and the two classes along the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarewood._pages.axes import Axes, nice_above
from rarewood.report._charts.curve import curve

_FIRST_SHARE = 0.001


def gains(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Rare rows found against rows looked at, from the highest score down; `best` is what no ranking can beat."""
    axes = Axes()
    points = [((tp + fp) / (n_rare + n_rest), tp / n_rare) for tp, fp, n_rare, n_rest in curve(summary)]
    share = summary["measures"]["share"]
    return {
        "axes": axes,
        "line": axes.path(points),
        "even": axes.path([(0.0, 0.0), (1.0, 1.0)]),
        "best": axes.path([(0.0, 0.0), (share, 1.0), (1.0, 1.0)]),
    }


def lift(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The lift against the share of rows looked at, on a logarithmic axis; chance has a lift of 1."""
    share = summary["measures"]["share"]
    n_rows = summary["data"]["n_rows"]
    first = max(_FIRST_SHARE, 1.0 / n_rows)
    points = [
        ((tp + fp) / n_rows, tp / (tp + fp) / share) for tp, fp, _, _ in curve(summary) if (tp + fp) / n_rows >= first
    ]
    axes = Axes(x_from=first, y_limit=nice_above(max([height for _, height in points], default=1.0)))
    return {"axes": axes, "line": axes.path(points), "even": axes.path([(first, 1.0), (1.0, 1.0)])}


def distance(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Shares of both classes at or above each score, and the largest distance between them."""
    limit = summary["histogram"]["limit"]
    axes = Axes(x_limit=limit)
    cuts = summary["cut_offs"]["threshold"]
    shares = [(tp / n_rare, fp / n_rest) for tp, fp, n_rare, n_rest in curve(summary)]
    placed = [(cut, *both) for cut, both in zip(reversed(cuts), shares, strict=True) if cut <= limit]
    ks = summary["gains"]["ks"]
    return {
        "axes": axes,
        "rare": axes.path([(cut, rare) for cut, rare, _ in placed]),
        "rest": axes.path([(cut, rest) for cut, _, rest in placed]),
        "gap": (axes.x(min(ks["threshold"], limit)), axes.y(ks["recall"]), axes.y(ks["false_alarm_rate"])),
    }
