"""Fits of step functions beside their slow twin: the same lowest point, tables of sums one by one."""

import numpy as np
import pytest

from oracle import effects as oracle
from rarewood._core import StepFit, pair_misfits, step_codes
from rarewood._decisions import ColumnEffects, PairEffect, _effect_fits
from rarewood._decisions._effect_fits import Rows, Steps
from rarewood._decisions._effects import steps_of

NUMBERS = np.zeros(3, dtype=np.int32)


def noisy_rows(n_rows=400, more=0.8, seed=0):
    """Numbers with missing and equal cells and a nominal column, scores of two kinds of noise, weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    X[:, 1] = X[:, 1].round()
    X[:, 3] = rng.integers(0, 3, size=n_rows)
    truth = np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] + X[:, 0] * X[:, 2] + (X[:, 3] == 1)
    X[::9, 2] = np.nan
    second = (rng.random(n_rows) < 1.0 / (1.0 + np.exp(1.0 - truth))).astype(np.uint8)
    scores = tuple(0.5 * np.nan_to_num(truth) - 1.0 + noise * rng.normal(size=n_rows) for noise in (0.5, 0.7))
    weight = rng.integers(1, 4, size=n_rows).astype(float)
    return Rows.of(X, np.array([0, 0, 0, 3], dtype=np.int32), scores, second, weight, more), X


def penalties(rows, stiffness):
    steps = rows.steps
    found = []
    for column, limits in enumerate(steps.alone):
        size = len(limits) + 1 + int(steps.missing[column])
        nominal = bool(steps.nominal[column])
        ridge = 1.0 + 0.25 * stiffness if nominal else 1.0
        found.append(oracle.chain(1 if nominal else len(limits) + 1, size, stiffness, ridge))
    return found


def block_diagonal(blocks):
    sizes = [len(block) for block in blocks]
    whole = np.zeros((sum(sizes), sum(sizes)))
    for first, block in zip(np.cumsum([0, *sizes]), blocks):
        whole[first : first + len(block), first : first + len(block)] = block
    return whole


@pytest.mark.parametrize("more", [0.0, 0.8])
@pytest.mark.parametrize("stiffness", [5.0, 50.0])
def test_columns_are_those_of_the_twin(more, stiffness):
    rows, X = noisy_rows(more=more)
    codes = [oracle.codes_of(cells, limits) for cells, limits in zip(X.T, rows.steps.alone)]
    np.testing.assert_array_equal(rows.alone, codes)
    blocks = penalties(rows, stiffness)
    sizes = [len(block) for block in blocks]
    given = (*rows.scores, rows.second, rows.weight, more, block_diagonal(blocks))
    fit = rows.of_columns([0, 1, 2, 3], stiffness)
    found = fit.fit()
    expected = oracle.fit(codes, sizes, *given)
    np.testing.assert_allclose(found, expected, atol=1e-3)
    lowest = oracle.objective(expected, oracle.design(codes, sizes), *given)[0]
    assert oracle.objective(found, oracle.design(codes, sizes), *given)[0] == pytest.approx(lowest, abs=1e-5)
    z = expected[-1] * rows.scores[0] + expected[-2] + oracle.design(codes, sizes) @ expected[:-2]
    np.testing.assert_allclose(fit.log_odds(expected), z)


@pytest.mark.parametrize("out", [(0, 80), (100, 180), (320, 400)])
def test_rows_left_out_leave_no_trace(out):
    rows, _ = noisy_rows()
    blocks = penalties(rows, 5.0)
    fit = rows.of_columns([0, 1, 2, 3], 5.0)
    fit.fit()
    kept = np.r_[: out[0], out[1] : 400]
    scores = [scores[kept] for scores in rows.scores]
    given = (rows.alone[:, kept], [len(block) for block in blocks], *scores, rows.second[kept], rows.weight[kept], 0.8)
    expected = oracle.fit(*given, block_diagonal(blocks))
    np.testing.assert_allclose(fit.fit_without(*out), expected, atol=2e-3)
    np.testing.assert_allclose(rows.of_columns([0, 1, 2, 3], 5.0, out).fit(), expected, atol=1e-3)


def test_pairs_are_those_of_the_twin():
    rows, X = noisy_rows()
    pairs, blocks, codes = [(1, 0), (2, 0)], [], []
    for a, b in pairs:
        n, m = (len(rows.steps.paired[column]) + 1 for column in (a, b))
        size_n, size_m = n + int(rows.steps.missing[a]), m + int(rows.steps.missing[b])
        blocks.append(oracle.grid(n, m, size_n, size_m, 5.0))
        one, other = (oracle.codes_of(X[:, column], rows.steps.paired[column]) for column in (a, b))
        codes.append(one * size_m + other)
    given = (*rows.scores, rows.second, rows.weight, 0.8, block_diagonal(blocks))
    expected = oracle.fit(codes, [len(block) for block in blocks], *given)
    np.testing.assert_allclose(rows.of_pairs(pairs, rows.scores).fit(), expected, atol=1e-3)


def test_slope_and_offset_alone():
    rows, _ = noisy_rows()
    expected = oracle.fit([], [], *rows.scores, rows.second, rows.weight, 0.8, np.zeros((0, 0)))
    np.testing.assert_allclose(rows.of_columns([], 0.0).fit(), expected, atol=1e-4)


def test_a_slope_far_from_one_is_found():
    """Noise that is extrapolated far bends the way to it much less than the curvature at the beginning says."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    X[:, 3] = rng.integers(0, 3, size=400)
    truth = 4.0 * np.sin(2.0 * X[:, 0]) + 2.0 * X[:, 1] + 3.0 * (X[:, 3] == 1)
    second = (rng.random(400) < 1.0 / (1.0 + np.exp(1.0 - truth))).astype(np.uint8)
    scores = tuple(0.25 * truth + noise * rng.normal(size=400) for noise in (0.2, 0.28))
    rows = Rows.of(X, np.array([0, 0, 0, 3], dtype=np.int32), scores, second, np.ones(400), 4.0)
    blocks = penalties(rows, 5.0)
    sizes = [len(block) for block in blocks]
    given = (*scores, second, np.ones(400), 4.0, block_diagonal(blocks))
    expected, on = oracle.fit(rows.alone, sizes, *given), oracle.design(rows.alone, sizes)
    assert expected[-1] > 6.0
    lowest = oracle.objective(expected, on, *given)[0]
    found = rows.of_columns([0, 1, 2, 3], 5.0).fit()
    assert oracle.objective(found, on, *given)[0] == pytest.approx(lowest, abs=1e-5)


