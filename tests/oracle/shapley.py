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
    nodes, counts, n_children = stored_nodes(tree), tree.value, tree.n_children
    children = [range(node.children, node.children + n) for node, n in zip(nodes, n_children.tolist())]
    value = [leaf_value(of_node) for of_node in counts]
    weight = counts.sum(axis=1).tolist()
    worth = {
        known: value_of(nodes, children, value, weight, row, known)
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


def value_of(nodes, children, value, weight, row, known, at=0):
    """What the tree says if only some columns are known: a test that cannot be made takes the mean by training weight."""
    node = nodes[at]
    if node.kind == "leaf":
        return value[at]
    asked = node.line.features if node.line else (node.feature,)
    if all(column in known for column in asked):
        child = node.next(row)
        return value[at] if child is None else value_of(nodes, children, value, weight, row, known, child)
    total = sum(weight[child] for child in children[at])
    return sum(
        (weight[child] / total if total > 0 else 1 / len(children[at]))
        * value_of(nodes, children, value, weight, row, known, child)
        for child in children[at]
    )
