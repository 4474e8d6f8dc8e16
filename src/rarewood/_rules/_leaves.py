"""Leaves in which a class outnumbers the rest, and the rows in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._rules._paths import conditions_of_nodes
from rarewood._rules._pattern_table import PatternTable
from rarewood._tables import Columns, LabelledRows

Counts = tuple[NDArray[Any], NDArray[Any]]


def find_patterns(
    trees: Sequence[Tree],
    columns: Columns,
    label: int,
    *,
    rows: LabelledRows | None = None,
    held_out: LabelledRows | None = None,
    min_support: float = 1,
    n_threads: int = 1,
    report: Callable[[int], None] | None = None,
) -> PatternTable:
    """The patterns of class number `label`, tree by tree; `report` hears how many trees are done.

    Supports are counts of `rows`; without them, the weighted counts that the leaves keep from training.
    """
    counted, held = (None if some is None else (some.matrix, some.is_rare) for some in (rows, held_out))

    def search(number: int) -> PatternTable:
        tree = trees[number]
        rare, rest = _kept_counts(tree, label) if counted is None else _counts(tree, *counted)
        leaves = np.flatnonzero((tree.n_children == 0) & (rare > rest) & (rare >= min_support))
        held_rare, held_rest = (None, None) if held is None else (count[leaves] for count in _counts(tree, *held))
        return PatternTable(
            conditions_of_nodes(tree, leaves, columns.n_categories, columns.has_missing),
            np.full(len(leaves), label, dtype=np.int64),
            rare[leaves],
            rest[leaves],
            np.full(len(leaves), number, dtype=np.int64),
            leaves,
            np.ones(len(leaves), dtype=np.int64),
            held_rare,
            held_rest,
        )

    parts = []
    for done, part in enumerate(_in_order(search, len(trees), n_threads), 1):
        parts.append(part)
        if report is not None:
            report(done)
    return PatternTable.joined(parts)


def _counts(tree: Tree, matrix: NDArray[Any], is_rare: NDArray[np.bool_]) -> Counts:
    """Rare and other rows that end in each node."""
    node = tree.apply(matrix)
    total = np.bincount(node, minlength=tree.node_count)
    rare = np.bincount(node[is_rare], minlength=tree.node_count)
    return rare, total - rare


def _kept_counts(tree: Tree, label: int) -> Counts:
    """The weighted counts of training rows that the tree keeps for each node."""
    counts = tree.value
    return counts[:, label], counts.sum(axis=1) - counts[:, label]


def _in_order(search: Callable[[int], PatternTable], n_trees: int, n_threads: int) -> Any:
    if n_threads == 1:
        yield from map(search, range(n_trees))
        return
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            yield from pool.map(search, range(n_trees))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
