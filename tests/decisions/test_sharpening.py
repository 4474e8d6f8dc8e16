"""From log-odds of out-of-bag rows to those of new rows, which more trees score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

import rarewood as rw
from rarewood._decisions import Sharpening
from rarewood._decisions._sharpening import learn_sharpening
from rarewood.ensemble import fit_threshold


def noisy(n_rows=40_000, seed=0, spread=0.45):
    """A signal, and what a fifth of the trees and half of these make of it, calibrated for the fifth; and what all of them make of it."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(-2.5, 1.5, n_rows)
    y = rng.random(n_rows) < expit(truth)
    trees = truth[:, np.newaxis] + rng.normal(scale=spread * np.sqrt(10), size=(n_rows, 10))
    half, fifth = trees[:, :5].mean(axis=1), trees.mean(axis=1)
    everything = truth + rng.normal(scale=spread / np.sqrt(5), size=n_rows)
    return y, half, fifth, everything


def line_of(z, y, weight=None):
    """Slope and offset of largest likelihood, by Newton's steps."""
    weight, v = np.ones(len(z)) if weight is None else weight, np.array([1.0, 0.0])
    columns = np.stack([z, np.ones(len(z))])
    for _ in range(50):
        p = expit(v @ columns)
        v = v + np.linalg.solve((columns * (weight * p * (1 - p))) @ columns.T, columns @ (weight * (y - p)))
    return v


def test_it_finds_the_line_of_all_trees():
    y, half, fifth, everything = noisy()
    slope, offset = line_of(fifth, y)
    near, far, new = (slope * each + offset for each in (fifth, half, everything))
    found = learn_sharpening(near, far, y, np.ones(len(y)), np.full(len(y), 0.8))
    before, after = line_of(new, y)[0], line_of(found.slope * new + found.offset, y)[0]
    assert before > 1.07
    assert after == pytest.approx(1.0, abs=0.03)
    assert abs(expit(found.slope * new + found.offset).mean() - y.mean()) < 0.3 * abs(expit(new).mean() - y.mean())


def test_few_rare_rows_say_little():
    y, half, fifth, _ = noisy(400)
    few = learn_sharpening(fifth, half, y, np.ones(400), np.full(400, 0.8))
    again = [np.repeat(each, 50) for each in (fifth, half, y)]
    many = learn_sharpening(*again, np.ones(20_000), np.full(20_000, 0.8))
    n_rare = y.sum()
    assert np.log(few.slope) / np.log(many.slope) == pytest.approx(
        n_rare / (n_rare + 100) / (50 * n_rare / (50 * n_rare + 100)), rel=1e-3
    )


def test_nothing_to_learn_changes_nothing():
    z = np.linspace(-3, 3, 50)
    assert learn_sharpening(z, z, np.zeros(50, bool), np.ones(50), np.full(50, 0.8)) == Sharpening()


@given(
    slope=st.floats(0.5, 2.0),
    offset=st.floats(-3, 3),
    factor=st.floats(0.01, 100.0),
    p=st.lists(st.floats(0.001, 0.999), min_size=2, max_size=6),
    cut=st.floats(0.001, 0.999),
)
def test_a_cut_moves_along(slope, offset, factor, p, cut):
    line, p = Sharpening(slope, offset), np.array(p)
    p = p[np.abs(p - cut) > 1e-6]
    np.testing.assert_array_equal(expit(slope * logit(p) + offset) >= line.cut(cut), p >= cut)
    told = line.at_odds(factor)  # with a prior that multiplies odds
    moved, there = logit(p) + np.log(factor), expit(logit(cut) + np.log(factor))
    after = expit(slope * logit(p) + offset + np.log(factor))
    np.testing.assert_allclose(expit(told.slope * moved + told.offset), after, rtol=1e-9)
    assert told.cut(there) == pytest.approx(expit(slope * logit(cut) + offset + np.log(factor)))


@pytest.mark.parametrize("end", [0.0, 1.0, np.nextafter(1.0, 2.0)])
def test_cuts_that_call_all_or_none_stay(end):
    assert Sharpening(1.2, 0.3).cut(end) == end


MODELS = [
    rw.RareClassifier(60, random_state=0, column_effects=False),
    rw.ForestClassifier(60, calibration="beta", random_state=0),
    rw.BalancedForestClassifier(60, calibration="beta", random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_new_rows_of_noise_have_the_share_of_the_class(model):
    """Their mean probability was above it, .0853 for .0799: more trees agree, so fewer rows have a probability near 0."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 6)), rng.random(4000) < 0.08
    p = model.fit(X, y).predict_proba(rng.normal(size=(8000, 6)))[:, 1]
    line = model._sharpening
    before = expit((logit(p) - line.offset) / line.slope).mean()
    assert abs(p.mean() - y.mean()) < max(0.5 * abs(before - y.mean()), 0.001)


@pytest.mark.parametrize("labels", ["second", "first"])
@pytest.mark.parametrize("rule", ["precision=0.4", "recall=0.8", "alerts=5%", "recall=0.8@90%"])
def test_counted_cuts_call_the_same_scores(rule, labels):
    """A promise is counted on out-of-bag rows: among scores of the trees, the cut stays where it was."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = rng.random(3000) < expit(2 * X[:, 0] - 4)
    column = int(labels == "second")
    y = y == column
    model = rw.RareClassifier(60, threshold=rule, column_effects=False, random_state=0).fit(X, y)
    line, threshold = model._sharpening.of_class(column), model.decision_threshold_
    assert fit_threshold(model, X, y, rule=rule) == threshold
    assert line != Sharpening()
    new = rng.normal(size=(3000, 5))
    log_odds = (
        logit(model.predict_proba(new)[:, column]) - line.offset
    ) / line.slope  # as if few trees had scored them
    out_of_bag = model.oob_decision_function_[:, column]
    at = np.sort(out_of_bag)[-threshold.n_alarms]
    below = np.sort(out_of_bag)[-threshold.n_alarms - 1]
    called = model.predict(new) == model.positive_
    assert called[log_odds > logit(at) + 1e-9].all()
    assert not called[log_odds < logit(below) - 1e-9].any()
