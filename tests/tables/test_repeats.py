"""Rows that equal others: copies stay together, coincidence does not count."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.model_selection import RepeatedStratifiedKFold

import rarewood as rw
from rarewood._rules.search._forests import _pair
from rarewood._tables.found_groups import together_of
from rarewood._tables.repeats import are_copies, cell_hashes, copies_in, row_hashes
from rarewood._validation import Labels
from rarewood.evaluation import compare
from support.parted import check_same, parted
from support.tables import noise


def tells_copies(matrix):
    total = row_hashes(matrix)
    return are_copies(total, lambda number: cell_hashes(matrix[:, number], number), matrix.shape[1])


@given(
    arrays(
        float, st.tuples(st.integers(1, 20), st.integers(1, 3)), elements=st.sampled_from([0.0, -0.0, 1.0, np.nan, 2.5])
    )
)
def test_hashes_are_equal_where_rows_are(matrix):
    hashes = row_hashes(matrix)
    for one, other in combinations(range(len(matrix)), 2):
        assert (hashes[one] == hashes[other]) == np.array_equal(matrix[one], matrix[other], equal_nan=True)
    rest = hashes - cell_hashes(matrix[:, 0], 0)
    for one, other in combinations(range(len(matrix)), 2):
        assert (rest[one] == rest[other]) == np.array_equal(matrix[one, 1:], matrix[other, 1:], equal_nan=True)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda rng: noise()[0], True),
        (lambda rng: noise(times=1)[0], False),
        (lambda rng: rng.integers(0, 2, (5000, 6)), False),  # 64 cells
        (lambda rng: rng.integers(0, 4, (2000, 6)), False),  # 4,096 cells
        (lambda rng: rng.integers(0, 50, (500, 1)), False),
        (lambda rng: np.column_stack([rng.integers(0, 100, 800), np.ones(800)]), False),
        (lambda rng: np.column_stack([rng.normal(size=1000).round(1), rng.integers(0, 3, (1000, 3))]), False),
        (lambda rng: np.repeat(np.column_stack([rng.normal(size=300), rng.integers(0, 3, (300, 3))]), 2, axis=0), True),
        (
            lambda rng: np.repeat(np.column_stack([rng.normal(size=300), np.ones(300)]), 3, axis=0),
            False,
        ),  # one column tells nothing
        (lambda rng: rng.normal(size=(500, 4))[np.append(np.arange(500), 7)], True),
    ],
)
def test_copies_are_told_from_coincidence(make, expected):
    assert tells_copies(np.asarray(make(np.random.default_rng(0)), dtype=float)) is expected


def test_a_row_that_makes_up_much_of_the_table_comes_again():
    X, y = noise(200, 2)
    X[:60] = 0.0
    labels = Labels(np.array([0, 1]), y.astype(np.int32))
    together = copies_in(X, labels, None)
    assert len(set(together.numbers[:60])) == 60
    assert len(set(together.numbers[60:])) == 170
    assert together.n_repeated == 340
    labels.codes[:60] = 1  # all of them rare: one row, sampled again and again
    labels.codes[60:] = 0
    assert len(set(copies_in(X, labels, None).numbers[:60])) == 1


@pytest.mark.parametrize(
    "model",
    [rw.RareClassifier(60), rw.ForestClassifier(60, oob_score=True), rw.ForestClassifier(60, calibration="beta")],
)
def test_noise_that_repeats_is_noise_to_a_forest(model):
    X, y = noise()
    model.set_params(random_state=0).fit(X, y)
    assert abs(model.oob_score_ - 0.5) < 0.12
    assert model.n_repeated_rows_ == len(y)
    assert not hasattr(model, "n_groups_")


def test_rows_of_weight_0_are_no_copies():
    X, y = noise(100, 2)
    labels = Labels(np.array([0, 1]), y.astype(np.int32))
    once = np.tile([1.0, 0.0], 100)
    assert copies_in(X, labels, once) is None
    once[1] = 1.0
    together = copies_in(X, labels, once)
    assert (together.n_repeated, together.n_groups, together.strata[2]) == (2, 199, 99)
    assert together.numbers[0] == together.numbers[1]


@pytest.mark.parametrize("model", [rw.RareClassifier(60), rw.ForestClassifier(60, oob_score=True)])
def test_copies_of_weight_0_do_not_judge(model):
    X, y = noise()
    model.set_params(random_state=0).fit(X, y, sample_weight=np.tile([1.0, 0.0, 0.0, 2.0], 400))
    assert abs(model.oob_score_ - 0.5) < 0.12


def test_without_copies_nothing_changes():
    X, y = noise(times=1)
    model = rw.RareClassifier(9, random_state=0)
    with_copies_kept_apart = model._read_training_data(X, y, None)
    assert with_copies_kept_apart.groups is None
    cells, labels = np.random.default_rng(0).integers(0, 2, (600, 6)).astype(float), np.tile([0, 0, 1], 200)
    assert model.fit(cells, labels).n_repeated_rows_ == 0
    assert not hasattr(model, "oob_groups_")


def test_noise_that_repeats_is_noise_to_folds_and_rules():
    X, y = noise()
    model = rw.HeDExClassifier(20, random_state=0).fit(X, y)
    assert rw.ensemble.fit_threshold(model, X, y, rule="recall=0.5").precision < 0.25
    assert not len(rw.inspection.find_rules(X, y, random_state=0))
    rules = rw.RuleSetClassifier(random_state=0).fit(X, y)
    assert abs(rules.predict_proba(X)[:, 1] - y.mean()).max() < 0.3


def test_few_rare_rows_that_repeat_are_too_few_for_rules():
    X, y = noise(60, 5)
    y = (np.arange(len(y)) < 15).astype(int)
    found = rw.inspection.find_rules(X, y, random_state=0)
    assert "there are only 3 different rare rows" in str(found)


def test_compare_keeps_copies_in_one_fold():
    X, y = noise()
    methods = {"tree": rw.TreeClassifier()}
    found = {
        copies: compare(methods, {"noise": (X, y)}, "1x3", "auc", copies=copies, progress=False)
        for copies in ("together", "apart")
    }
    means = {copies: result.means("auc").mean() for copies, result in found.items()}
    assert means["apart"] > 0.95
    assert abs(means["together"] - 0.5) < 0.1


@given(st.lists(st.integers(0, 200), max_size=3), st.integers(0, 50))
@settings(max_examples=8)
def test_copies_in_parts_are_those_of_the_table(cuts, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abd")).assign(c=rng.choice(list("xyz"), 150))
    frame["y"] = np.where(frame["a"] + rng.normal(size=150) > 1, "yes", "no")
    frame = pd.concat([frame, frame[::3]], ignore_index=True)
    frame.loc[::7, "b"] = None
    model = rw.RareClassifier(45, column_effects=False, random_state=0)
    in_parts = rw.distributed.fit(model, parted(frame, cuts), "y", finish_rows=30)
    expected = model.fit(frame.drop(columns="y"), frame["y"])
    check_same(in_parts, expected, saved=False)
    np.testing.assert_array_equal(in_parts.oob_decision_function_, expected.oob_decision_function_)
    assert in_parts.n_repeated_rows_ == expected.n_repeated_rows_ > 0


def test_folds_of_rows_without_copies_are_those_of_the_splitter():
    X, y = noise(times=1)
    assert together_of(X, y) is None
    assert together_of([[object()]], np.array([1])) is None
    splitter = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
    methods = {"tree": rw.TreeClassifier(max_depth=2)}
    by_word, by_splitter = (
        compare(methods, {"noise": (X, y)}, protocol, "auc", progress=False).fold_scores("auc", "noise")
        for protocol in ("2x2", splitter)
    )
    np.testing.assert_array_equal(by_word, by_splitter)


@pytest.mark.parametrize("n_units", [1, 2, 3])
def test_neither_half_of_a_rule_search_is_empty(n_units):
    unit, is_rare, rng = np.arange(12) % n_units, np.arange(12) % 2 == 0, np.random.default_rng(0)
    for _ in range(30):
        first, second = _pair(is_rare, np.ones(12, dtype=bool), rng, unit)
        assert first.any()
        assert second.any()
        np.testing.assert_array_equal(first, ~second)
        assert n_units == 1 or not np.intersect1d(unit[first], unit[second]).size
