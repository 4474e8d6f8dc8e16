"""The exact splitter has several ways of walking the values of a column; whichever it takes, the tree is the same."""

import numpy as np
import pytest

from rarewood import TreeClassifier


def structure(tree):
    state = tree.tree_.__getstate__()
    return {name: state[name].tolist() for name in ("node_packed", "node_threshold", "node_first_child")}


# Rows that weigh one each are put in order by a bitmap, weighted rows by sorting, whatever is cheaper; criteria do not see the scale.
@pytest.mark.parametrize("share", [0.5, 0.03])
@pytest.mark.parametrize("min_samples_leaf", [1, 7])
@pytest.mark.parametrize("decimals", [None, 2, 1, 0])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(40, 3), (700, 4), (9000, 2)])
def test_equal_weights_change_nothing(n_rows, n_columns, decimals, min_samples_leaf, share):
    rng = np.random.default_rng(n_rows)
    X = 20 * rng.normal(size=(n_rows, n_columns))
    X = X if decimals is None else X.round(decimals)
    y = rng.random(n_rows) < share
    y[:2] = [False, True]
    tree = TreeClassifier(min_samples_leaf=min_samples_leaf, random_state=0)
    unit = structure(tree.fit(X, y))
    assert unit == structure(tree.fit(X, y, sample_weight=np.full(n_rows, 0.5)))


def test_values_far_apart_in_one_node():
    # the rows of the rare group lie far apart among the others' ranks, so most words of the bitmap are empty in its node
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(30_000.0), np.arange(30_000) % 500 == 0])
    y = rng.random(30_000) < np.where(X[:, 1] == 1, 0.5, 0.0)
    tree = TreeClassifier().fit(X, y)
    assert np.array_equal(tree.predict(X), y)
