"""The rows a forest was fitted to, scored once more by the trees that left them out, as they are or with other cells."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Dataset
from rarewood._tables import Rows
from rarewood.ensemble._rare import RareClassifier
from rarewood.ensemble.base import BaseForest, thread_count
from rarewood.tree.base import TableData

_TOLERANCE = 1e-6  # of a mean score, which sums in another order


@dataclass(frozen=True, eq=False)
class FittedRows:
    """A forest and its training rows; the trees that leave out a row do so whatever its cells are changed to."""

    model: BaseForest
    data: TableData

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Of the training rows with these cells, by the trees that left them out; NaN where there is none.

        They are those of the population that the model learned from, whatever prior or label rate it was told since.
        """
        labels = self.data.labels
        table = Dataset(rows.matrix, self.data.columns.n_categories, labels.codes, labels.n_classes)
        data = replace(self.data, dataset=table, matrix=rows.matrix)
        totals = self.model._left_out_totals(data, thread_count(self.model.n_jobs))
        scored, score = ~np.isnan(totals[:, 0]), replace(self.model._score(), prior=None, label_rate=None)
        totals[scored] = score.finished(totals[scored], score.shift(rows.matrix[scored]))
        return totals


def fitted_rows(model: Any, rows: Rows, y: NDArray[Any]) -> FittedRows | None:
    """The rows if they are those that the model was fitted to, in that order; None otherwise, and for models without out-of-bag scores.

    Whether they are, is told by the out-of-bag scores that the model remembers. Weights and, behind a model file, groups that were given
    are not known here: rows of a fit with either are not recognised.
    """
    memory = getattr(model, "memory_", None)
    if not isinstance(model, BaseForest) or memory is None or len(rows) != memory.n_rows:
        return None
    groups = getattr(model, "oob_groups_", None) if hasattr(model, "n_groups_") else None
    again = copy.copy(model)
    again._forget()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `fit` has said it
        data = again._read_training_data(rows, y, None, groups)
    if not np.array_equal(data.labels.classes, model.classes_):
        return None
    found = FittedRows(model, data)
    means = _means_again(found, rows, memory.positive)
    return found if np.allclose(means, memory.scores.means, rtol=0.0, atol=_TOLERANCE) else None


def _means_again(found: FittedRows, rows: Rows, positive: int) -> Any:
    """What a memory has of these rows: the mean out-of-bag scores of both classes.

    Scores with effects of columns are those of rows that the effects had not seen, which only learning them again can tell.
    """
    model, data = found.model, found.data
    if isinstance(model, RareClassifier) and model.column_effects_ is not None:
        again = model._learned_again(data)
        return np.full(2, np.nan) if again.memory_ is None else again.memory_.scores.means
    scores, is_rare = found.probabilities(rows)[:, positive], data.labels.codes == positive
    return [np.nanmean(scores[side]) if side.any() else np.nan for side in (is_rare, ~is_rare)]
