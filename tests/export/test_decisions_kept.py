"""A model decides in a file as it did before: calibration, mixtures, priors, and scikit-learn's wrappers around our models."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

import rarewood as rw
from rarewood.datasets import make_planted_rules
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import ModelFileError
from rarewood.export import from_bytes, to_bytes

FEW = {"n_estimators": 30, "random_state": 0}


@pytest.fixture(scope="module")
def payments():
    data = make_planted_rules(600, random_state=0)
    return data.X, np.where(data.y == 1, "fraud", "ok")


def assert_same_decisions(again, model, X):
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("threshold", ["f1", "alerts=20", "cost=1:20", 0.2, None])
def test_a_mixture(payments, threshold):
    X, y = payments
    model = rw.RareClassifier(threshold=threshold, **FEW).fit(X, y)
    again = from_bytes(to_bytes(model))
    assert_same_decisions(again, model, X)
    assert repr(again) == repr(model)
    assert again.decision_threshold_ == model.decision_threshold_
    assert again.family_weights_ == model.family_weights_
    assert str(again.calibration_) == str(model.calibration_)
    assert again.positive_ == model.positive_
    assert [tree.n_cuts for tree in again.estimators_] == [tree.n_cuts for tree in model.estimators_]
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    np.testing.assert_array_equal(again.decide(X, costs=(1.0, 9.0)), model.decide(X, costs=(1.0, 9.0)))


def test_a_loaded_mixture_grows_on(payments):
    X, y = payments
    model = rw.RareClassifier(warm_start=True, **FEW).fit(X, y)
    again = from_bytes(to_bytes(model)).set_params(n_estimators=45).fit(X, y)
    assert_same_decisions(again, model.set_params(n_estimators=45).fit(X, y), X)


def test_a_model_with_a_threshold_decides_by_it_after_load(payments):
    X, y = payments
    model = rw.HeDExClassifier(**FEW).fit(X, y)
    before = model.predict(X)
    fit_threshold(model, X, y, rule="recall=0.9")
    again = from_bytes(to_bytes(model))
    assert_same_decisions(again, model, X)
    assert (again.predict(X) == "fraud").sum() > (before == "fraud").sum()
    assert "calls fraud from" in repr(again)


@pytest.mark.parametrize("cls", [rw.ForestClassifier, rw.BalancedForestClassifier, rw.BEATClassifier])
def test_calibrated_forests_and_priors(payments, cls):
    X, y = payments
    X = X.drop(columns=[name for name in X if X[name].dtype.name == "category"])
    model = cls(calibration="beta", **FEW).fit(X, y).set_prior({"fraud": 0.001})
    again = from_bytes(to_bytes(model))
    assert_same_decisions(again, model, X)
    assert repr(again) == repr(model)
    assert_same_decisions(again.set_prior(None), model.set_prior(None), X)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_calibration_by_cross_validation(payments, method, ensemble, n_classes):
    X, y = payments
    if n_classes == 3:
        y = np.where((y == "ok") & (np.arange(len(y)) % 3 == 0), "odd", y)
    wrapped = CalibratedClassifierCV(rw.HeDExClassifier(5, random_state=0), method=method, cv=3, ensemble=ensemble)
    model = wrapped.fit(X, y)
    again = from_bytes(to_bytes(model))
    assert isinstance(again, CalibratedClassifierCV)
    assert again.method == method
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-14, atol=1e-300)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(from_bytes(to_bytes(again)).predict_proba(X), again.predict_proba(X))


def test_calibration_of_a_frozen_model(payments):
    X, y = payments
    inside = rw.HeDExClassifier(5, random_state=0).fit(X, y)
    model = CalibratedClassifierCV(FrozenEstimator(inside)).fit(X, y)
    np.testing.assert_array_equal(from_bytes(to_bytes(model)).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("positive", ["fraud", "ok"])
def test_tuned_thresholds(payments, positive):
    X, y = payments
    inside = rw.HeDExClassifier(5, random_state=0)
    scoring = make_scorer(f1_score, pos_label=positive)
    model = TunedThresholdClassifierCV(inside, scoring=scoring, cv=3, random_state=0).fit(X, y)
    again = from_bytes(to_bytes(model))
    assert isinstance(again, rw.HeDExClassifier)
    assert again.decision_threshold_.positive == positive
    assert again.decision_threshold_.value == model.best_threshold_
    assert_same_decisions(again, model, X)


@pytest.mark.parametrize("threshold", [0.1, 0.7, 0.5, "auto"])
@pytest.mark.parametrize("positive", ["fraud", "ok"])
def test_fixed_thresholds(payments, threshold, positive):
    X, y = payments
    inside = rw.TreeClassifier(max_depth=4)
    model = FixedThresholdClassifier(clone(inside), threshold=threshold, pos_label=positive).fit(X, y)
    assert_same_decisions(from_bytes(to_bytes(model)), model, X)


def test_wrappers_around_models_of_others(payments):
    _, y = payments
    numbers = np.random.default_rng(0).normal(size=(len(y), 2))
    for model in (
        CalibratedClassifierCV(LogisticRegression(), cv=3),
        FixedThresholdClassifier(LogisticRegression(), threshold=0.3, pos_label="fraud"),
    ):
        with pytest.raises(ModelFileError, match="LogisticRegression"):
            to_bytes(model.fit(numbers, y))
