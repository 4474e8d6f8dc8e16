"""Areas under ROC curves with their uncertainty, alone and in pairs on the same rows.

E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or more correlated receiver operating
characteristic curves: a nonparametric approach", Biometrics 44, 1988. Rows that belong together count as in N. A. Obuchowski,
"Nonparametric analysis of clustered ROC curve data", Biometrics 53, 1997.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from rarewood.metrics.uncertainty import Z95, Estimate

Floats = NDArray[np.float64]


def area(scores: Floats, is_rare: NDArray[np.bool_]) -> float:
    """The area under the ROC curve: the share of pairs in which the rare row scores above the other one."""
    return float(_placements(scores, is_rare)[0].mean())


def area_with_interval(scores: Floats, is_rare: NDArray[np.bool_], groups: NDArray[np.intp] | None = None) -> Estimate:
    """The area, its interval computed on the scale of log-odds so that it stays between 0 and 1.

    Rows of one of the `groups` belong together: all of them say little more than one.
    """
    of_rare, of_rest = _placements(scores, is_rare)
    value = float(of_rare.mean())
    deviation = _deviation(of_rare, of_rest) if groups is None else _group_deviation(of_rare, of_rest, is_rare, groups)
    if deviation is None or not 0.0 < value < 1.0:
        return Estimate(value)
    centre, half = math.log(value / (1.0 - value)), Z95 * deviation / (value * (1.0 - value))
    return Estimate(value, _logistic(centre - half), _logistic(centre + half))


def difference_with_interval(first: Floats, second: Floats, is_rare: NDArray[np.bool_]) -> Estimate:
    """The area of the first scores minus that of the second, on the same rows."""
    mine, others = _placements(first, is_rare), _placements(second, is_rare)
    return _with_interval(mine[0] - others[0], mine[1] - others[1])


def loss_with_interval(whole: Floats, spoiled: Sequence[Floats], is_rare: NDArray[np.bool_]) -> Estimate:
    """The area of some scores minus the mean area of scores that were spoiled several times, on the same rows.

    The interval allows for the choice of the rows; what another spoiling would give is left to their number.
    """
    mine, theirs = _placements(whole, is_rare), [_placements(scores, is_rare) for scores in spoiled]
    of_rare, of_rest = (mine[side] - np.mean([each[side] for each in theirs], axis=0) for side in (0, 1))
    return _with_interval(of_rare, of_rest)


def _placements(scores: Floats, is_rare: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The share of other rows below each rare row, and of rare rows above each other row; ties count as halves."""
    ranks = rankdata(scores)
    rare, rest = scores[is_rare], scores[~is_rare]
    of_rare = (ranks[is_rare] - rankdata(rare)) / len(rest)
    of_rest = 1.0 - (ranks[~is_rare] - rankdata(rest)) / len(rare)
    return of_rare, of_rest


def _with_interval(of_rare: Floats, of_rest: Floats) -> Estimate:
    """A difference of areas from the differences in the placements of both kinds of rows."""
    difference = float(of_rare.mean())
    deviation = _deviation(of_rare, of_rest)
    if deviation is None:
        return Estimate(difference)
    return Estimate(difference, difference - Z95 * deviation, difference + Z95 * deviation)


def _deviation(of_rare: Floats, of_rest: Floats) -> float | None:
    if min(len(of_rare), len(of_rest)) < 2:
        return None
    return math.sqrt(float(of_rare.var(ddof=1)) / len(of_rare) + float(of_rest.var(ddof=1)) / len(of_rest))


def _group_deviation(
    of_rare: Floats, of_rest: Floats, is_rare: NDArray[np.bool_], groups: NDArray[np.intp]
) -> float | None:
    shares = np.empty(len(is_rare))
    shares[is_rare] = (of_rare - of_rare.mean()) / len(of_rare)
    shares[~is_rare] = (of_rest - of_rest.mean()) / len(of_rest)
    numbers = np.unique(groups, return_inverse=True)[1].ravel()
    sums = np.bincount(numbers, weights=shares)
    return math.sqrt(len(sums) / (len(sums) - 1) * float((sums**2).sum())) if len(sums) > 1 else None


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700 else 0.0
