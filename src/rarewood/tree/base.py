"""What a single tree and a forest of them share: reading the user's data, resolving parameters, predicting labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rarewood import criteria
from rarewood._core import MOST_ENUMERATED_CLASSES, CriterionSpec, Dataset, Forest, ForestPlan, Tree, grow_forests
from rarewood._decisions import PredictsByProbability, Score
from rarewood._tables import Columns, Rows, Table, read_table
from rarewood._tables.groups import GroupNames, RowGroups
from rarewood._tables.row_source import MatrixRows, RowFunction, RowSource
from rarewood._validation import (
    NONE,
    SEED,
    Choice,
    Constraint,
    Fraction,
    Integer,
    Labels,
    Number,
    Weights,
    check_parameter,
    check_parameters,
    column_of,
    encode_labels,
    resolve_class_weight,
    training_weights,
)
from rarewood._warnings import warn
from rarewood.tree.leaf_memory import warn_of_large_leaves
from rarewood.tree.monotone import MOST_SMOOTHING, Signs, read_signs

Criteria = list[CriterionSpec | Callable[..., Any]]
PseudoCounts = float | NDArray[np.float64]  # of every class, or of each
SeveralPseudoCounts = PseudoCounts | list[NDArray[np.float64]]

# What the parameters of a tree accept; `criterion`, `categorical_features` and `class_weight` are read where they are used.
TREE_PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    "splitter": (Choice(("best", "random", "hyperplane")),),
    "n_cuts": (Integer(1, 2**20),),
    "max_features": (NONE, Choice(("sqrt", "log2")), Integer(1), Fraction()),
    "max_depth": (NONE, Integer(1)),
    "min_samples_split": (Integer(2),),
    "min_samples_leaf": (Integer(1),),
    "smoothing": (Number(0.0, 1e100),),  # sums over classes must stay finite
    "nominal": (Choice(("subset", "multiway", "one_vs_rest")),),
    "pruning": (NONE, Choice(("pessimistic",))),
    "confidence": (Number(0.0, 0.5, open_low=True),),
    "random_state": SEED,
}


@dataclass(frozen=True)
class OutOfBag:
    """Leaf probabilities of rows, summed over the trees that did not see a row, and the number of these trees."""

    sums: NDArray[np.float64]
    n_trees: NDArray[np.uint32]

    @classmethod
    def none(cls, n_rows: int, width: int) -> OutOfBag:
        """Sums over no tree."""
        return cls(np.zeros((n_rows, width)), np.zeros(n_rows, dtype=np.uint32))

    def without(self, rows: NDArray[np.bool_] | None) -> OutOfBag:
        """The same where no tree says anything of some rows."""
        if rows is None:
            return self
        return OutOfBag(np.where(rows[:, np.newaxis], 0.0, self.sums), np.where(rows, np.uint32(0), self.n_trees))

    def of(self, number: int, n_classes: int) -> OutOfBag:
        """The sums by one of several pseudo-counts, which are side by side."""
        return OutOfBag(self.sums[:, number * n_classes : (number + 1) * n_classes], self.n_trees)

    def means(self) -> NDArray[np.float64]:
        """Mean probabilities; NaN for a row that every tree saw."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sums / self.n_trees[:, np.newaxis])


class OutOfBagScores(Protocol):
    """What trees say of rows that they did not see, wherever the sums are: `OutOfBag` has them in memory."""

    @property
    def n_trees(self) -> NDArray[np.uint32]:
        """The number of trees that did not see a row."""

    def of(self, number: int, n_classes: int) -> OutOfBagScores:
        """Those by one of several pseudo-counts."""

    def means(self) -> NDArray[np.float64]:
        """Mean probabilities; NaN for a row that every tree saw. Made anew by every call."""


