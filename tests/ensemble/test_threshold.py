"""Thresholds of fitted models: chosen on rows that the trees did not see, forgotten by a new fit."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.ensemble.threshold import kept_threshold
from rarewood.exceptions import RarewoodWarning
from rarewood.export import from_bytes, to_bytes
from rarewood.metrics import choose_threshold
from rarewood.report import summarise


@pytest.fixture(scope="module")
def problem():
    X, y = make_classification(n_samples=400, weights=[0.9], flip_y=0.05, random_state=0)
    return X, np.where(y == 1, "fault", "ok")


def test_out_of_bag_scores_are_used_where_there_are_any(problem):
    X, y = problem
    model = rw.ForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    chosen = fit_threshold(model, X, y)
    assert chosen == choose_threshold(y, model.oob_decision_function_[:, 0], positive="fault")
    assert model.decision_threshold_ is chosen
    assert chosen.precision < 1.0  # on rows that it has seen, a forest makes no errors


def test_otherwise_clones_are_cross_validated(problem):
    X, y = problem
    model = rw.HeDExClassifier(10, random_state=0).fit(X, y)
    before = model.predict_proba(X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_val_predict(clone(model), X, y, cv=folds, method="predict_proba")[:, 0]
    chosen = fit_threshold(model, X, y, rule="recall", floor=0.8)
    assert chosen == choose_threshold(y, scores, rule="recall", floor=0.8, positive="fault")
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_clones_see_the_labels_as_they_are(problem):
    X, y = problem
    model = rw.BiasedRankingClassifier(n_iterations=2, n_estimators=5, positive="fault", random_state=0).fit(X, y)
    assert fit_threshold(model, X, y, cv=2).positive == "fault"
    tree = rw.TreeClassifier(class_weight={"fault": 5.0}).fit(X, y)
    assert fit_threshold(tree, X, y, cv=2).positive == "fault"


def test_rows_that_every_tree_saw_do_not_count(problem):
    X, y = problem
    with pytest.warns(RarewoodWarning, match="seen by every tree"):
        model = rw.ForestClassifier(3, oob_score=True, random_state=0).fit(X, y)
    scores = model.oob_decision_function_[:, 0]
    seen = ~np.isnan(scores)
    assert not seen.all()
    assert fit_threshold(model, X, y) == choose_threshold(y[seen], scores[seen], positive="fault")


@pytest.mark.parametrize(
    "model",
    [
        rw.RareClassifier(30, random_state=0),
        rw.HeDExClassifier(10, random_state=0),
        rw.ForestClassifier(20, oob_score=True, random_state=0),
        make_pipeline(StandardScaler(), rw.BalancedForestClassifier(20, random_state=0)),
    ],
    ids=["rare", "hedex", "out-of-bag", "pipeline"],
)
@pytest.mark.parametrize("rule", ["f1", "cost=1:20", "recall=0.8", 0.3])
def test_held_out_rows_are_scored_by_the_model_itself(problem, model, rule, monkeypatch):
    X, y = problem
    fitted = clone(model).fit(X[::2], y[::2])
    scores = fitted.predict_proba(X[1::2])[:, 0]
    monkeypatch.setattr(type(model), "fit", None)  # no clone is needed
    chosen = fit_threshold(fitted, X[1::2], y[1::2], rule=rule, held_out=True)
    assert chosen == choose_threshold(y[1::2], scores, rule=rule, positive="fault")
    assert kept_threshold(fitted) is chosen
    assert chosen.n_hits == (fitted.predict(X[1::2])[y[1::2] == "fault"] == "fault").sum()


def test_a_prior_counts_once_on_held_out_rows(problem):
    """Out of bag, scores are without the prior; those of the model have it already."""
    X, y = problem
    model = rw.RareClassifier(30, threshold=None, random_state=0).fit(X[::2], y[::2])
    plain = fit_threshold(model, X[1::2], y[1::2], rule="recall=0.8", held_out=True)
    called = model.predict(X)
    model.set_prior({"fault": 0.01})
    rare = fit_threshold(model, X[1::2], y[1::2], rule="recall=0.8", held_out=True)
    assert rare.recall == pytest.approx(plain.recall)
    assert rare.precision < plain.precision
    assert rare.value < plain.value
    np.testing.assert_array_equal(model.predict(X), called)


def test_what_cannot_be_held_out(problem):
    X, y = problem
    model = rw.HeDExClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"y has labels that the model does not know: \['odd'\]"):
        fit_threshold(model, X[:3], ["ok", "odd", "fault"], positive="fault", held_out=True)
    with pytest.raises(ValueError, match="X has 3 rows and y 2 labels"):
        fit_threshold(model, X[:3], ["ok", "fault"], held_out=True)
    with pytest.raises(ValueError, match=r"the rows held out have no other class than \['ok'\]"):
        fit_threshold(model, X[:3], ["ok", "ok", "ok"], held_out=True)
    with pytest.raises((TypeError, ValueError), match="held_out='yes'"):
        fit_threshold(model, X, y, held_out="yes")


def test_a_new_fit_forgets_the_threshold(problem):
    X, y = problem
    model = rw.TreeClassifier().fit(X, y)
    fit_threshold(model, X, y, cv=2)
    assert not hasattr(model.fit(X, y), "decision_threshold_")
    assert not hasattr(clone(model), "decision_threshold_")


@pytest.mark.parametrize("rule", ["f1", "recall=0.9", "cost=1:5", 0.3])
def test_a_pipeline_decides_by_what_a_prior_has_made_of_its_threshold(problem, rule):
    X, y = problem
    model = rw.make("hedex+patterns", n_estimators=10, random_state=0).fit(X, y)
    fit_threshold(model, X, y, rule=rule, cv=2)
    before = model.predict(X)
    model[-1].set_prior({"fault": 0.01})
    assert kept_threshold(model) is model[-1].decision_threshold_
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.decision_threshold_.value == again[-1].decision_threshold_.value == kept_threshold(model).value
    if rule in ("f1", "recall=0.9"):
        np.testing.assert_array_equal(again.predict(X), before)


def test_a_pipeline_that_was_fitted_again_has_no_threshold_until_one_is_chosen(problem):
    X, y = problem
    model = rw.make("hddt+patterns", random_state=0).fit(X, y)
    assert kept_threshold(model) is None
    chosen = fit_threshold(model, X, y, cv=2)
    assert kept_threshold(pickle.loads(pickle.dumps(model))) == kept_threshold(model) == chosen
    model.fit(X, y)
    for use in (kept_threshold, to_bytes, lambda pipeline: summarise(pipeline, X, y)):
        with pytest.raises(ValueError, match="fitted again after the threshold was chosen"):
            use(model)
    assert summarise(model, X, y, threshold=0.5)["threshold"]["value"] == 0.5
    again = fit_threshold(model, X, y, rule="recall", floor=0.9, cv=2)
    assert from_bytes(to_bytes(model)).decision_threshold_ == again
    del model.decision_threshold_, model[-1].decision_threshold_
    assert not hasattr(from_bytes(to_bytes(model)), "decision_threshold_")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames(frame, problem):
    X, y = problem
    table = frame({f"x{number}": column for number, column in enumerate(X.T)})
    model = rw.make("hddt").fit(table, y)
    assert 0 < fit_threshold(model, table, y, cv=2).value < 1


def test_many_classes_and_few_rows():
    X = np.arange(40.0).reshape(-1, 1)
    y = np.repeat(["a", "b", "c"], [25, 12, 3])
    model = rw.make("ova-hddt").fit(X, y)
    chosen = fit_threshold(model, X, y)  # three folds, one row of c in each
    assert chosen.positive == "c"
    assert fit_threshold(model, X, y, positive="b").positive == "b"
    assert set(chosen.labels(model.predict_proba(X), model.classes_)) <= {"a", "b", "c"}


def test_what_cannot_be():
    X, y = np.arange(10.0).reshape(-1, 1), np.array([0] * 9 + [1])
    model = rw.TreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"class 1 has a single row.*oob_score=True"):
        fit_threshold(model, X, y)
    with pytest.raises(ValueError, match="positive=2 is not among the classes"):
        fit_threshold(model, X, y, positive=2)
    with pytest.raises(ValueError, match="not fitted"):
        fit_threshold(rw.TreeClassifier(), X, y)
    with pytest.raises(ValueError, match="cv=1"):
        fit_threshold(model, X, y, cv=1)
    forest = rw.ForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="out-of-bag scores for 10 rows, but y has 5"):
        fit_threshold(forest, X[:5], y[:5], positive=0)


@pytest.mark.parametrize(
    "model", [rw.TreeClassifier(), rw.HeDExClassifier(10, random_state=0), rw.OneVsAllClassifier()]
)
def test_scikit_learn_tunes_thresholds_too(model, problem):
    X, y = problem
    tuned = TunedThresholdClassifierCV(model, scoring="balanced_accuracy", cv=3, random_state=0).fit(X, y == "fault")
    p = tuned.estimator_.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(tuned.predict(X), p >= tuned.best_threshold_)
