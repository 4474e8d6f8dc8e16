"""Gains, lift and the distance of the classes against plain counting and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from rarewood.report._scores import ScoredRows
from rarewood.report._sections.gains import SHARES, gains
from support.subjects import subject_of


@st.composite
def tied_rows(draw):
    n = draw(st.integers(2, 60))
    values = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
    scores = np.array(draw(st.lists(values, min_size=n, max_size=n)))
    n_rare = draw(st.integers(1, n - 1))
    return ScoredRows(scores, np.random.default_rng(draw(st.integers(0, 9))).permutation(n) < n_rare)


def slow_groups(rows):
    """Row by row: go down the scores, and close a group once a share of the rows is reached and the next score is lower."""
    order = sorted(range(len(rows.scores)), key=lambda row: -rows.scores[row])
    groups, current, share = [], [], 0
    for place, row in enumerate(order):
        current.append(row)
        last_of_its_score = place + 1 == len(order) or rows.scores[order[place + 1]] < rows.scores[row]
        if last_of_its_score and (place + 1) / len(order) >= SHARES[share] - 1e-12:
            groups.append(current)
            current = []
            while share < len(SHARES) and SHARES[share] - 1e-12 <= (place + 1) / len(order):
                share += 1
    return groups


@given(tied_rows())
def test_groups_are_those_of_plain_counting(rows):
    found = gains(subject_of(rows))["groups"]
    wanted = slow_groups(rows)
    assert [group["n_rows"] for group in found] == [len(group) for group in wanted]
    seen = []
    for group, inside in zip(found, wanted, strict=True):
        seen += inside
        hits, so_far = rows.is_rare[inside].sum(), rows.is_rare[seen].sum()
        assert group["n_rare"] == hits
        assert group["threshold"] == rows.scores[inside].min()
        assert group["precision"] == pytest.approx(hits / len(inside))
        assert group["lift"] == pytest.approx(hits / len(inside) / rows.is_rare.mean())
        assert group["recall_so_far"] == pytest.approx(so_far / rows.is_rare.sum())
        assert group["lift_so_far"] == pytest.approx(so_far / len(seen) / rows.is_rare.mean())
        assert group["ks"] == pytest.approx(so_far / rows.n_rare - (len(seen) - so_far) / rows.n_rest)
    assert (found[-1]["share_so_far"], found[-1]["recall_so_far"]) == (1.0, 1.0)
    assert found[-1]["lift_so_far"] == pytest.approx(1.0)


@given(tied_rows())
def test_distance_is_that_of_kolmogorov_and_smirnov(rows):
    ks = gains(subject_of(rows))["ks"]
    one_sided = ks_2samp(rows.scores[rows.is_rare], rows.scores[~rows.is_rare], alternative="less", method="asymp")
    assert ks["value"] == pytest.approx(max(one_sided.statistic, 0.0), abs=1e-12)
    assert ks["value"] == pytest.approx(ks["recall"] - ks["false_alarm_rate"])
    above = rows.scores >= ks["threshold"]
    assert ks["recall"] == pytest.approx(above[rows.is_rare].mean())


def test_without_ties_the_shares_are_those_of_the_table():
    rng = np.random.default_rng(0)
    found = gains(subject_of(ScoredRows(rng.random(1000), rng.random(1000) < 0.1)))["groups"]
    assert [group["share_so_far"] for group in found] == list(SHARES)
