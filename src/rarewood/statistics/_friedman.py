"""Whether several methods differ over many data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2 as chi2_distribution
from scipy.stats import f as f_distribution

from rarewood._terminal import shown
from rarewood.statistics._ranks import AverageRanks, average_ranks
from rarewood.statistics._scores import as_numbers


@dataclass(frozen=True, repr=False)
class Friedman:
    """Outcome of :func:`friedman`.

    Parameters
    ----------
    average_ranks : AverageRanks
        Average rank of each method.
    chi2, chi2_p_value : float
        Friedman's statistic and its p-value by the chi-square distribution with k - 1 degrees of freedom.
    f, p_value : float
        The statistic of Iman and Davenport and its p-value by the F distribution with k - 1 and (k - 1)(N - 1) degrees of
        freedom. Use this one: Friedman's own statistic is too conservative.
    """

    average_ranks: AverageRanks
    chi2: float
    chi2_p_value: float
    f: float
    p_value: float

    @property
    def names(self) -> tuple[str, ...]:
        """The methods."""
        return self.average_ranks.names

    @property
    def ranks(self) -> tuple[float, ...]:
        """Average rank of each method, in the order of `names`."""
        return self.average_ranks.ranks

    @property
    def n_datasets(self) -> int:
        """Number of data sets."""
        return self.average_ranks.n_datasets

    @shown
    def __repr__(self) -> str:
        k, n = len(self.names), self.n_datasets
        return (
            f"Friedman test of {k} methods on {n} data sets: p = {self.p_value:.3g}\n"
            f"chi2 = {self.chi2:.2f} ({k - 1} df, p = {self.chi2_p_value:.3g}), "
            f"Iman-Davenport F = {self.f:.2f} ({k - 1} and {(k - 1) * (n - 1)} df)\n"
            f"{self.average_ranks!r}"
        )


def friedman(scores: Any, *, names: Sequence[str] | None = None, larger_is_better: bool = True) -> Friedman:
    r"""Friedman's test, with the correction of Iman and Davenport, of whether ranks differ by more than chance.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods), data frame or dict
        One row per data set, one column per method; a dictionary maps a method to its scores. Each entry is the score of a
        whole experiment, such as the mean over the folds: folds of one data set are not independent rows.
    names : sequence of str, default=None
        Names of the methods. None takes those of the frame or dictionary, or 1, 2, ...
    larger_is_better : bool, default=True
        False for losses.

    Returns
    -------
    Friedman
        Average ranks, both statistics, both p-values.

    See Also
    --------
    nemenyi_cd : Which of the methods differ, once some do.
    friedman_of_ranks : The same from published average ranks.
    scipy.stats.friedmanchisquare : Friedman's statistic corrected for ties, without Iman and Davenport's.

    Notes
    -----
    With average ranks :math:`R_j` of k methods on N data sets, ties sharing their mean rank, and no other correction for ties:

    .. math::

        \chi_F^2 = \frac{12 N}{k (k + 1)} \left( \sum_j R_j^2 - \frac{k (k + 1)^2}{4} \right), \qquad
        F_F = \frac{(N - 1) \chi_F^2}{N (k - 1) - \chi_F^2}

    F is infinite and its p-value 0 if every data set ranks the methods in the same order; with a single data set, p is 1.

    References
    ----------
    M. Friedman, "A comparison of alternative tests of significance for the problem of m rankings", Annals of Mathematical
    Statistics 11, 1940.

    R. L. Iman and J. M. Davenport, "Approximations of the critical region of the Friedman statistic", Communications in
    Statistics 9, 1980.

    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from rarewood.statistics import friedman
    >>> auc = {"c4.5": [0.76, 0.60, 0.95, 0.63], "hddt": [0.77, 0.59, 0.97, 0.66], "hedex": [0.80, 0.63, 0.97, 0.66]}
    >>> friedman(auc)
    Friedman test of 3 methods on 4 data sets: p = 0.0837
    chi2 = 4.50 (2 df, p = 0.105), Iman-Davenport F = 3.86 (2 and 6 df)
    average ranks over 4 data sets, 1 is best
    hedex  1.25
    hddt   2.00
    c4.5   2.75
    """
    return _test(average_ranks(scores, names=names, larger_is_better=larger_is_better))


def friedman_of_ranks(ranks: ArrayLike, n_datasets: int, *, names: Sequence[str] | None = None) -> Friedman:
    """Friedman's test from average ranks, as papers print them.

    Parameters
    ----------
    ranks : array-like of shape (n_methods,)
        Average rank of each method, 1 is best; they must sum to k (k + 1) / 2, up to rounding.
    n_datasets : int
        Number of data sets.
    names : sequence of str, default=None
        Names of the methods; None numbers them.

    Returns
    -------
    Friedman

    See Also
    --------
    friedman : The same from scores, with the formulas.

    Examples
    --------
    The comparison of four ways to prune C4.5 in Demšar (2006), Table 6:

    >>> from rarewood.statistics import friedman_of_ranks
    >>> test = friedman_of_ranks([3.143, 2.000, 2.893, 1.964], 14)
    >>> round(test.chi2, 2), round(test.f, 2)
    (9.28, 3.69)
    """
    values = as_numbers(ranks, "ranks")
    k = len(values)
    if k < 2 or n_datasets < 1:
        raise ValueError(f"ranks has {k} methods and n_datasets={n_datasets}; give at least 2 methods on 1 data set.")
    if not abs(values.sum() - k * (k + 1) / 2) <= 0.01 * k:
        raise ValueError(
            f"ranks sums to {values.sum():g}; average ranks of {k} methods must sum to {k * (k + 1) / 2:g}, where 1 "
            "is best."
        )
    labels = tuple(map(str, names if names is not None else range(1, k + 1)))
    if len(labels) != k:
        raise ValueError(f"names has {len(labels)} entries for {k} ranks.")
    return _test(AverageRanks(labels, tuple(values.tolist()), int(n_datasets)))


def _test(averages: AverageRanks) -> Friedman:
    k, n = len(averages.ranks), averages.n_datasets
    spread = float(np.square(averages.ranks).sum()) - k * (k + 1) ** 2 / 4
    chi2 = max(0.0, 12 * n / (k * (k + 1)) * spread)
    room = n * (k - 1) - chi2
    f = (n - 1) * chi2 / room if room > 1e-9 * n * k else math.inf
    degrees = (k - 1, (k - 1) * (n - 1))
    p_value = float(f_distribution.sf(f, *degrees)) if n > 1 else 1.0
    return Friedman(averages, chi2, float(chi2_distribution.sf(chi2, k - 1)), f, p_value)
