"""What all forests share: growing on threads, averaging, out-of-bag scores, growing on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rarewood._core import Forest
from rarewood._decisions import (
    UNCHANGED,
    AnswersForLabelRates,
    AnswersForPriors,
    Calibration,
    Score,
    Sharpening,
    learn_mixture,
    sharpened,
)
from rarewood._memory import TrainingMemory, remember
from rarewood._progress import progress
from rarewood._tables import Columns
from rarewood._tables.found_groups import rows_together
from rarewood._tables.groups import RowGroups
from rarewood._tables.made_rows import made_rows
from rarewood._tables.row_source import MatrixRows
from rarewood._validation import (
    NONE,
    Choice,
    Constraint,
    Integer,
    Labels,
    Weights,
    check_parameter,
    keeps_model_unless_done,
    rarest_class,
    sees_one_model,
)
from rarewood.ensemble._fitted_trees import FittedTrees
from rarewood.ensemble._warm_start import check_adds_trees, check_continues
from rarewood.ensemble._warnings import warn_few_groups, warn_found_groups, warn_made, warn_too_few, warn_unscored
from rarewood.metrics import weighted_auroc
from rarewood.metrics.thresholds import FEWEST_GROUPS
from rarewood.tree.base import (
    TREE_PARAMETERS,
    BaseTreeModel,
    Criteria,
    OutOfBagScores,
    TrainingData,
    draw_seed,
    growth_options,
    paths_through,
    resolve_criterion,
)

FOREST_PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    **TREE_PARAMETERS,
    "n_estimators": (Integer(1),),
    "sampling": (Choice(("all", "bootstrap", "stratified", "balanced")),),
    "calibration": (NONE, Choice(("beta",))),
    "n_jobs": (NONE, Integer(-(2**31))),
    "verbose": (Integer(0),),
}

_ROWS_FOR_ONE_THREAD = 256  # predicted before a second thread has started


class BaseForest(AnswersForPriors, BaseTreeModel, AnswersForLabelRates):
    """Base of all forests.

    What a forest does not let its user choose stands as a class attribute instead of a parameter: `fit` reads the one like
    the other. A subclass whose trees differ in their criterion overrides `_criteria`.
    """

    _accepted: ClassVar[dict[str, tuple[Constraint, ...]]] = FOREST_PARAMETERS
    _fitted_by: ClassVar[str] = "forest_"
    _chooses_threshold: ClassVar[bool] = False  # in `fit`, by the rule in `threshold`
    _out_of_bag_bytes: ClassVar[int] = 70  # of memory that is learned from out-of-bag rows in, per row and class
    _out_of_bag_sums: ClassVar[int] = 2  # that it is learned from, per row and class: of all trees and of half of them

    criterion: Any = "hellinger"
    splitter: str = "best"
    n_cuts: int = 10
    max_features: Any
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    nominal: str = "subset"
    pruning: str | None = None
    confidence: float = 0.25
    sampling: str = "bootstrap"
    oob_score: bool = False
    calibration: str | None = None
    warm_start: bool
    n_estimators: int
    n_jobs: int | None
    verbose: int
    random_state: Any

    forest_: Forest
    calibration_: Calibration | None
    memory_: TrainingMemory | None
    n_groups_: int
    n_repeated_rows_: int
    oob_groups_: NDArray[np.intp]
    _sharpening: Sharpening  # from the log-odds of out-of-bag rows to those of new rows
    _seed: int

    def _check_parameters(self) -> None:
        given = self.get_params(deep=False)
        for name, constraints in self._accepted.items():
            check_parameter(name, given[name] if name in given else getattr(self, name), *constraints)
        for name in ("oob_score", "warm_start"):
            check_flag(name, getattr(self, name))
        if self._looks_back() and self.sampling == "all":
            asked = "oob_score=True" if self.oob_score else f"calibration={self.calibration!r}"
            raise ValueError(
                f"{asked} needs rows that a tree did not see, but with sampling='all' every tree sees every row; "
                "use sampling='bootstrap', 'stratified' or 'balanced'."
            )

    def _looks_back(self) -> bool:
        return self.oob_score or self.calibration is not None

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training rows: a NumPy array, nested lists, or a pandas, polars or pyarrow table. NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels: numbers or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, at least 0; multiplies how often a tree drew the row. Whole numbers say how often a
            row counts; any others are shares, and a factor on all of them changes nothing. None gives every row weight 1.
        groups : array-like of shape (n_samples,), default=None
            Which rows belong together, such as the customer of each; a row without one stands alone. Every tree leaves out a fifth
            of the groups, so that out-of-bag scores, and all that is learned from them, are those of groups that the model has
            not seen. Needs out-of-bag scores. None takes rows one by one.

        Returns
        -------
        Self
            The fitted estimator itself.
        """
        return self._learn_from(lambda model: model._read_training_data(X, y, sample_weight, groups))

    @keeps_model_unless_done
    def _learn_from(self, read: Callable[[Any], TrainingData]) -> Self:
        """Fit to the rows that `read` reads for the model it is given, wherever they are."""
        data, earlier, n_threads = self._begin_fit(read)
        plan = self._plan(data)
        grown = self._grow(data, plan, 0 if earlier is None else len(earlier.forest_), n_threads)
        data.release()
        self._finish_fit(grown, data, plan, n_threads, earlier)
        return self

    def _begin_fit(self, read: Callable[[Any], TrainingData]) -> tuple[TrainingData, Self | None, int]:
        """Read the rows; with them the model of the fit that this one continues, if it does, and the number of threads."""
        self._check_parameters()
        earlier = copy.copy(self) if self.warm_start and hasattr(self, "forest_") else None
        self._forget()
        n_threads = thread_count(self.n_jobs)
        data = read(self)
        self._keep_groups(data)
        if earlier is None:
            self._seed = draw_seed(self.random_state)
        else:
            check_continues(earlier, data)
        return data, earlier, n_threads

    def _rows_together(
        self, groups: Any, matrix: NDArray[Any], columns: Columns, labels: Labels, weights: Weights
    ) -> RowGroups | None:
        if groups is not None:
            self._check_groups()
        elif self._looks_back():
            return rows_together(MatrixRows(matrix), columns, labels, weights, self._rare_class(labels, weights))
        return super()._rows_together(groups, matrix, columns, labels, weights)

    def _made_rows(self, X: Any, matrix: NDArray[Any], columns: Columns, labels: Labels) -> NDArray[np.bool_] | None:
        """Rows that judge are not made of others: trees know those that they were made of, whatever rows they leave out."""
        if not self._looks_back():
            return None
        made = made_rows(X, MatrixRows(matrix), columns.n_categories, labels.codes)
        if made is not None:
            warn_made(made)
        return made

    def _check_groups(self) -> None:
        """Raise unless the forest has something to use groups for."""
        if self._looks_back():
            return
        instead = "set oob_score=True" if "oob_score" in self.get_params(deep=False) else "fit a RareClassifier"
        raise ValueError(
            f"groups are for out-of-bag scores, which this {type(self).__name__} does not have: {instead}, or leave groups out here and "
            "give them to rarewood.ensemble.fit_threshold."
        )

    def _keep_groups(self, data: TrainingData) -> None:
        """Set the fitted attributes that say which rows were kept together."""
        groups = data.groups
        if self._looks_back():
            self.n_repeated_rows_ = 0 if groups is None else groups.n_repeated or 0
        if groups is None:
            return
        if groups.column is not None:
            warn_found_groups(groups, data.columns.name(groups.column))
        self.oob_groups_ = groups.numbers.astype(np.intp)
        if groups.n_repeated is None:
            self.n_groups_ = groups.n_groups
            if groups.n_with_rare < FEWEST_GROUPS:
                warn_few_groups(groups)

    def _grow(self, data: TrainingData, plan: Any, first: int, n_threads: int) -> Forest | None:
        """The planned trees from number `first` on, if any."""
        missing = check_adds_trees(self.n_estimators, first)
        if missing == 0:
            return None
        with progress(missing, "growing trees", self.verbose) as report:
            return data.grow([plan.rest(first)], n_threads, report)[0]

    def _plan(self, data: TrainingData, class_map: list[int] | None = None) -> Any:
        return data.plan(
            self._criteria(data.labels.n_classes),
            class_map,
            n_trees=self.n_estimators,
            seed=self._seed,
            sampling=self.sampling,
            signs=self._signs(data),
            **growth_options(self),
        )

    def _plan_fit(self, data: TrainingData, class_map: list[int]) -> Any:
        """What the core has to grow where class j of the table counts as class class_map[j] of `data`."""
        self._seed = draw_seed(self.random_state)
        return self._plan(data, class_map)

    def _finish_fit(
        self,
        grown: Forest | None,
        data: TrainingData,
        plan: Any,
        n_threads: int,
        earlier: Self | None = None,
    ) -> None:
        """Keep what the core has grown, behind the trees of an earlier fit that this one continues."""
        if grown is not None and self.pruning == "pessimistic":
            grown = grown.pruned(self.confidence)
        self._keep(data)
        self._pseudo_count()  # raises where leaves could not keep an order
        if grown is not None:
            grown = self._restrained(grown, data)
        if earlier is not None:
            self._keep_from(earlier)
            grown = earlier.forest_ if grown is None else earlier.forest_ + grown
        assert grown is not None
        if self._looks_back():
            self._score_out_of_bag(grown, data, plan, n_threads)
        self.forest_ = grown

    def _criteria(self, n_classes: int) -> Criteria:
        """The criterion of each tree, `n_estimators` of them."""
        return [resolve_criterion(self.criterion, n_classes, self.nominal)] * self.n_estimators

    def _criterion_of(self, _tree: int, /) -> Any:
        """The criterion of a grown tree, as `TreeClassifier` takes it."""
        return self.criterion

    def _settings_of(self, tree: int, /) -> dict[str, Any]:
        """Parameters in which a grown tree may differ from its forest."""
        return {"criterion": self._criterion_of(tree)}

    def _readable(self) -> range:
        """Numbers of the trees whose leaves can be read as rules on single columns, if any can."""
        return range(len(self.forest_))

    def _own_prior(self) -> NDArray[np.float64]:
        """Mean shares of the classes in the roots: what the trees have seen, however rows were drawn and weighed.

        Calibrated probabilities are about the rows that they were calibrated by.
        """
        calibration: Calibration | None = getattr(self, "calibration_", None)
        if calibration is not None:
            return calibration.prior
        counts = np.array([self.forest_[number].value[0] for number in range(len(self.forest_))])
        counts = counts[counts.sum(axis=1) > 0]  # a tree that drew rows of left-out groups only has seen none
        return np.asarray((counts / counts.sum(axis=1, keepdims=True)).mean(axis=0))

    def _keep_from(self, earlier: Self) -> None:
        """Keep what describes the trees of an earlier fit that this one continued."""

    def _score_out_of_bag(self, forest: Forest, data: TrainingData, plan: Any, n_threads: int) -> None:
        by_half = self.calibration is not None and data.labels.n_classes == 2
        found, *half = data.out_of_bag(forest, plan, self._pseudo_count(), n_threads, by_half=by_half)
        scored = found.n_trees > 0
        if not scored[own_rows(data)].all():
            warn_unscored(scored)
        self.oob_decision_function_, self._sharpening = found.means(), UNCHANGED
        if self.calibration is not None:
            self._calibrate(data, half, found.n_trees / len(forest))
        self.oob_score_ = out_of_bag_auc(data, self.oob_decision_function_, scored)
        self._remember(data, rarest_class(np.bincount(data.labels.codes, minlength=data.labels.n_classes)))

    def _left_out_totals(self, data: TrainingData, n_threads: int) -> NDArray[np.float64]:
        """Of each row of the fit, the sum that `_score` finishes, by the trees that did not see it; NaN where every tree saw it."""
        return data.out_of_bag(self.forest_, self._plan(data), self._pseudo_count(), n_threads)[0].means()

    def _remember(self, data: TrainingData, positive: int) -> None:
        """Keep what later rows are compared with."""
        codes, threshold = data.labels.codes, getattr(self, "decision_threshold_", None)
        totals = np.bincount(codes, weights=data.weights, minlength=data.labels.n_classes)
        self.memory_ = remember(
            self._sharpening.of_class(positive).probabilities(self.oob_decision_function_[:, positive]),
            codes,
            totals / totals.sum(),
            positive,
            weights=data.weights,
            cut=None if threshold is None else threshold.value,
            columns=data.columns,
            source=data,
            groups=None if data.groups is None else data.groups.numbers.astype(np.intp),
        )

    def _calibrate(self, data: TrainingData, half: list[OutOfBagScores], left_out: NDArray[np.float64]) -> None:
        labels, weights = data.labels, row_weights(data)
        learned = learn_mixture([self.oob_decision_function_], labels.codes, labels.classes, weights)
        if half:
            learned = sharpened(learned, [half[0].means()], labels.codes, weights, left_out)
        if learned.too_few is not None:
            warn_too_few(learned, labels, "probabilities are not calibrated")
        self.calibration_, self._sharpening = learned.calibration, learned.sharpening
        self.oob_decision_function_ = learned.probabilities

    @sees_one_model
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probabilities of the classes: the mean over the trees of their smoothed leaf frequencies.

        With ``calibration="beta"`` they are calibrated; after :meth:`set_prior` they are those of another population,
        after :meth:`set_label_rate` those of rows of which some lack their label.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`. NaN is a missing value; categories not seen by `fit` are allowed.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`; rows sum to 1.
        """
        matrix = self._encode(X)
        n_threads = thread_count(self.n_jobs) if len(matrix) > _ROWS_FOR_ONE_THREAD else 1
        return self._score().probabilities(matrix, n_threads)

    def _score(self) -> Score:
        calibration = getattr(self, "calibration_", None)
        return Score(
            self.forest_,
            self._pseudo_count(),
            calibration=calibration,
            prior=self._priors(),
            label_rate=self._label_rate(),
        )

    def _class_shares(self) -> NDArray[np.float64]:
        return self._own_prior()

    @sees_one_model
    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Find the node where each row ends, in each tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
            Node numbers.
        """
        matrix = self._encode(X)
        return self.forest_.apply(matrix)

    def decision_path(self, X: ArrayLike) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
        """Find the nodes that each row passes, in each tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, n_nodes)
            One where the row passes the node; the nodes of all trees side by side.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Tree i has the columns from ``n_nodes_ptr[i]`` to ``n_nodes_ptr[i + 1]``.
        """
        matrix = self._encode(X)
        paths = [paths_through(self.forest_[i], matrix) for i in range(len(self.forest_))]
        starts = np.concatenate([[0], np.cumsum([path.shape[1] for path in paths])]).astype(np.int64)
        return sparse.hstack(paths, format="csr"), starts

    @property
    def estimators_(self) -> FittedTrees:
        """The trees as a sequence of fitted `TreeClassifier` objects, built on access."""
        check_is_fitted(self)
        return FittedTrees(self)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importance of each column: its share of the gain of all splits, averaged over the trees."""
        check_is_fitted(self)
        return self.forest_.feature_importances


def row_weights(data: TrainingData) -> Weights:
    """What each row counts: its own weight times that of its class."""
    if data.class_weights is None:
        return data.weights
    by_class = data.class_weights[data.labels.codes]
    return by_class if data.weights is None else by_class * data.weights


def own_rows(data: TrainingData) -> NDArray[np.bool_]:
    """Rows that no sampler made."""
    return np.ones(len(data.labels.codes), dtype=bool) if data.made is None else ~data.made


def out_of_bag_auc(data: TrainingData, probabilities: NDArray[np.float64], scored: NDArray[np.bool_]) -> float:
    """Area under the ROC curve of the rows that have scores, for more classes weighted by frequency; NaN for a single one.

    Rows of weight 0 do not judge: they are no copies of rows that teach (`find_copies`), but may equal them.
    """
    if data.weights is not None:
        scored = scored & (data.weights > 0)
    labels = data.labels
    y = labels.classes[labels.codes[scored]]
    if len(np.unique(y)) < 2:
        return float("nan")
    return float(weighted_auroc(y, probabilities[scored], labels=labels.classes))


def check_flag(name: str, value: object) -> None:
    """Raise unless `value` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={value!r} ({type(value).__name__}) is not accepted; give True or False.")


def thread_count(n_jobs: int | None) -> int:
    """Threads for `n_jobs`: None is one, -1 all processors, -2 all but one; never more than there are processors."""
    if n_jobs == 0:
        raise ValueError("n_jobs=0 is not accepted; give a positive number, -1 for all processors, or None for one.")
    if n_jobs is None or n_jobs == 1:
        return 1  # without asking for the processors, which takes longer than predicting a row
    processors = joblib.cpu_count()
    if n_jobs < 0:
        return int(max(1, processors + 1 + n_jobs))
    return int(min(n_jobs, processors))
