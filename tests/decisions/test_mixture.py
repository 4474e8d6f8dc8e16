"""Weights of forests: no others make the calibrated mixture more likely, also where a class is very rare."""

import numpy as np
import pytest

from oracle.decisions import mixture_likelihood
from rarewood._decisions import _minimum, fit_calibration, mixture_weights


def forests(n_forests, n_classes, n_rows=60, seed=0):
    """Scores that know something of the classes, each forest as much as its number says."""
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(n_classes), rng.integers(0, n_classes, size=n_rows - n_classes)]
    known = [
        np.eye(n_classes)[codes] * number + rng.exponential(size=(n_rows, n_classes)) for number in range(n_forests)
    ]
    return [each / each.sum(axis=1, keepdims=True) for each in known], codes


def likelihood(shares, given, codes, weights):
    calibration = fit_calibration(np.tensordot(shares, given, 1), codes, np.unique(codes), weights)
    return mixture_likelihood(shares, calibration.slopes, calibration.offsets, given, codes, weights)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_forests", [2, 4])
def test_no_other_shares_are_more_likely(n_forests, n_classes):
    given, codes = forests(n_forests, n_classes)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, size=len(codes)).astype(float)
    best = mixture_weights(given, codes, weights)
    assert best.sum() == pytest.approx(1.0)
    assert best.argmax() == n_forests - 1
    most = likelihood(best, given, codes, weights)
    for size in (0.02, 0.2, 1.0):
        for _ in range(5):
            other = best * np.exp(size * rng.normal(size=n_forests))
            assert likelihood(other / other.sum(), given, codes, weights) < most + 1e-4


def test_smooth_forests_that_tell_the_same_share_alike():
    """Leaves that are smoothed halve all log-odds: calibration would undo it, so it is no reason to prefer the sharper forest."""
    (_, sharp), codes = forests(2, 2, n_rows=3000)
    smooth = sharp**0.5 / (sharp**0.5).sum(axis=1, keepdims=True)
    smooth_first = mixture_weights([smooth, sharp], codes)
    np.testing.assert_allclose(mixture_weights([sharp, smooth], codes), smooth_first[::-1], atol=1e-3)
    assert smooth_first.min() > 0.05


def test_certain_rows_do_not_hide_what_the_rare_ones_say():
    """20,000 rows on which all agree, and 40 that only the second forest knows."""
    given = [np.tile([0.999, 0.001], (20_040, 1)) for _ in range(3)]
    for each, known in zip(given, (0.05, 0.6, 0.05)):
        each[:40] = (1.0 - known, known)
    codes = np.r_[np.ones(40, int), np.zeros(20_000, int)]
    weights = mixture_weights(given, codes)
    assert weights[1] > 0.5
    few = mixture_weights([each[:41] for each in given], codes[:41], np.r_[np.ones(40), 20_000.0])
    np.testing.assert_allclose(weights, few, atol=1e-4)


def test_weights_are_repetitions():
    given, codes = forests(3, 2)
    times = np.random.default_rng(0).integers(0, 3, size=len(codes))
    repeated = mixture_weights([np.repeat(each, times, axis=0) for each in given], np.repeat(codes, times))
    np.testing.assert_allclose(mixture_weights(given, codes, times.astype(float)), repeated, atol=1e-4)


def test_nothing_to_choose():
    assert mixture_weights([np.full((5, 2), 0.5)], np.zeros(5, int)).tolist() == [1.0]
    np.testing.assert_allclose(mixture_weights([np.empty((0, 2))] * 3, np.empty(0, int)), 1 / 3)
    np.testing.assert_allclose(mixture_weights([np.zeros((4, 2))] * 2, np.array([0, 0, 1, 1])), 0.5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_blocks_of_rows(n_classes, monkeypatch):
    """Intermediate results of many rows are not held at once; what is found differs by no more than rounding."""
    given, codes = forests(3, n_classes)
    weights = np.random.default_rng(1).integers(0, 4, size=len(codes)).astype(float)
    shares, calibration = (
        mixture_weights(given, codes, weights),
        fit_calibration(given[1], codes, np.unique(codes), weights),
    )
    monkeypatch.setattr(_minimum, "_BLOCK", 7)
    np.testing.assert_allclose(mixture_weights(iter(given), codes, weights), shares, rtol=1e-6)
    found = fit_calibration(given[1], codes, np.unique(codes), weights)
    np.testing.assert_allclose(found.slopes, calibration.slopes, rtol=1e-6)
    np.testing.assert_allclose(found.offsets, calibration.offsets, atol=1e-6)
