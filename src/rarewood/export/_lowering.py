"""Models in the few words that other programs know: trees of binary tests, their sum, and what is made of it.

Every export starts here. A test of many branches becomes several of two, leaves become probabilities, calibration and threshold come
last. To add a kind of test: a function that says how it is made of `Limit`, `Members` and `Side`, listed in `_FORKS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rarewood._core import Forest, Tree
from rarewood._pipelines import last_step, only_resamples
from rarewood._tables import Columns
from rarewood._validation import column_of
from rarewood.decomposition import OneVsAllClassifier
from rarewood.decomposition.base import BaseDecomposition
from rarewood.decomposition.codes import signs_of
from rarewood.decomposition.constant import ConstantClassifier
from rarewood.ensemble import BiasedRankingClassifier
from rarewood.ensemble.bias import POSITIVE, vote_bound
from rarewood.ensemble.score import Score, score_of
from rarewood.ensemble.threshold import kept_threshold

# ---------------------------------------------------------------------------------------------------------
# tests


@dataclass(frozen=True)
class Limit:
    """A number, or a category's code, up to `bound` goes left."""

    column: int
    bound: float


@dataclass(frozen=True)
class Members:
    """The categories with these codes go left."""

    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Side:
    """``weights[0] * a + weights[1] * b <= offset`` goes left.

    `places` gives the coordinate of each category's code on an axis that is nominal, None for numbers. A row with a category that
    has no place goes left or right as `unseen_left` says, one that misses a column as missing values do.
    """

    columns: tuple[int, int]
    weights: tuple[float, float]
    offset: float
    places: tuple[dict[int, int] | None, dict[int, int] | None]
    unseen_left: bool


Test = Limit | Members | Side

STAYS = -1  # in place of a child: the node's own counts


@dataclass(frozen=True)
class Fork:
    """A test and what follows on each side: the number of a child, `STAYS`, or another fork."""

    test: Test
    missing_left: bool
    left: int | Fork
    right: int | Fork


@dataclass(frozen=True)
class _Stored:
    """A tree with the arrays that it stores."""

    tree: Tree
    state: dict[str, NDArray[Any]]
    left: NDArray[np.int64]
    n_children: NDArray[np.int64]
    kinds: NDArray[np.uint8]

    @classmethod
    def of(cls, tree: Tree) -> _Stored:
        return cls(tree, tree.__getstate__(), tree.children_left, tree.n_children, tree.split_kinds)

    def record(self, node: int) -> int:
        """Place of what the node keeps beside its 16 bytes."""
        return int(self.state["node_threshold"][node])

    def places(self, number: int) -> dict[int, int] | None:
        if number == _NO_MAP:
            return None
        begin, size = int(self.state["list_begin"][number]), int(self.state["list_size"][number])
        codes, places = self.state["category_pool"][begin : begin + 2 * size].reshape(2, size).tolist()
        return dict(zip(codes, places, strict=True))

    def leaf_row(self, node: int) -> int:
        """Of a leaf, or of a row that stays at the node."""
        if self.left[node] == -1:
            return int(self.state["node_first_child"][node])
        return int(self.state["list_leaf_row"][self.record(node)])


_NO_MAP = 2**32 - 1


def _of_threshold(stored: _Stored, node: int) -> Fork:
    bound = float(stored.state["node_threshold"][node])
    return Fork(Limit(int(stored.tree.feature[node]), bound), _missing_left(stored, node), 0, 1)


def _of_category_set(stored: _Stored, node: int) -> Fork:
    codes = tuple(stored.tree.categories(node).tolist())
    return Fork(Members(int(stored.tree.feature[node]), codes), _missing_left(stored, node), 0, 1)


def _of_branches(stored: _Stored, node: int) -> Fork:
    """Codes are whole numbers: a search among them, with the node's own counts in the gaps."""
    column, codes = int(stored.tree.feature[node]), stored.tree.categories(node).tolist()
    missing = stored.tree.missing_child(node) - int(stored.left[node])
    slots: list[tuple[float, int]] = []
    before = -1
    for place, code in enumerate(codes):
        if code > before + 1:
            slots.append((code - 0.5, STAYS))
        slots.append((code + 0.5, place))
        before = code
    slots.append((math.inf, STAYS))
    takes = next((at for at, (_, place) in enumerate(slots) if place == missing), None)

    def search(low: int, high: int) -> int | Fork:
        if low == high:
            return slots[low][1]
        middle = (low + high) // 2
        goes_left = takes is not None and takes <= middle
        return Fork(Limit(column, slots[middle][0]), goes_left, search(low, middle), search(middle + 1, high))

    found = search(0, len(slots) - 1)
    if takes is None:
        return Fork(Limit(column, math.inf), False, found, missing)
    assert isinstance(found, Fork)
    return found


def _of_plane(stored: _Stored, node: int) -> Fork:
    line: Any = stored.tree.hyperplane(node)
    a, b, weight_a, weight_b, offset = line
    record, state = stored.record(node), stored.state
    places = stored.places(int(state["plane_map_a"][record])), stored.places(int(state["plane_map_b"][record]))
    side = Side((a, b), (weight_a, weight_b), offset, places, bool(state["plane_unseen_left"][record]))
    return Fork(side, _missing_left(stored, node), 0, 1)


_FORKS: dict[str, Callable[[_Stored, int], Fork]] = {
    "numeric": _of_threshold,
    "subset": _of_category_set,
    "multiway": _of_branches,
    "hyperplane": _of_plane,
}


