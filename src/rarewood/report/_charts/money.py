"""Cost at each threshold where each row has its own; a line for decisions row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarewood._pages.axes import Axes, nice_above


def money(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The curve, the chosen threshold, and the level that decisions row by row reach."""
    found, limit = summary["money"], summary["histogram"]["limit"]
    curve = found["curve"]
    placed = [(cut, cost) for cut, cost in zip(curve["threshold"], curve["cost"], strict=True) if cut <= limit]
    highest = max([cost for _, cost in placed] + [found["of_no_alarm"]["cost"], 1e-9])
    axes = Axes(x_limit=limit, y_limit=nice_above(highest))
    chosen = summary["threshold"]["value"]
    return {
        "axes": axes,
        "line": axes.path(placed),
        "chosen": (axes.x(min(chosen, limit)), axes.y(min(found["at_threshold"]["cost"], axes.y_limit))),
        "by_row": axes.y(min(found["by_row"]["cost"], axes.y_limit)),
    }
