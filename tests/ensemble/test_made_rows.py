"""What a sampler made does not judge: rows in front of a forest are told apart, and figures are those of rows as they are."""

import numpy as np
import pandas as pd
import pytest
from imblearn.over_sampling import ADASYN, SMOTE, BorderlineSMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline
from sklearn.metrics import roc_auc_score

import rarewood as rw
from rarewood._tables.made_rows import made_rows
from rarewood._tables.row_source import MatrixRows
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import RarewoodWarning
from rarewood.sampling import PatternOversampler

SAMPLERS = [
    SMOTE(random_state=0),
    ADASYN(random_state=0),
    BorderlineSMOTE(random_state=0),
    RandomOverSampler(random_state=0),
    RandomOverSampler(shrinkage=0.1, random_state=0),
    PatternOversampler(random_state=0),
]


def table(n_rows, seed, signal=1.5, share=0.08):
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < share).astype(int)
    X = rng.normal(size=(n_rows, 6))
    X[y == 1, :2] += signal
    return X, y


def names(sampler):
    noise = " with noise" if getattr(sampler, "shrinkage", None) else ""
    return type(sampler).__name__ + noise


@pytest.mark.parametrize("sampler", SAMPLERS, ids=names)
@pytest.mark.parametrize("signal", [0.0, 1.5], ids=["noise", "signal"])
def test_figures_are_those_of_fresh_rows(sampler, signal):
    """Out-of-bag AUC .97 and a precision of .91 were shown, where .5 and .08 were true."""
    X, y = table(1200, 0, signal)
    model = rw.RareClassifier(60, random_state=0)
    with pytest.warns(RarewoodWarning, match="rows were made by a sampler"):
        pipeline = make_pipeline(sampler, model).fit(X, y)
    fresh, truth = table(12_000, 1, signal)
    p = pipeline.predict_proba(fresh)[:, 1]
    alarms, threshold = pipeline.predict(fresh) == 1, model.decision_threshold_
    assert p.mean() == pytest.approx(y.mean(), abs=0.01)
    assert model.oob_score_ == pytest.approx(roc_auc_score(truth, p), abs=0.07)
    assert threshold.precision < truth[alarms].mean() + 0.05
    plain = rw.RareClassifier(60, random_state=0).fit(X, y)
    assert threshold.value == pytest.approx(plain.decision_threshold_.value, abs=0.1)


def test_nothing_is_promised_by_made_rows():
    X, y = table(800, 0, 0.0)
    rows, labels = SMOTE(random_state=0).fit_resample(X, y)
    with pytest.warns(RarewoodWarning) as told:
        model = rw.RareClassifier(30, threshold="precision=0.6@90%", random_state=0).fit(rows, labels)
    assert any("cannot be promised" in str(each.message) for each in told)
    assert not model.decision_threshold_.promised
    assert np.isnan(model.oob_decision_function_[len(y) :]).all()
    with pytest.warns(RarewoodWarning, match="cannot be promised"):
        assert not fit_threshold(model, rows, labels, rule="precision=0.6@90%", positive=1).promised


@pytest.mark.parametrize("container", [pd.DataFrame, np.asarray], ids=["pandas", "numpy"])
@pytest.mark.parametrize("sampler", SAMPLERS, ids=names)
def test_which_rows_were_made(sampler, container):
    X, y = table(600, 2)
    rows, labels = sampler.fit_resample(container(X), y)
    found = made_rows(rows, MatrixRows(np.asarray(rows, dtype=float)), np.zeros(6, int), np.asarray(labels))
    np.testing.assert_array_equal(found, np.arange(len(labels)) >= 600)


@pytest.mark.parametrize("order", ["as they come", "sorted", "sorted backwards", "rounded", "each twice"])
def test_rows_as_they_are_raise_no_alarm(order):
    X, y = table(600, 3)
    if order == "rounded":
        X = np.round(X)
    if order == "each twice":
        X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    if order.startswith("sorted"):
        place = np.argsort(y if order == "sorted" else -y, kind="stable")
        X, y = X[place], y[place]
    assert made_rows(X, MatrixRows(X), np.zeros(6, int), y) is None


@pytest.mark.parametrize("order", ["as they come", "sorted"])
@pytest.mark.parametrize("shrinkage", [0.02, 0.2, 0.4])
def test_rows_drawn_again_with_noise_are_told(shrinkage, order):
    """Area under the ROC curve was .50 too good; where rows begin that were made is right to a few."""
    X, y = table(1200, 4, 0.0)
    if order == "sorted":
        place = np.argsort(y, kind="stable")
        X, y = X[place], y[place]
    rows, labels = RandomOverSampler(shrinkage=shrinkage, random_state=0).fit_resample(X, y)
    found = made_rows(rows, MatrixRows(rows), np.zeros(6, int), labels)
    assert found is not None
    assert np.argmax(found) == pytest.approx(1200, abs=10)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rows", ["walk", "clusters", "heavy tails", "ever tighter", "few values"])
def test_later_rows_that_nobody_made_raise_no_alarm(rows, seed):
    rng = np.random.default_rng(seed)
    n, p = 300, 5
    X = {
        "walk": np.cumsum(rng.normal(size=(n, p)), axis=0),
        "clusters": rng.normal(size=(10, p))[rng.integers(10, size=n)] + 0.05 * rng.normal(size=(n, p)),
        "heavy tails": rng.standard_t(1.5, size=(n, p)),
        "ever tighter": rng.normal(size=(n, p)) * np.linspace(2.0, 0.2, n)[:, np.newaxis],
        "few values": np.round(rng.normal(size=(n, p)) * 2.0),
    }[rows]
    X = np.concatenate([3.0 * rng.normal(size=(2 * n, p)), X])
    assert made_rows(X, MatrixRows(X), np.zeros(p, int), np.repeat([0, 1], [2 * n, n])) is None


def test_forests_that_judge_nothing_take_what_they_get():
    X, y = table(400, 0)
    rows, labels = SMOTE(random_state=0).fit_resample(X, y)
    forest = rw.ForestClassifier(5, random_state=0).fit(rows, labels)
    assert forest.forest_[0].value[0].sum() == len(rows)
    with pytest.warns(RarewoodWarning, match="rows were made by a sampler"):
        rw.ForestClassifier(30, calibration="beta", random_state=0).fit(rows, labels)
