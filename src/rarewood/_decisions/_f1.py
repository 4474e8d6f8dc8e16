"""Thresholds of calibrated probabilities for the F-measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_EVIDENCE = 0.5  # share of the observed label in what a row counts; the rest is its probability


def half_best_f1(
    probabilities: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
) -> float:
    """F*/2: with calibrated probabilities the best cut for the F-measure is half the best F-measure (Lipton et al. 2014).

    F* is the top of the F-measure over all cuts, where row i counts [positive] / 2 + p_i / 2 of a positive row. With five
    positive rows the height of that curve is far more stable than the place of its top. Never above 1/2.

    Z. C. Lipton, C. Elkan and B. Naryanaswamy, "Optimal thresholding of classifiers to maximize F1 measure", ECML PKDD 2014.
    """
    order = np.argsort(-probabilities, kind="stable")
    weight = np.ones(len(order)) if weights is None else weights[order]
    gain = weight * (_EVIDENCE * positive[order] + (1.0 - _EVIDENCE) * probabilities[order])
    return float(_half_f1(gain, weight).max())


def best_f1_cut(probabilities: NDArray[np.float64]) -> float:
    """The cut with the highest expected F-measure if the probabilities are right, half way between two of them.

    For probabilities that take few values, so that the cut between two of them matters little.
    """
    values, n_rows = np.unique(probabilities, return_counts=True)
    best = int(np.argmax(_half_f1((n_rows * values)[::-1], n_rows[::-1])[::-1]))
    return float(values[best]) if best == 0 else float((values[best - 1] + values[best]) / 2)


def _half_f1(gain: NDArray[np.float64], weight: NDArray[Any]) -> NDArray[np.float64]:
    """Half the F-measure of calling the first rows positive, for every number of them, where a row counts `gain` of a positive."""
    return np.asarray(np.cumsum(gain) / (np.cumsum(weight) + gain.sum()))