def test_a_far_start_is_no_obstacle():
    """Scores that are badly wrong make Newton's first step too long."""
    rng = np.random.default_rng(0)
    second = (rng.random(300) < 0.5).astype(np.uint8)
    given = np.where(second == 1, -20.0, 20.0) + rng.normal(size=300)
    rows = Rows.of(rng.normal(size=(300, 3)), NUMBERS, (given, given), second, np.ones(300), 0.8)
    blocks = penalties(rows, 5.0)
    found = rows.of_columns([0, 1, 2], 5.0).fit()
    expected = oracle.fit(
        rows.alone, [len(block) for block in blocks], given, given, second, np.ones(300), 0.8, block_diagonal(blocks)
    )
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_misfits_of_pairs_one_by_one():
    rows, X = noisy_rows(60)
    lack, spread = rows.residuals(rows.scores)
    near, far = (1.0 / (1.0 + np.exp(-scores)) for scores in rows.scores)
    np.testing.assert_allclose(lack, rows.weight * (rows.second - 1.8 * near + 0.8 * far))
    np.testing.assert_allclose(spread, rows.weight**2 * near * (1.0 - near))
    expected = {}
    for a, b in ((1, 0), (2, 0), (2, 1)):
        known = ~np.isnan(X[:, [a, b]]).any(axis=1)
        best = 0.0
        for cut_a in [*rows.steps.paired[a], np.inf]:
            for cut_b in [*rows.steps.paired[b], np.inf]:
                sides = [(X[:, a] <= cut_a) == low_a for low_a in (True, False)]
                quarters = [known & side & ((X[:, b] <= cut_b) == low_b) for side in sides for low_b in (True, False)]
                best = max(best, sum(lack[q].sum() ** 2 / (spread[q].sum() + 0.5) for q in quarters))
        expected[a, b] = best
    found = rows.misfits_of_pairs(lack, spread, [0, 1, 2])
    assert [score for score, _, _ in found] == sorted((score for score, _, _ in found), reverse=True)
    assert {(a, b): score for score, a, b in found} == pytest.approx(expected)


def test_misfits_of_columns_one_by_one():
    rows, X = noisy_rows(60)
    lack, spread = rows.residuals(rows.scores, (10, 20))
    assert not lack[10:20].any()
    assert not spread[10:20].any()
    on = oracle.codes_of(X[:, 0], rows.steps.paired[0])
    sums = [(lack[on == step].sum(), spread[on == step].sum()) for step in range(on.max() + 1)]
    assert rows.misfits(lack, spread)[0] == pytest.approx(sum(gap**2 / (width + 0.5) for gap, width in sums))


