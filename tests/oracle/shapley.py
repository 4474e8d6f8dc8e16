"""Shapley values by their definition: the mean over all orders of the columns of what each adds to those in front of it.

Reads nothing but the arrays that a compiled tree stores.
"""

from itertools import combinations
from math import comb

import numpy as np

from oracle.walk import stored_nodes


def shapley_values(tree, row, leaf_value):
    """(base, contributions of the columns); `leaf_value` maps class counts of a node to a score."""
    columns = range(tree.n_features)
    worth = {
        known: value_of(tree, row, known, leaf_value)
        for size in range(tree.n_features + 1)
        for known in map(frozenset, combinations(columns, size))
    }
    values = []
    for column in columns:
        others = [known for known in worth if column not in known]
        values.append(
            sum(
                (worth[known | {column}] - worth[known]) / (tree.n_features * comb(tree.n_features - 1, len(known)))
                for known in others
            )
        )
    return worth[frozenset()], np.array(values)


def value_of(tree, row, known, leaf_value):
    """What the tree says if only some columns are known: a test that cannot be made takes the mean by training weight."""
    nodes, counts, n_children = stored_nodes(tree), tree.value, tree.n_children

    def at(number):
        node = nodes[number]
        if node.kind == "leaf":
            return leaf_value(counts[number])
        asked = node.line.features if node.line else (node.feature,)
        if all(column in known for column in asked):
            child = node.next(row)
            return leaf_value(counts[number]) if child is None else at(child)
        children = range(node.children, node.children + n_children[number])
        weights = np.array([counts[child].sum() for child in children])
        shares = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))
        return sum(share * at(child) for share, child in zip(shares, children))

    return at(0)
