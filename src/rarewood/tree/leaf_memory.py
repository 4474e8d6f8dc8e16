"""How much memory the leaves of trees of many classes may take, because each of them counts all classes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rarewood._core import ForestPlan
from rarewood._warnings import warn

MOST_LEAF_BYTES = 4e9
"""From here on, a fit says how much memory the counts of its leaves may take."""

# Leaves of a few rows hold several classes, so that fewer of them have equal counts, which are stored once.
_HELPFUL_LEAF = 10
_DEEP = 64  # no tree has so many levels full of nodes


def warn_of_large_leaves(
    plans: Sequence[tuple[ForestPlan, Sequence[int] | None]], cases: NDArray[np.float64], *, shares: bool = False
) -> None:
    """Warn if trees of many classes may take much memory, because each leaf counts all of them.

    Of each plan its class map, if it has one. `cases` are those of each class of the table; `shares`: each row has a weight of its own.
    Of two classes, the counts of a leaf take less memory than its nodes.
    """
    most, n_trees, most_classes, smallest_leaf = 0.0, 0, 0, math.inf
    for plan, class_map in plans:
        n_classes = len(cases) if class_map is None else max(class_map) + 1
        if n_classes <= 2:
            continue
        most += plan.n_trees * _most_leaf_bytes(plan, _regrouped(cases, class_map), shares=shares)
        n_trees += plan.n_trees
        most_classes = max(most_classes, n_classes)
        smallest_leaf = min(smallest_leaf, plan.min_samples_leaf)
    if n_trees == 0 or most < MOST_LEAF_BYTES:
        return
    trees, fewer = ("a tree", "") if n_trees == 1 else (f"{n_trees:,} trees", "a smaller n_estimators, ")
    larger = (
        f"a min_samples_leaf of {_HELPFUL_LEAF} or more"
        if smallest_leaf < _HELPFUL_LEAF
        else "a larger min_samples_leaf"
    )
    warn(
        f"with {most_classes:,} classes, {trees} may take up to {most / 1e9:.3g} GB of memory, because each leaf counts the rows of every "
        f"class. Set {fewer}{larger} or a max_depth, or put the smallest classes together."
    )


def _regrouped(cases: NDArray[np.float64], class_map: Sequence[int] | None) -> NDArray[np.float64]:
    if class_map is None:
        return cases
    own = np.asarray(class_map)
    return np.asarray(np.bincount(own[own >= 0], weights=cases[own >= 0]), dtype=np.float64)


def _most_leaf_bytes(plan: ForestPlan, cases: NDArray[np.float64], *, shares: bool) -> float:
    """At most how much memory the counts of a tree's leaves take; leaves with equal counts share them.

    Rows that differ in their class alone, and so end in one leaf, may make it a little more.
    """
    if plan.sampling == "balanced":  # as many of each class as there are of the smallest
        cases = np.full(len(cases), cases[cases > 0].min())
    n_classes, n_cases = len(cases), float(cases.sum())
    ends_early = plan.min_samples_leaf > 1 or plan.min_samples_split > 2 or 0 < plan.max_depth < n_cases
    if shares or ends_early or plan.nominal == "multiway":  # which keeps the counts of inner nodes, too
        n_different = n_cases / plan.min_samples_leaf
    else:  # all leaves are pure: of m different sizes, which have m * m / 2 cases or more
        n_different = float(np.sqrt(2.0 * cases).sum())
    if not shares:
        n_different = min(n_different, _most_different_counts(n_classes, n_cases))
    if plan.max_depth and plan.nominal != "multiway":
        n_different = min(n_different, 2.0 ** min(plan.max_depth, _DEEP))
    return 8.0 * (n_classes + 1) * n_different  # of each class, and of all of them


def _most_different_counts(n_classes: int, n_cases: float) -> float:
    """How many leaves of so many cases can differ in their counts: fewer than there are counts of few cases, which need them all."""
    size = 1
    while math.comb(size + n_classes, n_classes) * size * n_classes < n_cases * (n_classes + 1):
        size += 1
    return float(math.comb(size + n_classes, n_classes))
