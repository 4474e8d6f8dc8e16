"""Forests that lean towards one class on purpose: the rows their trees see, how the trees vote, and cleaning by their votes.

The *positive* class is the rare one, or the one a user names; all other classes together are the *negative* one. A tree sees
a sample without replacement of both, unequal in size, and votes positive where positive rows outweigh the others in the leaf
of a row: a tie is no positive vote.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import CriterionSpec, Dataset, Forest, ForestPlan, grow_forests
from rarewood._progress import Report
from rarewood._validation import NONE, Choice, Constraint, Integer, Labels, Number, Weights, column_of, rarest_class
from rarewood._warnings import warn
from rarewood.tree.base import TREE_PARAMETERS, growth_options, resolve_criterion

NEGATIVE, POSITIVE = 0, 1
_VOTE_PRIOR = 0.5  # a tree votes for the larger class of a leaf
_CLEANING_SHARE = 0.5  # of the positive rows, for each tree; the paper is silent
_RANKING_SHARE = 0.8
_PARTS_AT_ONCE = 16  # share the threads; each needs a weight per row and its forest until its rows are judged

# What the parameters of trees that lean accept, whoever asks for them.
BIASED_PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    **{name: accepted for name, accepted in TREE_PARAMETERS.items() if name not in ("splitter", "n_cuts", "smoothing")},
    "n_estimators": (Integer(1),),
    "threshold": (Number(0.0, 1.0, open_low=True),),
    "nominal": (Choice(("multiway", "subset", "one_vs_rest")),),
    "n_jobs": (NONE, Integer(-(2**31))),
    "verbose": (Integer(0),),
}


def cleaning_sizes(n_positive: int, n_negative: int, ratio: float) -> tuple[int, int]:
    """Rows of the negative and of the positive class that a tree of the cleaning sees: far more negative ones."""
    positive = math.ceil(exact(_CLEANING_SHARE * n_positive))
    negative = math.floor(min(n_negative, exact(ratio * positive)))  # the product of a huge ratio is infinite
    if negative <= positive:
        positive = max(1, negative // 2)
    return negative, positive


def ranking_sizes(n_positive: int, n_negative: int, ratio: float) -> tuple[int, int]:
    """Rows of the negative and of the positive class that a tree of the ranking sees: far more positive ones."""
    positive = math.ceil(exact(_RANKING_SHARE * n_positive))
    return min(n_negative, max(1, math.floor(min(n_negative, exact(positive / ratio))))), positive


def vote_bound(threshold: float, n_trees: int) -> float:
    """`threshold` times the trees; exactly so many votes are on neither side of it."""
    return exact(threshold * n_trees)


def exact(product: float) -> float:
    """Without the rounding error of decimal fractions: 0.29 * 100 is less than 29, 0.07 * 100 is more than 7."""
    return round(product, 9)


def deal(rows: NDArray[np.intp], n_parts: int, rng: np.random.RandomState) -> list[NDArray[np.intp]]:
    """The rows in random order in parts whose sizes differ by at most one; no part is empty."""
    return list(np.array_split(rng.permutation(rows), min(n_parts, len(rows))))


def positive_class(positive: Any, labels: Labels, weights: Weights) -> int:
    """The number of the class `positive`, or of the smallest one that has rows; the first of equals."""
    if positive is None:
        sizes = np.bincount(labels.codes, None if weights is None else weights > 0, labels.n_classes)
        return rarest_class(sizes)
    return column_of(positive, labels.classes)


def as_voters(forests: Sequence[Forest]) -> list[Forest]:
    """The same forests in the form that votes for the positive class."""
    return [forest.voters(POSITIVE) for forest in forests]


def positive_votes(voters: Forest, matrix: NDArray[Any], n_threads: int) -> NDArray[np.int64]:
    """How many trees call each row of the encoded table positive; `voters` is a grown forest's ``voters(POSITIVE)``."""
    shares = voters.predict_proba(matrix, 0.0, n_threads)[:, POSITIVE]
    return np.rint(shares * len(voters)).astype(np.int64)


