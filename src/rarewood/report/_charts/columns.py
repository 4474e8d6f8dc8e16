"""Drawings of one column: what its values do to scores, and how they are distributed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rarewood._pages.axes import Axes, nice_above

_TOP = 165.0  # units of height for a curve; its distribution is drawn below
_FLOOR, _BARS = 268.0, 62.0  # where the bars of a distribution stand, and the tallest of them
_LINE = 26.0  # units for a level
_LONGEST = 16  # characters of the name of a level


def effects(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each column a curve over its distribution, or a bar for each level."""
    mean = summary["effects"]["mean"]
    return [_levels(each) if each["levels"] else _curve(each, mean) for each in summary["effects"]["columns"]]


def drifted(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The columns that have drifted: shares of rows before and here."""
    return draw_drift(summary["drift"]["columns"])


def draw_drift(columns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Those of some columns that have a drawing: outlines for numbers, pairs of bars for levels."""
    drawn = [(each["name"], each["drawing"]) for each in columns if each.get("drawing")]
    return [{"name": name, **(_pairs(what) if what["levels"] else _outlines(what))} for name, what in drawn]


def added(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a model adds to the log-odds of its trees, step by step."""
    return [_steps(each) for each in summary["effects"]["added"]]


def _curve(each: Mapping[str, Any], mean: float) -> dict[str, Any]:
    place = _placing(each)
    largest = max([*each["mean_scores"], each["if_missing"] or 0.0, mean])
    limit = min(nice_above(1000 * largest) / 1000, 1.0)
    axes = Axes(y_limit=limit, height=_TOP)
    return {
        "name": each["name"],
        "levels": None,
        "axes": axes,
        "ticks": [(axes.x(place(value)), text) for value, text in each["ticks"]],
        "heights": _percents(axes, limit),
        "line": axes.path(
            [(place(value), score) for value, score in zip(each["at"], each["mean_scores"], strict=True)]
        ),
        "even": axes.path([(0.0, mean), (1.0, mean)]),
        "missing": None if each["if_missing"] is None else axes.y(each["if_missing"]),
        "rest": _bars(axes, each["rest"], 0.0),
        "rare": _bars(axes, each["rare"], 0.5),
    }


def _levels(each: Mapping[str, Any]) -> dict[str, Any]:
    """A line per level: its name, the mean score as a bar, and the share of the rows."""
    shares = zip(each["levels"], each["mean_scores"], each["rare"], each["rest"], strict=True)
    rows = [row for row in shares if row[1] is not None]
    if each["if_missing"] is not None:
        rows.append(("missing", each["if_missing"], None, None))
    largest = max((row[1] for row in rows), default=0.0) or 1.0  # there are none where every cell is new to the model
    return {
        "name": each["name"],
        "levels": [
            {
                "y": round(8.0 + _LINE * number, 1),
                "text": shortened(text),
                "width": round(150.0 * score / largest, 1),
                "score": score,
                "rare": rare,
                "rest": rest,
            }
            for number, (text, score, rare, rest) in enumerate(rows)
        ],
    }


def _outlines(what: Mapping[str, Any]) -> dict[str, Any]:
    largest = max(*what["before"], *what["here"]) or 1.0
    limit = min(nice_above(100 * largest) / 100, 1.0)
    axes, place = Axes(y_limit=limit), _placing(what)
    return {
        "levels": None,
        "axes": axes,
        "ticks": [(axes.x(place(value)), text) for value, text in what["ticks"]],
        "heights": _percents(axes, limit),
        "before": axes.path(_stairs(what["before"])),
        "here": axes.path(_stairs(what["here"])),
    }


def _pairs(what: Mapping[str, Any]) -> dict[str, Any]:
    largest = max(*what["before"], *what["here"]) or 1.0
    return {
        "levels": [
            {
                "y": round(8.0 + _LINE * number, 1),
                "text": shortened(text),
                "widths": (round(170.0 * before / largest, 1), round(170.0 * here / largest, 1)),
                "shares": (before, here),
            }
            for number, (text, before, here) in enumerate(
                zip(what["levels"], what["before"], what["here"], strict=True)
            )
        ]
    }


def _steps(each: Mapping[str, Any]) -> dict[str, Any]:
    reach = max(abs(value) for value in each["values"]) or 1.0
    limit = nice_above(1000 * reach) / 1000
    axes = Axes(y_limit=2 * limit)
    ends = [each["from"], *each["bounds"], each["to"]]
    span = (each["to"] - each["from"]) or 1.0
    points = []
    for number, value in enumerate(each["values"]):
        points += [((end - each["from"]) / span, value + limit) for end in ends[number : number + 2]]
    return {
        "name": each["name"],
        "axes": axes,
        "ticks": [(axes.x((value - each["from"]) / span), text) for value, text in each["ticks"]],
        "heights": [
            (axes.y(limit + limit * part), f"{limit * part:+g}" if part else "0") for part in (-1, -0.5, 0, 0.5, 1)
        ],
        "line": axes.path(points),
        "even": axes.path([(0.0, limit), (1.0, limit)]),
    }


def _placing(each: Mapping[str, Any]) -> Any:
    """A function from values to parts of the axis; values beyond its ends lie at them."""
    low, high = each["from"], each["to"]
    scale = math.log if each["logarithmic"] else float
    start, span = scale(low), (scale(high) - scale(low)) or 1.0
    return lambda value: (scale(min(max(value, low), high)) - start) / span


def _bars(axes: Axes, shares: Sequence[float], aside: float) -> list[tuple[float, float, float, float]]:
    """Bars below a curve, half as wide as their places."""
    step, largest = axes.width / len(shares), max(shares) or 1.0
    heights = [round(_BARS * share / largest, 1) for share in shares]
    return [
        (round(axes.left + (i + aside) * step, 1), round(_FLOOR - height, 1), round(step / 2, 1), height)
        for i, height in enumerate(heights)
        if height
    ]


def _stairs(shares: Sequence[float]) -> list[tuple[float, float]]:
    n = len(shares)
    inner = [point for i, share in enumerate(shares) for point in ((i / n, share), ((i + 1) / n, share))]
    return [(0.0, 0.0), *inner, (1.0, 0.0)]


def _percents(axes: Axes, limit: float) -> list[tuple[float, str]]:
    return [(axes.y(limit * i / 4), f"{25 * limit * i:g} %") for i in range(5)]


def shortened(text: str) -> str:
    """The name of a level as far as it fits beside its bar."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
