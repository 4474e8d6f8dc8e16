"""Rare rows of which only a share carries the label: probabilities of being rare, and thresholds that move along."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss

import rarewood as rw
from rarewood._decisions import Triage
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import RarewoodWarning
from rarewood.monitoring import monitor, recalibrate
from support.models import case

RATE = 0.6


def drawn(n_rows, seed, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    rare = rng.random(n_rows) < 1 / (1 + np.exp(3.0 - 2.5 * X[:, 0]))
    return X, rare.astype(int) + (n_classes == 3) * (X[:, 1] > 0)


def fitted(threshold="f1"):
    """Six of ten rare rows carry the label."""
    X, rare = drawn(1500, 0)
    seen = rare * (np.random.default_rng(1).random(len(rare)) < RATE)
    return rw.RareClassifier(60, threshold=threshold, column_effects=False, random_state=0).fit(X, seen)


@pytest.fixture(scope="module")
def model():
    return fitted()


def told(model, rate=RATE):
    return copy.deepcopy(model).set_label_rate(rate)


def test_probabilities_are_divided_and_capped(model):
    X, rare = drawn(4000, 2)
    before, after = model.predict_proba(X), told(model, 0.3).predict_proba(X)
    assert before[:, 1].max() > 0.3
    np.testing.assert_array_equal(after[:, 1], np.minimum(before[:, 1] / 0.3, 1.0))
    np.testing.assert_array_equal(after[:, 0], 1.0 - after[:, 1])
    assert log_loss(rare, told(model).predict_proba(X)) < log_loss(rare, before)


def test_a_counted_threshold_calls_the_same_rows(model):
    X, rare = drawn(20_000, 2)
    was, now = model.decision_threshold_, told(model).decision_threshold_
    called = model.predict(X) == 1
    np.testing.assert_array_equal(told(model).predict(X) == 1, called)
    np.testing.assert_array_equal(told(model).triage(X), model.triage(X))
    assert (now.precision, now.recall) == (min(was.precision / RATE, 1.0), was.recall)
    assert now.f1 == pytest.approx(2 / (1 / now.precision + 1 / now.recall))
    assert abs(now.precision - rare[called].mean()) < abs(was.precision - rare[called].mean())
    assert "if 0.6 of the rows of 1 carry the label" in repr(told(model))


def test_the_way_back(model):
    X, _ = drawn(500, 3)
    for back in (told(model).set_label_rate(None), told(model, 0.9).set_label_rate(RATE).set_label_rate(None)):
        np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))
        for name in ("value", "precision", "recall", "f1", "share"):
            now, was = (getattr(each.decision_threshold_, name) for each in (back, model))
            assert now == pytest.approx(was)
        assert repr(back) == repr(model)
    assert not hasattr(model.set_label_rate(None), "label_rate_")


def test_what_was_cut_off_is_not_known_any_more(model):
    exact = copy.deepcopy(model)
    exact.decision_threshold_ = replace(model.decision_threshold_, precision=0.9)
    assert told(exact).decision_threshold_.precision == 1.0
    assert np.isnan(told(exact).set_label_rate(None).decision_threshold_.precision)


@pytest.mark.parametrize("rule", ["cost=1:5", 0.2])
def test_thresholds_on_probabilities_stay(rule):
    X, _ = drawn(4000, 2)
    model = fitted(rule)
    now = told(model)
    assert now.decision_threshold_.value == model.decision_threshold_.value
    assert np.isnan(now.decision_threshold_.precision)
    assert now.predict(X).sum() > model.predict(X).sum()


@pytest.mark.parametrize(
    ("rule", "kept"), [("recall=0.5@90%", True), ("precision=0.3@90%", False), ("alerts=5%@90%", True)]
)
def test_what_is_still_promised(rule, kept):
    model = fitted(rule)
    was, now = model.decision_threshold_, told(model, 0.9).decision_threshold_
    assert was.promised
    assert now.promised == kept
    if not kept:
        assert now.lower == was.lower / 0.9


def test_a_threshold_above_the_rate_is_dropped(model):
    high = copy.deepcopy(model)
    high.decision_threshold_ = replace(model.decision_threshold_, value=0.61)
    high.triage_ = Triage(0.7, 0.1, 0.6, 0.9, (0.9, 0.9))
    with pytest.warns(RarewoodWarning, match="threshold 0.61 is above the label rate 0.6"):
        high.set_label_rate(RATE)
    assert high.decision_threshold_ is None
    with pytest.raises(ValueError, match="its label rate is below a cut"):
        high.triage(drawn(5, 0)[0])


@pytest.mark.parametrize("rate", [0, 0.0, 1.5, -1, np.nan, "0.7", {1: 0.7}])
def test_rates_that_make_no_sense(model, rate):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        told(model, rate)
    assert not hasattr(model, "label_rate_")


def test_models_that_take_none(model):
    three = rw.RareClassifier(12, random_state=0).fit(*drawn(400, 0, 3))
    with pytest.raises(ValueError, match="the model has 3 classes"):
        three.set_label_rate(RATE)
    with pytest.raises(ValueError, match="not calibrated"):
        rw.ForestClassifier(3, random_state=0).fit(*drawn(100, 0)).set_label_rate(RATE)
    with pytest.raises(ValueError, match=r"call set_prior\(None\) first"):
        copy.deepcopy(model).set_prior({1: 0.01}).set_label_rate(RATE)
    with pytest.raises(ValueError, match=r"call set_label_rate\(None\) first"):
        told(model).set_prior({1: 0.01})
    ordinary = copy.deepcopy(model)
    ordinary.decision_threshold_ = replace(model.decision_threshold_, positive=0)
    with pytest.raises(ValueError, match="about class 1, but the threshold of the model is for class 0"):
        ordinary.set_label_rate(RATE)


def test_what_compares_with_labels_is_refused(model):
    X, y = drawn(200, 4)
    for use in (fit_threshold, monitor, recalibrate):
        with pytest.raises(ValueError, match=r"set_label_rate\(None\)"):
            use(told(model), X, y)
    assert fit_threshold(told(model), X, y, rule=None) is None


def test_a_new_fit_forgets_it():
    forest = rw.ForestClassifier(30, calibration="beta", random_state=0).fit(*drawn(300, 0)).set_label_rate(RATE)
    assert forest.label_rate_ == {1: RATE}
    assert not hasattr(forest.fit(*drawn(300, 0)), "label_rate_")


def test_cases_reach_the_cap():
    """So that exports and explanations are tested on both sides of it."""
    rated = case("RareClassifier, effects, label rate")
    p = rated.fitted().predict_proba(rated.rows()[0])
    assert p.max(axis=0).tolist().count(1.0) == 1
    assert ((p > 0) & (p < 1)).any()
