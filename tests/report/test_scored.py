"""Counts at cut-offs, calibration and histograms against counting by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, brier_score_loss, f1_score, log_loss, precision_score, recall_score

from rarewood.report._scores import (
    ScoredRows,
    calibration,
    cut_offs,
    decisions_at,
    histogram,
    measures,
    nice_limit,
    recall_table,
)


def some_rows(n=4000, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    is_rare = rng.random(n) < 0.05
    scores = np.clip(rng.beta(1, 12, n) + 0.4 * is_rare * rng.random(n), 0, 1)
    return ScoredRows(scores if decimals is None else scores.round(decimals), is_rare)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), st.booleans()), min_size=2, max_size=40),
    st.sampled_from([0.0, 0.3, 0.5, 0.99, 1.5]),
    st.sampled_from([4, 1500]),
)
def test_cut_offs_count_exactly(rows, chosen, most):
    scores, is_rare = np.array([score for score, _ in rows]), np.array([rare for _, rare in rows])
    is_rare[0], is_rare[1] = True, False
    cuts = cut_offs(ScoredRows(scores, is_rare), chosen, most)
    thresholds = np.array(cuts["threshold"])
    assert np.all(np.diff(thresholds) > 0)
    assert thresholds[cuts["chosen"]] == chosen
    assert cuts["true_positives"] == [int((scores[is_rare] >= t).sum()) for t in thresholds]
    assert cuts["false_positives"] == [int((scores[~is_rare] >= t).sum()) for t in thresholds]
    assert (cuts["true_positives"][0], cuts["false_positives"][0]) == (is_rare.sum(), (~is_rare).sum())
    assert (cuts["true_positives"][-1], cuts["false_positives"][-1]) == (0, 0)
    if most == 1500:
        assert set(scores) <= set(thresholds)


@pytest.mark.parametrize("chosen", [0.0, 0.123456, 0.9])
def test_many_cut_offs_are_thinned_evenly(chosen):
    rows = some_rows(60_000)
    cuts = cut_offs(rows, chosen)
    assert 700 < len(cuts["threshold"]) <= 1500
    assert cuts["n_distinct"] == len(np.unique(rows.scores))
    wanted = np.linspace(0, rows.scores.max(), 300)
    every, kept = np.unique(rows.scores), np.array(cuts["threshold"])
    assert max(kept[np.searchsorted(kept, wanted)] - every[np.searchsorted(every, wanted)]) < 0.005
    assert max(-np.diff(cuts["true_positives"])) <= 0.01 * rows.n_rare
    assert cuts["false_positives"][-20] <= 20  # no early false alarm is skipped


def test_decisions_are_those_of_scikit_learn():
    rows = some_rows()
    at = decisions_at(rows, 0.25, (1.0, 20.0))
    called = rows.scores >= 0.25
    assert at["precision"] == pytest.approx(precision_score(rows.is_rare, called))
    assert at["recall"] == pytest.approx(recall_score(rows.is_rare, called))
    assert at["f1"] == pytest.approx(f1_score(rows.is_rare, called))
    assert at["alarms"] == called.sum()
    assert at["cost"] == at["false_positives"] + 20 * at["false_negatives"]
    assert at["false_positives"] + at["true_negatives"] == rows.n_rest
    assert decisions_at(rows, 2.0, (1, 1))["precision"] is None


def test_measures_are_those_of_scikit_learn():
    rows = some_rows(decimals=2)
    found = measures(rows)
    assert found["average_precision"] == pytest.approx(average_precision_score(rows.is_rare, rows.scores))
    assert found["brier"] == pytest.approx(brier_score_loss(rows.is_rare, rows.scores))
    assert found["log_loss"] == pytest.approx(log_loss(rows.is_rare, rows.scores))
    assert found["brier_of_share"] == pytest.approx(found["share"] * (1 - found["share"]))
    assert found["n_rare_at_zero"] == int((rows.scores[rows.is_rare] == 0).sum())


def test_recall_table_names_the_highest_threshold_that_is_enough():
    rows = some_rows()
    table = recall_table(rows, (1, 1))
    assert [row["true_positives"] for row in table] == sorted(row["true_positives"] for row in table)
    assert table[-1]["recall"] == 1.0
    assert table[2]["recall"] >= 0.5 > (rows.scores[rows.is_rare] > table[2]["threshold"]).mean()
    assert len(recall_table(ScoredRows(np.array([0.2, 0.9]), np.array([False, True])), (1, 1))) == 1


def test_calibration_bins_hold_every_row_once():
    rows = some_rows()
    found = calibration(rows)
    bins = found["bins"]
    assert sum(each["n_rows"] for each in bins) == len(rows.scores)
    assert sum(each["n_rare"] for each in bins) == rows.n_rare
    assert np.dot([each["score"] for each in bins], [each["n_rows"] for each in bins]) == pytest.approx(
        rows.scores.sum()
    )
    assert all(0 <= each["low"] <= each["share"] <= each["high"] <= 1 for each in bins)
    # Wilson's interval for 1 of 10, by its textbook formula
    one = calibration(ScoredRows(np.full(10, 0.5), np.arange(10) == 0))["bins"][0]
    assert (one["low"], one["high"]) == (pytest.approx(0.0179, abs=1e-4), pytest.approx(0.4042, abs=1e-4))


def test_histogram_holds_every_row_once():
    rows = some_rows()
    bins = histogram(rows)
    assert sum(bins["rare"]) == rows.n_rare
    assert sum(bins["rest"]) == rows.n_rest


@pytest.mark.parametrize(("largest", "limit"), [(0.0, 0.01), (0.02, 0.02), (0.021, 0.05), (0.6, 1.0), (1.0, 1.0)])
def test_axes_end_where_there_is_room(largest, limit):
    assert nice_limit(largest) == limit


def test_bins_near_zero_are_finer_as_far_as_rows_allow():
    rng = np.random.default_rng(0)
    scores = np.append(rng.beta(0.2, 20, 5000), 0.95)
    bins = calibration(ScoredRows(scores, rng.random(5001) < scores))["bins"]
    assert sum(each["score"] < 0.1 for each in bins) == 7
    few = calibration(ScoredRows(scores[-60:], rng.random(60) < 0.2))["bins"]
    assert sum(each["score"] < 0.1 for each in few) < 5
    assert all(each["n_rows"] >= 25 for each in few if each["score"] < 0.01)


def test_scores_add_up_but_for_chance():
    rng = np.random.default_rng(0)
    true = rng.beta(0.3, 6, 3000)
    held = [calibration(ScoredRows(true, rng.random(3000) < true))["adds_up"] for _ in range(300)]
    assert np.mean(held) > 0.97
    assert not calibration(ScoredRows(true / 2, rng.random(3000) < true))["adds_up"]
