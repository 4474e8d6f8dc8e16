"""Measures of predicted labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import f1_score, recall_score

from rarewood._validation import rarest_label, read_labels


def minority_f1(y_true: ArrayLike, y_pred: ArrayLike, *, positive: Any = None) -> float:
    r"""F-measure of the smallest class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    positive : label, default=None
        The class to measure. None takes the class with the fewest rows in `y_true`, or the first in sorted order if
        several are equally small. Set it if `y_true` may lack the rare class altogether, as folds of a cross-validation
        may.

    Returns
    -------
    float
        Between 0 and 1; 0 when the class is neither present nor predicted.

    See Also
    --------
    sklearn.metrics.f1_score : The same for any class or average of classes.

    Notes
    -----
    With true positives tp, false positives fp and false negatives fn:

    .. math:: F = \frac{2\,tp}{2\,tp + fp + fn}

    Examples
    --------
    >>> from rarewood.metrics import minority_f1
    >>> minority_f1(["ok", "ok", "ok", "fault"], ["ok", "ok", "fault", "fault"])
    0.6666666666666666
    >>> minority_f1([0, 0, 1], [0, 0, 0])
    0.0
    """
    truth = read_labels(y_true, "y_true")
    if len(truth) == 0:
        raise ValueError("y_true is empty; it needs at least one label.")
    measured = rarest_label(truth) if positive is None else positive
    predicted = read_labels(y_pred, "y_pred")
    if measured not in {*truth.tolist(), *predicted.tolist()}:
        return 0.0
    truth, predicted, names = _numbered(truth, predicted)
    label = measured if names is None else int(np.flatnonzero(names == measured)[0])
    return float(f1_score(truth, predicted, labels=[label], average=None, zero_division=0.0)[0])


def balanced_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    r"""Balanced accuracy: the mean recall over the classes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.

    Returns
    -------
    float
        Between 0 and 1; a random guess gets one divided by the number of classes. Classes absent from `y_true` do not count.

    See Also
    --------
    g_mean : The geometric mean, 0 as soon as one class is never found.
    sklearn.metrics.balanced_accuracy_score : The same.

    Examples
    --------
    >>> from rarewood.metrics import balanced_accuracy
    >>> balanced_accuracy([0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 1])
    0.75
    """
    return float(_recalls(y_true, y_pred).mean())


def g_mean(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    r"""G-mean: the geometric mean of the recalls of the classes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.

    Returns
    -------
    float
        Between 0 and 1; 0 if a class of `y_true` is never found. Classes absent from `y_true` do not count.

    See Also
    --------
    balanced_accuracy : The arithmetic mean.
    imblearn.metrics.geometric_mean_score : The same.

    Notes
    -----
    With recall :math:`r_k` of class k of K:

    .. math:: G = \left( \prod_k r_k \right)^{1/K}

    References
    ----------
    M. Kubat and S. Matwin, "Addressing the curse of imbalanced training sets: one-sided selection", ICML 1997.

    Examples
    --------
    >>> from rarewood.metrics import g_mean
    >>> round(g_mean([0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 1]), 3)
    0.707
    """
    recalls = _recalls(y_true, y_pred)
    return float(np.prod(recalls) ** (1 / len(recalls)))


def _recalls(y_true: ArrayLike, y_pred: ArrayLike) -> NDArray[np.float64]:
    truth = read_labels(y_true, "y_true")
    if len(truth) == 0:
        raise ValueError("y_true is empty; it needs at least one label.")
    truth, predicted, _ = _numbered(truth, read_labels(y_pred, "y_pred"))
    recalls: NDArray[np.float64] = recall_score(truth, predicted, labels=np.unique(truth), average=None)
    return recalls


def _numbered(truth: NDArray[Any], predicted: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Labels that are text as their places among the names, which come third; other labels as they are.

    scikit-learn would look up text row by row, in comparisons of NumPy's that discard a Ctrl-C which arrives meanwhile.
    """
    if not all(labels.dtype.kind == "U" or set(map(type, labels.tolist())) == {str} for labels in (truth, predicted)):
        return truth, predicted, None
    names, places = np.unique(np.concatenate([truth, predicted]), return_inverse=True)
    return places[: len(truth)], places[len(truth) :], names
