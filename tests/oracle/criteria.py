"""Every split criterion as its formula says, in plain NumPy, one table at a time.

A table is an array (children, classes) of counts. Each function here is the naive twin of the criterion of that name; larger
is better. A node that is empty or holds a single class scores 0 (dcsm, which is not relative to the parent: its formula).
"""

from functools import cache

import numpy as np

MOST_ENUMERATED_CLASSES = 12


def without_empty_children(table):
    table = np.asarray(table, dtype=np.float64)
    return table[table.sum(axis=1) > 0]


def without_absent_classes(table):
    return table[:, table.sum(axis=0) > 0]


def is_pure(table):
    """No class or a single one."""
    return np.count_nonzero(np.sum(table, axis=0)) < 2


def children(table):
    """Pairs (share of the node, class shares) of the children that hold anything."""
    table = without_empty_children(table)
    return [(row.sum() / table.sum(), row / row.sum()) for row in table]


def class_shares(table):
    return np.sum(table, axis=0) / np.sum(table)


# --------------------------------------------------------------------------------------------------- decrease of impurity


def gini_index(p):
    return 1 - np.sum(p**2)


def entropy_in_bits(p):
    p = p[p > 0]
    return -np.sum(p * np.log2(p))


def gini(table):
    if is_pure(table):
        return 0.0
    return gini_index(class_shares(table)) - sum(rho * gini_index(p) for rho, p in children(table))


def entropy(table):
    if is_pure(table):
        return 0.0
    return entropy_in_bits(class_shares(table)) - sum(rho * entropy_in_bits(p) for rho, p in children(table))


def split_information(table):
    return entropy_in_bits(np.array([rho for rho, _ in children(table)]))


def gain_ratio(table):
    if is_pure(table) or len(children(table)) < 2:
        return 0.0
    return entropy(table) / split_information(table)


def dkm(table):
    if is_pure(table):
        return 0.0
    return np.sqrt(np.prod(class_shares(table))) - sum(rho * np.sqrt(np.prod(p)) for rho, p in children(table))


# ------------------------------------------------------------------------------------------- Hellinger distance of classes


@cache
def bipartitions(n_classes):
    """Every way to put the classes into two non-empty groups, as rows of booleans; the first class names a group."""
    bits = np.arange(2 ** (n_classes - 1) - 1)
    joins_first = (bits[:, None] >> np.arange(n_classes - 1)) & 1 == 1
    return np.column_stack([np.ones(len(bits), dtype=bool), joins_first])


def one_vs_rest(n_classes):
    return np.eye(n_classes, dtype=bool)


def largest_distance(table, groups):
    """The distance between each group of classes and the others, all groups (rows of booleans) at once."""
    group, others = groups @ table.T, ~groups @ table.T  # (groups, children)
    difference = np.sqrt(group / group.sum(axis=1, keepdims=True)) - np.sqrt(others / others.sum(axis=1, keepdims=True))
    return np.sqrt(np.sum(difference**2, axis=1)).max()


def hellinger(table):
    if is_pure(table):
        return 0.0
    table = without_absent_classes(np.asarray(table, dtype=np.float64))
    n_children, n_classes = table.shape
    if n_children > 2 and n_classes > MOST_ENUMERATED_CLASSES:
        return hellinger_ova(table)
    return largest_distance(table, bipartitions(n_classes))


def hellinger_ova(table):
    if is_pure(table):
        return 0.0
    table = without_absent_classes(np.asarray(table, dtype=np.float64))
    return largest_distance(table, one_vs_rest(table.shape[1]))


# --------------------------------------------------------------------------------- divergence of the children from a reference


def alpha_divergence(p, q, alpha):
    if np.any((q == 0) & (p > 0)) and alpha >= 1:
        return np.inf
    both = (p > 0) & (q > 0)
    p, q = p[both], q[both]
    if alpha == 1:
        return np.sum(p * np.log(p / q))
    return (1 - np.sum(p**alpha * q ** (1 - alpha))) / (alpha * (1 - alpha))


def alpha(table, alpha=0.5, reference="marginal"):
    if is_pure(table):
        return 0.0
    reference_of = {
        "marginal": lambda p: class_shares(table),
        "uniform": lambda p: np.full(len(p), 1 / len(p)),
        "flipped": lambda p: p[::-1],
    }[reference]
    return sum(rho * alpha_divergence(p, reference_of(p), alpha) for rho, p in children(table))


def squared_hellinger(p, q):
    return 1 - np.sum(np.sqrt(p * q))


def ihd(table):
    if is_pure(table):
        return 0.0
    return sum(rho * squared_hellinger(p, class_shares(table)) for rho, p in children(table))


def ihdw(table):
    if is_pure(table):
        return 0.0
    table = without_absent_classes(without_empty_children(table))
    weights = 1 - np.prod(table / table.sum(axis=0), axis=1)
    return sum(w * rho * squared_hellinger(p, class_shares(table)) for w, (rho, p) in zip(weights, children(table)))


# ------------------------------------------------------------------------------------------------------------- the others


def dcsm(table):
    distinct_in_node = np.count_nonzero(np.sum(table, axis=0))
    total = 0.0
    for rho, p in children(table):
        distinct = np.count_nonzero(p)
        total += rho * distinct * np.exp(distinct) * np.sum(p * np.exp(distinct / distinct_in_node * (1 - p**2)))
    return -total


def confidence_proportions(row, table):
    confidence = row / table.sum(axis=0)
    others = np.array([np.delete(row, j).sum() / np.delete(table, j, axis=1).sum() for j in range(len(row))])
    proportions = confidence / (confidence + others)
    return proportions / proportions.sum()


def class_confidence(table, impurity):
    if is_pure(table):
        return 0.0
    table = without_absent_classes(without_empty_children(table))
    node = impurity(confidence_proportions(table.sum(axis=0), table))
    return node - sum(row.sum() / table.sum() * impurity(confidence_proportions(row, table)) for row in table)


def ccp_entropy(table):
    return class_confidence(table, entropy_in_bits)


def ccp_gini(table):
    return class_confidence(table, gini_index)


CRITERIA = {
    "gini": gini,
    "entropy": entropy,
    "gain_ratio": gain_ratio,
    "c45": gain_ratio,
    "dkm": dkm,
    "hellinger": hellinger,
    "hellinger_ova": hellinger_ova,
    "alpha": alpha,
    "ihd": ihd,
    "ihdw": ihdw,
    "dcsm": dcsm,
    "ccp_entropy": ccp_entropy,
    "ccp_gini": ccp_gini,
}
