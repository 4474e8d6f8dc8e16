"""Weights of forests: those that a patient EM ends at, also where a class is very rare."""

import numpy as np
import pytest

from oracle.decisions import mixture_by_em
from rarewood._decisions import mixture_weights


@pytest.mark.parametrize("n_forests", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_where_em_ends(seed, n_forests):
    rng = np.random.default_rng(seed)
    p = rng.beta(2.0, 1.0, size=(40, n_forests))
    weights = rng.integers(0, 4, size=40).astype(float)
    np.testing.assert_allclose(mixture_weights(p, weights), mixture_by_em(p, weights), atol=2e-5)


def test_certain_rows_do_not_hide_what_the_rare_ones_say():
    """20,000 rows on which all agree, and 40 that only the second forest knows."""
    p = np.full((20_040, 3), 0.999)
    p[:40] = (0.05, 0.6, 0.05)
    weights = mixture_weights(p)
    assert weights[1] > 0.9
    few = np.concatenate([p[:40], p[-1:]])
    np.testing.assert_allclose(weights, mixture_weights(few, np.r_[np.ones(40), 20_000.0]), atol=1e-6)


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    p, times = rng.random((30, 3)), rng.integers(0, 3, size=30)
    np.testing.assert_allclose(
        mixture_weights(p, times.astype(float)), mixture_weights(np.repeat(p, times, axis=0)), atol=1e-5
    )


def test_nothing_to_choose():
    assert mixture_weights(np.full((5, 1), 0.3)).tolist() == [1.0]
    np.testing.assert_allclose(mixture_weights(np.empty((0, 3))), 1 / 3)
    np.testing.assert_allclose(mixture_weights(np.zeros((4, 2))), 0.5)
