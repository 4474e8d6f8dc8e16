"""How much each of several forests has to say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions._minimum import minimise

_LEAST = 1e-7  # of a likelihood, so that its logarithm exists
_PSEUDO_ROWS = 1.0  # for each forest: none is silenced by a handful of rows


def mixture_weights(
    likelihoods: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Shares w of the forests that maximise sum_i weight_i log(sum_j w_j p_ij) + sum_j log w_j.

    `likelihoods` p has a row per case and a column per forest: the probability that the forest gave to the true class. The
    objective is concave in w. EM creeps where most rows are certain, as they are when a class is rare, so it is maximised by
    Newton steps in v, w = softmax(v).
    """
    n_rows, n_forests = likelihoods.shape
    if n_forests == 1 or n_rows == 0:
        return np.full(n_forests, 1.0 / n_forests)
    p = np.clip(np.ascontiguousarray(likelihoods.T), _LEAST, 1.0)
    weight = np.ones(n_rows) if weights is None else weights
    total = weight.sum() + n_forests * _PSEUDO_ROWS

    def loss(v: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        w = _softmax(v)
        share = w[:, np.newaxis] * p
        mixed = share.sum(axis=0)
        value = (weight * np.log(mixed)).sum() + _PSEUDO_ROWS * np.log(w).sum()
        slope = np.einsum("ji,i->j", share, weight / mixed) + _PSEUDO_ROWS - total * w
        return -float(value), -slope

    return _softmax(minimise(loss, np.zeros(n_forests)))


def _softmax(v: NDArray[np.float64]) -> NDArray[np.float64]:
    e = np.exp(v - v.max())
    return np.asarray(e / e.sum())
