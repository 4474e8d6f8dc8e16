"""Where the lines, bars and ticks of the charts go: numbers of a summary -> coordinates of an SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Axes:
    """A drawing of 360 x 290 units with a rectangle for the data, whose lower left corner is the origin."""

    x_limit: float = 1.0
    y_limit: float = 1.0
    left: float = 54.0
    top: float = 10.0
    width: float = 294.0
    height: float = 232.0

    def x(self, value: float) -> float:
        return round(self.left + self.width * value / self.x_limit, 2)

    def y(self, value: float) -> float:
        return round(self.top + self.height * (1.0 - value / self.y_limit), 2)

    def path(self, points: Points) -> str:
        """Points as the `points` of a polyline; those that fall on the one before are left out."""
        placed = dict.fromkeys(f"{self.x(a):g},{self.y(b):g}" for a, b in points)
        return " ".join(placed)

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        return [(self.x(value), f"{value:g}") for value in _ticks(self.x_limit)]

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        return [(self.y(value), f"{value:g}") for value in _ticks(self.y_limit)]


def _ticks(limit: float) -> list[float]:
    return [round(limit * i / 4, 6) for i in range(5)]


def draw(summary: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Everything the template draws."""
    return {
        "roc": _roc(summary),
        "precision_recall": _precision_recall(summary),
        "histogram": _histogram(summary),
        "calibration": _calibration(summary),
    }


def _roc(summary: Mapping[str, Any]) -> dict[str, Any]:
    axes = Axes()
    points = [(fp / n_rest, tp / n_rare) for tp, fp, n_rare, n_rest in _curve(summary)]
    at = summary["decisions"]
    return {
        "axes": axes,
        "line": axes.path(points),
        "even": axes.path([(0.0, 0.0), (1.0, 1.0)]),
        "chosen": (axes.x(at["false_alarm_rate"]), axes.y(at["recall"])),
    }


def _precision_recall(summary: Mapping[str, Any]) -> dict[str, Any]:
    axes = Axes()
    points = [(tp / n_rare, tp / (tp + fp)) for tp, fp, n_rare, _ in _curve(summary) if tp + fp]
    at, share = summary["decisions"], summary["measures"]["share"]
    return {
        "axes": axes,
        "line": axes.path(points),
        "even": axes.path([(0.0, share), (1.0, share)]),
        "chosen": None if at["precision"] is None else (axes.x(at["recall"]), axes.y(at["precision"])),
    }


def _curve(summary: Mapping[str, Any]) -> list[tuple[int, int, int, int]]:
    """Hits, false alarms and the rows of both kinds, from the highest threshold to the lowest."""
    at, cuts = summary["decisions"], summary["cut_offs"]
    n_rare = at["true_positives"] + at["false_negatives"]
    n_rest = at["false_positives"] + at["true_negatives"]
    pairs = zip(reversed(cuts["true_positives"]), reversed(cuts["false_positives"]))
    return [(tp, fp, n_rare, n_rest) for tp, fp in pairs]


def _histogram(summary: Mapping[str, Any]) -> dict[str, Any]:
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


def _calibration(summary: Mapping[str, Any]) -> dict[str, Any]:
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
