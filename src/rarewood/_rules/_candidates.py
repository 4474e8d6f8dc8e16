"""Candidates for rules: every node of shallow trees that holds more of the rare class than its share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._patterns import conditions_of_leaves
from rarewood._rules._asking import Asked, rule_of
from rarewood._rules._covers import Words, packed
from rarewood._rules._growing import Encoded, Grown
from rarewood._rules._nodes import Nodes, nodes_of

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

_LEAST_RARE = 3
_LEAST_LIFT = 1.2


@dataclass(frozen=True)
class Candidates:
    """Rules in the making, nodes of trees. Covers are packed, rare rows and others apart."""

    table: Encoded
    grown: Sequence[Grown]
    nodes: Sequence[Nodes]
    on_rare: Words  # candidates x rare rows
    on_rest: Words
    half: Ints  # whose forest a candidate stands in
    node: Ints  # and where
    sizes: Ints  # conditions

    def __len__(self) -> int:
        return len(self.half)

    def rule(self, number: int) -> dict[int, Asked]:
        """What a candidate asks."""
        half = int(self.half[number])
        tree, node = self.nodes[half].tree_of(int(self.node[number]))
        conditions = conditions_of_leaves(
            self.grown[half].forest[tree], np.array([node]), self.table.n_categories, self.table.has_missing
        )
        return rule_of(conditions, 0, self.table.nominal)


def collect(table: Encoded, grown: Sequence[Grown], max_conditions: int, rest_weight: float) -> Candidates | None:
    """The candidates of forests of one search, each cover once; None if there are none.

    `table` holds the rows of the search only, and `rest_weight` says how many rows a row of the others stands for.
    """
    nodes = [nodes_of(each.forest) for each in grown]
    parts = [
        _of_forest(table, each, at, max_conditions, rest_weight, half)
        for half, (each, at) in enumerate(zip(grown, nodes, strict=True))
    ]
    on_rare, on_rest, half, node, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(half) == 0:
        return None
    kept = _shortest_of_each_cover(on_rare, on_rest, sizes)
    return Candidates(table, grown, nodes, on_rare[kept], on_rest[kept], half[kept], node[kept], sizes[kept])


def _of_forest(
    table: Encoded, grown: Grown, nodes: Nodes, max_conditions: int, rest_weight: float, half: int
) -> tuple[Words, Words, Ints, Ints, Ints]:
    is_rare = table.is_rare
    leaf = nodes.leaf_number[grown.forest.apply(table.matrix) + nodes.tree_start[:-1]].T  # trees x rows
    n_leaves = int(nodes.end_leaf.max())
    rare_leaf, rest_leaf = leaf[:, is_rare], leaf[:, ~is_rare]
    rare = nodes.per_node(np.bincount(rare_leaf.ravel(), minlength=n_leaves))
    rest = nodes.per_node(np.bincount(rest_leaf.ravel(), minlength=n_leaves)) * rest_weight
    n_rare, n_rest = rare_leaf.shape[1], rest_leaf.shape[1] * rest_weight
    base = n_rare / (n_rare + n_rest)
    good = (rare >= _LEAST_RARE) & (rare > _LEAST_LIFT * base * (rare + rest))
    good &= (nodes.n_columns > 0) & (nodes.n_columns <= max_conditions)
    chosen = np.flatnonzero(good)
    tree = np.searchsorted(nodes.tree_start, chosen, side="right") - 1
    first, end = nodes.first_leaf[chosen, np.newaxis], nodes.end_leaf[chosen, np.newaxis]
    covers = [packed((leaves[tree] >= first) & (leaves[tree] < end)) for leaves in (rare_leaf, rest_leaf)]
    return covers[0], covers[1], np.full(len(chosen), half), chosen, nodes.n_columns[chosen]


def _shortest_of_each_cover(on_rare: Words, on_rest: Words, sizes: Ints) -> Ints:
    first: dict[Any, int] = {}
    both = np.concatenate([on_rare, on_rest], axis=1)
    for number in np.argsort(sizes, kind="stable").tolist():
        first.setdefault(both[number].tobytes(), number)
    return np.sort(np.fromiter(first.values(), dtype=np.int64))
