"""scikit-learn's wrappers around our models: calibration by cross-validation, and thresholds.

Only public names of scikit-learn are used. A threshold wrapper is written as the model inside with the threshold of its own, by
which it predicts the same. Of `CalibratedClassifierCV`, the pairs of a model and its calibrators are written; read again, they
are `CalibratedPair` objects of ours, because scikit-learn's have no public class.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from rarewood.exceptions import ModelFileError
from rarewood.metrics import DecisionThreshold

THRESHOLD_WRAPPERS = (FixedThresholdClassifier, TunedThresholdClassifierCV)


def thawed(model: Any) -> Any:
    """The model inside `FrozenEstimator`, or itself."""
    return thawed(model.estimator) if isinstance(model, FrozenEstimator) else model


# ---------------------------------------------------------------------------------------------------------
# thresholds


def threshold_of(wrapper: Any) -> DecisionThreshold:
    """The threshold of a wrapper, for the model inside."""
    unknown = math.nan
    return DecisionThreshold(_value(wrapper), "given", _positive_label(wrapper), unknown, unknown, unknown)


def _value(wrapper: Any) -> float:
    told = wrapper.best_threshold_ if isinstance(wrapper, TunedThresholdClassifierCV) else wrapper.threshold
    return 0.5 if told == "auto" else float(told)


class _EvenOdds(ClassifierMixin, BaseEstimator):
    """A classifier that finds both classes equally probable."""

    def __init__(self, classes: Any = None) -> None:
        self.classes = classes
        self.classes_ = classes

    def fit(self, X: Any, y: Any) -> _EvenOdds:  # noqa: ARG002
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        return np.full((len(np.asarray(X)), 2), 0.5)


def _positive_label(wrapper: Any) -> Any:
    """The label that the wrapper calls rows from its threshold on; asked by a row whose classes are equally probable."""
    asked = copy.copy(wrapper)
    classes = np.asarray(wrapper.classes_)
    asked.estimator_ = _EvenOdds(classes)
    answer = np.asarray(asked.predict(np.zeros((1, 1)))).tolist()[0]
    return answer if _value(wrapper) <= 0.5 else next(label for label in classes.tolist() if label != answer)


# ---------------------------------------------------------------------------------------------------------
# calibration


@dataclass(frozen=True)
class Sigmoid:
    """1 / (1 + exp(a t + b))."""

    a: float
    b: float

    def predict(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(expit(-(self.a * scores + self.b)))


@dataclass(frozen=True, eq=False)
class CalibratedPair:
    """A fitted model and one calibrator for each class; of two classes, for the second."""

    estimator: Any
    calibrators: list[Any]
    classes: NDArray[Any]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        scores = self.estimator.predict_proba(X)
        if len(self.classes) == 2:
            second = np.asarray(self.calibrators[0].predict(scores[:, 1]))
            result = np.column_stack([1.0 - second, second])
        else:
            each = zip(self.calibrators, scores.T, strict=True)
            raw = np.column_stack([calibrator.predict(score) for calibrator, score in each])
            total = raw.sum(axis=1)[:, np.newaxis]
            result = np.divide(raw, total, out=np.full_like(raw, 1.0 / raw.shape[1]), where=total != 0)
        result[(result > 1.0) & (result <= 1.0 + 1e-5)] = 1.0
        return result


def pairs_of(model: CalibratedClassifierCV, where: str) -> list[tuple[Any, list[Any]]]:
    """The fitted models inside with their calibrators, each a `Sigmoid` or an `IsotonicRegression`."""
    pairs = []
    for pair in model.calibrated_classifiers_:
        inside = thawed(getattr(pair, "estimator", None))
        if not np.array_equal(getattr(inside, "classes_", ()), model.classes_):
            raise ModelFileError(f"{where} has a fold that lacks a class, which a model file cannot hold.")
        pairs.append((inside, [_calibrator(each, where) for each in getattr(pair, "calibrators", [])]))
    return pairs


def _calibrator(told: Any, where: str) -> Any:
    if isinstance(told, (Sigmoid, IsotonicRegression)):
        return told
    if hasattr(told, "a_") and hasattr(told, "b_"):
        return Sigmoid(float(told.a_), float(told.b_))
    raise ModelFileError(
        f"{where} is calibrated by {type(told).__name__}; a model file can hold the methods 'sigmoid' and 'isotonic'."
    )


def isotonic(x: NDArray[np.float64], y: NDArray[np.float64]) -> IsotonicRegression:
    """The regression with these corners."""
    return IsotonicRegression(out_of_bounds="clip").fit(x, y)
