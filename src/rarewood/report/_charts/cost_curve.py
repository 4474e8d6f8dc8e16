"""Cost at each threshold; the script draws it again in the same way for other costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rarewood._pages.axes import Axes
from rarewood.report._charts.curve import curve


def cost_curve(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The curve on a logarithmic axis of whole decades, the chosen threshold and the cheapest."""
    costs, limit = summary["costs"], summary["histogram"]["limit"]
    found = [costs["false_alarm"] * fp + costs["miss"] * (n_rare - tp) for tp, fp, n_rare, _ in curve(summary)]
    placed = [
        (cut, cost) for cut, cost in zip(reversed(summary["cut_offs"]["threshold"]), found, strict=True) if cut <= limit
    ]
    low, high = decades([cost for _, cost in placed])
    axes = Axes(x_limit=limit, y_from=low, y_limit=high)
    chosen, cheapest = summary["decisions"], summary["cost_curve"]["cheapest"]
    return {
        "axes": axes,
        "line": axes.path(placed),
        "chosen": (axes.x(min(chosen["threshold"], limit)), axes.y(chosen["cost"])),
        "cheapest": (axes.x(min(cheapest["threshold"], limit)), axes.y(cheapest["cost"])),
    }


def decades(costs: list[float]) -> tuple[float, float]:
    """Powers of ten around all costs but 0."""
    some = [cost for cost in costs if cost > 0] or [1.0]
    low = math.floor(math.log10(min(some)) + 1e-9)
    return 10.0**low, 10.0 ** max(low + 1, math.ceil(math.log10(max(some)) - 1e-9))
