"""Paths from the root of a tree to its leaves, merged to one condition per column.

Words: a *pattern* is the conjunction of everything that leads to one leaf; a *condition* is what it asks of one column: an
interval, a set of categories, and whether a missing value will do; a *step* is one edge of a path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._node_tests import NODE_TESTS, FreeTest, IntervalTest, SetTest, node_test, number_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Conditions:
    """The conditions of many patterns, in flat arrays.

    Pattern p has the conditions from ``start[p]`` to ``start[p + 1]``, ascending by column. A number x meets condition c if
    ``lower[c] < x <= upper[c]``, a category if its code is among those from ``code_start[c]`` to ``code_start[c + 1]`` of
    `codes` (ascending; none for a numeric column), a missing value if ``missing[c]``.
    """

    start: Ints
    column: Ints
    lower: Floats
    upper: Floats
    missing: Flags
    code_start: Ints
    codes: Ints

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def sizes(self) -> Ints:
        """Conditions per pattern."""
        return np.diff(self.start)

    def codes_of(self, condition: int) -> Ints:
        """The categories that meet a condition."""
        return self.codes[self.code_start[condition] : self.code_start[condition + 1]]

    def of(self, pattern: int) -> range:
        """The numbers of the conditions of a pattern."""
        return range(int(self.start[pattern]), int(self.start[pattern + 1]))

    def take(self, patterns: Ints) -> Conditions:
        """Some of the patterns, in the order given."""
        start, rows = gather_segments(self.start, patterns)
        code_start, cells = gather_segments(self.code_start, rows)
        return Conditions(
            start,
            self.column[rows],
            self.lower[rows],
            self.upper[rows],
            self.missing[rows],
            code_start,
            self.codes[cells],
        )

    def covers(self, pattern: int, matrix: NDArray[Any], nominal: Flags) -> Flags:
        """Which rows of an encoded table meet all conditions of a pattern; compared in double precision, as a database would."""
        met = np.ones(len(matrix), dtype=bool)
        for c in self.of(pattern):
            cells = matrix[:, self.column[c]].astype(np.float64, copy=False)
            between = (cells > self.lower[c]) & (cells <= self.upper[c])
            inside = np.isin(cells, self.codes_of(c)) if nominal[self.column[c]] else between
            met &= np.where(np.isnan(cells), self.missing[c], inside)
        return met

    @classmethod
    def none(cls, n_patterns: int = 0) -> Self:
        """Patterns that ask nothing of any row."""
        empty, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
        start = np.zeros(n_patterns + 1, dtype=np.int64)
        return cls(start, empty, nothing, nothing, nothing.astype(bool), start[:1], empty)

    @classmethod
    def joined(cls, parts: Sequence[Conditions]) -> Self:
        """The patterns of several, one after the other."""
        return cls(
            _joined_starts([part.start for part in parts]),
            np.concatenate([part.column for part in parts]),
            np.concatenate([part.lower for part in parts]),
            np.concatenate([part.upper for part in parts]),
            np.concatenate([part.missing for part in parts]),
            _joined_starts([part.code_start for part in parts]),
            np.concatenate([part.codes for part in parts]),
        )


def gather_segments(start: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Where the chosen segments start once they stand side by side, and the old position of every item in them."""
    sizes = start[chosen + 1] - start[chosen]
    new_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    items = np.repeat(start[chosen] - new_start[:-1], sizes) + np.arange(new_start[-1])
    return new_start, items


def _joined_starts(starts: list[Ints]) -> Ints:
    ends = np.cumsum([0, *(each[-1] for each in starts)])
    return np.concatenate([[0], *(each[1:] + end for each, end in zip(starts, ends))]).astype(np.int64)


# ---------------------------------------------------------------------------------------------------------
# from a tree