class TrainingData(RowSource, Protocol):
    """What a forest needs from the rows it learns from, wherever they are: `TableData` has them in memory."""

    @property
    def columns(self) -> Columns:
        """All that is known about the columns."""

    @property
    def labels(self) -> Labels:
        """The class of each row; rows in parts know theirs only where something is learned from them."""

    @property
    def weights(self) -> Weights:
        """The weight of each row; None if all are 1."""

    @property
    def class_weights(self) -> Weights:
        """The factor of each class; None if all are 1."""

    @property
    def groups(self) -> RowGroups | None:
        """Which rows belong together; None if every row stands alone."""

    @property
    def made(self) -> NDArray[np.bool_] | None:
        """Rows that a sampler made; None if there are none."""

    def plan(self, criteria: Criteria, class_map: list[int] | None = None, **options: Any) -> Any:
        """A forest to grow on these rows: what `grow` and `out_of_bag` take."""

    def grow(self, plans: Sequence[Any], n_threads: int, report: Any) -> list[Forest]:
        """The forest of each plan."""

    def release(self) -> None:
        """All trees are grown: free what only growing reads."""

    def out_of_bag(
        self, forest: Forest, plan: Any, pseudo_counts: SeveralPseudoCounts, n_threads: int, *, by_half: bool = False
    ) -> Sequence[OutOfBagScores]:
        """Those of all trees; with `by_half`, also those of the first half. `of` tells several pseudo-counts apart."""


