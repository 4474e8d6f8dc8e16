"""Methods beside each other as an SVG: a line each, with a dot and its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

_LINE = 26.0  # units of height for a method
_RIGHT, _WIDTH = 14.0, 360.0
_LONGEST, _LETTER = 22, 7.0  # characters of a name, and the width of one

Interval = tuple[float, float, float]  # value, low, high; NaN where there is none


def draw_intervals(
    name: str,
    title: str,
    rows: Mapping[str, Interval],
    *,
    best: str | None = None,
    zone: tuple[float, float] | None = None,
) -> str:
    """An SVG with a dot for each method; `best` is full, the others are rings, and a zone is shaded behind them."""
    known = [value for interval in rows.values() for value in interval if not math.isnan(value)]
    known += [] if zone is None else zone
    if not known:
        return ""
    ticks = round_ticks(min(known), max(known))
    height = _LINE * len(rows) + 34.0
    left = 18.0 + _LETTER * max(len(_shortened(method)) for method in rows)

    def across(value: float) -> float:
        part = (value - ticks[0]) / ((ticks[-1] - ticks[0]) or 1.0)
        return round(left + (_WIDTH - left - _RIGHT) * part, 1)

    parts = [] if zone is None else [_zone(across(zone[0]), across(zone[1]), height - 30.0)]
    for tick in ticks:
        x = across(tick)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="4" y2="{height - 28}"/>')
        parts.append(f'<text x="{x}" y="{height - 12}" text-anchor="middle">{tick:g}</text>')
    for number, (method, (value, low, high)) in enumerate(rows.items()):
        y = 16.0 + _LINE * number
        kind = "rare" if method == best else "rest"
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(_shortened(method))}</text>')
        if not math.isnan(low):
            parts.append(f'<line class="interval {kind}" x1="{across(low)}" x2="{across(high)}" y1="{y}" y2="{y}"/>')
        if not math.isnan(value):
            parts.append(f'<circle class="dot {kind}" r="4.5" cx="{across(value)}" cy="{y}"/>')
    return (
        f'<svg class="chart long" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" aria-labelledby="{name}-title">'
        f'<title id="{name}-title">{escape(title)}</title>{"".join(parts)}</svg>'
    )


def _zone(low: float, high: float, height: float) -> str:
    return f'<rect class="zone" x="{low}" y="4" width="{round(high - low, 1)}" height="{height}"/>'


def round_ticks(low: float, high: float, n_steps: int = 4) -> Sequence[float]:
    """Round numbers at even steps from below the lowest value to above the highest."""
    span = (high - low) or abs(high) or 1.0
    size = 10.0 ** math.floor(math.log10(span / n_steps))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor * n_steps >= span)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 12) for number in range(first, max(last, first + 1) + 1)]


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
