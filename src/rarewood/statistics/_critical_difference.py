"""By how much average ranks must differ to tell methods apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.stats import norm, studentized_range

from rarewood._validation import Integer, check_parameter
from rarewood.statistics._scores import as_numbers, check_level


def nemenyi_cd(k: int, n: int, level: float = 0.05) -> float:
    r"""Critical difference of average ranks for comparing all methods with each other.

    Parameters
    ----------
    k : int
        Number of methods, at least 2.
    n : int
        Number of data sets.
    level : float, default=0.05
        Significance level: the chance of finding any difference where there is none.

    Returns
    -------
    float
        Methods whose average ranks differ by at least this much differ significantly.

    See Also
    --------
    bonferroni_dunn_cd : The smaller difference for comparing one method with all others.
    friedman : The test to do first.

    Notes
    -----
    With :math:`q` the quantile of the studentized range of k values with infinite degrees of freedom, divided by
    :math:`\sqrt 2`:

    .. math:: CD = q \sqrt{\frac{k (k + 1)}{6 N}}

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from rarewood.statistics import nemenyi_cd
    >>> round(nemenyi_cd(4, 14), 2)
    1.25
    """
    _check(k, n, level)
    return _studentized_range(int(k), float(level)) / math.sqrt(2) * _unit(k, n)


def bonferroni_dunn_cd(k: int, n: int, level: float = 0.05) -> float:
    r"""Critical difference of average ranks for comparing one method with all others.

    Parameters
    ----------
    k : int
        Number of methods, including the one, at least 2.
    n : int
        Number of data sets.
    level : float, default=0.05
        Significance level: the chance of finding any difference where there is none.

    Returns
    -------
    float
        A method whose average rank differs by at least this much from that of the one method differs from it significantly.

    See Also
    --------
    nemenyi_cd : For comparing all pairs of methods.

    Notes
    -----
    .. math:: CD = \Phi^{-1}\left(1 - \frac{\mathrm{level}}{2 (k - 1)}\right) \sqrt{\frac{k (k + 1)}{6 N}}

    References
    ----------
    O. J. Dunn, "Multiple comparisons among means", Journal of the American Statistical Association 56, 1961.

    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from rarewood.statistics import bonferroni_dunn_cd
    >>> round(bonferroni_dunn_cd(4, 14), 2)
    1.17
    """
    _check(k, n, level)
    return float(norm.isf(level / (2 * (k - 1)))) * _unit(k, n)


def tied_groups(ranks: Sequence[float], difference: float) -> list[list[int]]:
    """Groups of methods that a critical difference cannot tell apart: the bars of a critical-difference diagram.

    Parameters
    ----------
    ranks : sequence of float
        Average rank of each method.
    difference : float
        From :func:`nemenyi_cd`.

    Returns
    -------
    list of lists of int
        Positions of the methods of each group, best first. Groups may overlap, but none lies within another and none has
        a single method.

    Examples
    --------
    >>> from rarewood.statistics import tied_groups
    >>> tied_groups([3.1, 2.0, 1.2], difference=1.5)
    [[2, 1], [1, 0]]
    """
    values = as_numbers(ranks, "ranks")
    if not np.isfinite(values).all():
        raise ValueError("ranks has values that are missing or not finite; leave those methods out.")
    order = sorted(range(len(values)), key=lambda method: values[method])
    groups: list[list[int]] = []
    reached = 0  # methods up to here are in a group already
    for first in range(len(order)):
        end = first
        while end < len(order) and values[order[end]] - values[order[first]] < difference:
            end += 1
        if end > max(reached, first + 1):
            groups.append(order[first:end])
            reached = end
    return groups


def _check(k: int, n: int, level: float) -> None:
    check_parameter("k", k, Integer(2))
    check_parameter("n", n, Integer(1))
    check_level(level)


def _unit(k: int, n: int) -> float:
    return math.sqrt(k * (k + 1) / (6 * n))


@lru_cache
def _studentized_range(k: int, level: float) -> float:
    return float(studentized_range.isf(level, k, math.inf))
