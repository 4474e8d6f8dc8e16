"""Patterns in the slowest and most obvious way: one leaf, one split, one row at a time."""

from dataclasses import dataclass, field

import numpy as np

from oracle.walk import stored_nodes


def growth_rate(rare, rest):
    if rare == 0:
        return 0.0
    return np.inf if rest == 0 else rare / rest


def strength(rare, rest):
    """Support x growth / (growth + 1); the fraction tends to 1 as the growth rate becomes infinite."""
    growth = growth_rate(rare, rest)
    return float(rare) if growth == np.inf else rare * growth / (growth + 1)


@dataclass
class Asked:
    """What a path asks of one column so far."""

    lower: float = -np.inf
    upper: float = np.inf
    categories: set = field(default_factory=set)
    missing: bool = True

    def admits(self, x, nominal):
        if np.isnan(x):
            return self.missing
        return int(x) in self.categories if nominal else self.lower < x <= self.upper


def pattern_of(tree, leaf, n_categories):
    """Column -> what the path to `leaf` asks of it."""
    nodes = stored_nodes(tree)
    asked = {}
    for node, child in path(nodes, leaf):
        rule = nodes[node]
        column = asked.setdefault(rule.feature, Asked(categories=set(range(n_categories[rule.feature]))))
        column.missing &= rule.missing_child == child
        if rule.kind == "numeric" and child == rule.children:
            column.upper = min(column.upper, rule.threshold)
        elif rule.kind == "numeric":
            column.lower = max(column.lower, rule.threshold)
        else:
            column.categories &= {code for code in column.categories if goes_to(rule, code) == child}
    return asked


def goes_to(rule, code):
    row = [0.0] * (rule.feature + 1)
    row[rule.feature] = float(code)
    return rule.next(row)


def path(nodes, leaf):
    """(node, child) from the root to a leaf, found by looking everywhere."""
    parents = {
        child: node
        for node, rule in enumerate(nodes)
        if rule.kind != "leaf"
        for child in range(rule.children, rule.children + n_children(rule))
    }
    steps = []
    while leaf in parents:
        steps.append((parents[leaf], leaf))
        leaf = parents[leaf]
    return steps[::-1]


def n_children(rule):
    """Two, or one per category and perhaps one for missing values alone."""
    if rule.kind != "multiway":
        return 2
    return len(rule.codes) + (rule.missing_child == rule.children + len(rule.codes))


def rows_that_meet(asked, X, nominal):
    return [i for i, row in enumerate(X) if all(what.admits(row[j], j in nominal) for j, what in asked.items())]
