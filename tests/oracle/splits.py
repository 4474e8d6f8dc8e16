"""The candidate splits of one feature at one node, listed one by one in the order that decides ties.

A *rule* tells every value of its feature which child it goes to; UNKNOWN means that the rule was made
without having seen such a value. NaN is a missing value, nominal columns hold category codes 0, 1, ...
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

UNKNOWN = -1
MISSING = -1  # stands for NaN inside a group of categories


@dataclass(frozen=True)
class Threshold:
    """Child 0 where the value is <= threshold, child 1 elsewhere; `missing` is the child of NaN or UNKNOWN."""

    feature: int
    threshold: float
    missing: int = UNKNOWN
    unseen_category_stays = False

    def assign(self, X):
        x = X[:, self.feature]
        child = np.where(x <= self.threshold, 0, 1)
        return np.where(np.isnan(x), self.missing, child)


@dataclass(frozen=True)
class Categories:
    """Child i for the codes in groups[i]; MISSING inside a group stands for NaN."""

    feature: int
    groups: tuple[tuple[int, ...], ...]
    unseen_category_stays: bool = False

    def assign(self, X):
        child_of_code = {code: i for i, group in enumerate(self.groups) for code in group}
        return np.array([child_of_code.get(code, UNKNOWN) for code in as_codes(X[:, self.feature]).tolist()], dtype=int)


def as_codes(x):
    return np.where(np.isnan(x), MISSING, x).astype(int)


def midpoint(a, b):
    """A number t with a <= t < b: halfway, or `a` itself when a and b are neighbouring doubles."""
    t = a + (b - a) / 2
    return t if a <= t < b else a


def numeric_rules(feature, x) -> Iterator[Threshold]:
    values = np.unique(x[~np.isnan(x)])
    some_missing = np.isnan(x).any()
    for a, b in pairwise(values.tolist()):
        if some_missing:
            yield Threshold(feature, midpoint(a, b), missing=0)
            yield Threshold(feature, midpoint(a, b), missing=1)
        else:
            yield Threshold(feature, midpoint(a, b))
    if some_missing and len(values) > 0:
        yield Threshold(feature, np.inf, missing=1)


def present_categories(x):
    """Codes in ascending order; missing, if it occurs, is one more category and comes last."""
    codes = np.unique(as_codes(x)).tolist()
    return [code for code in codes if code != MISSING] + [code for code in codes if code == MISSING]


def subset_rules(feature, x) -> Iterator[Categories]:
    """Every way to put the present categories into two non-empty groups."""
    first, *others = present_categories(x)
    for bits in range(2 ** len(others) - 1):
        left = [c for i, c in enumerate(others) if bits >> i & 1]
        right = [c for c in others if c not in left]
        yield Categories(feature, ((first, *left), tuple(right)))


def one_vs_rest_rules(feature, x) -> Iterator[Categories]:
    categories = present_categories(x)
    if len(categories) < 2:
        return
    for one in categories:
        yield Categories(feature, ((one,), tuple(c for c in categories if c != one)))


def multiway_rules(feature, x) -> Iterator[Categories]:
    categories = present_categories(x)
    if len(categories) >= 2:
        yield Categories(feature, tuple((c,) for c in categories), unseen_category_stays=True)


NOMINAL_RULES = {
    "subset": subset_rules,
    "one_vs_rest": one_vs_rest_rules,
    "multiway": multiway_rules,
}
