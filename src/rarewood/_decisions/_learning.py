"""What rows that no tree had seen say: how to mix forests, how to calibrate the mixture, where to draw the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rarewood._decisions._calibration import Calibration, fit_calibration
from rarewood._decisions._effect_learning import learn_effects
from rarewood._decisions._effects import ColumnEffects
from rarewood._decisions._mixture import mixture_weights
from rarewood._decisions._sharpening import UNCHANGED, Sharpening, learn_sharpening
from rarewood._tables.row_source import RowSource

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
    effects: ColumnEffects | None = None  # what is added to the log-odds that the calibration gives
    sharpening: Sharpening = UNCHANGED  # from the log-odds in `probabilities` to those of new rows


def learn_mixture(
    out_of_bag: Sequence[NDArray[np.float64]],
    codes: NDArray[Any],
    classes: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
    *,
    equal: bool = False,
) -> Learned:
    """From the out-of-bag probabilities of each forest, rows x classes, and the positions of the true classes.

    Forests are compared on rows that all of them have scores of, unless they are to have `equal` shares; a row is mixed from the
    forests that have. Rows of weight 0 are scored and not learned from. Probabilities may be made when they are asked for: those of all
    forests are not held at once.
    """
    weight = np.ones(len(codes)) if weights is None else weights
    if equal:
        shares = np.full(len(out_of_bag), 1.0 / len(out_of_bag))
    else:
        common = _known(out_of_bag).all(axis=0) & (weight > 0)
        shares = mixture_weights((each[common] for each in out_of_bag), codes[common], weight[common])
    mixed, scored = mixed_scores(out_of_bag, shares)
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


def log_likelihoods(
    learned: Learned, codes: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Of each row, the logarithm of what its true class was given, times its weight; 0 where it has no score."""
    of_truth = np.where(learned.scored, learned.probabilities[np.arange(len(codes)), codes], 1.0)
    found = np.log(np.maximum(of_truth, np.finfo(float).tiny))
    return found if weights is None else weights * found


def _known(out_of_bag: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Of each forest, the rows that it has scores of."""
    return np.array([~np.isnan(each[:, 0]) for each in out_of_bag])


def mixed_scores(
    out_of_bag: Sequence[NDArray[np.float64]], shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Each row from the forests that have scores of it, NaN where none has; which rows have any."""
    known = _known(out_of_bag)
    mixed, total = np.zeros_like(out_of_bag[0]), np.zeros(len(out_of_bag[0]))
    for share, each, has in zip(shares, out_of_bag, known, strict=True):
        mixed += share * np.where(has[:, np.newaxis], each, 0.0)
        total += share * has
    scored = np.asarray(known.any(axis=0))
    mixed[scored] /= total[scored, np.newaxis]
    mixed[~scored] = np.nan
    return mixed, scored


def with_effects(
    learned: Learned,
    halves: Sequence[NDArray[np.float64]],
    source: RowSource,
    n_categories: NDArray[Any],
    codes: NDArray[Any],
    weights: NDArray[np.float64] | None,
    seen: float,
    seed: int,
    groups: NDArray[Any] | None = None,
    signs: list[int] | None = None,
) -> Learned:
    """The same with effects of columns, for two calibrated classes and where rows left out speak for them.

    `halves` are what the first half of each forest's trees says of rows that they left out, `seen` is the share of the rows, or of the
    `groups` that they belong to, that a tree sees. Out of n trees, n (1 - `seen`) score a row: the variance of the score is in
    proportion to 1 / (1 - `seen`), that by half of the trees to 2 / (1 - `seen`), and that by all, for a new row, to 1, which lies
    `seen` times the first step beyond. `signs` says of each column which way the log-odds may go with it (`Rows`).
    """
    calibration = learned.calibration
    if calibration is None or learned.probabilities.shape[1] != 2:
        return learned
    logs = np.log(learned.probabilities)
    half = calibration.log_odds(mixed_scores(halves, learned.shares)[0])
    scores = (logs[:, 1] - logs[:, 0], half)
    found = learn_effects(source, n_categories, scores, codes, weights, seen, seed, groups, signs)
    if found is None:
        return learned
    return replace(
        learned,
        calibration=calibration.stretched(found.slope, found.offset),
        probabilities=np.stack([expit(-found.log_odds), expit(found.log_odds)], axis=1),
        effects=found.effects,
        sharpening=found.sharpening,
    )


def sharpened(
    learned: Learned,
    halves: Sequence[NDArray[np.float64]],
    codes: NDArray[Any],
    weights: NDArray[np.float64] | None,
    left_out: NDArray[np.float64],
) -> Learned:
    """The same with a calibration for new rows, which all trees score, for two classes; where columns have effects, it is one already.

    `left_out` is the share of the trees that left out a row, of each row. What is known of the training rows themselves,
    `probabilities`, stays: few trees have scored them. With more classes no cut would call the same rows before and after.
    """
    calibration = learned.calibration
    if calibration is None or learned.effects is not None or learned.probabilities.shape[1] != 2:
        return learned
    logs = np.log(learned.probabilities)
    near, far = logs[:, 1] - logs[:, 0], calibration.log_odds(mixed_scores(halves, learned.shares)[0])
    weight = np.ones(len(codes)) if weights is None else weights
    used = ~np.isnan(near) & ~np.isnan(far) & (weight > 0)
    rows, second, counts = codes[used], codes[used] == 1, np.bincount(codes[used], minlength=2)
    seen = 1.0 - np.bincount(rows, left_out[used], minlength=2) / np.maximum(counts, 1)
    found = learn_sharpening(near[used], far[used], second, weight[used], seen[rows])
    return replace(learned, calibration=calibration.stretched(found.slope, found.offset), sharpening=found)
