"""What a threshold does: ROC curve, precision and recall, scores by class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rarewood._pages.axes import Axes
from rarewood.report._charts.curve import curve


def roc(summary: Mapping[str, Any]) -> dict[str, Any]:
    axes = Axes()
    points = [(fp / n_rest, tp / n_rare) for tp, fp, n_rare, n_rest in curve(summary)]
    at = summary["decisions"]
    return {
        "axes": axes,
        "line": axes.path(points),
        "even": axes.path([(0.0, 0.0), (1.0, 1.0)]),
        "chosen": (axes.x(at["false_alarm_rate"]), axes.y(at["recall"])),
    }


def precision_recall(summary: Mapping[str, Any]) -> dict[str, Any]:
    axes = Axes()
    points = [(tp / n_rare, tp / (tp + fp)) for tp, fp, n_rare, _ in curve(summary) if tp + fp]
    at, share = summary["decisions"], summary["measures"]["share"]
    return {
        "axes": axes,
        "line": axes.path(points),
        "even": axes.path([(0.0, share), (1.0, share)]),
        "chosen": None if at["precision"] is None else (axes.x(at["recall"]), axes.y(at["precision"])),
    }


def histogram(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Rare rows rise from the middle, the others hang from it; heights are logarithms of counts."""
    bins = summary["histogram"]
    largest = math.log10(1 + max(*bins["rare"], *bins["rest"]))
    axes = Axes(x_limit=bins["limit"], y_limit=2.0)
    middle, half, step = axes.y(1.0), axes.height / 2, axes.width / len(bins["rare"])

    def bars(counts: Sequence[int], upwards: bool) -> list[tuple[float, float, float, float]]:
        heights = [round(half * math.log10(1 + count) / largest, 2) for count in counts]
        return [
            (round(axes.left + i * step + 0.4, 2), middle - height if upwards else middle, round(step - 0.8, 2), height)
            for i, height in enumerate(heights)
            if height
        ]

    powers = [10**k for k in range(math.ceil(largest)) if 10**k <= max(*bins["rare"], *bins["rest"])]
    shown = powers[:: 2 if len(powers) > 4 else 1]
    offsets = [(half * math.log10(1 + count) / largest, f"{count:,}") for count in shown]
    ticks = [(round(middle + sign * offset, 2), text) for offset, text in offsets for sign in (-1, 1)]
    return {
        "axes": axes,
        "rare": bars(bins["rare"], upwards=True),
        "rest": bars(bins["rest"], upwards=False),
        "middle": middle,
        "ticks": ticks,
        "chosen": axes.x(min(summary["threshold"]["value"], bins["limit"])),
    }
