"""Scores of rows whose class is known, and all the cuts that divide them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._validation import check_sample_weight, rarest_label, read_labels, read_numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelledScores:
    """What a threshold is chosen on. Rows stand in descending order of their scores; none has weight 0.

    `groups` numbers the group of each row, if some rows belong together. `n_rows` is how many rows these stand for: some of them
    may have no score.
    """

    scores: Floats
    is_positive: NDArray[np.bool_]
    weights: Floats | None
    groups: NDArray[np.intp] | None
    positive: Any
    n_rows: int

    @classmethod
    def read(
        cls,
        y_true: ArrayLike,
        scores: ArrayLike,
        *,
        positive: Any = None,
        sample_weight: ArrayLike | None = None,
        groups: NDArray[np.intp] | None = None,
        n_rows: int | None = None,
    ) -> Self:
        """Check and sort; without a positive class, the rarest is it."""
        truth, score = _check_rows(y_true, scores)
        weights = check_sample_weight(sample_weight, len(truth))
        if groups is not None and len(groups) != len(truth):
            raise ValueError(f"groups has {len(groups)} values, expected {len(truth)}: one for each label.")
        wanted = rarest_label(truth) if positive is None else positive
        is_positive = np.asarray(truth == wanted)
        used = np.ones(len(truth), dtype=bool) if weights is None else weights > 0
        if not np.any(is_positive & used):
            raise ValueError(f"y_true has no row of the positive class {wanted!r}, so there is nothing to find.")
        order = np.argsort(-score, kind="stable")
        order = order[used[order]]
        return cls(
            score[order],
            is_positive[order],
            None if weights is None else weights[order],
            None if groups is None else groups[order],
            wanted,
            len(order) if n_rows is None else n_rows,
        )

    def take(self, rows: NDArray[Any], groups: NDArray[np.intp] | None = None) -> LabelledScores:
        """Some of the rows, by a mask or by ascending positions, which may repeat; `groups` are theirs, if not as before."""
        if groups is None and self.groups is not None:
            groups = self.groups[rows]
        weights = None if self.weights is None else self.weights[rows]
        return LabelledScores(self.scores[rows], self.is_positive[rows], weights, groups, self.positive, self.n_rows)

    @property
    def n_positive(self) -> int:
        """Rows of the positive class, whatever they weigh."""
        return int(np.count_nonzero(self.is_positive))

    @property
    def share(self) -> float:
        """Share of the positive class, by weight."""
        return float(np.average(self.is_positive, weights=self.weights))

    @cached_property
    def weight(self) -> Floats:
        """The weight of each row."""
        return np.ones(len(self.scores)) if self.weights is None else self.weights

    @cached_property
    def last_of_score(self) -> NDArray[np.intp]:
        """The position of the last row of each distinct score: a cut is behind it."""
        return np.flatnonzero(np.append(self.scores[1:] < self.scores[:-1], True))

    @cached_property
    def cuts(self) -> Cuts:
        """All ways to call the rows of the highest scores positive."""
        weight, ends = self.weight, self.last_of_score
        tp = np.cumsum(np.where(self.is_positive, weight, 0.0))[ends]
        fp = np.cumsum(np.where(self.is_positive, 0.0, weight))[ends]
        distinct = self.scores[ends]
        below = np.append(distinct[1:], distinct[-1])
        middle = distinct / 2.0 + below / 2.0
        return Cuts(
            np.append(np.nextafter(distinct[0], np.inf), np.where(middle > below, middle, distinct)),
            distinct,
            np.append(0.0, tp),
            np.append(0.0, fp),
            float(tp[-1]),
            float(tp[-1] + fp[-1]),
        )


@dataclass(frozen=True, eq=False)
class Cuts:
    """All ways to cut sorted scores in two, from calling nothing positive to calling everything so. Counts are weighted."""

    value: Floats
    lowest_called: Floats  # of every cut but the first, which calls nothing
    tp: Floats
    fp: Floats
    n_positive: float
    total: float

    @property
    def called(self) -> Floats:
        """What is called positive."""
        return self.tp + self.fp

    @property
    def precision(self) -> Floats:
        """Share of what is called that is positive; 0 if nothing is called."""
        called = self.called
        return np.divide(self.tp, called, out=np.zeros_like(called), where=called > 0)

    @property
    def recall(self) -> Floats:
        """Share of what is positive that is called."""
        return self.tp / self.n_positive

    @property
    def f1(self) -> Floats:
        """F-measure."""
        return 2.0 * self.tp / (self.called + self.n_positive)

    def cost(self, costs: tuple[float, float]) -> Floats:
        """Mean cost per row."""
        return (costs[0] * self.fp + costs[1] * (self.n_positive - self.tp)) / self.total

    def at(self, value: float) -> int:
        """The cut that calls the same rows positive as a threshold."""
        return int(np.count_nonzero(self.lowest_called >= value))


def _check_rows(y_true: ArrayLike, scores: ArrayLike) -> tuple[NDArray[Any], Floats]:
    truth = read_labels(y_true, "y_true")
    if len(truth) == 0:
        raise ValueError("y_true is empty; it needs at least one label.")
    score = read_numbers(scores, "scores")
    if score.shape != truth.shape:
        raise ValueError(
            f"scores.shape == {score.shape}, expected {truth.shape}: one score of the positive class for each label."
        )
    return truth, score