def test_steps_end_at_quantiles_or_between_all_values():
    X = np.c_[np.arange(160.0), np.arange(160) % 5, np.ones(160), np.arange(160) % 3]
    X[:3, 1] = np.nan
    steps = Steps.of(X, np.array([0, 0, 0, 3], dtype=np.int32))
    np.testing.assert_array_equal(steps.alone[0], np.arange(1, 16) * 10 - 1.0)
    np.testing.assert_array_equal(steps.alone[1], [0.0, 1.0, 2.0, 3.0])
    assert len(steps.alone[2]) == 0
    np.testing.assert_array_equal(steps.alone[3], [0.5, 1.5, 2.5])
    assert len(steps.paired[0]) == 7
    assert len(steps.paired[3]) == 0
    np.testing.assert_array_equal(steps.missing, [False, True, False, False])
    np.testing.assert_array_equal(steps.sizes(steps.alone), [16, 6, 1, 4])


def test_a_very_frequent_value_gets_no_step_twice():
    X = np.r_[np.zeros(900), np.arange(1.0, 101.0)][:, np.newaxis]
    bounds = Steps.of(X, np.zeros(1, dtype=np.int32)).alone[0]
    assert (np.diff(bounds) > 0).all()
    assert bounds[0] == 0.0
    assert bounds[-1] < 100.0


def test_of_many_columns_the_worst_take_part(monkeypatch):
    monkeypatch.setattr(_effect_fits, "_MOST_VALUES", 40)
    rows, _ = noisy_rows()
    assert rows.columns() is None
    lack, spread = rows.residuals(rows.scores)
    chosen = rows.worst_columns(lack, spread)
    sizes, misfits = rows.steps.sizes(rows.steps.alone), rows.misfits(lack, spread)
    assert sizes[chosen].sum() <= 40
    left = [column for column in range(4) if column not in chosen]
    assert misfits[chosen].min() > misfits[left].max()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_steps_one_by_one(dtype, order):
    rng = np.random.default_rng(0)
    X = np.array(rng.integers(-3, 4, size=(50, 3)) / 2, dtype=dtype, order=order)
    X[rng.random((50, 3)) < 0.2] = np.nan
    X[0] = -np.inf
    X[1] = np.inf
    bounds = [np.array([-1.0, 0.0, 0.5, 1.0]), np.empty(0), np.array([0.0])]
    expected = [oracle.codes_of(X[:, column], limits) for column, limits in enumerate(bounds)]
    np.testing.assert_array_equal(steps_of(X, bounds), expected)


def test_what_effects_add():
    bounds = (np.array([0.0, 1.0]), np.arange(3) + 0.5, np.empty(0))
    X = np.array([[-1.0, 0.0, 5.0], [0.0, 1.0, np.nan], [0.5, 2.0, 5.0], [1.0, 3.0, 5.0], [2.0, np.nan, 5.0]])
    np.testing.assert_array_equal(steps_of(X, bounds).T, [[0, 0, 0], [0, 1, 1], [1, 2, 0], [1, 3, 0], [2, 4, 0]])
    pair = PairEffect((2, 0), (np.array([4.0]), np.array([0.0])), 1000.0 * np.arange(9).reshape(3, 3))
    effects = ColumnEffects(bounds, (np.arange(4.0), 10.0 * np.arange(5), np.array([0.0, 100.0])), (pair,), 1.0, 5)
    np.testing.assert_array_equal(effects.apply(X), [3000.0, 6110.0, 4021.0, 4031.0, 4042.0])
    np.testing.assert_array_equal(effects.parts(X)[0], [1500.0, 0.0, 1500.0])
    np.testing.assert_array_equal(effects.parts(X).sum(axis=1), effects.apply(X))


def test_arrays_that_do_not_fit_are_refused():
    ok = (np.zeros((1, 5), np.uint8), [2], np.zeros(5), np.zeros(5), np.zeros(5, np.uint8), np.ones(5), 0.8, np.eye(2))
    StepFit(*ok).fit()
    for place, wrong in enumerate(
        (np.full((1, 5), 2, np.uint8), [2, 1], *[np.zeros(4)] * 2, np.zeros(4, np.uint8), np.ones(6))
    ):
        with pytest.raises(ValueError, match=r"[sS]tep"):
            StepFit(*ok[:place], wrong, *ok[place + 1 :])
    with pytest.raises(ValueError, match="penalty"):
        StepFit(*ok[:-1], np.eye(3))
    with pytest.raises(ValueError, match="leave out"):
        StepFit(*ok).fit_without(3, 6)
    with pytest.raises(ValueError, match="no values"):
        StepFit(*ok).log_odds(np.zeros(3))
    with pytest.raises(ValueError, match="254"):
        step_codes(np.zeros((2, 1)), np.array([255]), np.arange(255.0))
    with pytest.raises(ValueError, match="fit the columns"):
        step_codes(np.zeros((2, 1)), np.array([2]), np.arange(3.0))
    with pytest.raises(ValueError, match="fit each other"):
        pair_misfits(np.zeros((2, 5), np.uint8), [2, 2], [0, 2], np.zeros(5), np.ones(5))
