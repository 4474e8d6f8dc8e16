"""Calibration: the top of a penalised likelihood that is written down again here, and what it does to scores."""

import numpy as np
import pytest

from oracle.decisions import calibrated, calibration_loss
from rarewood._decisions import fit_calibration


def scored(seed, n_rows, n_classes, blur=1.0):
    """Rows whose classes are drawn from known probabilities, and scores that are too flat or too steep."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.linspace(2.0, 0.3, n_classes), size=n_rows)
    codes = np.array([rng.choice(n_classes, p=row) for row in truth])
    scores = truth**blur
    return scores / scores.sum(axis=1, keepdims=True), codes, truth


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("blur", [0.5, 1.0, 2.0])
def test_no_step_makes_it_better(n_classes, blur):
    scores, codes, _ = scored(n_classes, 60, n_classes, blur)
    weights = np.random.default_rng(1).integers(1, 4, size=60).astype(float)
    found = fit_calibration(scores, codes, np.arange(n_classes), weights)
    lowest = calibration_loss(scores, codes, weights, found.slopes, found.offsets)
    assert lowest <= calibration_loss(scores, codes, weights, np.ones(n_classes), np.zeros(n_classes))
    for number in range(2 * n_classes):
        for step in (-1e-2, 1e-2):
            u, b = np.log(found.slopes), found.offsets.copy()
            (u if number < n_classes else b)[number % n_classes] += step
            assert calibration_loss(scores, codes, weights, np.exp(u), b) > lowest


def test_apply_is_its_formula():
    scores, codes, _ = scored(0, 50, 3)
    found = fit_calibration(scores, codes, np.array(["a", "b", "c"]))
    expected = [calibrated(row, found.slopes, found.offsets) for row in scores]
    np.testing.assert_allclose(found.apply(scores), expected, rtol=1e-12)


def test_flattened_scores_are_put_right():
    scores, codes, truth = scored(3, 4000, 2, blur=0.4)
    found = fit_calibration(scores, codes, np.arange(2))
    np.testing.assert_allclose(found.apply(scores), truth, atol=0.05)
    assert np.abs(scores - truth).max() > 0.15
    np.testing.assert_allclose(found.prior, np.bincount(codes) / 4000)


def test_few_rows_change_little():
    """The penalty is worth about a row: two rows do not turn scores around."""
    scores = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
    found = fit_calibration(scores, np.array([0, 1, 1]), np.arange(2))
    assert np.all(np.abs(found.apply(scores) - scores) < 0.4)
    assert np.all(found.slopes > 0)


def test_tiny_scores_stay_apart():
    """Scores of a class with one row in 100,000 must not be tied by the clip before the logarithm."""
    tiny = np.geomspace(3e-7, 1e-3, 50)
    found = fit_calibration(np.c_[1 - tiny, tiny], np.r_[np.zeros(49, int), 1], np.arange(2))
    assert np.all(np.diff(found.apply(np.c_[1 - tiny, tiny])[:, 1]) > 0)


def test_scores_of_zero_and_one():
    found = fit_calibration(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), np.array([0, 1, 0]), np.arange(2))
    assert np.isfinite(found.apply([[1.0, 0.0], [0.0, 1.0]])).all()


def test_prints_itself():
    scores, codes, _ = scored(0, 1200, 2)
    told = str(fit_calibration(scores, codes, np.array(["ok", "fraud"])))
    assert told.startswith("beta calibration on 1,200 out-of-bag rows: log odds of fraud = ")
    assert "log p(fraud)" in told
    assert "log p(ok)" in told
    scores, codes, _ = scored(0, 90, 3)
    assert "softmax of " in repr(fit_calibration(scores, codes, np.arange(3)))