@dataclass(frozen=True)
class BiasedGrower:
    """Grows forests on one training table, for one positive class, by the settings of one estimator."""

    dataset: Dataset
    matrix: NDArray[Any]
    labels: Labels
    positive: int
    criterion: CriterionSpec | Callable[..., Any]
    options: dict[str, Any]
    n_trees: int
    confidence: float | None
    n_threads: int

    @classmethod
    def of(
        cls,
        model: Any,
        dataset: Dataset,
        matrix: NDArray[Any],
        labels: Labels,
        positive: int,
        seed: int,
        n_threads: int,
        signs: list[int] | None = None,
    ) -> BiasedGrower:
        """Read the parameters of `model`, an estimator that has been checked; `matrix` is what `dataset` was made of.

        `signs` are monotone constraints on the share of the positive class.
        """
        options = {**growth_options(model), "splitter": "best", "seed": seed, "signs": signs}
        criterion = resolve_criterion(model.criterion, 2, model.nominal)
        confidence = model.confidence if model.pruning == "pessimistic" else None
        return cls(dataset, matrix, labels, positive, criterion, options, model.n_estimators, confidence, n_threads)

    def rows(self, weights: Weights) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows of the negative and of the positive class that have a weight above zero."""
        is_positive = self.labels.codes == self.positive
        counts = np.ones(len(is_positive), dtype=bool) if weights is None else weights > 0
        return np.flatnonzero(~is_positive & counts), np.flatnonzero(is_positive & counts)

    def plan(self, number: int, sizes: tuple[int, int], weights: Weights) -> ForestPlan:
        """Forest `number`: each of its trees sees so many negative and positive rows of a weight above zero."""
        return ForestPlan(
            [self.criterion],
            n_trees=self.n_trees,
            first_tree=number * self.n_trees,
            sampling="subsample",
            weights=weights,
            class_map=[POSITIVE if code == self.positive else NEGATIVE for code in range(self.labels.n_classes)],
            class_sizes=list(sizes),
            **self.options,
        )

    def grow(self, plans: Sequence[ForestPlan], report: Report | None) -> list[Forest]:
        """The planned forests, pruned and restrained if the settings say so."""
        forests = grow_forests(self.dataset, list(plans), n_threads=self.n_threads, progress=report)
        if self.confidence is not None:
            forests = [forest.pruned(self.confidence) for forest in forests]
        signs = self.options["signs"]
        return forests if signs is None else [forest.restrained(signs, _VOTE_PRIOR) for forest in forests]


@dataclass(frozen=True)
class CleaningRules:
    """How negative rows are judged; the parameters of `rarewood.BiasedForestCleaner`, with their defaults."""

    n_subsets: int = 10
    ratio: float = 5.0
    threshold: float = 0.5
    sequential: bool = False


@dataclass(frozen=True)
class Cleaning:
    """How the negative rows were judged.

    `votes` counts the trees that called a row positive, -1 where a row was not judged; `dangerous` are the rows with more
    of them than the threshold allows.
    """

    votes: NDArray[np.int64]
    dangerous: NDArray[np.bool_]


def judge_negatives(
    grower: BiasedGrower, weights: Weights, rules: CleaningRules, rng: np.random.RandomState, report: Report | None
) -> Cleaning:
    """Find negative rows that look positive to trees which saw far more negative ones, all from other parts of the table."""
    negative, positive = grower.rows(weights)
    votes = np.full(len(grower.labels.codes), -1, dtype=np.int64)
    dangerous = np.zeros(len(votes), dtype=bool)
    if len(negative) < 2 or len(positive) == 0:
        return Cleaning(votes, dangerous)
    bound = vote_bound(rules.threshold, grower.n_trees)
    parts = deal(negative, rules.n_subsets, rng)

    def plan(number: int, part: NDArray[np.intp]) -> ForestPlan:
        """Trees that judge a part see neither it nor, where rows leave one part after the other, the removed ones."""
        trained = np.ones(len(votes)) if weights is None else weights.copy()
        trained[part] = 0.0
        if rules.sequential:
            trained[dangerous] = 0.0
        left = int(np.count_nonzero(trained[negative]))
        return grower.plan(number, cleaning_sizes(len(positive), left, rules.ratio), trained)

    at_once = 1 if rules.sequential else _PARTS_AT_ONCE
    for first in range(0, len(parts), at_once):
        batch = parts[first : first + at_once]
        if rules.sequential and np.count_nonzero(~dangerous[negative]) == len(batch[0]):
            break  # this is the last part, and those before left nothing to learn from
        plans = [plan(first + place, part) for place, part in enumerate(batch)]
        for part, forest in zip(batch, grower.grow(plans, _shifted(report, first * grower.n_trees))):
            votes[part] = positive_votes(forest.voters(POSITIVE), grower.matrix[part], grower.n_threads)
            dangerous[part] = votes[part] > bound
    return Cleaning(votes, dangerous)


def _shifted(report: Report | None, done_before: int) -> Report | None:
    return None if report is None else lambda done: report(done_before + done)


def keep_some(dangerous: NDArray[np.bool_], negative: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`dangerous`, or nothing with a warning where no other negative row would be left."""
    if negative.any() and dangerous[negative].all():
        warn(
            f"All {int(negative.sum())} rows outside the positive class look dangerous; none was removed. A larger "
            "threshold removes fewer rows.",
        )
        return np.zeros_like(dangerous)
    return dangerous
