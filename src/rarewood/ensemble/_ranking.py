"""Ranking by forests that lean towards the rare class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rarewood._core import Forest, ForestPlan
from rarewood._progress import progress
from rarewood._validation import (
    Constraint,
    Integer,
    Number,
    Weights,
    check_parameter,
    keeps_model_unless_done,
    sees_one_model,
)
from rarewood.ensemble.base import check_flag, thread_count
from rarewood.ensemble.bias import (
    BIASED_PARAMETERS,
    BiasedGrower,
    CleaningRules,
    as_voters,
    judge_negatives,
    keep_some,
    positive_class,
    positive_votes,
    ranking_sizes,
    vote_bound,
)
from rarewood.tree.base import BaseTreeModel, TrainingData, draw_seed
from rarewood.tree.monotone import read_signs


class BiasedRankingClassifier(BaseTreeModel):
    r"""Rank rows by the votes of forests biased towards the rare class.

    Each of `n_iterations` forests is grown on samples with `ratio` times as many rare rows as others, so that hardly any
    rare row is missed. A row gets a point for every tree that calls it rare. Rows that fewer than `threshold` of the trees
    of a forest call rare drop out and get no more points, so the later forests decide among the hard ones. First,
    dangerous rows are removed from the training rows, as :class:`rarewood.BiasedForestCleaner` does.

    Parameters
    ----------
    n_iterations : int, default=5
        Number of forests; each judges the rows that the earlier ones did not drop.
    n_estimators : int, default=50
        Number of trees in each forest.
    ratio : float, default=5.0
        Rare rows for each other row that a tree sees, above 0. A tree sees four fifths of the rare rows.
    threshold : float, default=0.5
        Share of the trees, above 0 and at most 1. A row drops out if **fewer** than this share call it rare; a row with
        exactly this share stays. It can be changed on a fitted model.
    clean : bool, default=True
        Whether to remove dangerous rows first, with the default settings of :class:`rarewood.BiasedForestCleaner` and the
        trees chosen here. For other settings, put that cleaner before this classifier in a pipeline.
    positive : label or None, default=None
        The rare class. None takes the smallest class; if several are equally small, the first label.
    criterion : str, criterion object or callable, default="c45"
        How splits are scored: a name from ``rarewood.criteria.names()``, an object such as
        ``rarewood.criteria.AlphaDivergence(alpha=0.8)``, or a function ``score(left, right)`` that gets the class counts on
        both sides of many candidate splits, two arrays of shape (candidates, classes), and returns one score per candidate;
        larger is better. The defaults of this and the following settings make an unpruned C4.5 tree on the square root of
        the columns.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns tried in each node, drawn at random from those that are not constant there. An int is their number, a
        float their share of all columns; "sqrt" and "log2" take the square root or logarithm of the number of columns,
        rounded down. None tries all.
    max_depth : int or None, default=None
        Longest path from the root to a leaf; None sets no limit.
    min_samples_split : int, default=4
        Nodes with fewer cases become leaves. A row with sample weight 3 counts as three cases.
    min_samples_leaf : int, default=1
        Splits that leave fewer cases on one side are not considered.
    nominal : {"subset", "multiway", "one_vs_rest"}, default="multiway"
        How a nominal column splits. "subset": a set of categories against the others; "multiway": one child per category;
        "one_vs_rest": one category against the others.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    pruning : {"pessimistic"} or None, default=None
        Whether to replace a subtree by a leaf where C4.5's pessimistic error estimate sees no gain in it. Trees that
        rank the rare class are better left unpruned.
    confidence : float, default=0.25
        Confidence level of the pessimistic estimate, above 0 and at most 0.5; smaller prunes more.
    monotonic_cst : array-like of int, dict or None, default=None
        Monotone constraints: for each column, or in a dictionary by its name, 1 if the probability of `positive_` may only rise
        with it, -1 if it may only fall, 0 if it is free. For two classes, and for columns of numbers; missing values are free.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState instance or None, default=None
        Seed. With the same seed, a longer ranking begins with the iterations of a shorter one.

    Attributes
    ----------
    forests_ : list of Forest
        The forest of each iteration, as the core keeps it.
    rest_forest_ : Forest or None
        With more than two classes, the forest that tells the other classes apart.
    positive_ : label
        The class treated as the rare one.
    n_removed_ : int
        Number of training rows that the cleaning removed.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    n_classes_ : int
        Number of classes.
    categories_ : list, one entry per column
        The categories of a nominal column, None for a numeric one.
    feature_importances_ : ndarray of shape (n_features,)
        Importance of each column: its share of the total gain of all splits. At least 0; the sum is 1, or 0 if no tree splits.
    monotonic_cst_ : ndarray of shape (n_features,) or None
        The monotone constraint of each column; None without any.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the table had string names.

    See Also
    --------
    rarewood.BiasedForestCleaner : The cleaning by itself.
    rarewood.BalancedForestClassifier : Forest with equal numbers of rows of each class.

    Notes
    -----
    With forests :math:`T_{i1}, \dots, T_{il}`, :math:`i = 1, \dots, n`, and :math:`v_i(x)` the number of trees of forest
    :math:`i` that call :math:`x` rare,

    .. math:: \mathrm{score}(x) = \sum_{i=1}^{k} v_i(x), \quad k = \min\bigl(\{i : v_i(x) < \varepsilon\, l\} \cup \{n\}\bigr),

    between 0 and :math:`n l`; :meth:`predict_proba` divides by :math:`n l`. This is a score, not a calibrated probability: the
    forests are biased on purpose. A tree calls a row rare where rare rows outweigh the others in its leaf; a tie does not. The
    score of a row does not depend on the other rows it is scored with.

    The paper ranks one class against the rest. With more than two classes, one minus the score is divided among the other
    classes by a stratified forest of the same kind of trees, grown without the rare class.

    References
    ----------
    J. Gu, Y. Zhou and X. Zuo, "Making class bias useful: a strategy of learning from imbalanced data", IDEAL 2007.

    Examples
    --------
    >>> from rarewood import BiasedRankingClassifier
    >>> from rarewood.datasets import make_planted_rules
    >>> from sklearn.metrics import roc_auc_score
    >>> train, test = (make_planted_rules(4000, random_state=seed) for seed in (0, 1))
    >>> model = BiasedRankingClassifier(random_state=0).fit(train.X, train.y)
    >>> score = model.score_samples(test.X)
    >>> bool(0 <= score.min() <= score.max() <= 250), bool(roc_auc_score(test.y, score) > 0.95)
    (True, True)
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        **BIASED_PARAMETERS,
        "n_iterations": (Integer(1),),
        "ratio": (Number(0.0, open_low=True),),
    }
    _fitted_by: ClassVar[str] = "forests_"

    # Not for the user to choose: `ratio` says how the classes weigh.
    splitter: str = "best"
    class_weight: Any = None

    _rest_smoothing: ClassVar[float] = 1.0

    forests_: list[Forest]
    rest_forest_: Forest | None
    _voters: list[Forest]

    def __init__(
        self,
        *,
        n_iterations: int = 5,
        n_estimators: int = 50,
        ratio: float = 5.0,
        threshold: float = 0.5,
        clean: bool = True,
        positive: Any = None,
        criterion: Any = "c45",
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int = 4,
        min_samples_leaf: int = 1,
        nominal: str = "multiway",
        categorical_features: Any = "from_dtype",
        pruning: str | None = None,
        confidence: float = 0.25,
        monotonic_cst: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_iterations = n_iterations
        self.n_estimators = n_estimators
        self.ratio = ratio
        self.threshold = threshold
        self.clean = clean
        self.positive = positive
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.nominal = nominal
        self.categorical_features = categorical_features
        self.pruning = pruning
        self.confidence = confidence
        self.monotonic_cst = monotonic_cst
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @keeps_model_unless_done
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Clean the training rows, if asked for, and grow the forests.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training rows: a NumPy array, nested lists, or a pandas, polars or pyarrow table. NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels: numbers or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, at least 0, in the trees that drew it; a row of weight 0 is never drawn. Whole numbers say how
            often a row counts; any others are shares, and a factor on all of them changes nothing. None gives every row weight 1.

        Returns
        -------
        Self
            The fitted estimator itself.
        """
        self._check_parameters()
        check_flag("clean", self.clean)
        self._forget()
        n_threads = thread_count(self.n_jobs)
        data = self._read_training_data(X, y, sample_weight)
        positive = positive_class(self.positive, data.labels, data.weights)
        rng = check_random_state(self.random_state)
        constraints = read_signs(self.monotonic_cst, data.columns, data.labels.n_classes)
        signs = (
            None if constraints is None else constraints.tolist()
        )  # trees are about the positive class, whatever its number

        def grower() -> BiasedGrower:
            seed = draw_seed(rng)
            return BiasedGrower.of(self, data.dataset, data.matrix, data.labels, positive, seed, n_threads, signs)

        weights = self._cleaned(grower(), data, rng) if self.clean else data.weights
        forests = self._grow(grower(), weights)
        self._keep(data)
        self.positive_ = data.labels.classes[positive]
        self.n_removed_ = 0 if weights is data.weights else int(np.sum((weights == 0) & (data.weights != 0)))
        self.rest_forest_ = forests.pop() if data.labels.n_classes > 2 else None
        self._voters = as_voters(forests)
        self.forests_ = forests
        return self

    def _cleaned(self, grower: BiasedGrower, data: TrainingData, rng: np.random.RandomState) -> Weights:
        """The weights, 0 for dangerous rows."""
        rules = CleaningRules()
        negative = data.labels.codes != grower.positive
        if data.weights is not None:
            negative &= data.weights > 0
        n_trees = min(rules.n_subsets, int(negative.sum())) * self.n_estimators
        with progress(n_trees, "growing trees for the cleaning", self.verbose) as report:
            judged = judge_negatives(grower, data.weights, rules, rng, report)
        dangerous = keep_some(judged.dangerous, negative)
        if not dangerous.any():
            return data.weights
        return np.where(dangerous, 0.0, 1.0 if data.weights is None else data.weights)

    def _grow(self, grower: BiasedGrower, weights: Weights) -> list[Forest]:
        negative, positive = grower.rows(weights)
        sizes = ranking_sizes(len(positive), len(negative), self.ratio)
        plans = [grower.plan(number, sizes, weights) for number in range(self.n_iterations)]
        if grower.labels.n_classes > 2:
            plans.append(self._plan_rest(grower, weights))
        with progress(len(plans) * self.n_estimators, "growing trees", self.verbose) as report:
            return grower.grow(plans, report)

    def _plan_rest(self, grower: BiasedGrower, weights: Weights) -> ForestPlan:
        """The forest that divides what is not positive among the other classes."""
        others = np.arange(grower.labels.n_classes)
        class_map = np.where(others == grower.positive, -1, others - (others > grower.positive))
        return ForestPlan(
            [grower.criterion],
            n_trees=grower.n_trees,
            first_tree=self.n_iterations * grower.n_trees,
            sampling="stratified",
            weights=weights,
            class_map=class_map.tolist(),
            **grower.options,
        )

    @sees_one_model
    def score_samples(self, X: ArrayLike) -> NDArray[np.int64]:
        """Count the votes of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`. NaN is a missing value; categories not seen by `fit` are allowed.

        Returns
        -------
        ndarray of int of shape (n_samples,)
            Trees that called the row rare until it dropped out, from 0 to ``n_iterations * n_estimators``.
        """
        return self._votes(self._encode(X))

    def _votes(self, matrix: NDArray[Any]) -> NDArray[np.int64]:
        check_parameter("threshold", self.threshold, *BIASED_PARAMETERS["threshold"])  # may change on a fitted model
        n_threads = thread_count(self.n_jobs)
        score = np.zeros(len(matrix), dtype=np.int64)
        alive = np.arange(len(matrix))
        for voters in self._voters:
            votes = positive_votes(voters, matrix[alive], n_threads)
            score[alive] += votes
            alive = alive[votes >= vote_bound(self.threshold, len(voters))]
            if len(alive) == 0:
                break
        return score

    def __getstate__(self) -> dict[str, Any]:
        """Without the voters, which `forests_` can make again."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_voters"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "forests_"):
            self._voters = as_voters(self.forests_)

    @sees_one_model
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict class probabilities: for the rare class, the share of all possible votes that the row got.

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
        share = self._votes(matrix) / sum(map(len, self.forests_))
        positive = int(np.flatnonzero(self.classes_ == self.positive_)[0])
        result = np.empty((len(matrix), len(self.classes_)))
        result[:, positive] = share
        others = np.arange(len(self.classes_)) != positive
        if self.rest_forest_ is None:
            result[:, others] = 1.0 - share[:, np.newaxis]
        else:
            rest = self.rest_forest_.predict_proba(matrix, self._rest_smoothing, thread_count(self.n_jobs))
            result[:, others] = (1.0 - share[:, np.newaxis]) * rest
        return result

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importance of each column: its share of the gain of all splits, averaged over the forests."""
        check_is_fitted(self)
        return np.asarray(np.mean([forest.feature_importances for forest in self.forests_], axis=0))
