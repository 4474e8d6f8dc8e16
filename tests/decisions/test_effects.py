"""Effects of columns: found where there are any and nowhere else, and no row judged by what it helped to find."""

import math
from dataclasses import replace

import numpy as np
import pytest

from rarewood._decisions import _effect_learning
from rarewood._decisions._effect_fits import Rows
from rarewood._decisions._effect_learning import learn_effects
from rarewood._tables.row_source import MatrixRows
from support.models import effects_at_any_price

NUMBERS = np.zeros(3, dtype=np.int32)


def additive(n_rows=2000, strength=2.0, seed=0, share=-2.0):
    """Rows of three columns, two of which have an effect that what is given, the same for all rows, knows nothing of."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    truth = share + strength * (np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1])
    codes = (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-truth))).astype(np.int64)
    given = np.full(n_rows, math.log(codes.mean() / (1.0 - codes.mean())))
    return X, codes, given, truth


def learn(X, given, codes, seed=0, n_categories=NUMBERS, weights=None):
    """Where all scores are without noise: half of the trees say the same."""
    return learn_effects(MatrixRows(X), n_categories, (given, given), codes, weights, 0.8, seed)


def test_an_additive_signal_is_found():
    X, codes, given, truth = additive(4000)
    found = learn(X, given, codes, 0)
    assert found is not None
    fresh, _, given, truth = additive(2000, seed=1)
    log_odds = found.slope * given[0] + found.offset + found.effects.apply(fresh)
    assert np.corrcoef(log_odds, truth)[0, 1] > 0.95
    np.testing.assert_allclose(found.effects.parts(X).mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(found.effects.parts(X).sum(axis=1), found.effects.apply(X))
    assert np.ptp(found.effects.values[2]) < 0.2 * np.ptp(found.effects.values[0])
    assert str(found.effects).startswith("effects of 3 columns ")
    assert "on the log-odds, fitted to 4,000 out-of-bag rows; log-likelihood of rows left out improves by " in str(
        found.effects
    )


@pytest.mark.parametrize("seed", range(5))
def test_noise_has_no_effects(seed):
    X, codes, given, _ = additive(600, strength=0.0, seed=seed)
    assert learn(X, given, codes, seed) is None


@pytest.mark.parametrize("seed", range(3))
def test_effects_that_tell_all_that_trees_tell_leave_these_a_say(seed):
    X, codes, given, truth = additive(4000, seed=seed)
    noisy = given + np.sin(2.0 * X[:, 0]) - 0.3 * codes + np.random.default_rng(seed).normal(size=len(X))
    found = learn(X, noisy, codes, seed)  # once effects are known, such scores would best be turned round
    assert found is not None
    assert 0.1 < found.slope < 0.5
    assert np.corrcoef(found.log_odds, truth)[0, 1] > 0.9


def test_what_is_known_already_is_no_effect():
    X, codes, _, truth = additive()
    assert learn(X, truth, codes, 0) is None


def test_no_row_is_judged_by_effects_that_it_helped_to_find(monkeypatch):
    """Steps fitted to noise know their own rows; the log-odds that are handed back must not."""
    monkeypatch.setattr(_effect_learning, "_STIFFNESS", 0.01)
    X, codes, given, _ = additive(300, strength=0.0, share=0.0)
    with effects_at_any_price():
        found = learn(X, given, codes, 0)
    assert found.effects.gain < 0
    seen, unseen = found.effects.apply(X), found.log_odds
    assert seen[codes == 1].mean() - seen[codes == 0].mean() > 0.3
    assert abs(unseen[codes == 1].mean() - unseen[codes == 0].mean()) < 0.2


def test_few_rows_of_a_class_have_no_effects():
    X, codes, given, _ = additive(400)
    codes[np.flatnonzero(codes)[9:]] = 0
    assert learn(X, given, codes, 0) is None


def test_a_row_of_weight_two_is_two_rows():
    X, codes, given, _ = additive(1500)
    weights = np.random.default_rng(0).integers(0, 3, size=1500).astype(float)
    kept = np.repeat(np.arange(1500), weights.astype(int))
    rows = Rows.of(X, NUMBERS, (given, given), codes, weights, 0.8)
    twice = replace(
        rows, alone=rows.alone[:, kept], scores=(given[kept],) * 2, second=rows.second[kept], weight=np.ones(len(kept))
    )
    np.testing.assert_allclose(rows.of_columns([0, 1], 5.0).fit(), twice.of_columns([0, 1], 5.0).fit(), atol=1e-3)


def test_noise_of_few_trees_is_no_effect():
    """Scores that are right but for the noise of few trees leave something for the columns to tell; those of all trees do not."""
    rng = np.random.default_rng(0)
    X, codes, _, truth = additive(4000, strength=1.0)
    noise = rng.normal(size=(2, 4000))
    given, half = truth + noise.sum(axis=0) / 2, truth + noise[0]
    assert learn_effects(MatrixRows(X), NUMBERS, (given, given), codes, None, 0.8, 0) is not None
    assert learn_effects(MatrixRows(X), NUMBERS, (given, half), codes, None, 0.8, 0) is None


def test_a_pair_that_only_counts_together_is_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    truth = -1.5 + 2.0 * np.sign(X[:, 1] * X[:, 3])
    codes = (rng.random(3000) < 1.0 / (1.0 + np.exp(-truth))).astype(np.int64)
    given = np.full(3000, math.log(codes.mean() / (1.0 - codes.mean())))
    found = learn(X, given, codes, n_categories=np.zeros(4, dtype=np.int32))
    assert found.effects.pairs[0].columns == (3, 1)
    assert "of the pairs 3 x 1" in str(found.effects)
    fresh = rng.normal(size=(500, 4))
    assert np.corrcoef(found.effects.apply(fresh), np.sign(fresh[:, 1] * fresh[:, 3]))[0, 1] > 0.8
    np.testing.assert_allclose([pair.apply(X).mean() for pair in found.effects.pairs], 0.0, atol=1e-12)


def test_rows_without_scores_teach_nothing():
    X, codes, given, _ = additive()
    unscored = np.arange(2000) % 4 == 0
    partly = np.where(unscored, np.nan, given)
    found = learn(X, partly, codes, 0)
    assert np.isnan(found.log_odds[unscored]).all()
    assert not np.isnan(found.log_odds[~unscored]).any()
    assert found.effects.n_rows == 1500
    other = np.where(unscored, 1 - codes, codes)
    same = learn(X, partly, other, 0)
    for values, again in zip(found.effects.values, same.effects.values, strict=True):
        np.testing.assert_array_equal(values, again)


def test_a_sample_of_many_rows_says_the_same(monkeypatch):
    X, codes, given, _ = additive(12_000, share=-3.0)
    whole = learn(X, given, codes, 0)
    monkeypatch.setattr(_effect_learning, "_MOST_ROWS", 5000)
    part = learn(X, given, codes, 0)
    assert part.effects.n_rows == 5000
    fresh = additive(2000, seed=1)[0]
    expected = whole.slope * given[0] + whole.offset + whole.effects.apply(fresh)
    found = part.slope * given[0] + part.offset + part.effects.apply(fresh)
    assert abs(found.mean() - expected.mean()) < 0.15
    assert np.abs(found - expected).mean() < 0.3
    np.testing.assert_allclose(part.log_odds, part.slope * given + part.offset + part.effects.apply(X), atol=1.0)


def test_categories_have_values_of_their_own():
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, 4, size=3000).astype(float), rng.normal(size=3000)]
    codes = (rng.random(3000) < np.array([0.02, 0.3, 0.02, 0.1])[X[:, 0].astype(int)]).astype(np.int64)
    given = np.full(3000, math.log(codes.mean() / (1.0 - codes.mean())))
    found = learn(X, given, codes, n_categories=np.array([4, 0], dtype=np.int32))
    values = found.effects.values[0]
    assert len(values) == 6  # four categories, one never seen, missing
    assert values[1] > values[3] > max(values[0], values[2])
    assert values[4] == values[5] == 0.0


def test_a_table_of_categories_has_no_pairs():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(1500, 2)).astype(float)
    codes = (rng.random(1500) < 0.05 + 0.3 * (X[:, 0] == 1)).astype(np.int64)
    given = np.full(1500, math.log(codes.mean() / (1.0 - codes.mean())))
    found = learn(X, given, codes, n_categories=np.full(2, 3, dtype=np.int32))
    assert found.effects.pairs == ()
    assert found.effects.values[0].argmax() == 1