@dataclass(frozen=True)
class TableData:
    """A user's table, labels and weights in the form the core reads."""

    dataset: Dataset
    matrix: NDArray[Any]
    columns: Columns
    labels: Labels
    weights: Weights
    class_weights: Weights
    groups: RowGroups | None = None
    made: NDArray[np.bool_] | None = None  # by a sampler: rows that are left out

    def rows(self, numbers: NDArray[np.int64], columns: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Some rows, or some columns of them."""
        return MatrixRows(self.matrix).rows(numbers, columns)

    def map_rows(self, function: RowFunction, columns: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """What a function makes of all rows."""
        return MatrixRows(self.matrix).map_rows(function, columns)

    def plan(self, criteria: Criteria, class_map: list[int] | None = None, **options: Any) -> Any:
        """A forest on this table, which may count other classes than its own (`class_map`)."""
        together = {} if self.groups is None else self.groups.options
        weights, factors = self.weights, self.class_weights
        return ForestPlan(criteria, weights=weights, class_weights=factors, class_map=class_map, **together, **options)

    def grow(self, plans: Sequence[Any], n_threads: int, report: Any) -> list[Forest]:
        """All forests in one call of the core."""
        shares = self.weights is not None and bool(np.any(self.weights != np.floor(self.weights)))
        warn_of_large_leaves([(plan, plan.class_map) for plan in plans], self._cases(shares=shares), shares=shares)
        return grow_forests(self.dataset, list(plans), n_threads=n_threads, progress=report)

    def _cases(self, *, shares: bool) -> NDArray[np.float64]:
        """How many cases of each class there are: what whole weights add up to, or rows that weigh anything."""
        weights = self.weights > 0 if shares and self.weights is not None else self.weights
        return np.bincount(self.labels.codes, weights, minlength=self.labels.n_classes).astype(np.float64)

    def release(self) -> None:
        """Free the columns that only growing reads, which are as large as the table."""
        self.dataset.release()

    def out_of_bag(
        self, forest: Forest, plan: Any, pseudo_counts: SeveralPseudoCounts, n_threads: int, *, by_half: bool = False
    ) -> list[OutOfBag]:
        """Sums over the rows of the table, which the core draws again for each tree."""
        found = forest.out_of_bag(self.dataset, plan, pseudo_counts, n_threads, by_half=by_half)
        return [OutOfBag(*sums).without(self.made) for sums in (found if by_half else (found,))]


class BaseTreeModel(PredictsByProbability, BaseEstimator):
    """Base of classifiers made of trees.

    A subclass lists in `_accepted` what its parameters accept, implements `fit` with `_read_training_data` and `_keep`, and says in
    `_score` what its probabilities are made of; if they are no sum over trees, it implements `predict_proba`. A model counts as
    fitted once it has `tree_` or whatever `_fitted_by` names; `fit` sets that last, and keeps what an earlier fit has learned until
    it is done (`keeps_model_unless_done`).
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]] = TREE_PARAMETERS
    _fitted_by: ClassVar[str] = "tree_"

    splitter: str
    categorical_features: Any
    class_weight: Any
    monotonic_cst: Any = None
    smoothing: float
    monotonic_cst_: Signs | None
    _columns: Columns

    def _check_parameters(self) -> None:
        check_parameters(self.get_params(deep=False), self._accepted)

    def _forget(self) -> None:
        """Drop what an earlier fit learned."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_columns"]:
            delattr(self, name)

    def _read_training_data(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> TableData:
        table: Table | Rows
        if isinstance(X, Rows):
            table = X
            X.columns.put_on(self)
        else:
            table = read_table(self, X, reset=True)
        labels = encode_labels(self, y, table.shape[0])
        weights = training_weights(sample_weight, table.shape[0])
        columns, matrix = Columns.learn(table, self.categorical_features, getattr(self, "feature_names_in_", None))
        made = self._made_rows(X, matrix, columns, labels)
        if made is not None:
            weights = np.where(made, 0.0, 1.0 if weights is None else weights)
        class_weights = resolve_class_weight(self.class_weight, labels, weights)
        dataset = Dataset(matrix, columns.n_categories, labels.codes, labels.n_classes)
        together = self._rows_together(groups, matrix, columns, labels, weights)
        return TableData(dataset, matrix, columns, labels, weights, class_weights, together, made)

    def _made_rows(
        self,
        X: Any,  # noqa: ARG002
        matrix: NDArray[Any],  # noqa: ARG002
        columns: Columns,  # noqa: ARG002
        labels: Labels,  # noqa: ARG002
    ) -> NDArray[np.bool_] | None:
        """Which rows must be left out because a sampler made them; None if none, as where rows judge nothing."""
        return None

    def _rows_together(
        self,
        groups: Any,
        matrix: NDArray[Any],
        columns: Columns,  # noqa: ARG002
        labels: Labels,
        weights: Weights,
    ) -> RowGroups | None:
        """Which rows must not be divided; None if every row stands alone."""
        if groups is None:
            return None
        names = GroupNames.read(groups, len(matrix))
        return RowGroups.of(names.alone(), labels, weights, self._rare_class(labels, weights))

    def _looks_back(self) -> bool:
        """Whether the training rows are scored by the trees that did not see them."""
        return False

    def _rare_class(self, labels: Labels, weights: Weights) -> int | None:  # noqa: ARG002
        """The class that the model is about, if it is told; otherwise the rarest."""
        return None

    def _keep(self, data: TrainingData) -> None:
        """Set the fitted attributes that describe the training data."""
        self.classes_ = data.labels.classes
        self.n_classes_ = data.labels.n_classes
        self._columns = data.columns
        self.monotonic_cst_ = read_signs(self.monotonic_cst, data.columns, data.labels.n_classes)

    def _signs(self, data: TrainingData) -> list[int] | None:
        """The monotone constraints as the core takes them: about the second of two classes."""
        signs = read_signs(self.monotonic_cst, data.columns, data.labels.n_classes)
        if signs is None:
            return None
        positive = self._rare_class(data.labels, data.weights)
        about_second: list[int] = (-signs if positive == 0 else signs).tolist()
        return about_second

    def _restrained(self, forest: Forest, data: TrainingData) -> Forest:
        """The trees with leaves that obey the constraints, however they are smoothed."""
        signs = self._signs(data)
        return forest if signs is None else forest.restrained(signs, self._leaf_prior(data))

    def _leaf_prior(self, data: TrainingData) -> float:  # noqa: ARG002
        """Of two classes, the part of the second in what leaves are smoothed by."""
        return 0.5

    def _encode(self, X: Any) -> NDArray[Any]:
        """Check and encode a table to predict for."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)  # raises; asked only then, because it takes longer than a tree takes for a row
        return self._columns.read(self, X)

    @property
    def categories_(self) -> list[NDArray[Any] | None]:
        """The categories of each nominal column, None for a numeric one."""
        return self._columns.categories

    def _score(self) -> Score | None:
        """What the probabilities are made of; None if they are not made from a sum over trees."""
        return None

    def _class_shares(self) -> NDArray[np.float64]:
        """What the classes weigh in the population that the probabilities are about, in any unit."""
        raise NotImplementedError

    def _positive_column(self) -> int:
        """The column of the class that the model is about.

        It is the one that the model was told, or chose a threshold for; else the one of least weight; of equals, the last.
        """
        threshold = getattr(self, "decision_threshold_", None)
        if hasattr(self, "positive_"):
            return column_of(self.positive_, self.classes_)
        if threshold is not None:
            return column_of(threshold.positive, self.classes_)
        weights = self._class_shares()
        least = np.flatnonzero(weights <= weights.min() * (1.0 + 1e-9))
        return int(least[-1])

    def _pseudo_count(self) -> PseudoCounts:
        """`smoothing`, which may be changed on a fitted model because leaves keep counts."""
        check_parameter("smoothing", self.smoothing, *TREE_PARAMETERS["smoothing"])
        if self.smoothing > MOST_SMOOTHING and getattr(self, "monotonic_cst_", None) is not None:
            raise ValueError(
                f"smoothing={self.smoothing!r} is not accepted together with monotonic_cst, whose order of leaves is kept up to "
                f"smoothing={MOST_SMOOTHING:g}."
            )
        return float(self.smoothing)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._fitted_by)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


