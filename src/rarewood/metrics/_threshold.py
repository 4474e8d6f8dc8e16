"""Measures of predicted labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import f1_score
from sklearn.utils import column_or_1d


def minority_f1(y_true: ArrayLike, y_pred: ArrayLike, *, positive: Any = None) -> float:
    r"""F-measure of the smallest class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    positive : label, default=None
        The class to measure. None takes the class with the fewest rows in `y_true`, the first in sorted order if
        several are as small. Name it where `y_true` may lack the rare class altogether, as in the folds of a
        cross-validation.

    Returns
    -------
    float
        Between 0 and 1; 0 when the class is neither present nor predicted.

    See Also
    --------
    sklearn.metrics.f1_score : The same for any class or average of classes.

    Notes
    -----
    With the rows rightly found (tp), wrongly claimed (fp) and missed (fn):

    .. math:: F = \frac{2\,tp}{2\,tp + fp + fn}

    Examples
    --------
    >>> from rarewood.metrics import minority_f1
    >>> minority_f1(["ok", "ok", "ok", "fault"], ["ok", "ok", "fault", "fault"])
    0.6666666666666666
    >>> minority_f1([0, 0, 1], [0, 0, 0])
    0.0
    """
    truth = column_or_1d(y_true)
    if len(truth) == 0:
        raise ValueError("y_true is empty; it needs at least one label.")
    labels, sizes = np.unique(truth, return_counts=True)
    measured = labels[np.argmin(sizes)] if positive is None else positive
    predicted = column_or_1d(y_pred)
    if measured not in {*labels.tolist(), *predicted.tolist()}:
        return 0.0
    return float(f1_score(truth, predicted, labels=[measured], average=None, zero_division=0.0)[0])
