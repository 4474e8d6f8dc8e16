"""What tests of forests share: the forests to try, their bags, and when two of them are the same."""

import numpy as np

import rarewood
from rarewood import _core

FORESTS = (
    rarewood.ForestClassifier,
    rarewood.HeDExClassifier,
    rarewood.HeDExhClassifier,
    rarewood.BEATClassifier,
    rarewood.BalancedForestClassifier,
)
BAGGED = ("bootstrap", "stratified", "balanced")


def bags(forest, y, sample_weight=None):
    """How often each tree drew each row: trees x rows. Which rows a tree draws depends on the labels alone."""
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    table = np.zeros((len(y), 1))
    data = _core.Dataset(table, np.zeros(1, dtype=np.int32), codes, len(forest.classes_))
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    n_trees = len(forest.estimators_)
    plan = _core.ForestPlan(
        [_core.CriterionSpec("gini")], n_trees=n_trees, seed=forest._seed, sampling=forest.sampling, weights=weights
    )
    return np.array([_core.testing.times_drawn(data, plan, tree) for tree in range(n_trees)])


def assert_same_state(one, other):
    """Bit for bit: `one` and `other` are trees or forests of the core."""
    one, other = one.__getstate__(), other.__getstate__()
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def differ(one, other):
    one, other = one.__getstate__(), other.__getstate__()
    return any(not np.array_equal(one[name], other[name]) for name in one)


def inner_nodes(tree):
    return np.flatnonzero(tree.children_left != -1).tolist()


def roots(forest, name):
    """One attribute of the root of every tree."""
    return np.array([getattr(tree.tree_, name)[0] for tree in forest.estimators_])
