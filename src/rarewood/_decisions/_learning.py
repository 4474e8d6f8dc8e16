"""What rows that no tree had seen say: how to mix forests, how to calibrate the mixture, where to draw the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions._calibration import Calibration, fit_calibration
from rarewood._decisions._mixture import mixture_weights

_LEAST_ROWS = 2  # of every class, to learn from


@dataclass(frozen=True, eq=False)
class Learned:
    """Shares of the forests, the calibration of their mixture (None where a class has too few rows), and its scores."""

    shares: NDArray[np.float64]
    calibration: Calibration | None
    probabilities: NDArray[np.float64]  # of all rows; NaN where no forest has a score
    scored: NDArray[np.bool_]
    n_scored: NDArray[np.int64]  # rows of each class to learn from
    too_few: int | None  # a class with too few of them, though it has rows that weigh something


def learn_mixture(
    out_of_bag: Sequence[NDArray[np.float64]],
    codes: NDArray[Any],
    classes: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
) -> Learned:
    """From the out-of-bag probabilities of each forest, rows x classes, and the positions of the true classes.

    Forests are compared on rows that all of them have scores of; a row is mixed from the forests that have. Rows of weight 0
    are scored and not learned from.
    """
    weight = np.ones(len(codes)) if weights is None else weights
    known = np.array([~np.isnan(each[:, 0]) for each in out_of_bag])
    common = known.all(axis=0) & (weight > 0)
    true = codes[common]
    shares = mixture_weights(np.stack([each[common, true] for each in out_of_bag], axis=1), weight[common])
    mixed, total = np.zeros_like(out_of_bag[0]), np.zeros(len(codes))
    for share, each, has in zip(shares, out_of_bag, known, strict=True):
        mixed += share * np.where(has[:, np.newaxis], each, 0.0)
        total += share * has
    scored = np.asarray(known.any(axis=0))
    mixed[scored] /= total[scored, np.newaxis]
    mixed[~scored] = np.nan
    used = scored & (weight > 0)
    n_scored = np.bincount(codes[used], minlength=len(classes))
    present = np.flatnonzero(np.bincount(codes, weights=weight, minlength=len(classes)) > 0)
    fewest = int(present[n_scored[present].argmin()])
    too_few = fewest if n_scored[fewest] < _LEAST_ROWS and len(present) > 1 else None
    calibration = None
    if len(present) > 1 and too_few is None:
        calibration = fit_calibration(mixed[used], codes[used], classes, weight[used])
        mixed[scored] = calibration.apply(mixed[scored])
    return Learned(shares, calibration, mixed, scored, n_scored, too_few)
