"""Figures from period to period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rarewood._pages.axes import Axes, nice_above

_ASIDE = 0.07  # of a period; bars of two figures must not hide each other
_MOST_TICKS = 4
_SHORT = 8  # characters of a name of which as many have room; a day has 10


def found_over_time(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Recall and precision of each period with their intervals; a period without either has no dot."""
    groups = summary["periods"]["groups"]
    axes = Axes(x_limit=groups[-1]["place"] + 1.0)
    return {
        "axes": axes,
        "ticks": ticks_of(groups, axes),
        "recall": dots(groups, "recall", axes, -_ASIDE),
        "precision": dots(groups, "precision", axes, _ASIDE),
    }


def share_over_time(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Rare share of each period with its interval, beside the mean score."""
    groups = summary["periods"]["groups"]
    largest = max(max(group["share"][2], group["mean_score"]) for group in groups)
    limit = min(nice_above(1000 * largest) / 1000, 1.0)
    axes = Axes(x_limit=groups[-1]["place"] + 1.0, y_limit=limit)
    return {
        "axes": axes,
        "ticks": ticks_of(groups, axes),
        "heights": [(axes.y(limit * i / 4), f"{25 * limit * i:g} %") for i in range(5)],
        "share": dots(groups, "share", axes, 0.0),
        "expected": axes.path([(group["place"] + 0.5, group["mean_score"]) for group in groups]),
    }


def dots(groups: Sequence[Mapping[str, Any]], key: str, axes: Axes, aside: float) -> dict[str, Any]:
    known = [(group["place"] + 0.5 + aside, *group[key]) for group in groups if group[key] is not None]
    return {
        "line": axes.path([(place, value) for place, value, _, _ in known]),
        "dots": [(axes.x(place), axes.y(value), axes.y(high), axes.y(low)) for place, value, low, high in known],
    }


def ticks_of(groups: Sequence[Mapping[str, Any]], axes: Axes) -> list[tuple[float, str]]:
    """The names of a few periods, evenly apart; of long ones fewer, which would touch each other."""
    longest = max((len(group["label"]) for group in groups), default=0)
    step = -(-len(groups) // (_MOST_TICKS if longest <= _SHORT else _MOST_TICKS - 1))
    return [(axes.x(group["place"] + 0.5), group["label"]) for group in groups[::step]]
