"""Intervals of areas under ROC curves against the definition, pair by pair."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from oracle.areas import area as naive_area
from oracle.areas import covariance
from rarewood.metrics.areas import area, area_with_interval, difference_with_interval

Z = 1.959963984540054


@st.composite
def scored(draw):
    n = draw(st.integers(4, 25))
    values = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
    first, second = (np.array(draw(st.lists(values, min_size=n, max_size=n))) for _ in range(2))
    n_rare = draw(st.integers(2, n - 2))
    return first, second, np.random.default_rng(draw(st.integers(0, 9))).permutation(n) < n_rare


@given(scored())
def test_area_and_interval_follow_the_definition(rows):
    scores, _, is_rare = rows
    found = area_with_interval(scores, is_rare)
    assert found.value == pytest.approx(roc_auc_score(is_rare, scores))
    assert found.value == pytest.approx(naive_area(scores, is_rare))
    assert area(scores, is_rare) == found.value
    if 0 < found.value < 1:
        deviation = math.sqrt(max(covariance(scores, scores, is_rare), 0.0))
        half = Z * deviation / (found.value * (1 - found.value))
        odds = math.log(found.value / (1 - found.value))
        assert found.low == pytest.approx(1 / (1 + math.exp(half - odds)), abs=1e-9)
        assert found.high == pytest.approx(1 / (1 + math.exp(-half - odds)), abs=1e-9)
        assert 0 <= found.low <= found.value <= found.high <= 1


@given(scored())
def test_difference_follows_the_definition(rows):
    first, second, is_rare = rows
    found = difference_with_interval(first, second, is_rare)
    variance = (
        covariance(first, first, is_rare) + covariance(second, second, is_rare) - 2 * covariance(first, second, is_rare)
    )
    assert found.value == pytest.approx(naive_area(first, is_rare) - naive_area(second, is_rare), abs=1e-12)
    assert (found.high - found.low) / 2 == pytest.approx(Z * math.sqrt(max(variance, 0.0)), abs=1e-7)


def test_nothing_is_said_where_nothing_can_be():
    perfect = area_with_interval(np.array([0.1, 0.2, 0.9, 0.8]), np.array([False, False, True, True]))
    assert (perfect.value, perfect.low, perfect.high) == (1.0, None, None)
    single = difference_with_interval(np.array([0.1, 0.9]), np.array([0.9, 0.1]), np.array([False, True]))
    assert (single.value, single.low) == (1.0, None)


def test_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    truth = 0.5 * (1 + math.erf(1.0 / math.sqrt(2) / math.sqrt(2)))  # P(N(1, 1) > N(0, 1))
    is_rare = np.arange(330) < 30
    hits = 0
    for _ in range(400):
        found = area_with_interval(rng.normal(size=330) + is_rare, is_rare)
        hits += found.low <= truth <= found.high
    assert 0.92 <= hits / 400 <= 0.98
