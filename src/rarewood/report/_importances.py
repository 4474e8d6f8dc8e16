"""The importance of each column to a model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import take_rows
from rarewood.report._perturbed import Scores, losses_when_shuffled, some_of_both

_MOST_RARE, _MOST_REST = 1000, 4000
_REPEATS = 3


class Importances(NamedTuple):
    """A number per column, and the sentence that says what it measures."""

    sizes: NDArray[np.float64]
    meaning: str


def importances(
    inner: Any, scores: Scores, X: Any, is_rare: NDArray[np.bool_], n_columns: int, random_state: int
) -> Importances:
    """The model's own importances; where it has none for these columns, what shuffling a column costs in ranking."""
    own = getattr(inner, "feature_importances_", None)
    if own is not None and len(own) == n_columns:
        meaning = "Importance is the share of the column in the total gain of all splits, on the training rows."
        return Importances(np.asarray(own, dtype=np.float64), meaning)
    meaning = "Importance is how much the area under the ROC curve on these rows falls when the values of the column are shuffled."
    rng = np.random.default_rng(random_state)
    rows = some_of_both(is_rare, _MOST_RARE, _MOST_REST, rng)
    losses = losses_when_shuffled(
        scores, take_rows(X, rows), is_rare[rows], range(n_columns), repeats=_REPEATS, rng=rng
    )
    return Importances(np.array([loss.value for loss in losses]), meaning)
