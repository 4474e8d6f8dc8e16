"""The nodes of many shallow trees side by side: where each stands, and which columns lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Nodes:
    """All nodes of some trees, tree after tree.

    The leaves below a node are those numbered from ``first_leaf`` to ``end_leaf``: leaves are numbered from left to right,
    on through the trees.
    """

    tree_start: Ints  # the first node of each tree, and the end
    leaf_in_tree: Ints  # of a leaf its place among the leaves of its tree, of an inner node 0
    first_leaf: Ints
    end_leaf: Ints
    n_columns: Ints  # distinct columns between the root and the node

    def __len__(self) -> int:
        return len(self.leaf_in_tree)

    def tree_at(self, nodes: NDArray[Any] | int) -> Ints:
        """The trees of nodes."""
        return np.asarray(np.searchsorted(self.tree_start, nodes, side="right") - 1)

    def tree_of(self, node: int) -> tuple[int, int]:
        """The tree of a node, and the node's number there."""
        tree = int(self.tree_at(node))
        return tree, node - int(self.tree_start[tree])

    def per_node(self, leaf_counts: NDArray[Any]) -> NDArray[Any]:
        """Sums over the leaves below each node."""
        sums = np.concatenate([[0], np.cumsum(leaf_counts)])
        return np.asarray(sums[self.end_leaf] - sums[self.first_leaf])


def nodes_of(trees: Sequence[Tree]) -> Nodes:
    """The nodes of trees."""
    tree_start = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])]).astype(np.int64)
    n_children = np.concatenate([tree.n_children for tree in trees]).astype(np.int64)
    first_child = np.concatenate([tree.children_left + start for tree, start in zip(trees, tree_start)]).astype(
        np.int64
    )
    feature = np.concatenate([tree.feature for tree in trees]).astype(np.int64)
    levels = _levels(tree_start[:-1], n_children, first_child)

    n_leaves = (n_children == 0).astype(np.int64)
    for parents, children in reversed(levels):
        np.add.at(n_leaves, parents, n_leaves[children])
    first_leaf = np.zeros(len(n_children), dtype=np.int64)
    first_leaf[tree_start[:-1]] = np.concatenate([[0], np.cumsum(n_leaves[tree_start[:-1]])])[:-1]
    path = np.full((len(n_children), len(levels)), -1, dtype=np.int64)
    for depth, (parents, children) in enumerate(levels):
        before = np.cumsum(n_leaves[children]) - n_leaves[children]  # children of one parent stand side by side
        first_of_parent = np.concatenate([[True], parents[1:] != parents[:-1]])
        before -= np.repeat(before[first_of_parent], np.diff(np.append(np.flatnonzero(first_of_parent), len(parents))))
        first_leaf[children] = first_leaf[parents] + before
        path[children] = path[parents]
        path[children, depth] = feature[parents]
    in_tree = first_leaf - np.repeat(first_leaf[tree_start[:-1]], np.diff(tree_start))
    return Nodes(
        tree_start,
        np.where(n_children == 0, in_tree, 0),
        first_leaf,
        first_leaf + n_leaves,
        _distinct(path),
    )


def _levels(roots: Ints, n_children: Ints, first_child: Ints) -> list[tuple[Ints, Ints]]:
    """Per depth, each child with its parent, children of one parent in their order."""
    levels: list[tuple[Ints, Ints]] = []
    nodes = roots
    while True:
        inner = nodes[n_children[nodes] > 0]
        if len(inner) == 0:
            return levels
        sizes = n_children[inner]
        ends = np.cumsum(sizes)
        children = np.repeat(first_child[inner] - (ends - sizes), sizes) + np.arange(ends[-1])
        levels.append((np.repeat(inner, sizes), children))
        nodes = children


def _distinct(path: Ints) -> Ints:
    """Distinct numbers per row, -1 apart."""
    if path.shape[1] == 0:
        return np.zeros(len(path), dtype=np.int64)
    ordered = np.sort(path, axis=1)
    new = np.concatenate([ordered[:, :1] >= 0, (ordered[:, 1:] != ordered[:, :-1]) & (ordered[:, 1:] >= 0)], axis=1)
    return np.asarray(new.sum(axis=1))
