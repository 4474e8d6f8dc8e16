"""A forest grown on parts of a table is, bit for bit, the one grown on all of it."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import rarewood as rw
from rarewood._decisions import _effect_learning
from rarewood._rules.search import _findings
from rarewood.decomposition.base import BaseDecomposition
from rarewood.distributed import _fit
from support.models import all_cases, effects_at_any_price
from support.parted import check_same, make_frame, make_smooth_frame, parted

_FEW = settings(max_examples=12)


def check(model, frame, cuts, weight=None, **options):
    """Fit at once and in parts, compare everything."""
    X = frame.drop(columns=["y"] if weight is None else ["y", weight])
    at_once = clone(model).fit(X, frame["y"], None if weight is None else frame[weight])
    in_parts = rw.distributed.fit(model, parted(frame, cuts), "y", sample_weight=weight, **options)
    check_same(in_parts, at_once)
    return at_once, in_parts


def _grown_from_a_frame(case):
    return type(case.make()).fit in _fit._SUPPORTED and "float" not in case.mode.name


def _refusal(model):
    """What needs all rows in one place is refused with these words; None if nothing does."""
    if not isinstance(model, BaseDecomposition):
        return None
    if model.class_weight is not None:
        return "makes fractions of the weights of rows"
    return "its problems need all rows in one place" if isinstance(model.estimator, rw.RareClassifier) else None


@all_cases("parts", _grown_from_a_frame)
@pytest.mark.filterwarnings("ignore::rarewood.exceptions.RarewoodWarning")  # few trees leave rows without scores
def test_every_mode(case):
    X, y = case.rows()
    frame = X.assign(y=y)
    weight = "w" if case.mode.name == "weighted rows" else None
    if weight:
        frame["w"] = np.arange(len(y)) % 4
    groups = "customer" if case.mode.name.startswith("groups") else None
    if groups:
        frame["customer"] = np.arange(len(y)) // 6
    fit = partial(
        rw.distributed.fit,
        data=parted(frame, [90, 90, 200]),
        target="y",
        sample_weight=weight,
        groups=groups,
        finish_rows=40,
    )
    model = case.make()
    refusal = _refusal(model)
    if refusal is not None:
        with pytest.raises((TypeError, ValueError), match=refusal):
            fit(model)
        return
    if case.mode.name == "warm start":
        n_estimators = model.n_estimators
        model = fit(model.set_params(n_estimators=n_estimators // 2)).set_params(n_estimators=n_estimators)
    with effects_at_any_price() if case.mode.name.startswith("effects") else nullcontext():
        model = fit(model)
    if case.mode.then is not None:
        case.mode.then(model, X, y)
    expected = case.fitted()
    # a column of a frame holds text as objects, an array does not
    model.classes_ = expected.classes_
    if isinstance(model, BaseDecomposition) and case.n_classes == 2:
        model.estimators_[0].classes_ = expected.estimators_[0].classes_
    check_same(model, expected)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


@pytest.mark.parametrize("model", [rw.HeDExClassifier(3, random_state=1), rw.HeDExhClassifier(3, random_state=1)])
@given(
    cuts=st.lists(st.integers(0, 300), max_size=6),
    seed=st.integers(0, 5),
    finish_rows=st.sampled_from([0, 1, 40, 1000]),
)
@_FEW
def test_numbers_in_any_partitions(model, cuts, seed, finish_rows):
    check(model, make_frame(300, seed), cuts, finish_rows=finish_rows)


@pytest.mark.parametrize("model", [rw.HeDExClassifier(3, random_state=1), rw.HeDExhClassifier(3, random_state=1)])
@given(cuts=st.lists(st.integers(0, 300), max_size=6), seed=st.integers(0, 5), n_classes=st.integers(2, 5))
@_FEW
def test_missing_values_categories_weights_and_classes(model, cuts, seed, n_classes):
    frame = make_frame(300, seed, n_classes=n_classes, missing=True, categories=True, weights=True)
    check(model, frame, cuts, weight="w", finish_rows=25)


@pytest.mark.parametrize("splitter", ["random", "hyperplane", "best"])
@pytest.mark.parametrize("sampling", ["all", "bootstrap", "stratified", "balanced"])
def test_every_sampling(sampling, splitter):
    model = rw.ForestClassifier(3, sampling=sampling, splitter=splitter, random_state=0)
    check(model, make_frame(300, 0, missing=True, categories=True), [0, 10, 11, 200], finish_rows=30)


def test_weights_and_draws_together():
    model = rw.ForestClassifier(3, sampling="bootstrap", splitter="random", random_state=0)
    check(model, make_frame(300, 0, weights=True), [50, 120], weight="w", finish_rows=30)


@pytest.mark.parametrize(
    "model",
    [
        rw.BalancedForestClassifier(4, random_state=2),
        rw.BEATClassifier(4, random_state=2),
        rw.BEATClassifier(4, a=3, random_state=2),
    ],
)
def test_forests_of_exact_thresholds(model):
    check(model, make_frame(300, 3, missing=True, categories=True), [100, 200])


@pytest.mark.parametrize("criterion", rw.criteria.names())
def test_criteria(criterion):
    model = rw.ForestClassifier(3, criterion=criterion, splitter="random", sampling="all", random_state=0)
    check(model, make_frame(300, 1, missing=True), [100, 150], finish_rows=20)


def test_a_python_function_as_criterion():
    def purity(left, right):
        return -(left.min(axis=1) + right.min(axis=1))

    model = rw.ForestClassifier(2, criterion=purity, splitter="random", sampling="all", random_state=0)
    frame = make_frame(200, 1)
    at_once = model.fit(frame.drop(columns="y"), frame["y"])
    in_parts = rw.distributed.fit(model, parted(frame, [70]), "y", finish_rows=20)
    check_same(in_parts, at_once, saved=False)


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.5, "b": 0.25}])
def test_class_weights(class_weight):
    frame = make_frame(300, 2, weights=True).assign(y=lambda f: np.where(f["y"] == 1, "a", "b"))
    check(rw.HeDExClassifier(3, class_weight=class_weight, random_state=0), frame, [100], weight="w", finish_rows=20)


@pytest.mark.parametrize(
    "options", [{"max_depth": 3}, {"min_samples_leaf": 7}, {"min_samples_split": 30}, {"max_features": None}]
)
def test_options_of_growth(options):
    check(rw.HeDExClassifier(3, random_state=0, **options), make_frame(300, 2), [100], finish_rows=10)


@pytest.mark.parametrize("splitter", ["random", "best"])
@pytest.mark.parametrize("nominal", ["multiway", "one_vs_rest"])
def test_splits_on_categories(nominal, splitter):
    model = rw.ForestClassifier(3, nominal=nominal, splitter=splitter, sampling="all", random_state=0)
    check(model, make_frame(300, 2, categories=True, missing=True), [100], finish_rows=10)


def test_pruning():
    model = rw.ForestClassifier(3, splitter="random", sampling="all", pruning="pessimistic", random_state=0)
    check(model, make_frame(300, 2), [100], finish_rows=10)


@pytest.mark.parametrize("sampling", ["bootstrap", "stratified", "balanced"])
@pytest.mark.parametrize("calibration", [None, "beta"])
def test_rows_that_trees_did_not_see(sampling, calibration):
    model = rw.ForestClassifier(
        25, sampling=sampling, splitter="random", oob_score=True, calibration=calibration, random_state=0
    )
    frame = make_frame(300, 2, missing=True, categories=True, weights=True, n_classes=3)
    at_once, in_parts = check(model, frame, [0, 40, 250], weight="w", finish_rows=20)
    assert in_parts.oob_decision_function_.tobytes() == at_once.oob_decision_function_.tobytes()
    assert in_parts.oob_score_ == at_once.oob_score_


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weight", [None, "w"])
def test_the_rare_classifier(n_classes, weight):
    frame = make_frame(400, 3, n_classes=n_classes, missing=True, categories=True, weights=weight is not None)
    model = rw.RareClassifier(30, random_state=0)
    at_once, in_parts = check(model, frame, [0, 150, 151], weight=weight, finish_rows=60, trees_at_once=4)
    assert in_parts.oob_decision_function_.tobytes() == at_once.oob_decision_function_.tobytes()
    assert in_parts.family_weights_ == at_once.family_weights_
    assert in_parts.decision_threshold_ == at_once.decision_threshold_


SMOOTH = make_smooth_frame()


def smooth_at_once(weight, groups):
    """A model with effects of columns, learned from some of the rows."""
    with mock.patch.object(_effect_learning, "_MOST_ROWS", 2_000):
        model = rw.RareClassifier(20, random_state=0)
        model.fit(SMOOTH.drop(columns=["y", "w", "g"]), SMOOTH["y"], *(SMOOTH.get(name) for name in (weight, groups)))
    assert model.column_effects_ is not None
    return model


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("groups", [None, "g"])
def test_effects_of_columns(weight, groups):
    cuts = [0, 300, 301, 1700] if weight else [1000]
    at_once, apart = smooth_at_once(weight, groups), [name for name in ("w", "g") if name not in (weight, groups)]
    with mock.patch.object(_effect_learning, "_MOST_ROWS", 2_000):
        in_parts = rw.distributed.fit(
            rw.RareClassifier(20, random_state=0),
            parted(SMOOTH, cuts),
            "y",
            sample_weight=weight,
            groups=groups,
            drop=apart,
        )
    check_same(in_parts, at_once)
    assert in_parts.oob_decision_function_.tobytes() == at_once.oob_decision_function_.tobytes()


@pytest.mark.parametrize(
    "make",
    [partial(rw.HeDExClassifier), partial(rw.BEATClassifier), partial(rw.RareClassifier)],
    ids=lambda m: m.func.__name__,
)
def test_growing_on(make):
    frame = make_frame(300, 2)
    model = make(20, random_state=0, warm_start=True)
    first = rw.distributed.fit(model, parted(frame, [100]), "y", finish_rows=20)
    more = rw.distributed.fit(first.set_params(n_estimators=30), parted(frame, [10, 200]), "y", finish_rows=20)
    assert len(first.forest_) == 20
    at_once = make(20, random_state=0, warm_start=True).fit(frame.drop(columns="y"), frame["y"])
    check_same(more, at_once.set_params(n_estimators=30).fit(frame.drop(columns="y"), frame["y"]))


@pytest.mark.several_threads
def test_waves_and_threads_leave_no_trace():
    frame = make_frame(300, 2)
    check(rw.HeDExClassifier(5, random_state=0, n_jobs=2), frame, [100], finish_rows=10, trees_at_once=2)


def test_rows_sorted_by_class_and_a_class_in_one_part_only():
    frame = make_frame(300, 4, n_classes=3).sort_values("y", kind="stable", ignore_index=True)
    check(rw.HeDExClassifier(3, random_state=0), frame, [int((frame["y"] == 0).sum()), 299], finish_rows=10)


def test_float32_in_one_part_only():
    frame = make_frame(300, 5)
    frame["a"] = frame["a"].round(1).astype(np.float32).astype(np.float64)
    frame.loc[:99, "a"] += 1e-9  # the column is wide because of the first part
    check(rw.HeDExClassifier(3, random_state=0), frame, [100], finish_rows=10)


def test_zeros_of_both_signs_denormals_and_constant_columns():
    frame = make_frame(200, 6)
    frame["zero"] = np.where(np.arange(200) % 2, 0.0, -0.0)
    frame["tiny"] = np.arange(200) * 5e-324
    frame["same"] = 7.0
    frame["void"] = np.nan
    frame["late"] = np.where(np.arange(200) < 150, np.nan, np.arange(200.0))
    for model in (rw.HeDExClassifier(3, random_state=0), rw.HeDExhClassifier(3, random_state=0)):
        check(model, frame, [50, 150], finish_rows=10)


def test_categories_that_only_some_partitions_declare():
    frame = make_frame(300, 7, categories=True)
    first, second = frame[:120].copy(), frame[120:].copy()
    first["c"] = first["c"].astype(str).astype("category")
    second["c"] = second["c"].astype(str).where(lambda c: c != "k1", "only here").astype("category")
    whole = pd.concat([first.astype({"c": str}), second.astype({"c": str})])
    whole["c"] = pd.Categorical(whole["c"], categories=sorted(set(whole["c"])))
    model = rw.HeDExClassifier(3, random_state=0)
    at_once = model.fit(whole.drop(columns="y"), whole["y"])
    check_same(rw.distributed.fit(model, [first, second], "y", finish_rows=20), at_once)
    assert list(at_once.categories_[list(whole.columns.drop("y")).index("c")]) == sorted(set(whole["c"]))


def test_words_truth_dates_and_parts_without_a_value():
    frame = make_frame(300, 9)
    rng = np.random.default_rng(0)
    frame["word"] = rng.choice(["red", "green", "blue"], 300)
    frame["truth"] = rng.random(300) < 0.3
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, 300), unit="D")
    frame["moment"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(
        rng.integers(0, 90 * 24, 300) * (np.arange(300) > 99), unit="h"
    )
    for column in ("word", "day", "moment"):
        frame.loc[:49, column] = None  # the first part has none
    check(rw.HeDExClassifier(3, random_state=0), frame, [50, 100], finish_rows=20)


def test_polars_and_arrow():
    import polars as pl

    frame = make_frame(200, 8)
    model = rw.HeDExClassifier(3, random_state=0)
    at_once = model.fit(frame.drop(columns="y"), frame["y"])
    for whole in (pl.from_pandas(frame), pl.from_pandas(frame).to_arrow()):
        check_same(rw.distributed.fit(model, [whole[:50], whole[50:]], "y", finish_rows=20), at_once)


@pytest.mark.parametrize("most_rows", [20_000, 800])
def test_rules(most_rows, monkeypatch):
    """The same rules with the same figures, also where the search takes a sample: they are counted on all rows."""
    monkeypatch.setattr(_findings, "_MOST_ROWS", most_rows)
    frame = SMOOTH.drop(columns=["w", "g"]).assign(a=lambda f: f["a"].astype(np.float32), b=lambda f: f["b"].round())
    at_once = rw.inspection.find_rules(frame.drop(columns="y"), frame["y"], n_rules=4)
    in_parts = rw.distributed.find_rules(parted(frame, [0, 700, 701]), "y", n_rules=4)
    assert len(at_once) > 0
    assert in_parts.text() == at_once.text()
    pd.testing.assert_frame_equal(in_parts.frame(), at_once.frame(), check_exact=True)
    assert str(in_parts.together) == str(at_once.together)
