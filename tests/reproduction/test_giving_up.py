import numpy as np
import pytest

import rarewood as rw
from rarewood.reproduction.papers._giving_up_forest import GivingUpForest


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [300, 40])
    return rng.normal(size=(340, 4)) + 1.5 * (y == "yes")[:, None], y


def test_is_like_the_balanced_forest_where_no_column_is_constant(problem):
    X, y = problem
    ours = rw.BalancedForestClassifier(100, max_features=2, random_state=0).fit(X, y).predict_proba(X)[:, 1]
    twin = GivingUpForest(100, random_state=0).fit(X, y).predict_proba(X)[:, 1]
    assert np.corrcoef(ours, twin)[0, 1] > 0.98
    assert np.mean(np.abs(ours - twin)) < 0.05


def test_constant_columns_make_it_give_up(problem):
    X, y = problem
    X = np.column_stack([X, np.zeros((len(X), 60))])
    forest = GivingUpForest(30, random_state=0).fit(X, y)
    depths = [0 if isinstance(tree, float) else 1 for tree in forest.trees_]
    assert sum(depths) < 15  # most roots draw two constant columns
    assert set(forest.predict(X)) <= {"no", "yes"}


def test_is_for_two_classes():
    with pytest.raises(ValueError, match="two classes, y has 3"):
        GivingUpForest().fit(np.zeros((6, 2)), [0, 0, 1, 1, 2, 2])
