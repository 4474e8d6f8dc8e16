"""A list of rules as a classifier."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.metrics import average_precision_score

import rarewood
from rarewood import RuleSetClassifier
from rarewood.datasets import make_planted_rules


@pytest.fixture(scope="module")
def payments():
    return make_planted_rules(2000, random_state=0)


@pytest.fixture(scope="module")
def model(payments):
    return RuleSetClassifier(6, max_conditions=3, random_state=0).fit(payments.X, payments.y)


def test_the_model_is_the_list(model, payments):
    assert 0 < len(model.rules_) <= 6
    assert all(len(rule.conditions) <= 3 for rule in model.rules_)
    log_odds = model.intercept_ + model.rules_.covers(payments.X) @ model.weights_
    np.testing.assert_allclose(model.predict_proba(payments.X)[:, 1], expit(log_odds))
    assert (model.weights_ >= 0).all()


def test_it_ranks_rows_it_has_not_seen(model):
    fresh = make_planted_rules(4000, random_state=5)
    assert average_precision_score(fresh.y, model.predict_proba(fresh.X)[:, 1]) > 0.4


def test_predict_keeps_to_the_threshold(model, payments):
    called = model.predict_proba(payments.X)[:, 1] >= model.decision_threshold_.value
    np.testing.assert_array_equal(model.predict(payments.X) == model.positive_, called)


def test_labels_may_be_words_and_the_rare_class_the_first(payments):
    words = np.where(payments.y == 1, "fraud", "genuine")
    model = RuleSetClassifier(3, random_state=0).fit(payments.X, words)
    assert model.positive_ == "fraud"
    assert model.rules_[0].label == "fraud"
    assert model.predict_proba(payments.X)[payments.y == 1, 0].mean() > payments.y.mean()


def test_without_rules_every_row_gets_the_share():
    model = RuleSetClassifier(random_state=0).fit(np.arange(60.0).reshape(-1, 2), np.arange(30) < 2)
    assert len(model.rules_) == 0
    assert "only 2 rare rows" in model.rules_.reason
    np.testing.assert_allclose(model.predict_proba(np.zeros((3, 2)))[:, 1], 2 / 30, atol=0.03)


def test_more_classes_are_refused_with_a_way_out():
    with pytest.raises(ValueError, match="OneVsAllClassifier"):
        RuleSetClassifier().fit(np.eye(6), [0, 1, 2, 0, 1, 2])


def test_it_comes_back_from_a_file(model, payments, tmp_path):
    rarewood.save(model, tmp_path / "rules.rarewood")
    again = rarewood.load(tmp_path / "rules.rarewood")
    np.testing.assert_array_equal(again.predict_proba(payments.X), model.predict_proba(payments.X))
    np.testing.assert_array_equal(again.predict(payments.X), model.predict(payments.X))
    assert again.rules_.text() == model.rules_.text()
    assert again.rules_.as_json() == model.rules_.as_json()


def test_equality_survives_a_file(tmp_path):
    random = np.random.default_rng(0)
    table = pd.DataFrame({"flag": random.integers(0, 2, 1500), "x": random.normal(size=1500)})
    model = RuleSetClassifier(2, random_state=0).fit(table, (table["flag"] == 1) & (table["x"] > 1))
    rarewood.save(model, tmp_path / "rules.rarewood")
    again = rarewood.load(tmp_path / "rules.rarewood")
    assert "flag = 1" in again.rules_.text()
    assert again.rules_.text() == model.rules_.text()


def test_it_has_a_recipe():
    assert isinstance(rarewood.make("rule-set", n_rules=3), RuleSetClassifier)
