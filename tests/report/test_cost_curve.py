"""Costs against adding up the errors row by row, and the drawing of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood.report._charts.cost_curve import decades
from rarewood.report._scores import ScoredRows
from rarewood.report._sections.cost_curve import cost_curve
from support.subjects import subject_of


def slow_cost(rows, threshold, costs):
    total = 0.0
    for score, rare in zip(rows.scores.tolist(), rows.is_rare.tolist(), strict=True):
        if score >= threshold and not rare:
            total += costs[0]
        if score < threshold and rare:
            total += costs[1]
    return total


@given(st.integers(0, 1000), st.integers(2, 40), st.sampled_from([(1.0, 20.0), (1.5, 1.5), (0.0, 3.0), (2.0, 0.0)]))
def test_costs_add_up_row_by_row(seed, n, costs):
    rng = np.random.default_rng(seed)
    rows = ScoredRows(rng.integers(0, 6, n) / 5, rng.permutation(n) < rng.integers(1, n))
    found = cost_curve(subject_of(rows, threshold=0.4, costs=costs))
    assert found["at_chosen"] == pytest.approx(slow_cost(rows, 0.4, costs))
    assert found["of_no_alarm"] == pytest.approx(slow_cost(rows, 2.0, costs))
    assert found["of_all_alarms"] == pytest.approx(slow_cost(rows, -1.0, costs))
    thresholds = [*rows.scores.tolist(), 2.0]
    least = min(slow_cost(rows, threshold, costs) for threshold in thresholds)
    assert found["cheapest"]["cost"] == pytest.approx(least)
    cheapest = found["cheapest"]["threshold"]
    assert slow_cost(rows, cheapest, costs) == pytest.approx(least)
    dearer = [threshold for threshold in rows.scores.tolist() if threshold > cheapest]
    assert all(slow_cost(rows, threshold, costs) > least for threshold in dearer)


def test_exact_probabilities_are_cut_where_theory_says():
    rng = np.random.default_rng(0)
    chances = rng.random(200_000)
    rows = ScoredRows(chances, rng.random(len(chances)) < chances)
    found = cost_curve(subject_of(rows, costs=(1.0, 4.0)))
    assert found["if_probabilities"] == 0.2
    assert found["cheapest"]["threshold"] == pytest.approx(0.2, abs=0.03)
    assert cost_curve(subject_of(rows, costs=(0.0, 0.0)))["if_probabilities"] is None


@pytest.mark.parametrize(
    ("costs", "wanted"),
    [([12, 340, 0], (10, 1000)), ([100, 1000], (100, 1000)), ([5], (1, 10)), ([0], (1, 10)), ([0.02, 3], (0.01, 10))],
)
def test_the_axis_spans_whole_decades(costs, wanted):
    assert decades(costs) == pytest.approx(wanted)
