"""How much each of several forests has to say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions._calibration import FARTHEST, LEAST_PROBABILITY, STEEPEST
from rarewood._decisions._minimum import minimise, sum_over_blocks

_PSEUDO_ROWS = 1.0  # for each forest: none is silenced by a handful of rows
_FEWEST, _MOST = -8.0, 8.0  # of v, where shares are softmax(v)

Numbers = NDArray[np.float64]


def mixture_weights(probabilities: Iterable[Numbers], codes: NDArray[Any], weights: Numbers | None = None) -> Numbers:
    """Shares w of the forests that maximise sum_i weight_i log q_i(true class) + sum_j log w_j.

    `probabilities` are those of each forest, rows x classes, and q is their mixture after the calibration that suits it best
    (`fit_calibration`, with its penalty). What matters is what forests tell once their scores are calibrated: before, the sharpest
    of several smooth ones would get all the weight. So shares and calibration are found together.
    """
    p = [np.clip(each.T, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY, order="C") for each in probabilities]
    n_forests, (n_classes, n_rows) = len(p), p[0].shape
    if n_forests == 1 or n_rows == 0:
        return np.full(n_forests, 1.0 / n_forests)
    weight = np.ones(n_rows) if weights is None else weights
    ends = [n_forests, n_forests + n_classes]

    def loss(found: Numbers) -> tuple[float, Numbers]:
        v, u, b = np.split(found, ends)
        w, a = _softmax(v), np.exp(u)
        likelihood, by_share, by_log, by_score = sum_over_blocks(
            n_rows, lambda block: _likelihood([each[:, block] for each in p], codes[block], weight[block], w, a, b)
        )
        by_share, by_log = w * by_share, a * by_log
        by_v = by_share - w * by_share.sum() + _PSEUDO_ROWS * (1.0 - n_forests * w)
        penalty = (u * u).sum() + 0.5 * (b * b).sum() - _PSEUDO_ROWS * np.log(w).sum()
        return float(penalty - likelihood), np.concatenate([-by_v, 2.0 * u - by_log, b - by_score])

    bounds = [(_FEWEST, _MOST)] * n_forests + [(-STEEPEST, STEEPEST)] * n_classes + [(-FARTHEST, FARTHEST)] * n_classes
    return _softmax(minimise(loss, np.zeros(len(bounds)), bounds)[:n_forests])


def _likelihood(
    p: list[Numbers], codes: NDArray[Any], weight: Numbers, w: Numbers, a: Numbers, b: Numbers
) -> tuple[Any, ...]:
    """Of some rows, and how it rises: with the shares, with the logarithms of scores times a, and with b."""
    rows = np.arange(len(codes))
    mixed = w[0] * p[0]
    for share, each in zip(w[1:], p[1:], strict=True):
        mixed += share * each
    logs = np.log(mixed)
    e = a[:, np.newaxis] * logs
    e += b[:, np.newaxis]
    of_true, top = e[codes, rows], e.max(axis=0)
    e -= top
    np.exp(e, out=e)
    total = e.sum(axis=0)
    likelihood = (weight * (of_true - top - np.log(total))).sum()
    e *= -weight / total
    e[codes, rows] += weight  # of each class, by how much its log score is too low
    by_score, by_log = e.sum(axis=1), (e * logs).sum(axis=1)
    e *= a[:, np.newaxis]
    e /= mixed
    return likelihood, np.array([(each * e).sum() for each in p]), by_log, by_score


def _softmax(v: Numbers) -> Numbers:
    e = np.exp(v - v.max())
    return np.asarray(e / e.sum())