def resolve_criterion(criterion: Any, n_classes: int, nominal: str) -> CriterionSpec | Callable[..., Any]:
    """The criterion as the core takes it; raises where it is not defined for the problem."""
    chosen = criteria.get(criterion)
    criteria.check(chosen, n_classes)
    if isinstance(chosen, criteria.Criterion):
        many = n_classes > MOST_ENUMERATED_CLASSES and isinstance(chosen, criteria.Hellinger)
        if many and nominal == "multiway":
            warn(
                f"With {n_classes} classes, multiway splits are scored by one class against the rest, like "
                f"'hellinger_ova': beyond {MOST_ENUMERATED_CLASSES} classes there are too many ways to divide them "
                "into two groups.",
            )
        return chosen._spec()
    if nominal == "multiway":
        raise ValueError(
            "nominal='multiway' makes splits with more than two children, which a criterion given as a Python function "
            "cannot score; use nominal='subset' or 'one_vs_rest', or a criterion of rarewood.criteria."
        )
    return chosen


def resolve_max_features(max_features: str | int | float | None, n_features: int) -> int:
    """How many features each node looks at."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return math.isqrt(n_features) or 1
    if max_features == "log2":
        return max(1, n_features.bit_length() - 1)
    if isinstance(max_features, (float, np.floating)):
        return max(1, int(max_features * n_features))
    count = int(max_features)
    if count > n_features:
        raise ValueError(
            f"max_features={count} is more than the {n_features} features of X; give at most {n_features}, or None."
        )
    return count


def growth_options(model: Any) -> dict[str, Any]:
    """How the trees of a model grow, as options of a `ForestPlan`; what the model does not know has the core's default."""
    names = ("splitter", "n_cuts", "max_depth", "min_samples_split", "min_samples_leaf", "nominal")
    options = {name: getattr(model, name) for name in names if hasattr(model, name)}
    return {**options, "max_features": resolve_max_features(model.max_features, model.n_features_in_)}


def draw_seed(random_state: Any) -> int:
    """A seed for the core's own generator."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int64).max, dtype=np.int64))


def paths_through(tree: Tree, matrix: NDArray[Any]) -> csr_matrix:
    """One where a row passes a node of the tree."""
    starts, nodes = tree.decision_path(matrix)
    return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(len(matrix), tree.node_count))
