"""What the probabilities of a model are made of: a sum over trees, and what turns it into probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, Tree
from rarewood._decisions import Calibration, ColumnEffects, shift_prior
from rarewood._validation import column_of
from rarewood.ensemble._rare import RareClassifier
from rarewood.ensemble.base import BaseForest
from rarewood.tree import TreeClassifier


@dataclass(frozen=True, eq=False)
class Score:
    """A weighted sum of leaf probabilities; normalised, or calibrated and shifted by effects of columns; moved to a prior.

    Parameters
    ----------
    trees : Tree or Forest
        In the order in which they are added up.
    pseudo_counts : float or array of shape (n_classes,)
        What leaves are smoothed by.
    tree_weights : array of shape (n_trees,) or None
        None takes the mean.
    normalised : bool
        Whether the sum is divided by its total, because weights add up to 1 only nearly.
    calibration : Calibration or None
        What is applied to the sum.
    effects : ColumnEffects or None
        What single columns add to the log-odds that the calibration gives.
    prior : pair of arrays or None
        Shares of the classes that the probabilities are about, and those that are wanted.
    """

    trees: Tree | Forest
    pseudo_counts: float | NDArray[np.float64]
    tree_weights: NDArray[np.float64] | None = None
    normalised: bool = False
    calibration: Calibration | None = None
    effects: ColumnEffects | None = None
    prior: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    @property
    def is_sum(self) -> bool:
        """Whether the sum over the trees is the probability itself."""
        return self.calibration is None and self.prior is None

    def total(self, matrix: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """The sum over the trees, for rows in the coding of the model."""
        if isinstance(self.trees, Tree):
            return self.trees.predict_proba(matrix, self.pseudo_counts)
        return self.trees.predict_proba(matrix, self.pseudo_counts, n_threads, self.tree_weights)

    def shift(self, matrix: NDArray[Any]) -> NDArray[np.float64] | None:
        """What the effects of columns add to the log-odds of the second class, if the model has any."""
        return None if self.effects is None else self.effects.apply(matrix)

    def finished(self, total: NDArray[np.float64], shift: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Probabilities from sums, and from what effects of columns add; without `shift`, of effects that are 0."""
        if self.calibration is not None:
            total = self.calibration.apply(total, shift)
        elif self.normalised:
            total = total / total.sum(axis=1, keepdims=True)
        return total if self.prior is None else shift_prior(total, *self.prior)


def score_of(model: Any) -> Score | None:
    """Of a fitted tree or forest; None for any other model."""
    if isinstance(model, TreeClassifier):
        return Score(model.tree_, model._pseudo_count())
    if not isinstance(model, BaseForest):
        return None
    prior = (model.own_prior_, model.prior_) if hasattr(model, "prior_") else None
    if isinstance(model, RareClassifier):
        weights, calibration, effects = model._tree_weights(), model.calibration_, model.column_effects_
        return Score(model.forest_, model._pseudo_count(), weights, calibration is None, calibration, effects, prior)
    return Score(model.forest_, model._pseudo_count(), prior=prior)


def positive_column(model: Any) -> int:
    """The column of the class that a model is about.

    The one it was told, or chose a threshold for; else the one with less weight in the roots of its trees; of equals, the last.
    """
    classes = model.classes_
    threshold = getattr(model, "decision_threshold_", None)
    if hasattr(model, "positive_"):
        return column_of(model.positive_, classes)
    if threshold is not None:
        return column_of(threshold.positive, classes)
    weights = model.tree_.value[0] if isinstance(model, TreeClassifier) else model._own_prior()
    least = np.flatnonzero(weights <= weights.min() * (1.0 + 1e-9))
    return int(least[-1])
