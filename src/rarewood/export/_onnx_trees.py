"""Trees as the attributes of ONNX's tree ensembles, which compare one column with a number."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood.export._binary_trees import Limit, Members, Side
from rarewood.export._lowering import Mixture

_LARGEST = float(np.finfo(np.float32).max)
_MOST_LEAVES = 2**24  # whole numbers that a float32 holds


class WidenedTests:
    """Tests that a tree ensemble of ONNX does not have: each becomes a column that says on which side a row is.

    Columns that are `ranked` hold more than a float32: what trees see of a cell is its rank, the number of `bounds` below it.
    """

    def __init__(self, mixture: Mixture, ranked: Collection[int] = ()) -> None:
        self.sets: dict[int, list[tuple[int, ...]]] = {}
        self.lines: list[Side] = []
        self._numbers: dict[tuple[int, int], tuple[int | None, int]] = {}
        limits = [test for tree in mixture.trees for test in tree.tests if isinstance(test, Limit)]
        self.bounds = {
            column: np.unique([test.bound for test in limits if test.column == column])
            for column in ranked
            if any(test.column == column for test in limits)
        }
        for number, tree in enumerate(mixture.trees):
            for node, test in enumerate(tree.tests):
                if isinstance(test, Members):
                    sets = self.sets.setdefault(test.column, [])
                    self._numbers[number, node] = test.column, len(sets)
                    sets.append(test.codes)
                elif isinstance(test, Side):
                    self._numbers[number, node] = None, len(self.lines)
                    self.lines.append(test)

    def bound(self, test: Limit) -> float:
        """What trees compare the column with."""
        if test.column in self.bounds:
            return float(np.searchsorted(self.bounds[test.column], test.bound))
        return rounded_down(test.bound)

    def place(self, tree: int, node: int, n_columns: int) -> int:
        """Which column of the widened matrix it is."""
        column, number = self._numbers[tree, node]
        before = n_columns
        for other, sets in self.sets.items():
            if other == column:
                return before + number
            before += len(sets)
        return before + number


def membership(sets: list[tuple[int, ...]], n_categories: int) -> NDArray[np.float32]:
    """For each category, one never seen and missing: 0 where it is in the set, 1 where not, NaN for missing."""
    table = np.ones((n_categories + 2, len(sets)), dtype=np.float32)
    for number, codes in enumerate(sets):
        table[list(codes), number] = 0.0
    table[-1] = np.nan
    return table


def ensemble(mixture: Mixture, tests: WidenedTests, n_columns: int) -> dict[str, Any]:
    """Attributes of a regressor with one target per tree: the number of the leaf's row among those of all trees."""
    names = (
        "featureids",
        "values",
        "modes",
        "truenodeids",
        "falsenodeids",
        "missing_value_tracks_true",
        "treeids",
        "nodeids",
    )
    nodes: dict[str, list[Any]] = {f"nodes_{name}": [] for name in names}
    targets: dict[str, list[Any]] = {f"target_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    first_row = 0

    def add_node(tree: int, node: int, column: int, bound: float, left: int, right: int, missing_left: bool) -> None:
        row = (column, bound, "BRANCH_LEQ" if left else "LEAF", left, right, int(missing_left), tree, node)
        for name, value in zip(names, row, strict=True):
            nodes[f"nodes_{name}"].append(value)

    def add_leaf(tree: int, node: int, leaf: int) -> None:
        add_node(tree, node, 0, 0.0, 0, 0, False)
        for name, value in zip(targets, (tree, node, tree, float(first_row + leaf)), strict=True):
            targets[name].append(value)

    for number, tree in enumerate(mixture.trees):
        if len(tree) == 1:  # not every runtime likes a root that is a leaf
            add_node(number, 0, 0, 0.0, 1, 2, True)
            add_leaf(number, 1, tree.leaf[0])
            add_leaf(number, 2, tree.leaf[0])
        for node, test in enumerate(tree.tests if len(tree) > 1 else []):
            if test is None:
                add_leaf(number, node, tree.leaf[node])
                continue
            if isinstance(test, Limit):
                column, bound = test.column, tests.bound(test)
            else:
                column, bound = tests.place(number, node, n_columns), 0.5
            add_node(number, node, column, bound, tree.left[node], tree.right[node], tree.missing_left[node])
        first_row += len(tree.leaf_values)
    if first_row > _MOST_LEAVES:
        raise ValueError(
            f"the forest has {first_row} different leaves; to_onnx can number {_MOST_LEAVES}. Grow fewer or smaller trees."
        )
    return {**nodes, **targets, "n_targets": len(mixture.trees), "aggregate_function": "SUM", "post_transform": "NONE"}


def rounded_down(bound: float) -> float:
    """The largest float32 up to `bound`: a float32 is at most the one if and only if it is at most the other."""
    if bound >= _LARGEST:
        return _LARGEST
    with np.errstate(over="ignore"):
        rounded = np.float32(bound)
    return float(np.nextafter(rounded, np.float32(-np.inf)) if float(rounded) > bound else rounded)
