"""Columns lie side by side in large blocks, or each by itself where it may be given up: trees do not show it."""

import numpy as np
import pytest

import rarewood
from support.forests import assert_same_state


def large_table(rows=300_000, columns=8, seed=5):
    """More than one block (8 MB) of float32."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32)
    y = (X[:, 0] + X[:, columns - 1] + rng.normal(size=rows) > 3).astype(int)
    return X, y


@pytest.mark.parametrize("forest", [rarewood.HeDExClassifier, rarewood.ForestClassifier])
def test_trees_do_not_depend_on_how_the_table_lies(forest):
    X, y = large_table()
    X[:3, 2] = np.nan

    def grown(table):
        return forest(2, max_depth=4, random_state=0).fit(table, y).forest_

    expected = grown(X)
    assert_same_state(grown(np.asfortranarray(X)), expected)
    assert_same_state(grown(X.astype(np.float64)), expected)  # each column by itself


@pytest.mark.parametrize("where", [1000, -1])
def test_a_column_that_stops_fitting_float32_is_stored_anew(where):
    """A value that float32 does not hold, met first, or later: rows in another order, and the same trees."""
    X, y = large_table(rows=70_000, columns=4)
    X = X.astype(np.float64)
    X[0, 1] += 1e-12
    order = np.arange(len(y))
    order[[0, where]] = order[[where, 0]]

    def grown(rows):
        return rarewood.HeDExClassifier(2, max_depth=4, random_state=0).fit(X[rows], y[rows]).forest_

    assert_same_state(grown(order), grown(np.arange(len(y))))


def test_all_columns_may_be_wide():
    X, y = large_table(rows=70_000, columns=30)  # 17 MB of float64
    exact = X.astype(np.float64)
    wide = exact + np.where(exact == 0, 1, exact) * 1e-12  # in the same order, and no longer in float32
    thresholds = [
        np.concatenate([tree.tree_.threshold for tree in forest.estimators_])
        for forest in (
            rarewood.HeDExClassifier(2, max_depth=4, random_state=0).fit(table, y) for table in (exact, wide)
        )
    ]
    np.testing.assert_allclose(thresholds[1], thresholds[0], rtol=1e-5)
