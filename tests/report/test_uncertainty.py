"""Intervals of shares and of average precision against SciPy and against drawing tables row by row."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import average_precision_score

from rarewood.metrics import uncertainty as _uncertainty
from rarewood.metrics.uncertainty import average_precision_with_interval, share_with_interval, wilson
from rarewood.report._scores import ScoredRows
from rarewood.report._sections.intervals import intervals
from support.subjects import subject_of


@given(st.integers(1, 500), st.data())
def test_shares_have_wilsons_interval(n, data):
    hits = data.draw(st.integers(0, n))
    wanted = binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits, n) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_no_rows_have_no_share():
    assert share_with_interval(0, 0) is None


@given(st.integers(0, 10_000), st.integers(3, 60), st.integers(2, 6))
def test_average_precision_is_that_of_scikit_learn(seed, n, n_levels):
    rng = np.random.default_rng(seed)
    is_rare = rng.permutation(n) < rng.integers(1, n)
    scores = rng.integers(0, n_levels, n) / n_levels
    found = average_precision_with_interval(scores, is_rare, 0)
    assert found.value == pytest.approx(average_precision_score(is_rare, scores))
    if found.low is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_interval_is_that_of_tables_drawn_row_by_row():
    rng = np.random.default_rng(0)
    is_rare = np.arange(600) < 40
    scores = np.round(rng.normal(size=600) + 2.0 * is_rare, 1)  # with ties
    found = average_precision_with_interval(scores, is_rare, 0)
    drawn = []
    for _ in range(600):
        rows = rng.integers(0, 600, 600)
        drawn.append(average_precision_score(is_rare[rows], scores[rows]))
    log_odds = np.log(drawn) - np.log1p(-np.array(drawn))
    half = 1.959963984540054 * log_odds.std(ddof=1)
    centre = math.log(found.value / (1 - found.value))
    wanted = [1 / (1 + math.exp(-(centre + sign * half))) for sign in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(wanted, abs=0.02)  # two samples of tables


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    many = np.arange(1_000_000) < 20_000
    truth = average_precision_score(many, rng.normal(size=len(many)) + 2.5 * many)
    hits = 0
    for seed in range(200):
        is_rare = rng.random(1500) < 0.02
        found = average_precision_with_interval(rng.normal(size=1500) + 2.5 * is_rare, is_rare, seed)
        hits += found.low <= truth <= found.high
    assert 0.9 <= hits / 200 <= 0.99


def test_nothing_is_said_where_nothing_can_be():
    perfect = average_precision_with_interval(np.array([0.1, 0.9]), np.array([False, True]), 0)
    assert (perfect.value, perfect.low, perfect.high) == (1.0, None, None)


def test_many_rare_rows_are_drawn_in_parts(monkeypatch):
    monkeypatch.setattr(_uncertainty, "_MOST_DRAWS", 1)
    assert _uncertainty._in_parts(1000, 3_000_000) == [1] * 1000
    assert sum(_uncertainty._in_parts(1000, 1_500)) == 1000
    rng = np.random.default_rng(0)
    is_rare = rng.random(300) < 0.3
    found = average_precision_with_interval(rng.random(300) + 0.3 * is_rare, is_rare, 0)  # with the fewest draws
    assert found.low < found.value < found.high


def test_intervals_of_a_page():
    scores = np.array([0.9, 0.8, 0.7, 0.2, 0.1, 0.1])
    rows = ScoredRows(scores, np.array([True, False, True, True, False, False]))
    found = intervals(subject_of(rows, threshold=0.7))
    assert (found["precision"]["low"], found["precision"]["high"]) == pytest.approx(wilson(2, 3))
    assert found["recall"]["value"] == pytest.approx(2 / 3)
    assert intervals(subject_of(rows, threshold=2.0))["precision"] is None
