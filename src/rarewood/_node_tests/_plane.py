"""The two sides of a line through two columns."""

from __future__ import annotations

import math

from rarewood._node_tests._base import FreeTest, Tested, Words
from rarewood._tables.moments import DAY, MOMENTS, moment_in_words

_CENTURIES = 10


class Plane(FreeTest):
    """``weight_a * a + weight_b * b <= offset``."""

    name = "hyperplane"
    refusal = (
        "Patterns are conditions on single columns, but this tree was grown with splitter='hyperplane' and has lines "
        "through two columns. Use a forest that splits along single columns, such as HeDExClassifier or "
        "ForestClassifier, fitted to the same data."
    )

    def columns(self, node: Tested) -> list[int]:
        return [node.parameters["feature_a"], node.parameters["feature_b"]]

    def values(self, node: Tested, words: Words) -> list[str]:
        weights = node.parameters["weight_a"], node.parameters["weight_b"]
        dated = sum(weight for weight, column in zip(weights, self.columns(node)) if _is_point(column, words))
        start = _day_near(node.parameters["offset"], dated)
        a, b = (_axis(column, words, start) for column in self.columns(node))
        sign = "-" if weights[1] < 0 else "+"
        left_hand = f"{words.number(weights[0])}*{a} {sign} {words.number(abs(weights[1]))}*{b}"
        offset = words.number(node.parameters["offset"] - dated * start)
        return [f"{left_hand} <= {offset}", f"{left_hand} > {offset}"]


def _is_point(column: int, words: Words) -> bool:
    """Whether it holds seconds since 1970, which nobody wants to read."""
    return words.columns.kinds[column].word in ("date", "datetime", "datetime_utc")


def _day_near(offset: float, weight: float) -> float:
    """The day on which a line would be if all other cells were 0, in seconds; 1970 where that is no day of a calendar."""
    day = math.floor(offset / weight / DAY) * DAY if weight else 0.0
    return day if abs(day) < _CENTURIES * 36525 * DAY else 0.0


def _axis(column: int, words: Words, start: float) -> str:
    """A column as a coordinate; a line puts categories in an order of its own, and reads dates and times as seconds."""
    name = words.features[column]
    if words.categories[column] is not None:
        return f"place({name})"
    if _is_point(column, words):
        return f"seconds({name} since {moment_in_words('date', start, 0)})"
    return f"seconds({name})" if words.columns.kinds[column].word in MOMENTS else name
