"""C4.5's pessimistic pruning: a subtree becomes a leaf when that does not raise the estimated number of errors."""

from dataclasses import replace
from math import sqrt
from statistics import NormalDist

from oracle.tree import leaves

SLACK = 0.1


def pessimistic_errors(n, errors, confidence):
    """Upper confidence limit of the number of errors among n cases, `errors` of them seen wrong."""
    return errors + extra_errors(n, errors, confidence)


def extra_errors(n, errors, confidence):
    if n == 0:
        return 0.0
    if errors < 1:
        none = n * (1 - confidence ** (1 / n))
        return none if errors == 0 else none + errors * (extra_errors(n, 1.0, confidence) - none)
    if errors + 0.5 >= n:
        return max(n - errors, 0.0)
    z = NormalDist().inv_cdf(1 - confidence)
    f = (errors + 0.5) / n
    rate = (f + z**2 / (2 * n) + z * sqrt(f / n - f**2 / n + z**2 / (4 * n**2))) / (1 + z**2 / n)
    return rate * n - errors


def node_errors(node, confidence):
    n = node.counts.sum()
    return pessimistic_errors(n, n - node.counts.max(), confidence)


def prune(node, confidence=0.25):
    """A pruned copy; children are pruned before their parent is looked at."""
    if node.is_leaf:
        return node
    pruned = replace(node, children=[prune(child, confidence) for child in node.children])
    as_subtree = sum(node_errors(leaf, confidence) for leaf in leaves(pruned))
    if node_errors(node, confidence) <= as_subtree + SLACK:
        return replace(node, rule=None, children=[])
    return pruned
