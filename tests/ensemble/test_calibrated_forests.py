"""Calibration and priors of the forests that are not RareClassifier."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

import rarewood as rw
from rarewood._decisions import fit_calibration
from rarewood.exceptions import RarewoodWarning


def problem(n_rows=1500, share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < share).astype(int)
    X = rng.normal(size=(n_rows, 5))
    X[y == 1, :2] += 1.2
    return X, y


FORESTS = [
    rw.ForestClassifier(50, random_state=0),
    rw.ForestClassifier(50, sampling="stratified", max_features=None, random_state=0),
    rw.BalancedForestClassifier(50, random_state=0),
    rw.BEATClassifier(50, random_state=0),
]


@pytest.mark.parametrize("forest", FORESTS, ids=lambda forest: f"{type(forest).__name__}-{forest.sampling}")
def test_it_is_fitted_to_out_of_bag_scores(forest):
    X, y = problem()
    plain = forest.set_params(oob_score=True, calibration=None).fit(X, y)
    scores, means = plain.oob_decision_function_, plain.predict_proba(X)
    model = forest.set_params(oob_score=False, calibration="beta").fit(X, y)
    expected = fit_calibration(scores, y, model.classes_)
    line = model._sharpening  # new rows are scored by all trees
    np.testing.assert_allclose(model.calibration_.slopes, line.slope * expected.slopes)
    np.testing.assert_allclose(model.predict_proba(X), expected.stretched(line.slope, line.offset).apply(means))
    np.testing.assert_allclose(model.oob_decision_function_, expected.apply(scores))
    X_new, y_new = problem(seed=1)
    assert log_loss(y_new, model.predict_proba(X_new)) < log_loss(y_new, plain.fit(X, y).predict_proba(X_new)) + 1e-9


def test_probabilities_of_a_balanced_forest_become_those_of_the_table():
    X, y = problem()
    balanced = rw.BalancedForestClassifier(100, random_state=0).fit(X, y)
    calibrated = rw.BalancedForestClassifier(100, calibration="beta", random_state=0).fit(X, y)
    X_new, y_new = problem(5000, seed=1)
    assert balanced.predict_proba(X_new)[:, 1].mean() > 0.25
    assert calibrated.predict_proba(X_new)[:, 1].mean() == pytest.approx(y_new.mean(), abs=0.02)
    told = balanced.set_prior({1: 0.1})  # the trees saw equal shares
    np.testing.assert_allclose(told.own_prior_, [0.5, 0.5])
    assert log_loss(y_new, told.predict_proba(X_new)) < 0.7 * log_loss(
        y_new, balanced.set_prior(None).predict_proba(X_new)
    )


@pytest.mark.parametrize(
    "forest",
    [rw.HeDExClassifier(30, random_state=0), rw.ForestClassifier(30, class_weight={1: 3.0}, random_state=0)],
    ids=["HeDEx", "weighted"],
)
def test_priors_by_bayes(forest):
    X, y = problem()
    before = forest.fit(X, y).predict_proba(X)
    after = forest.set_prior({0: 0.6, 1: 0.4}).predict_proba(X)
    was = np.mean([tree.tree_.value[0] / tree.tree_.value[0].sum() for tree in forest.estimators_], axis=0)
    moved = before * np.array([0.6, 0.4]) / was
    np.testing.assert_allclose(after, moved / moved.sum(axis=1, keepdims=True))
    assert not hasattr(forest.fit(X, y), "prior_")


def test_what_cannot_be_calibrated():
    X, y = problem()
    with pytest.raises(ValueError, match="calibration='beta' needs rows that a tree did not see"):
        rw.ForestClassifier(10, sampling="all", calibration="beta").fit(X, y)
    with pytest.raises(ValueError, match="calibration='isotonic' is not accepted"):
        rw.ForestClassifier(10, calibration="isotonic").fit(X, y)
    y = np.zeros(len(X), int)
    y[0] = 1
    with pytest.warns(RarewoodWarning, match="class 1 has . out-of-bag rows, too few to learn from"):
        model = rw.ForestClassifier(40, calibration="beta", random_state=0).fit(X, y)
    assert model.calibration_ is None
    assert model.predict_proba(X).shape == (len(X), 2)


def test_many_classes_by_calibrated_forests():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), [-0.5, 0.8])
    for wrapper in (rw.OneVsAllClassifier, rw.ECOCClassifier):
        model = wrapper(rw.ForestClassifier(40, calibration="beta", random_state=0)).fit(X, y)
        assert (model.predict(X) == y).mean() > 0.8
        assert all(each.calibration_ is not None for each in model.estimators_)