def _missing_left(stored: _Stored, node: int) -> bool:
    return bool(stored.tree.missing_child(node) == stored.left[node])


# ---------------------------------------------------------------------------------------------------------
# trees


@dataclass(frozen=True, eq=False)
class BinaryTree:
    """Nodes in lists; node 0 is the root, children come after their parents.

    Parameters
    ----------
    tests : list of Test or None
        None at a leaf.
    missing_left : list of bool
        Whether missing values go left.
    left, right : list of int
        The children, -1 at a leaf.
    leaf : list of int
        Row of `leaf_values`, -1 where the node is no leaf.
    weights : list of float
        Weight of the training rows.
    leaf_values : ndarray of shape (leaf rows, n_classes)
        Probabilities.
    """

    tests: list[Test | None]
    missing_left: list[bool]
    left: list[int]
    right: list[int]
    leaf: list[int]
    weights: list[float]
    leaf_values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.tests)


def lower_tree(tree: Tree, pseudo_counts: float | NDArray[np.float64]) -> BinaryTree:
    """A tree whose nodes have two children each."""
    stored, names = _Stored.of(tree), _kind_names()
    totals = tree.weighted_n_node_samples
    counts = stored.state["leaf_table"].reshape(-1, tree.n_classes + 1)[:, :-1]
    lowered = BinaryTree([], [], [], [], [], [], _probabilities(counts, pseudo_counts))

    def add(weight: float) -> int:
        lowered.tests.append(None)
        lowered.missing_left.append(False)
        for numbers in (lowered.left, lowered.right, lowered.leaf):
            numbers.append(-1)
        lowered.weights.append(weight)
        return len(lowered) - 1

    def weight_of(what: int | Fork, node: int) -> float:
        if isinstance(what, Fork):
            return weight_of(what.left, node) + weight_of(what.right, node)
        return 0.0 if what == STAYS else float(totals[stored.left[node] + what])

    # (place in the lowered tree, node of the tree, what stands there: the node itself or a part of its test)
    waiting: list[tuple[int, int, int | Fork | None]] = [(add(float(totals[0])), 0, None)]
    while waiting:
        at, node, what = waiting.pop()
        if what is None and stored.left[node] != -1:
            what = _FORKS[names[stored.kinds[node]]](stored, node)
        if what is None or what == STAYS:
            lowered.leaf[at] = stored.leaf_row(node)
        elif isinstance(what, Fork):
            lowered.tests[at], lowered.missing_left[at] = what.test, what.missing_left
            lowered.left[at] = add(weight_of(what.left, node))
            lowered.right[at] = add(weight_of(what.right, node))
            for place, part in ((lowered.right[at], what.right), (lowered.left[at], what.left)):
                if isinstance(part, Fork) or part == STAYS:
                    waiting.append((place, node, part))
                else:
                    waiting.append((place, int(stored.left[node]) + part, None))
    return lowered


def _kind_names() -> list[str]:
    from rarewood._core import split_kinds

    return split_kinds()


def _probabilities(counts: NDArray[np.float64], pseudo_counts: float | NDArray[np.float64]) -> NDArray[np.float64]:
    n_classes = counts.shape[1]
    each = np.broadcast_to(np.asarray(pseudo_counts, dtype=np.float64), (n_classes,))
    total = counts.sum(axis=1) + (each[0] * n_classes if (each == each[0]).all() else each.sum())
    uniform = np.full_like(counts, 1.0 / n_classes)
    return np.asarray(np.divide(counts + each, total[:, np.newaxis], out=uniform, where=total[:, np.newaxis] > 0.0))


# ---------------------------------------------------------------------------------------------------------
# models


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
    """Probabilities made of those of `inner`: normalised, or calibrated; then times `factors` and normalised again."""

    inner: Mixture
    normalised: bool
    calibration: tuple[NDArray[np.float64], NDArray[np.float64]] | None  # slopes and offsets
    factors: NDArray[np.float64] | None


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


Lowered = Mixture | Finished | Certain | OneVsAll | Coded | Ranked


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
            "the pipeline changes columns before its last step, which other programs would have to do, too; export the last step "
            "alone, model[-1], and give it the changed columns. Trees need no scaling."
        )
    last = last_step(model)
    threshold = kept_threshold(model)
    classes = np.asarray(last.classes_)
    positive = None if threshold is None else column_of(threshold.positive, classes)
    root = _lower(last)
    return LoweredModel(root, _first_columns(root), classes, None if threshold is None else threshold.value, positive)


def _lower(model: Any) -> Lowered:
    score = score_of(model)
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
    raise TypeError(
        f"{type(model).__name__} is not accepted; give a fitted classifier of rarewood, or a pipeline of samplers and one."
    )


def _lower_score(score: Score, columns: Columns) -> Mixture | Finished:
    mixture = _mixture(score.trees, score.pseudo_counts, columns, score.tree_weights)
    if score.is_sum and not score.normalised:
        return mixture
    calibration = None if score.calibration is None else (score.calibration.slopes, score.calibration.offsets)
    factors = None
    if score.prior is not None:
        own, told = score.prior
        factors = np.divide(told, own, out=np.zeros_like(told), where=own > 0)
    return Finished(mixture, score.normalised, calibration, factors)


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
    if isinstance(root, Finished):
        return [root.inner]
    if isinstance(root, OneVsAll | Coded):
        return [each for problem in root.problems for each in mixtures(problem)]
    if isinstance(root, Ranked):
        return [*root.forests, *([] if root.rest is None else [root.rest])]
    return []
