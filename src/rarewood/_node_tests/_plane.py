"""The two sides of a line through two columns."""

from __future__ import annotations

from rarewood._node_tests._base import FreeTest, Tested, Words


class Plane(FreeTest):
    """``weight_a * a + weight_b * b <= offset``."""

    name = "hyperplane"
    refusal = (
        "Patterns are conditions on single columns, but this tree was grown with splitter='hyperplane' and has lines through "
        "two columns. Take the patterns of a forest that cuts along the columns, such as HeDExClassifier or "
        "ForestClassifier, fitted to the same data."
    )

    def columns(self, node: Tested) -> list[int]:
        return [node.parameters["feature_a"], node.parameters["feature_b"]]

    def values(self, node: Tested, words: Words) -> list[str]:
        a, b = (_axis(column, words) for column in self.columns(node))
        weight_a, weight_b = node.parameters["weight_a"], node.parameters["weight_b"]
        sign = "-" if weight_b < 0 else "+"
        left_hand = f"{words.number(weight_a)}*{a} {sign} {words.number(abs(weight_b))}*{b}"
        offset = words.number(node.parameters["offset"])
        return [f"{left_hand} <= {offset}", f"{left_hand} > {offset}"]


def _axis(column: int, words: Words) -> str:
    """A column as a coordinate; a line puts categories in an order of its own."""
    name = words.features[column]
    return name if words.categories[column] is None else f"place({name})"
