"""Monotone constraints in the most obvious way: which choices a node may take, and between which shares its children must stay.

Of two classes, the share is that of the second, class weights applied.
"""

import numpy as np

from oracle.splits import Threshold

FREE = (0.0, 1.0)


def shares(table):
    """Of each child."""
    with np.errstate(invalid="ignore"):
        return table[:, 1] / table.sum(axis=1)


def direction(rule, signs):
    """1 if the share must not fall from the first child to the second, -1 if it must not rise, 0 if neither."""
    divides_numbers = isinstance(rule, Threshold) and np.isfinite(rule.threshold)
    return signs[rule.feature] if divides_numbers else 0


def is_allowed(choice, signs, bounds):
    """Whether the children stay inside the bounds of their node, and in order."""
    found = shares(choice.table)
    low, high = bounds
    inside = np.all((low <= found) & (found <= high))
    return bool(inside and direction(choice.rule, signs) * (found[-1] - found[0]) >= 0)


def bounds_of_children(choice, signs, bounds):
    """Half-way between the children, where they are ordered."""
    low, high = bounds
    way = direction(choice.rule, signs)
    if way == 0:
        return [bounds] * len(choice.table)
    middle = min(max(shares(choice.table).mean(), low), high)
    below, above = (low, middle), (middle, high)
    return [below, above] if way > 0 else [above, below]
