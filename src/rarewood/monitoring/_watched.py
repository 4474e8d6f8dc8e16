"""A model that new rows are scored by, with what it remembers, in the probabilities that it gives today."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rarewood._decisions import odds_factor
from rarewood._memory import ScoreMemory, TrainingMemory
from rarewood._pipelines import last_step, steps_of
from rarewood.ensemble.base import BaseForest
from rarewood.metrics import DecisionThreshold


@dataclass(frozen=True, eq=False)
class Watched:
    """A fitted forest, its memory, the column of its positive class and its threshold.

    `reference` is what training rows would score if the model scored them as it scores new rows: where it has been told a prior, so
    have they.
    """

    model: Any
    memory: TrainingMemory
    reference: ScoreMemory
    column: int
    threshold: DecisionThreshold | None
    cut: float | None  # rows of at least this score are alarms; None if scores of one class do not say

    @classmethod
    def of(cls, model: Any) -> Watched:
        """Raise where a model has nothing to compare with."""
        forest = forest_of(model)
        refuse_label_rate(forest)
        memory = getattr(forest, "memory_", None)
        if memory is None:
            raise ValueError(
                "the model remembers nothing of its training rows, so new rows cannot be compared with them: it was saved with "
                "memory=False or by an older version, or has no out-of-bag scores. Fit a RareClassifier, or a forest with "
                "oob_score=True or calibration='beta', and save it with its memory."
            )
        column, threshold = forest._positive_column(), getattr(forest, "decision_threshold_", None)
        if column != memory.positive:
            known = forest.classes_.tolist()
            raise ValueError(
                f"the threshold of the model is for class {known[column]!r}, but it remembers scores of class "
                f"{known[memory.positive]!r}; choose a threshold for that class."
            )
        cut = threshold.value if threshold is not None else 0.5 if len(forest.classes_) == 2 else None
        return cls(model, memory, _reference(forest, memory), column, threshold, cut)

    @property
    def classes(self) -> list[Any]:
        """Labels of the model."""
        found: list[Any] = forest_of(self.model).classes_.tolist()
        return found

    @property
    def positive(self) -> Any:
        """The class that is looked for."""
        return self.classes[self.column]

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        columns = forest_of(self.model)._columns
        return [columns.name(number) for number in range(len(columns))]

    @property
    def n_rare(self) -> float:
        """Rare rows that the memory rests on."""
        return float(self.reference.sizes[0])

    def read(self, X: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The scores of rows, and the rows in the coding of the model."""
        scores = np.asarray(self.model.predict_proba(X), dtype=np.float64)[:, self.column]
        return scores, forest_of(self.model)._encode(X)


def forest_of(model: Any) -> BaseForest:
    """The model itself: what it remembers of rows that were made or left out by a sampler says nothing of real ones."""
    last = last_step(model)
    if len(steps_of(model)) > 1 or not isinstance(last, BaseForest):
        raise TypeError(
            f"{type(model).__name__} is not accepted; give a RareClassifier, or a forest of rarewood with out-of-bag scores, that is "
            "no step of a pipeline."
        )
    check_is_fitted(last)
    return last


def refuse_label_rate(forest: BaseForest) -> None:
    """What a model remembers, and labels of new rows, are about rows that carry the label; its probabilities are not."""
    if hasattr(forest, "label_rate_"):
        raise ValueError(
            "the model has been told that rare rows lack their label, so its probabilities cannot be compared with labels. Call "
            "set_label_rate(None) on a copy of it."
        )


def _reference(forest: Any, memory: TrainingMemory) -> ScoreMemory:
    told = forest._priors()
    if told is None:
        return memory.scores
    own, now = told
    factor = odds_factor(memory.positive, own, now)
    if factor is None:
        raise ValueError(
            "the prior of the model has changed the other classes among each other, so it does not know what to expect; call "
            "set_prior(None) on a copy of it."
        )
    return memory.scores.stretched(1.0, math.log(factor), float(now[memory.positive]))
