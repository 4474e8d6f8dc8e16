"""Reads the flat arrays of a fitted `TreeClassifier` into nodes of the oracle, row by row, without calling its methods."""

import numpy as np

from oracle.splits import MISSING, UNKNOWN, Categories, Threshold, present_categories
from oracle.tree import Node


def read_tree(tree, problem, rows=None, depth=0, id=0):
    """The compiled tree with the training rows that each of its nodes receives."""
    rows = problem.rows if rows is None else rows
    node = Node(rows, problem.counts(rows), depth, id=id)
    if tree.n_children[id] > 0:
        node.rule = read_rule(tree, problem, rows, id)
        child = node.rule.assign(problem.X[rows])
        assert np.all(child != UNKNOWN), f"node {id} does not know some of its own training rows"
        for i in range(tree.n_children[id]):
            child_id = int(tree.children_left[id]) + i
            node.children.append(read_tree(tree, problem, rows[child == i], depth + 1, child_id))
    return node


def read_rule(tree, problem, rows, id):
    feature = int(tree.feature[id])
    x = problem.X[rows, feature]
    missing = 0 if tree.missing_go_to_left[id] else 1
    kind = tree.split_kind(id)
    if kind == "numeric":
        seen_missing = np.isnan(x).any()
        return Threshold(feature, float(tree.threshold[id]), missing if seen_missing else UNKNOWN)
    present = present_categories(x)
    if kind == "multiway":
        return Categories(feature, tuple((c,) for c in present), unseen_category_stays=True)
    listed = set(tree.categories(id).tolist()) | ({MISSING} if missing == 0 else set())
    left = tuple(c for c in present if c in listed)
    right = tuple(c for c in present if c not in listed)
    return Categories(feature, (left, right))