def conditions_of_leaves(tree: Tree, leaves: Ints, n_categories: NDArray[np.int32], has_missing: Flags) -> Conditions:
    """One pattern per leaf of a tree with axis-parallel splits.

    `has_missing` tells which columns had missing values in training: elsewhere the side that a missing value would take says
    nothing about the data, and no condition admits one.
    """
    steps = _steps(tree, leaves)
    kinds = tree.split_kinds[steps.parent]
    merged: list[_Merged] = []
    of_sets = np.zeros(len(kinds), dtype=bool)
    for test in NODE_TESTS:
        here = kinds == number_of(test)
        if isinstance(test, FreeTest) and here.any():
            raise ValueError(test.refusal)
        if isinstance(test, IntervalTest) and here.any():
            merged.append(_merged_intervals(tree, steps.take(here), test))
        if isinstance(test, SetTest):
            of_sets |= here
    merged.extend(_merged_sets(tree, steps.take(of_sets), n_categories))
    return _grouped(len(leaves), merged, has_missing)


@dataclass(frozen=True)
class _Steps:
    """Edges above leaves: the position of the leaf among them, the lower node, the upper node and the column it tests."""

    owner: Ints
    node: Ints
    parent: Ints
    column: Ints

    def take(self, chosen: Flags) -> _Steps:
        return _Steps(self.owner[chosen], self.node[chosen], self.parent[chosen], self.column[chosen])


def _steps(tree: Tree, leaves: Ints) -> _Steps:
    """Every edge above the leaves."""
    parent = _parents(tree)
    owner, node = np.arange(len(leaves)), np.asarray(leaves, dtype=np.int64)
    found: list[tuple[Ints, Ints, Ints]] = [(node[:0], node[:0], node[:0])]
    while len(node):
        above = parent[node]
        inside = above >= 0
        owner, node, above = owner[inside], node[inside], above[inside]
        found.append((owner, node, above))
        node = above
    owners, nodes, parents = zip(*found, strict=True)
    above = np.concatenate(parents)
    return _Steps(np.concatenate(owners), np.concatenate(nodes), above, tree.feature[above])


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
    """Merged conditions of one kind: one entry per pattern and column."""

    owner: Ints
    column: Ints
    lower: Floats
    upper: Floats
    missing: Flags
    allowed: Flags | None = None  # nominal: entries x categories


def _merged_intervals(tree: Tree, steps: _Steps, test: IntervalTest) -> _Merged:
    first_child = tree.children_left[steps.parent]
    lower, upper = test.intervals(tree, steps.parent, steps.node - first_child)
    missing = (tree.missing_go_to_left[steps.parent] != 0) == (steps.node == first_child)
    order, first = _groups(steps.owner, steps.column)
    return _Merged(
        steps.owner[order][first],
        steps.column[order][first],
        np.maximum.reduceat(lower[order], first),
        np.minimum.reduceat(upper[order], first),
        np.logical_and.reduceat(missing[order], first),
    )


def _merged_sets(tree: Tree, steps: _Steps, n_categories: NDArray[np.int32]) -> list[_Merged]:
    merged = []
    for column in np.unique(steps.column).tolist():
        here = steps.take(steps.column == column)
        nodes, first_step, edge = np.unique(here.node, return_index=True, return_inverse=True)
        allowed, missing = _sets_of_edges(tree, nodes, here.parent[first_step], int(n_categories[column]))
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
    """An order that puts steps of one pattern and column side by side, and where each such group starts."""
    key = owner * (column.max() + 1) + column
    order = np.argsort(key)
    return order, np.flatnonzero(np.diff(key[order], prepend=-1))


def _grouped(n_patterns: int, merged: list[_Merged], has_missing: Flags) -> Conditions:
    """All conditions in the order of patterns and columns."""
    if not merged:
        return Conditions.none(n_patterns)
    owner = np.concatenate([part.owner for part in merged])
    column = np.concatenate([part.column for part in merged])
    missing = np.concatenate([part.missing for part in merged]) & has_missing[column]
    sizes = [np.zeros(len(p.owner), np.int64) if p.allowed is None else p.allowed.sum(axis=1) for p in merged]
    codes = [np.nonzero(part.allowed)[1] for part in merged if part.allowed is not None]
    code_start = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    order, _ = _groups(owner, column)
    new_code_start, cells = gather_segments(code_start, order)
    return Conditions(
        np.searchsorted(owner[order], np.arange(n_patterns + 1)).astype(np.int64),
        column[order],
        np.concatenate([part.lower for part in merged])[order],
        np.concatenate([part.upper for part in merged])[order],
        missing[order],
        new_code_start,
        np.concatenate([np.zeros(0, np.int64), *codes])[cells].astype(np.int64),
    )
