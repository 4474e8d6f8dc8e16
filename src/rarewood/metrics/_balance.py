"""How uneven the classes of a data set are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._validation import read_labels


def coefficient_of_variation(y: ArrayLike, ddof: int = 0) -> float:
    r"""Spread of the class sizes: their standard deviation divided by their mean.

    0 means classes of equal size. With two classes 1/3 is a ratio of 2:1 and 1 is never reached; with more classes the
    value can exceed 1. Unlike :func:`imbalance_ratio` it uses all classes, so one tiny class among many equal ones does
    not dominate it.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    ddof : {0, 1}, default=0
        0 divides by the number of classes K, 1 by K - 1. Publications use both.

    Returns
    -------
    float
        At least 0; 0 when there is a single class.

    See Also
    --------
    imbalance_ratio : Largest class divided by the smallest.

    Notes
    -----
    With class sizes :math:`n_1, \dots, n_K` and mean :math:`\bar n`:

    .. math:: CV = \frac{1}{\bar n} \sqrt{\frac{1}{K - \mathrm{ddof}} \sum_k (n_k - \bar n)^2}

    References
    ----------
    T. R. Hoens, Q. Qian, N. V. Chawla and Z.-H. Zhou, "Building decision trees for the multi-class imbalance problem",
    PAKDD 2012.

    Examples
    --------
    >>> from rarewood.metrics import coefficient_of_variation
    >>> round(coefficient_of_variation([0, 0, 1]), 3)
    0.333
    >>> round(coefficient_of_variation(["a"] * 98 + ["b"] * 2), 3)
    0.96
    """
    if ddof not in (0, 1):
        raise ValueError(f"ddof={ddof!r} is not accepted; give 0 (all classes) or 1 (a sample of classes).")
    sizes = _class_sizes(y)
    if len(sizes) == 1:
        return 0.0
    return float(sizes.std(ddof=ddof) / sizes.mean())


def imbalance_ratio(y: ArrayLike) -> float:
    """Size of the largest class divided by the size of the smallest.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels. Classes without a row do not count.

    Returns
    -------
    float
        At least 1; 1 for classes of equal size.

    See Also
    --------
    coefficient_of_variation : Spread over all classes.

    Examples
    --------
    >>> from rarewood.metrics import imbalance_ratio
    >>> imbalance_ratio([0, 0, 0, 0, 1])
    4.0
    """
    sizes = _class_sizes(y)
    return float(sizes.max() / sizes.min())


def _class_sizes(y: ArrayLike) -> NDArray[np.float64]:
    labels = read_labels(y)
    if len(labels) == 0:
        raise ValueError("y is empty; it needs at least one label.")
    return np.unique(labels, return_counts=True)[1].astype(np.float64)
