"""Axes turn values into coordinates of a drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_TICKS = 5

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Axes:
    """A drawing of 360 x 290 units with a rectangle for the data, whose lower left corner is the origin.

    With `x_from` or `y_from`, the axis is logarithmic and begins there; smaller values are drawn at its beginning.
    """

    x_limit: float = 1.0
    y_limit: float = 1.0
    left: float = 54.0
    top: float = 10.0
    width: float = 294.0
    height: float = 232.0
    x_from: float = 0.0
    y_from: float = 0.0

    def x(self, value: float) -> float:
        return round(self.left + self.width * _part(value, self.x_from, self.x_limit), 2)

    def y(self, value: float) -> float:
        return round(self.top + self.height * (1.0 - _part(value, self.y_from, self.y_limit)), 2)

    def path(self, points: Points) -> str:
        """Points as the `points` of a polyline, to a tenth of a unit; those that fall on the one before are left out."""
        placed = dict.fromkeys(f"{self.x(a):.1f},{self.y(b):.1f}" for a, b in points)
        return " ".join(placed).replace(".0", "")

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        return [(self.x(value), _short(value)) for value in _ticks(self.x_from, self.x_limit)]

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        return [(self.y(value), _short(value)) for value in _ticks(self.y_from, self.y_limit)]


def _part(value: float, start: float, limit: float) -> float:
    if not start:
        return value / limit
    return math.log(max(value, start) / start) / math.log(limit / start)


def _ticks(start: float, limit: float) -> list[float]:
    if not start:
        return [round(limit * i / 4, 6) for i in range(5)]
    powers = [10.0**power for power in range(math.ceil(math.log10(start)), math.floor(math.log10(limit)) + 1)]
    return powers[:: 1 + (len(powers) - 1) // 5]


def round_numbers(low: float, high: float, *, logarithmic: bool = False) -> list[tuple[float, str]]:
    """At most five round numbers between two others, with their texts; fewer than two if they lie too close together."""
    if not low < high:
        return []
    numbers = _round_powers(low, high) if logarithmic else []
    if len(numbers) < 2:
        numbers = _even_steps(low, high)
    return [(number, _short(number)) for number in numbers]


def _round_powers(low: float, high: float) -> list[float]:
    """Powers of ten, with their halves and fifths if they are few."""
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        numbers = [
            10.0**power * factor for power in powers for factor in factors if low <= 10.0**power * factor <= high
        ]
        if len(numbers) <= _MOST_TICKS:
            return numbers
    return numbers[:: 1 + (len(numbers) - 1) // _MOST_TICKS]


def _even_steps(low: float, high: float) -> list[float]:
    size = 10.0 ** math.floor(math.log10((high - low) / _MOST_TICKS))
    for step in (size * factor for factor in (1, 2, 5, 10)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < _MOST_TICKS:
            break
    return [round(number * step, 12) for number in range(first, last + 1)]


def _short(value: float) -> str:
    """A number for a tick: thousands and millions by a letter, tiny ones by a power of ten."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}".replace("e-0", "e-")


def nice_above(value: float) -> float:
    """A limit whose quarters are short numbers."""
    size = 1.0
    while size * 8 < value:
        size *= 10
    return next(size * step for step in (1, 2, 4, 6, 8) if size * step >= value)
