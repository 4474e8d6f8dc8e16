"""Trees in the few words that other programs know: binary tests of one column or of a line, leaves of numbers.

To add a kind of test: a function that says how it is made of `Limit`, `Members` and `Side`, listed in `_FORKS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._rules import CodedRule

# ---------------------------------------------------------------------------------------------------------
# tests


@dataclass(frozen=True)
class Limit:
    """A number, or a category's code, up to `bound` goes left."""

    column: int
    bound: float


@dataclass(frozen=True)
class Members:
    """The categories with these codes go left."""

    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Side:
    """``weights[0] * a + weights[1] * b <= offset`` goes left.

    `places` gives the coordinate of each category's code on an axis that is nominal, None for numbers. A row with a category that
    has no place goes left or right as `unseen_left` says, one that misses a column as missing values do.
    """

    columns: tuple[int, int]
    weights: tuple[float, float]
    offset: float
    places: tuple[dict[int, int] | None, dict[int, int] | None]
    unseen_left: bool


Test = Limit | Members | Side

STAYS = -1  # in place of a child: the node's own counts


@dataclass(frozen=True)
class Fork:
    """A test and what follows on each side: the number of a child, `STAYS`, or another fork."""

    test: Test
    missing_left: bool
    left: int | Fork
    right: int | Fork


@dataclass(frozen=True)
class _Stored:
    """A tree with the arrays that it stores."""

    tree: Tree
    state: dict[str, NDArray[Any]]
    left: NDArray[np.int64]
    n_children: NDArray[np.int64]
    kinds: NDArray[np.uint8]

    @classmethod
    def of(cls, tree: Tree) -> _Stored:
        return cls(tree, tree.__getstate__(), tree.children_left, tree.n_children, tree.split_kinds)

    def record(self, node: int) -> int:
        """Place of what the node keeps beside its 16 bytes."""
        return int(self.state["node_threshold"][node])

    def places(self, number: int) -> dict[int, int] | None:
        if number == _NO_MAP:
            return None
        begin, size = int(self.state["list_begin"][number]), int(self.state["list_size"][number])
        codes, places = self.state["category_pool"][begin : begin + 2 * size].reshape(2, size).tolist()
        return dict(zip(codes, places, strict=True))

    def leaf_row(self, node: int) -> int:
        """Of a leaf, or of a row that stays at the node."""
        if self.left[node] == -1:
            return int(self.state["node_first_child"][node])
        return int(self.state["list_leaf_row"][self.record(node)])


_NO_MAP = 2**32 - 1


def _of_threshold(stored: _Stored, node: int) -> Fork:
    bound = float(stored.state["node_threshold"][node])
    return Fork(Limit(int(stored.tree.feature[node]), bound), _missing_left(stored, node), 0, 1)


def _of_category_set(stored: _Stored, node: int) -> Fork:
    codes = tuple(stored.tree.categories(node).tolist())
    return Fork(Members(int(stored.tree.feature[node]), codes), _missing_left(stored, node), 0, 1)


def _of_branches(stored: _Stored, node: int) -> Fork:
    """Codes are whole numbers: a search among them, with the node's own counts in the gaps."""
    column, codes = int(stored.tree.feature[node]), stored.tree.categories(node).tolist()
    missing = stored.tree.missing_child(node) - int(stored.left[node])
    slots: list[tuple[float, int]] = []
    before = -1
    for place, code in enumerate(codes):
        if code > before + 1:
            slots.append((code - 0.5, STAYS))
        slots.append((code + 0.5, place))
        before = code
    slots.append((math.inf, STAYS))
    takes = next((at for at, (_, place) in enumerate(slots) if place == missing), None)

    def search(low: int, high: int) -> int | Fork:
        if low == high:
            return slots[low][1]
        middle = (low + high) // 2
        goes_left = takes is not None and takes <= middle
        return Fork(Limit(column, slots[middle][0]), goes_left, search(low, middle), search(middle + 1, high))

    found = search(0, len(slots) - 1)
    if takes is None:
        return Fork(Limit(column, math.inf), False, found, missing)
    assert isinstance(found, Fork)
    return found


def _of_plane(stored: _Stored, node: int) -> Fork:
    line: Any = stored.tree.hyperplane(node)
    a, b, weight_a, weight_b, offset = line
    record, state = stored.record(node), stored.state
    places = stored.places(int(state["plane_map_a"][record])), stored.places(int(state["plane_map_b"][record]))
    side = Side((a, b), (weight_a, weight_b), offset, places, bool(state["plane_unseen_left"][record]))
    return Fork(side, _missing_left(stored, node), 0, 1)


_FORKS: dict[str, Callable[[_Stored, int], Fork]] = {
    "numeric": _of_threshold,
    "subset": _of_category_set,
    "multiway": _of_branches,
    "hyperplane": _of_plane,
}


def _missing_left(stored: _Stored, node: int) -> bool:
    return bool(stored.tree.missing_child(node) == stored.left[node])


# ---------------------------------------------------------------------------------------------------------
# trees


@dataclass(frozen=True, eq=False)
class BinaryTree:
    """Nodes in lists; node 0 is the root, children come after their parents.

    Parameters
    ----------
    tests : list of Test or None
        None at a leaf.
    missing_left : list of bool
        Whether missing values go left.
    left, right : list of int
        The children, -1 at a leaf.
    leaf : list of int
        Row of `leaf_values`, -1 where the node is no leaf.
    weights : list of float
        Weight of the training rows.
    leaf_values : ndarray of shape (leaf rows, n_classes)
        Probabilities.
    """

    tests: list[Test | None]
    missing_left: list[bool]
    left: list[int]
    right: list[int]
    leaf: list[int]
    weights: list[float]
    leaf_values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.tests)


