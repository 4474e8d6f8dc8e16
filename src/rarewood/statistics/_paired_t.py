"""Whether two methods differ on the folds of one data set."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as t_distribution

from rarewood._terminal import shown
from rarewood._validation import Number, check_parameter
from rarewood.statistics._scores import differences, read_pair


@dataclass(frozen=True)
class PairedT:
    """Outcome of :func:`corrected_paired_t`.

    Parameters
    ----------
    statistic : float
        t; positive where the first method scores higher.
    p_value : float
        Two-sided.
    mean_difference : float
        First minus second.
    n_folds : int
        Folds that both methods have a score on.
    n_skipped : int
        Folds left out because a score is missing.
    """

    statistic: float
    p_value: float
    mean_difference: float
    n_folds: int
    n_skipped: int = 0

    @shown
    def __repr__(self) -> str:
        skipped = f", {self.n_skipped} skipped" if self.n_skipped else ""
        return (
            f"difference {self.mean_difference:+.4g}, t = {self.statistic:.3f}, p = {self.p_value:.3g} "
            f"({self.n_folds} folds{skipped})"
        )


def corrected_paired_t(a: ArrayLike, b: ArrayLike, *, n_train: float, n_test: float) -> PairedT:
    r"""Paired t test for scores on the folds of repeated cross-validation, corrected for overlapping training sets.

    The folds share most of their training rows, so their scores vary less than independent ones would and a plain t test
    finds differences that are not there. The correction of Nadeau and Bengio adds the share of test rows to the variance.

    Parameters
    ----------
    a, b : array-like of shape (n_folds,)
        Scores of two methods on the same folds. A fold on which either is NaN is skipped and counted.
    n_train, n_test : float
        Rows in a training and in a test fold; only their ratio matters. For 5 x 2 folds it is 1, for 10 x 10 folds 9 to 1.

    Returns
    -------
    PairedT
        The statistic, the two-sided p-value, the mean difference and how many folds went into it. With no difference on any
        fold, t = 0 and p = 1; with the same difference on all folds, t is infinite and p = 0.

    See Also
    --------
    win_draw_loss : Counts such outcomes over data sets.
    scipy.stats.ttest_rel : The test without the correction.

    Notes
    -----
    With differences :math:`d_1, \dots, d_J` of mean :math:`\bar d` and variance :math:`s^2`, and J - 1 degrees of freedom:

    .. math:: t = \frac{\bar d}{\sqrt{\left(\frac{1}{J} + \frac{n_{test}}{n_{train}}\right) s^2}}

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.

    R. R. Bouckaert and E. Frank, "Evaluating the replicability of significance tests for comparing learning algorithms",
    PAKDD 2004.

    Examples
    --------
    >>> from rarewood.statistics import corrected_paired_t
    >>> hedex = [0.91, 0.93, 0.90, 0.94, 0.92, 0.93, 0.91, 0.92, 0.94, 0.90]
    >>> c45 = [0.88, 0.90, 0.89, 0.90, 0.90, 0.89, 0.90, 0.88, 0.91, 0.88]
    >>> corrected_paired_t(hedex, c45, n_train=500, n_test=500)
    difference +0.027, t = 2.220, p = 0.0535 (10 folds)
    """
    first, second = read_pair(a, b)
    positive = Number(0.0, open_low=True)
    check_parameter("n_train", n_train, positive)
    check_parameter("n_test", n_test, positive)
    both = np.isfinite(first) & np.isfinite(second)
    gaps = differences(first[both], second[both])
    n = len(gaps)
    if n < 2:
        raise ValueError(f"a and b share {n} fold{'s'[: n != 1]} without missing scores; the test needs at least 2.")
    mean, variance = float(gaps.mean()), float(gaps.var(ddof=1))
    statistic = _statistic(mean, variance * (1 / n + n_test / n_train))
    return PairedT(statistic, float(2 * t_distribution.sf(abs(statistic), n - 1)), mean, n, len(first) - n)


def _statistic(mean: float, squared_error: float) -> float:
    if squared_error > 0:
        return mean / math.sqrt(squared_error)
    return math.copysign(math.inf, mean) if mean else 0.0
