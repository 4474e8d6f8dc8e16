"""Paths from the root of a tree to its nodes, merged to one condition per column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._node_tests import NODE_TESTS, FreeTest, IntervalTest, SetTest, node_test, number_of
from rarewood._rules._conditions import Conditions, gather_segments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def conditions_of_nodes(tree: Tree, nodes: Ints, n_categories: NDArray[np.int32], has_missing: Flags) -> Conditions:
    """One rule per node of a tree with axis-parallel splits: everything that leads to the node.

    `has_missing` marks the columns with missing values in the training table. Elsewhere the side that a missing value would
    take says nothing about the data, so no condition admits one.
    """
    edges = _edges(tree, nodes)
    kinds = tree.split_kinds[edges.parent]
    merged: list[_Merged] = []
    of_sets = np.zeros(len(kinds), dtype=bool)
    for test in NODE_TESTS:
        here = kinds == number_of(test)
        if isinstance(test, FreeTest) and here.any():
            raise ValueError(test.refusal)
        if isinstance(test, IntervalTest) and here.any():
            merged.append(_merged_intervals(tree, edges.take(here), test))
        if isinstance(test, SetTest):
            of_sets |= here
    merged.extend(_merged_sets(tree, edges.take(of_sets), n_categories))
    return _grouped(len(nodes), merged, has_missing)


@dataclass(frozen=True)
class _Edges:
    """Edges of paths: the number of the path (`owner`), the lower node, the upper node, and the column that this one tests."""

    owner: Ints
    node: Ints
    parent: Ints
    column: Ints

    def take(self, chosen: Flags) -> _Edges:
        return _Edges(self.owner[chosen], self.node[chosen], self.parent[chosen], self.column[chosen])


def _edges(tree: Tree, ends: Ints) -> _Edges:
    """Every edge between the root and the nodes at which paths end."""
    parent = _parents(tree)
    owner, node = np.arange(len(ends)), np.asarray(ends, dtype=np.int64)
    levels: list[tuple[Ints, Ints, Ints]] = [(node[:0], node[:0], node[:0])]
    while len(node):
        above = parent[node]
        inside = above >= 0
        owner, node, above = owner[inside], node[inside], above[inside]
        levels.append((owner, node, above))
        node = above
    owners, nodes, parents = zip(*levels, strict=True)
    above = np.concatenate(parents)
    return _Edges(np.concatenate(owners), np.concatenate(nodes), above, tree.feature[above])


def _parents(tree: Tree) -> Ints:
    sizes = tree.n_children
    inner = np.flatnonzero(sizes)
    start = np.concatenate([[0], np.cumsum(sizes[inner])])
    children = np.repeat(tree.children_left[inner] - start[:-1], sizes[inner]) + np.arange(start[-1])
    parent = np.full(tree.node_count, -1, dtype=np.int64)
    parent[children] = np.repeat(inner, sizes[inner])
    return parent


@dataclass(frozen=True)
class _Merged:
    """Merged conditions of one kind: one entry per rule and column."""

    owner: Ints
    column: Ints
    lower: Floats
    upper: Floats
    missing: Flags
    allowed: Flags | None = None  # nominal: entries x categories


def _merged_intervals(tree: Tree, edges: _Edges, test: IntervalTest) -> _Merged:
    first_child = tree.children_left[edges.parent]
    lower, upper = test.intervals(tree, edges.parent, edges.node - first_child)
    missing = (tree.missing_go_to_left[edges.parent] != 0) == (edges.node == first_child)
    order, first = _groups(edges.owner, edges.column)
    return _Merged(
        edges.owner[order][first],
        edges.column[order][first],
        np.maximum.reduceat(lower[order], first),
        np.minimum.reduceat(upper[order], first),
        np.logical_and.reduceat(missing[order], first),
    )


def _merged_sets(tree: Tree, edges: _Edges, n_categories: NDArray[np.int32]) -> list[_Merged]:
    merged = []
    for column in np.unique(edges.column).tolist():
        here = edges.take(edges.column == column)
        nodes, first_edge, edge = np.unique(here.node, return_index=True, return_inverse=True)
        allowed, missing = _sets_of_edges(tree, nodes, here.parent[first_edge], int(n_categories[column]))
        order, first = _groups(here.owner, here.column)
        owners = here.owner[order][first]
        merged.append(
            _Merged(
                owners,
                np.full(len(owners), column),
                np.full(len(owners), -np.inf),
                np.full(len(owners), np.inf),
                np.logical_and.reduceat(missing[edge[order]], first),
                np.logical_and.reduceat(allowed[edge[order]], first, axis=0),
            )
        )
    return merged


def _sets_of_edges(tree: Tree, nodes: Ints, parents: Ints, n_categories: int) -> tuple[Flags, Flags]:
    """Which categories, and whether missing values, go to each of the nodes from its parent."""
    places = nodes - tree.children_left[parents]
    kinds = tree.split_kinds[parents]
    allowed = np.zeros((len(nodes), n_categories), dtype=bool)
    missing = np.zeros(len(nodes), dtype=bool)
    for row, (node, parent, place) in enumerate(zip(nodes.tolist(), parents.tolist(), places.tolist(), strict=True)):
        test = node_test(int(kinds[row]))
        assert isinstance(test, SetTest)
        allowed[row] = test.allowed(tree, parent, place, n_categories)
        missing[row] = tree.missing_child(parent) == node
    return allowed, missing


def _groups(owner: Ints, column: Ints) -> tuple[Ints, Ints]:
    """An order that puts edges of one rule and column side by side, and where each such group starts."""
    key = owner * (column.max() + 1) + column
    order = np.argsort(key)
    return order, np.flatnonzero(np.diff(key[order], prepend=-1))


def _grouped(n_rules: int, merged: list[_Merged], has_missing: Flags) -> Conditions:
    """All conditions in the order of rules and columns."""
    if not merged:
        return Conditions.none(n_rules)
    owner = np.concatenate([part.owner for part in merged])
    column = np.concatenate([part.column for part in merged])
    missing = np.concatenate([part.missing for part in merged]) & has_missing[column]
    sizes = [np.zeros(len(p.owner), np.int64) if p.allowed is None else p.allowed.sum(axis=1) for p in merged]
    codes = [np.nonzero(part.allowed)[1] for part in merged if part.allowed is not None]
    code_start = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    order, _ = _groups(owner, column)
    new_code_start, cells = gather_segments(code_start, order)
    return Conditions(
        np.searchsorted(owner[order], np.arange(n_rules + 1)).astype(np.int64),
        column[order],
        np.concatenate([part.lower for part in merged])[order],
        np.concatenate([part.upper for part in merged])[order],
        missing[order],
        np.concatenate([np.full(len(part.owner), part.allowed is not None) for part in merged])[order],
        new_code_start,
        np.concatenate([np.zeros(0, np.int64), *codes])[cells].astype(np.int64),
    )
