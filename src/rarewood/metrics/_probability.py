"""Measures of probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rarewood._validation import unmasked
from rarewood.metrics._ranking import check_scores


def brier_score(y_true: ArrayLike, y_proba: ArrayLike, *, labels: ArrayLike | None = None) -> float:
    r"""Mean squared error of the probabilities; smaller is better.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, one column per class in the order of `labels`. For two classes, one column with the probabilities
        of the second class is enough.
    labels : array-like of shape (n_classes,), default=None
        The class of each column; an estimator's `classes_`. None takes the sorted labels of `y_true`.

    Returns
    -------
    float
        Between 0 and 1 for two classes, between 0 and 2 for more.

    See Also
    --------
    sklearn.metrics.brier_score_loss : The same.

    Notes
    -----
    With :math:`p_{ik}` the probability of class k in row i, and :math:`y_{ik}` 1 for the class of the row and 0 for others:

    .. math:: B = \frac{1}{n} \sum_i \sum_k (p_{ik} - y_{ik})^2

    halved for two classes, whose errors are equal.

    References
    ----------
    G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78, 1950.

    Examples
    --------
    >>> from rarewood.metrics import brier_score
    >>> round(brier_score([0, 0, 1], [0.1, 0.2, 0.6]), 2)
    0.07
    >>> brier_score(["a", "b", "c"], [[1, 0, 0], [0, 1, 0], [0, 1, 0]])
    0.6666666666666666
    """
    chances = np.asarray(unmasked(y_proba), dtype=np.float64)
    if chances.ndim == 1:
        chances = np.column_stack([1.0 - chances, chances])
    truth, chances, classes = check_scores(y_true, chances, labels)
    hits = np.column_stack([truth == label for label in classes])
    total = np.square(chances - hits).sum(axis=1).mean()
    return float(total / 2 if len(classes) == 2 else total)