def lower_tree(tree: Tree, pseudo_counts: float | NDArray[np.float64]) -> BinaryTree:
    """A tree whose nodes have two children each."""
    stored, names = _Stored.of(tree), _kind_names()
    totals = tree.weighted_n_node_samples
    counts = stored.state["leaf_table"].reshape(-1, tree.n_classes + 1)[:, :-1]
    lowered = BinaryTree([], [], [], [], [], [], _probabilities(counts, pseudo_counts))

    def add(weight: float) -> int:
        lowered.tests.append(None)
        lowered.missing_left.append(False)
        for numbers in (lowered.left, lowered.right, lowered.leaf):
            numbers.append(-1)
        lowered.weights.append(weight)
        return len(lowered) - 1

    def weight_of(what: int | Fork, node: int) -> float:
        if isinstance(what, Fork):
            return weight_of(what.left, node) + weight_of(what.right, node)
        return 0.0 if what == STAYS else float(totals[stored.left[node] + what])

    # (place in the lowered tree, node of the tree, what stands there: the node itself or a part of its test)
    waiting: list[tuple[int, int, int | Fork | None]] = [(add(float(totals[0])), 0, None)]
    while waiting:
        at, node, what = waiting.pop()
        if what is None and stored.left[node] != -1:
            what = _FORKS[names[stored.kinds[node]]](stored, node)
        if what is None or what == STAYS:
            lowered.leaf[at] = stored.leaf_row(node)
        elif isinstance(what, Fork):
            lowered.tests[at], lowered.missing_left[at] = what.test, what.missing_left
            lowered.left[at] = add(weight_of(what.left, node))
            lowered.right[at] = add(weight_of(what.right, node))
            for place, part in ((lowered.right[at], what.right), (lowered.left[at], what.left)):
                if isinstance(part, Fork) or part == STAYS:
                    waiting.append((place, node, part))
                else:
                    waiting.append((place, int(stored.left[node]) + part, None))
    return lowered


def _kind_names() -> list[str]:
    from rarewood._core import split_kinds

    return split_kinds()


def _probabilities(counts: NDArray[np.float64], pseudo_counts: float | NDArray[np.float64]) -> NDArray[np.float64]:
    n_classes = counts.shape[1]
    each = np.broadcast_to(np.asarray(pseudo_counts, dtype=np.float64), (n_classes,))
    total = counts.sum(axis=1) + (each[0] * n_classes if (each == each[0]).all() else each.sum())
    uniform = np.full_like(counts, 1.0 / n_classes)
    return np.asarray(np.divide(counts + each, total[:, np.newaxis], out=uniform, where=total[:, np.newaxis] > 0.0))


# ---------------------------------------------------------------------------------------------------------
# rules


def tree_of_rule(rule: CodedRule, fires: NDArray[np.float64]) -> BinaryTree:
    """A chain of tests with two leaf rows: zeros, and `fires` for a row that meets all conditions."""
    chain: list[tuple[Test, bool, bool]] = []  # a test, where missing values go, which side goes on
    for condition in rule:
        column, missing = condition.column, condition.missing
        if condition.codes is not None:
            chain.append((Members(column, condition.codes), missing, True))
            continue
        if condition.lower > -math.inf:
            chain.append((Limit(column, condition.lower), not missing, False))
        if condition.upper < math.inf or condition.lower == -math.inf:
            chain.append((Limit(column, condition.upper), missing, True))
    tree = BinaryTree([], [], [], [], [], [], np.stack([np.zeros_like(fires), fires]))
    for number, (test, missing_left, left_goes_on) in enumerate(chain):
        further, out = 2 * number + 2, 2 * number + 1
        _append(tree, test, missing_left, (further, out) if left_goes_on else (out, further), -1)
        _append(tree, None, False, (-1, -1), 0)
    _append(tree, None, False, (-1, -1), 1)
    return tree


def _append(tree: BinaryTree, test: Test | None, missing_left: bool, children: tuple[int, int], leaf: int) -> None:
    tree.tests.append(test)
    tree.missing_left.append(missing_left)
    tree.left.append(children[0])
    tree.right.append(children[1])
    tree.leaf.append(leaf)
    tree.weights.append(0.0)


def tree_of_steps(axes: list[tuple[int, NDArray[np.float64]]], values: NDArray[np.float64]) -> BinaryTree:
    """A search for the step of each column in turn; the value behind those of the steps is that of missing cells."""
    tree = BinaryTree([], [], [], [], [], [], np.stack([np.zeros(values.size), values.ravel()], axis=1))

    def add(axis: int, before: int, low: int, high: int) -> int:
        """The steps from `low` to `high` of a column, the last of which may be that of missing cells; `before` leaf rows are passed."""
        column, bounds = axes[axis]
        missing = len(bounds) + 1
        if low == high and axis + 1 < len(axes):
            return add(axis + 1, (before + low) * values.shape[axis + 1], 0, len(axes[axis + 1][1]) + 1)
        at = len(tree)
        _append(tree, None, False, (-1, -1), before + low if low == high else -1)
        if low < high:
            middle = high - 1 if high == missing else (low + high) // 2
            tree.tests[at] = Limit(column, math.inf if high == missing else float(bounds[middle]))
            tree.left[at] = add(axis, before, low, middle)
            tree.right[at] = add(axis, before, middle + 1, high)
        return at

    add(0, 0, 0, len(axes[0][1]) + 1)
    return tree
