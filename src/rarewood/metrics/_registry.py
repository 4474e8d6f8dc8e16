"""Measures by name, with what they need and which way is better.

To add one, write the function beside its kin and append a `Metric` to `_METRICS`: comparisons, their tables and the tests read
this registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.metrics import log_loss as sklearn_log_loss

from rarewood._validation import did_you_mean
from rarewood.metrics._probability import brier_score
from rarewood.metrics._ranking import hand_till_auc, rare_auc, rare_average_precision, weighted_auroc
from rarewood.metrics._threshold import balanced_accuracy, g_mean, minority_f1


@dataclass(frozen=True)
class Predictions:
    """Predictions of a classifier for some rows, with the true labels.

    Parameters
    ----------
    y_true : ndarray of shape (n_rows,)
        True labels.
    classes : ndarray of shape (n_classes,)
        All classes of the problem, sorted; `y_true` may lack some.
    rare : label
        The rare class.
    labels : ndarray of shape (n_rows,) or None
        Predicted labels.
    scores : ndarray of shape (n_rows, n_classes) or None
        Probabilities, or decision values if a classifier has none, one column per class.
    """

    y_true: NDArray[Any]
    classes: NDArray[Any]
    rare: Any
    labels: Any = None
    scores: Any = None

    @property
    def rare_scores(self) -> NDArray[np.float64]:
        """The scores of the rare class."""
        column: NDArray[np.float64] = self.scores[:, np.flatnonzero(self.classes == self.rare)[0]]
        return column


@dataclass(frozen=True)
class Metric:
    """A measure of predictions, for use in comparisons.

    Parameters
    ----------
    name : str
        Name of the measure, in one word.
    title : str
        Title in tables and plots.
    needs : {"labels", "scores", "probabilities"}
        What it is computed from: predicted labels, a score per class (probabilities, or decision values if a classifier
        has none), or probabilities.
    larger_is_better : bool
        False for losses.
    compute : callable
        A function of :class:`Predictions` that returns a number, NaN where the measure is not defined. `labels` or `scores` of
        the predictions is None unless the measure needs it.
    limits : tuple of float, default=(-inf, inf)
        The smallest and the largest possible value; intervals do not reach beyond them.

    Examples
    --------
    A custom measure: the share of rare rows among the five highest scores.

    >>> import numpy as np
    >>> from rarewood.metrics import Metric
    >>> def precision_of_five(given):
    ...     first = np.argsort(-given.rare_scores)[:5]
    ...     return float(np.mean(given.y_true[first] == given.rare))
    >>> Metric("first5", "precision of the first five", "scores", True, precision_of_five, limits=(0, 1))
    Metric(name='first5', title='precision of the first five', needs='scores', larger_is_better=True, limits=(0, 1))
    """

    name: str
    title: str
    needs: Literal["labels", "scores", "probabilities"]
    larger_is_better: bool
    compute: Callable[[Predictions], float] = field(repr=False)
    limits: tuple[float, float] = (-inf, inf)


def _auc(given: Predictions) -> float:
    return rare_auc(given.y_true, given.rare_scores, positive=given.rare)


def _average_precision(given: Predictions) -> float:
    return rare_average_precision(given.y_true, given.rare_scores, positive=given.rare)


def _weighted_auroc(given: Predictions) -> float:
    return weighted_auroc(given.y_true, given.scores, labels=given.classes)


def _hand_till(given: Predictions) -> float:
    return hand_till_auc(given.y_true, given.scores, labels=given.classes)


def _log_loss(given: Predictions) -> float:
    return float(sklearn_log_loss(given.y_true, given.scores, labels=given.classes))


def _brier(given: Predictions) -> float:
    return brier_score(given.y_true, given.scores, labels=given.classes)


def _minority_f1(given: Predictions) -> float:
    return minority_f1(given.y_true, given.labels, positive=given.rare)


def _accuracy(given: Predictions) -> float:
    return float(accuracy_score(given.y_true, given.labels))


def _balanced_accuracy(given: Predictions) -> float:
    return balanced_accuracy(given.y_true, given.labels)


def _g_mean(given: Predictions) -> float:
    return g_mean(given.y_true, given.labels)


_SHARE = (0.0, 1.0)
_METRICS = (
    Metric("auc", "AUC of the rare class", "scores", True, _auc, _SHARE),
    Metric("weighted_auroc", "weighted AUROC", "scores", True, _weighted_auroc, _SHARE),
    Metric("hand_till", "Hand-Till AUC", "scores", True, _hand_till, _SHARE),
    Metric("average_precision", "average precision of the rare class", "scores", True, _average_precision, _SHARE),
    Metric("minority_f1", "F-measure of the rare class", "labels", True, _minority_f1, _SHARE),
    Metric("accuracy", "accuracy", "labels", True, _accuracy, _SHARE),
    Metric("balanced_accuracy", "balanced accuracy", "labels", True, _balanced_accuracy, _SHARE),
    Metric("g_mean", "G-mean", "labels", True, _g_mean, _SHARE),
    Metric("log_loss", "log-loss", "probabilities", False, _log_loss, (0.0, inf)),
    Metric("brier", "Brier score", "probabilities", False, _brier, (0.0, 2.0)),  # at most 1 for two classes
)
REGISTRY = MappingProxyType({metric.name: metric for metric in _METRICS})


def names() -> list[str]:
    """The names that :func:`get` and comparisons accept.

    Examples
    --------
    >>> from rarewood import metrics
    >>> metrics.names()
    ['auc', 'weighted_auroc', 'hand_till', 'average_precision', 'minority_f1', 'accuracy', 'balanced_accuracy', 'g_mean',
     'log_loss', 'brier']
    """
    return list(REGISTRY)


def get(metric: str | Metric) -> Metric:
    """Look up a measure by name; a :class:`Metric` is returned unchanged.

    Parameters
    ----------
    metric : str or Metric
        A name from :func:`names`, or a measure.

    Returns
    -------
    Metric

    Examples
    --------
    >>> from rarewood import metrics
    >>> metrics.get("brier").larger_is_better
    False
    >>> metrics.get("aoc")
    Traceback (most recent call last):
        ...
    ValueError: unknown metric 'aoc', did you mean 'auc'? Choose from auc, weighted_auroc, ...
    """
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        raise TypeError(
            f"a metric must be a name or a rarewood.metrics.Metric, got {metric!r}; names are {', '.join(REGISTRY)}."
        )
    if metric not in REGISTRY:
        raise ValueError(
            f"unknown metric {metric!r}{did_you_mean(metric, REGISTRY)} Choose from {', '.join(REGISTRY)}."
        )
    return REGISTRY[metric]
