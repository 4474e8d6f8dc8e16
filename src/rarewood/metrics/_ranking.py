"""Measures of scores: areas under ROC and precision-recall curves for two and more classes."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

from rarewood._validation import rarest_label, read_labels, read_numbers


def hand_till_auc(y_true: ArrayLike, y_score: ArrayLike, *, labels: ArrayLike | None = None) -> float:
    r"""Area under the ROC curve averaged over all pairs of classes, each pair counting the same.

    A tiny class weighs as much as a large one, so this is the measure for rare classes among many; for two classes it is
    the usual area.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples, n_classes) or (n_samples,)
        Scores, one column per class in the order of `labels`; rows need not sum to 1. For two classes, one column with
        the scores of the second class is enough.
    labels : array-like of shape (n_classes,), default=None
        The class of each column; an estimator's `classes_`. None takes the sorted labels of `y_true`.

    Returns
    -------
    float
        Between 0 and 1, 0.5 for uninformative scores. Pairs with a class that is absent from `y_true` are skipped; NaN
        if no pair is left.

    See Also
    --------
    weighted_auroc : Each class against the rest, weighted by its size.
    sklearn.metrics.roc_auc_score : `multi_class="ovo"` with `average="macro"` is the same where all classes are present.

    Notes
    -----
    With :math:`A(i \mid j)` the probability that a row of class i has a higher score for i than a row of class j:

    .. math:: M = \frac{2}{K (K - 1)} \sum_{i < j} \frac{A(i \mid j) + A(j \mid i)}{2}

    References
    ----------
    D. J. Hand and R. J. Till, "A simple generalisation of the area under the ROC curve for multiple class classification
    problems", Machine Learning 45, 2001.

    Examples
    --------
    >>> from rarewood.metrics import hand_till_auc
    >>> hand_till_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    >>> score = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.4, 0.5, 0.1], [0.2, 0.2, 0.6]]
    >>> round(hand_till_auc([0, 0, 1, 2], score), 3)
    0.833
    """
    truth, scores, classes = check_scores(y_true, y_score, labels)
    pairs = permutations(_present(truth, classes), 2)
    areas = [_area_of_pair(truth, scores[:, i], classes[i], classes[j]) for i, j in pairs]
    return float(np.mean(areas)) if areas else float("nan")


def weighted_auroc(y_true: ArrayLike, y_score: ArrayLike, *, labels: ArrayLike | None = None) -> float:
    r"""Area under the ROC curve of each class against the rest, averaged with the class shares as weights.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples, n_classes) or (n_samples,)
        Scores, one column per class in the order of `labels`; rows need not sum to 1. For two classes, one column with
        the scores of the second class is enough.
    labels : array-like of shape (n_classes,), default=None
        The class of each column; an estimator's `classes_`. None takes the sorted labels of `y_true`.

    Returns
    -------
    float
        Between 0 and 1, 0.5 for uninformative scores. A class absent from `y_true` has share 0; NaN when `y_true` has a
        single class.

    See Also
    --------
    hand_till_auc : Every pair of classes counts the same.
    sklearn.metrics.roc_auc_score : `multi_class="ovr"` with `average="weighted"` is the same where all classes are
        present.

    Notes
    -----
    With :math:`n_c` rows of class c among n:

    .. math:: W = \sum_c \frac{n_c}{n} \, AUC(c \text{ against the rest})

    Examples
    --------
    >>> from rarewood.metrics import weighted_auroc
    >>> weighted_auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    >>> score = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.4, 0.5, 0.1], [0.2, 0.2, 0.6]]
    >>> round(weighted_auroc([0, 0, 1, 2], score), 3)
    0.792
    """
    truth, scores, classes = check_scores(y_true, y_score, labels)
    present = _present(truth, classes)
    if len(present) < 2:
        return float("nan")
    shares = [float(np.mean(truth == classes[c])) for c in present]
    areas = [_area(truth == classes[c], scores[:, c]) for c in present]
    return float(np.dot(shares, areas))


def rare_auc(y_true: ArrayLike, y_score: ArrayLike, *, positive: Any = None) -> float:
    r"""Area under the ROC curve of the smallest class against the rest.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,)
        Scores of the class to measure; higher means more likely.
    positive : label, default=None
        The class to measure. None takes the class with the fewest rows in `y_true`, or the first in sorted order if
        several are equally small.

    Returns
    -------
    float
        The probability that a row of the class has a higher score than another row, ties counting half. NaN when `y_true`
        lacks the class or has no other.

    See Also
    --------
    hand_till_auc, weighted_auroc : Areas over all classes.
    sklearn.metrics.roc_auc_score : The same for labels 0 and 1.

    Examples
    --------
    >>> from rarewood.metrics import rare_auc
    >>> rare_auc(["ok", "ok", "ok", "ok", "fault"], [0.1, 0.4, 0.35, 0.2, 0.38])
    0.75
    """
    is_rare, scores = _rare_against_rest(y_true, y_score, positive)
    return _area(is_rare, scores) if 0 < is_rare.sum() < len(is_rare) else float("nan")


def rare_average_precision(y_true: ArrayLike, y_score: ArrayLike, *, positive: Any = None) -> float:
    r"""Average precision of the smallest class: the area under its precision-recall curve.

    Unlike the area under the ROC curve it depends on how rare the class is: uninformative scores get the share of the
    class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,)
        Scores of the class to measure; higher means more likely.
    positive : label, default=None
        The class to measure. None takes the class with the fewest rows in `y_true`, or the first in sorted order if
        several are equally small.

    Returns
    -------
    float
        Above 0, at most 1; NaN when `y_true` lacks the class.

    See Also
    --------
    sklearn.metrics.average_precision_score : The same for labels 0 and 1, with the formula.

    Examples
    --------
    >>> from rarewood.metrics import rare_average_precision
    >>> rare_average_precision(["ok", "ok", "ok", "fault"], [0.1, 0.4, 0.35, 0.38])
    0.5
    """
    is_rare, scores = _rare_against_rest(y_true, y_score, positive)
    return float(average_precision_score(is_rare, scores)) if is_rare.any() else float("nan")


def _rare_against_rest(
    y_true: ArrayLike, y_score: ArrayLike, positive: Any
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    truth = read_labels(y_true, "y_true")
    scores = read_numbers(y_score, "y_score")
    if scores.shape != truth.shape:
        raise ValueError(
            f"y_score has shape {scores.shape} for {len(truth)} labels; give one score of the measured class per row."
        )
    is_rare: NDArray[np.bool_] = truth == rarest_label(truth) if positive is None else truth == positive
    return is_rare, scores


def _area_of_pair(truth: NDArray[Any], score: NDArray[np.float64], positive: Any, negative: Any) -> float:
    is_positive = truth == positive
    chosen = is_positive | (truth == negative)
    return _area(is_positive[chosen], score[chosen])


def _area(is_positive: NDArray[np.bool_], score: NDArray[np.float64]) -> float:
    """Probability that a positive row scores higher than a negative one, ties counting half.

    The rank sum of Mann and Whitney. `roc_auc_score` gives the same but spends most of its time checking input, and many
    classes have many pairs.
    """
    n_positive = int(is_positive.sum())
    rank_sum = float(rankdata(score)[is_positive].sum())
    return (rank_sum - n_positive * (n_positive + 1) / 2) / (n_positive * (len(score) - n_positive))


def _present(truth: NDArray[Any], classes: list[Any]) -> list[int]:
    return [number for number, label in enumerate(classes) if np.any(truth == label)]


def check_scores(
    y_true: ArrayLike, y_score: ArrayLike, labels: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[np.float64], list[Any]]:
    truth = read_labels(y_true, "y_true")
    scores = read_numbers(y_score, "y_score")
    if len(truth) != len(scores):
        raise ValueError(f"y_true has {len(truth)} rows and y_score {len(scores)}; they must have the same length.")
    classes = _classes(truth, labels)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
        if len(classes) == 1:  # a fold without the other class: no pair, whatever its name
            return truth, scores, classes
    if scores.shape[1] != len(classes):
        raise ValueError(
            f"y_score has {scores.shape[1]} columns for {len(classes)} classes, {classes}; "
            "give one column per class and, if y_true may lack some, labels= in the order of the columns."
        )
    return truth, scores, classes


def _classes(truth: NDArray[Any], labels: ArrayLike | None) -> list[Any]:
    present: list[Any] = np.unique(truth).tolist()
    if labels is None:
        return present
    given: list[Any] = read_labels(labels, "labels").tolist()
    unknown = [label for label in present if label not in given]
    if unknown:
        raise ValueError(f"labels={given} lacks classes that y_true has: {unknown}.")
    if len(set(given)) != len(given):
        raise ValueError(f"labels={given} contains a class twice.")
    return given
