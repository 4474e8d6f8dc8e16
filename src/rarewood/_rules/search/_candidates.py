"""Candidates for rules: every node of shallow trees that holds more of the rare class than its share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._rules._conditions import CodedRule
from rarewood._rules._paths import conditions_of_nodes
from rarewood._rules.search._bits import Words, packed
from rarewood._rules.search._forests import HalfForest
from rarewood._rules.search._nodes import Nodes, nodes_of
from rarewood._tables import LabelledRows

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

_LEAST_RARE = 3
_LEAST_LIFT = 1.2


@dataclass(frozen=True)
class Candidates:
    """Nodes of trees that may become rules, those of one half side by side. Covers are packed, rare rows and others apart."""

    table: LabelledRows
    trees: Sequence[Tree]
    nodes: Nodes
    on_rare: Words  # candidates x rare rows
    on_rest: Words
    half: Ints  # whose trees a candidate stands in, ascending
    node: Ints  # and where
    sizes: Ints  # conditions

    def __len__(self) -> int:
        return len(self.half)

    def rule(self, number: int) -> CodedRule:
        """The conditions of a candidate."""
        tree, node = self.nodes.tree_of(int(self.node[number]))
        columns = self.table.columns
        return conditions_of_nodes(self.trees[tree], np.array([node]), columns.n_categories, columns.has_missing).rule(
            0
        )


def collect(
    table: LabelledRows, grown: Sequence[HalfForest], max_conditions: int, rest_weight: float
) -> Candidates | None:
    """The candidates of forests of one search, each cover once; None if there are none.

    `table` holds the rows of the search only, the rare ones first, and `rest_weight` says how many rows a row of the others
    stands for.
    """
    trees = [half.forest[t] for half in grown for t in range(len(half.forest))]
    half_of_tree = np.repeat(np.arange(len(grown)), [len(half.forest) for half in grown])
    nodes = nodes_of(trees)
    leaves = _leaves(nodes, trees, np.ascontiguousarray(table.matrix))  # trees walk along rows
    n_rare = int(np.count_nonzero(table.is_rare))
    chosen = _good(nodes, leaves, n_rare, max_conditions, rest_weight)
    if len(chosen) == 0:
        return None
    on_rare, on_rest = _covers(nodes, leaves, chosen, n_rare)
    kept = _shortest_of_each_cover(on_rare, on_rest, nodes.n_columns[chosen])
    chosen = chosen[kept]
    half = half_of_tree[nodes.tree_at(chosen)]
    return Candidates(table, trees, nodes, on_rare[kept], on_rest[kept], half, chosen, nodes.n_columns[chosen])


def _leaves(nodes: Nodes, trees: Sequence[Tree], matrix: NDArray[Any]) -> NDArray[Any]:
    """The place of each row's leaf among the leaves of its tree, trees x rows, in as few bytes as it takes."""
    own = nodes.leaf_in_tree.astype(np.min_scalar_type(int(nodes.leaf_in_tree.max())))
    leaves = np.empty((len(trees), len(matrix)), dtype=own.dtype)
    for tree, start, row in zip(trees, nodes.tree_start, leaves, strict=False):
        np.take(own[start:], tree.apply(matrix), out=row, mode="clip")  # "raise" would copy
    return leaves


def _good(nodes: Nodes, leaves: NDArray[Any], n_rare: int, max_conditions: int, rest_weight: float) -> Ints:
    """Nodes that are neither too long nor too poor."""
    roots = nodes.tree_start[:-1]
    n_leaves = nodes.end_leaf[roots] - nodes.first_leaf[roots]

    def per_node(part: NDArray[Any]) -> NDArray[Any]:
        counts = [np.bincount(row, minlength=n) for row, n in zip(part, n_leaves, strict=True)]
        return nodes.per_node(np.concatenate(counts))

    rare, rest = per_node(leaves[:, :n_rare]), per_node(leaves[:, n_rare:]) * rest_weight
    base = n_rare / (n_rare + rest_weight * (leaves.shape[1] - n_rare))
    good = (rare >= _LEAST_RARE) & (rare > _LEAST_LIFT * base * (rare + rest))
    return np.flatnonzero(good & (nodes.n_columns > 0) & (nodes.n_columns <= max_conditions))


def _covers(nodes: Nodes, leaves: NDArray[Any], chosen: Ints, n_rare: int) -> tuple[Words, Words]:
    """Packed covers of nodes: the rows whose leaf lies below the node."""
    kind = leaves.dtype
    of_tree = nodes.tree_at(chosen)
    start = np.searchsorted(of_tree, np.arange(len(leaves) + 1))
    own_first = (nodes.first_leaf[chosen] - nodes.first_leaf[nodes.tree_start[of_tree]]).astype(kind)
    width = (nodes.end_leaf[chosen] - nodes.first_leaf[chosen] - 1).astype(kind)
    below = np.empty((len(chosen), leaves.shape[1]), dtype=bool)
    for tree, row in enumerate(leaves):
        here = slice(start[tree], start[tree + 1])
        below[here] = (
            row - own_first[here, np.newaxis] <= width[here, np.newaxis]
        )  # unsigned: what is less wraps around
    return packed(below[:, :n_rare]), packed(below[:, n_rare:])


def _shortest_of_each_cover(on_rare: Words, on_rest: Words, sizes: Ints) -> Ints:
    first: dict[Any, int] = {}
    both = np.concatenate([on_rare, on_rest], axis=1)
    for number in np.argsort(sizes, kind="stable").tolist():
        first.setdefault(both[number].tobytes(), number)
    return np.sort(np.fromiter(first.values(), dtype=np.int64))
