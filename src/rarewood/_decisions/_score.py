"""How a probability is made: a sum over trees, then calibration, effects of columns, and the label rate or the prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, Tree
from rarewood._decisions._calibration import Calibration
from rarewood._decisions._effects import ColumnEffects
from rarewood._decisions._label_rate import divide_by_label_rate
from rarewood._decisions._prior import shift_prior


@dataclass(frozen=True, eq=False)
class Score:
    """A weighted sum of leaf probabilities; normalised, or calibrated and shifted by effects of columns; then for a label rate or a prior.

    This is the one place that makes probabilities. A model says with `_score` what its own are made of; predictions, explanations,
    exports and model files all read that, so none of them can leave a part out.

    Parameters
    ----------
    trees : Tree or Forest
        In the order in which they are added up.
    pseudo_counts : float or array of shape (n_classes,)
        What leaves are smoothed by.
    tree_weights : array of shape (n_trees,) or None
        None takes the mean.
    calibration : Calibration or None
        What is applied to the sum. Without it a weighted sum is divided by its total, because weights add up to 1 only nearly.
    effects : ColumnEffects or None
        What single columns add to the log-odds that the calibration gives.
    prior : pair of arrays or None
        Shares of the classes that the probabilities are about, and those that are wanted.
    label_rate : pair of an int and a float, or None
        Of two classes, the column of the one that lacks labels, and the share of its rows that carry one. Not with a prior.
    """

    trees: Tree | Forest
    pseudo_counts: float | NDArray[np.float64]
    tree_weights: NDArray[np.float64] | None = None
    calibration: Calibration | None = None
    effects: ColumnEffects | None = None
    prior: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    label_rate: tuple[int, float] | None = None

    @property
    def normalised(self) -> bool:
        """Whether the sum is divided by its total."""
        return self.calibration is None and self.tree_weights is not None

    @property
    def is_sum(self) -> bool:
        """Whether the sum over the trees is the probability itself, up to rounding."""
        return self.calibration is None and self.prior is None and self.label_rate is None

    def probabilities(self, matrix: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """The probabilities of the classes, for rows in the coding of the model."""
        return self.finished(self.total(matrix, n_threads), self.shift(matrix))

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
        if self.label_rate is not None:
            total = divide_by_label_rate(total, *self.label_rate)
        return total if self.prior is None else shift_prior(total, *self.prior)
