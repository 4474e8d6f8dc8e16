"""Numbers up to a threshold, and larger ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._node_tests._base import IntervalTest, Tested, Words


class Threshold(IntervalTest):
    """``x <= threshold``; an infinite threshold asks for a value."""

    name = "numeric"

    def asks_for_a_value(self, node: Tested, words: Words) -> bool:  # noqa: ARG002 - as the base
        return math.isinf(node.parameters["threshold"])

    def values(self, node: Tested, words: Words) -> list[str]:
        name, bound = words.features[node.column], words.bound(node.column, node.parameters["threshold"])
        return [f"{name} <= {bound}", f"{name} > {bound}"]

    def intervals(
        self, tree: Tree, nodes: NDArray[np.int64], places: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        threshold, right = tree.threshold[nodes], places == 1
        return np.where(right, threshold, -np.inf), np.where(right, np.inf, threshold)
