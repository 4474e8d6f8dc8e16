"""Models in the few words that other programs know: trees of binary tests, their sum, and what is made of it.

Every export starts here. Tests of many branches and rules become trees of two (`_binary_trees`), leaves become probabilities, calibration
and threshold come last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rarewood._core import Forest, Tree
from rarewood._decisions import ColumnEffects, Score, prior_factors
from rarewood._pipelines import last_step, only_resamples
from rarewood._tables import Columns
from rarewood._validation import column_of
from rarewood.decomposition import OneVsAllClassifier
from rarewood.decomposition.base import BaseDecomposition
from rarewood.decomposition.codes import signs_of
from rarewood.decomposition.constant import ConstantClassifier
from rarewood.ensemble import BiasedRankingClassifier, RuleSetClassifier
from rarewood.ensemble.bias import POSITIVE, vote_bound
from rarewood.ensemble.threshold import kept_threshold
from rarewood.export._binary_trees import BinaryTree, lower_tree, tree_of_rule, tree_of_steps
from rarewood.tree.base import BaseTreeModel

_OTHER_DIGITS = 1e-13


@dataclass(frozen=True, eq=False)
class Mixture:
    """The sum over trees, in their order, of weight x leaf probabilities, over `divisor`; for rows in the coding of `columns`.

    An export that adds up in this order and divides at the end gives the very bits of `predict_proba`, and the same labels where
    classes tie.
    """

    trees: list[BinaryTree]
    weights: NDArray[np.float64]
    divisor: float
    columns: Columns

    @property
    def shares(self) -> NDArray[np.float64]:
        """What each tree counts."""
        return self.weights / self.divisor


@dataclass(frozen=True, eq=False)
class Finished:
    """Probabilities made of those of `inner`: normalised, or calibrated; then times `factors` and normalised, or over a label rate.

    What `effects` add up to is added to the logarithms that the calibration makes: a tree per column, whose leaf values are what its
    steps give to each class.
    """

    inner: Mixture
    normalised: bool
    calibration: tuple[NDArray[np.float64], NDArray[np.float64]] | None  # slopes and offsets
    factors: NDArray[np.float64] | None
    effects: Mixture | None = None
    label_rate: tuple[int, float] | None = None  # of two classes: a column, and what it is divided by, up to 1


@dataclass(frozen=True, eq=False)
class Logistic:
    """Probabilities in proportion to exp(sum + offset) of each class."""

    inner: Mixture
    offsets: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Certain:
    """All for one class of two."""

    label: int


@dataclass(frozen=True, eq=False)
class OneVsAll:
    """One problem per class; each counts the probability of its class 1."""

    problems: list[Lowered]
    weka: bool


@dataclass(frozen=True, eq=False)
class Coded:
    """Problems combined by the signs of a code book, classes x problems."""

    problems: list[Lowered]
    signs: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ranked:
    """Forests that vote in turn; a row that gets less than `bounds` votes from one is not shown to the next."""

    forests: list[Mixture]  # leaf values are votes, weights 1
    bounds: list[float]
    positive: int
    n_classes: int
    rest: Mixture | None


Lowered = Mixture | Finished | Logistic | Certain | OneVsAll | Coded | Ranked


@dataclass(frozen=True, eq=False)
class LoweredModel:
    """What a model computes, and its decision: from `threshold` on for column `positive`; None for the most probable class."""

    root: Lowered
    columns: Columns
    classes: NDArray[Any]
    threshold: float | None
    positive: int | None


def lower(model: Any) -> LoweredModel:
    """A fitted classifier of this package, or a pipeline of samplers and one."""
    check_is_fitted(model)
    if not only_resamples(model):
        raise TypeError(
            "the pipeline transforms columns before its last step, and an export does not include that. Export the "
            "last step alone, model[-1], and give it transformed columns; or leave the transformation out, since "
            "trees need no scaling."
        )
    last = last_step(model)
    threshold = kept_threshold(model)
    classes = np.asarray(last.classes_)
    positive = None if threshold is None else column_of(threshold.positive, classes)
    root = _lower(last)
    bound = None if threshold is None else threshold.value
    if bound is not None and isinstance(root, Logistic):
        # Rows that meet the same rules have one score, which a threshold may be equal to; another exp gives it another last digit.
        bound *= 1.0 - _OTHER_DIGITS
    return LoweredModel(root, _first_columns(root), classes, bound, positive)


def _lower(model: Any) -> Lowered:
    score = model._score() if isinstance(model, BaseTreeModel) else None
    if score is not None:
        return _lower_score(score, model._columns)
    if isinstance(model, ConstantClassifier):
        return Certain(model.label)
    if isinstance(model, BaseDecomposition):
        if model.n_classes_ == 2:
            return _lower(model.estimators_[0])
        problems = [_lower(each) for each in model.estimators_]
        if isinstance(model, OneVsAllClassifier):
            return OneVsAll(problems, model.normalize == "weka")
        return Coded(problems, signs_of(model.code_book_))
    if isinstance(model, BiasedRankingClassifier):
        return _lower_ranking(model)
    if isinstance(model, RuleSetClassifier):
        return _lower_rules(model)
    raise TypeError(
        f"{type(model).__name__} is not accepted; give a fitted classifier of rarewood, or a pipeline of samplers and "
        "such a classifier."
    )


def _lower_score(score: Score, columns: Columns) -> Mixture | Finished:
    mixture = _mixture(score.trees, score.pseudo_counts, columns, score.tree_weights)
    if score.is_sum and not score.normalised:
        return mixture
    calibration = None if score.calibration is None else (score.calibration.slopes, score.calibration.offsets)
    factors = None if score.prior is None else prior_factors(*score.prior)
    effects = None if score.effects is None else _lower_effects(score.effects, columns)
    return Finished(mixture, score.normalised, calibration, factors, effects, score.label_rate)


def _lower_effects(effects: ColumnEffects, columns: Columns) -> Mixture | None:
    trees = [
        tree_of_steps([(column, bounds)], values)
        for column, (bounds, values) in enumerate(zip(effects.bounds, effects.values, strict=True))
        if values.any()
    ]
    trees += [tree_of_steps(list(zip(pair.columns, pair.bounds, strict=True)), pair.values) for pair in effects.pairs]
    return Mixture(trees, np.ones(len(trees)), 1.0, columns) if trees else None


def _lower_ranking(model: BiasedRankingClassifier) -> Ranked:
    forests = [_mixture(voters, 0.0, model._columns, np.ones(len(voters))) for voters in model._voters]
    rest = None
    if model.rest_forest_ is not None:
        rest = _mixture(model.rest_forest_, model._rest_smoothing, model._columns)
    return Ranked(
        forests,
        [vote_bound(model.threshold, len(voters)) for voters in model._voters],
        column_of(model.positive_, model.classes_),
        len(model.classes_),
        rest,
    )


def _lower_rules(model: RuleSetClassifier) -> Logistic:
    """A tree per rule, whose weight goes to the class that the rules find; without rules, an empty one."""
    rules, n_classes = model.rules_, len(model.classes_)
    finds = np.zeros(n_classes)
    finds[column_of(model.positive_, model.classes_)] = 1.0
    conditions = rules.found.conditions
    trees = [tree_of_rule(conditions.rule(number), finds) for number in range(len(rules))]
    weights = model.weights_
    if not trees:
        trees, weights = [tree_of_rule((), finds)], np.zeros(1)
    offsets = model.intercept_ * finds if n_classes == 2 else np.zeros(n_classes)
    return Logistic(Mixture(trees, weights, 1.0, rules.columns), offsets)


VOTE = POSITIVE  # the column of a voter's leaf values that counts


def _mixture(
    trees: Tree | Forest,
    pseudo_counts: float | NDArray[np.float64],
    columns: Columns,
    weights: NDArray[np.float64] | None = None,
) -> Mixture:
    each = [trees] if isinstance(trees, Tree) else [trees[number] for number in range(len(trees))]
    lowered = [lower_tree(tree, pseudo_counts) for tree in each]
    if weights is None:
        return Mixture(lowered, np.ones(len(each)), float(len(each)), columns)
    return Mixture(lowered, weights, 1.0, columns)


def _first_columns(root: Lowered) -> Columns:
    for mixture in mixtures(root):
        return mixture.columns
    raise ValueError("the model has no trees, so there is nothing to export.")


def mixtures(root: Lowered) -> list[Mixture]:
    """All sums over trees in a model."""
    if isinstance(root, Mixture):
        return [root]
    if isinstance(root, Finished | Logistic):
        return [root.inner]
    if isinstance(root, OneVsAll | Coded):
        return [each for problem in root.problems for each in mixtures(problem)]
    if isinstance(root, Ranked):
        return [*root.forests, *([] if root.rest is None else [root.rest])]
    return []
