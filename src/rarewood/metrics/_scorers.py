"""Measures as scikit-learn's searches and cross-validations call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarewood._validation import rarest_label, read_labels
from rarewood.metrics._registry import REGISTRY, Metric, Predictions


@dataclass(frozen=True)
class Scorer:
    """A measure as a scikit-learn scorer, ``scorer(classifier, X, y)``; larger is better, so losses are negative.

    Parameters
    ----------
    metric : Metric
        The measure.
    positive : label or None
        The rare class. None takes the rarest label among the rows to score.
    """

    metric: Metric
    positive: Any = None

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Score a fitted classifier on some rows."""
        truth = read_labels(y)
        rare = rarest_label(truth) if self.positive is None else self.positive
        labels = estimator.predict(X) if self.metric.needs == "labels" else None
        scores = None if self.metric.needs == "labels" else estimator.predict_proba(X)
        value = float(self.metric.compute(Predictions(truth, np.asarray(estimator.classes_), rare, labels, scores)))
        return value if self.metric.larger_is_better else -value


def scorers(positive: Any = None) -> dict[str, Scorer]:
    """All measures as scikit-learn scorers, for labels of any type.

    Parameters
    ----------
    positive : label, default=None
        The rare class. None takes the rarest label among the rows to score.

    Returns
    -------
    dict of str to scorer
        Losses have the prefix ``neg_`` and are negated, as scikit-learn does.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from rarewood import HeDExClassifier, metrics
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> words = y.map({0: "malignant", 1: "benign"})
    >>> scoring = metrics.scorers()["average_precision"]
    >>> scores = cross_val_score(HeDExClassifier(10, random_state=0), X, words, scoring=scoring, cv=3)
    >>> bool(scores.min() > 0.9)
    True
    """
    return {
        name if metric.larger_is_better else f"neg_{name}": Scorer(metric, positive)
        for name, metric in REGISTRY.items()
    }
