"""The decision tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from rarewood._core import Forest, Tree
from rarewood._decisions import Score
from rarewood._validation import keeps_model_unless_done, sees_one_model
from rarewood.tree.base import BaseTreeModel, TrainingData, draw_seed, growth_options, paths_through, resolve_criterion


class TreeClassifier(BaseTreeModel):
    r"""A decision tree with split criteria for imbalanced classes.

    Gini and entropy favour splits that purify the large class. The default criterion, the Hellinger distance between the
    class distributions, gives the same tree however rare one of the classes is. Other published criteria are available by
    name (see :mod:`rarewood.criteria`), and a Python function works, too.

    Tables need no preparation: numbers, nominal columns, missing values and weights are handled as they are.

    Parameters
    ----------
    criterion : str, criterion object or callable, default="hellinger"
        How splits are scored: a name from ``rarewood.criteria.names()``, an object such as
        ``rarewood.criteria.AlphaDivergence(alpha=0.8)``, or a function ``score(left, right)`` that gets the class counts
        on both sides of many candidate splits, two arrays of shape (candidates, classes), and returns one score per
        candidate; larger is better.
    splitter : {"best", "random", "hyperplane"}, default="best"
        Which splits are tried. "best": every threshold and category set; "random": `n_cuts` random thresholds or category
        sets per column; "hyperplane": `n_cuts` random lines per pair of columns.
    n_cuts : int, default=10
        Random candidates per column or pair of columns. Not used by ``splitter="best"``.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns tried in each node, drawn at random from those that are not constant there. An int is their number, a
        float their share of all columns; "sqrt" and "log2" take the square root or logarithm of the number of columns,
        rounded down. None tries all.
    max_depth : int or None, default=None
        Longest path from the root to a leaf; None sets no limit.
    min_samples_split : int, default=2
        Nodes with fewer cases become leaves. A row with sample weight 3 counts as three cases.
    min_samples_leaf : int, default=1
        Splits that leave fewer cases on one side are not considered.
    smoothing : float, default=1.0
        Cases added to every class of a leaf before its probabilities are computed: 1 is Laplace's correction, 0 gives
        raw frequencies. Read at prediction, so it can be changed without a new fit.
    nominal : {"subset", "multiway", "one_vs_rest"}, default="subset"
        How a nominal column splits. "subset": a set of categories against the others; "multiway": one child per
        category; "one_vs_rest": one category against the others.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    pruning : {"pessimistic"} or None, default=None
        Whether to replace a subtree by a leaf where C4.5's pessimistic error estimate sees no gain in it. Trees that
        rank the rare class are better left unpruned.
    confidence : float, default=0.25
        Confidence level of the pessimistic estimate, above 0 and at most 0.5; smaller prunes more.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, which multiplies its counts; classes not in the dictionary get 1. "balanced" gives every
        class the same total weight. Unlike `sample_weight`, class weights do not change what counts as a case in
        `min_samples_split` and `min_samples_leaf`.
    monotonic_cst : array-like of int, dict or None, default=None
        Monotone constraints: for each column, or in a dictionary by its name, 1 if the probability of the second class in `classes_` may
        only rise with it, -1 if it may only fall, 0 if it is free. For two classes, and for columns of numbers; missing values are free.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices. The default tree makes none.

    Attributes
    ----------
    tree_ : Tree
        The nodes as read-only arrays under scikit-learn's names: `node_count`, `children_left`, `children_right`,
        `feature`, `threshold`, `missing_go_to_left`, `value` (weighted class counts), `n_node_samples`,
        `weighted_n_node_samples`, `max_depth`, `n_leaves`. The children of node i are the `n_children[i]` nodes from
        `children_left[i]` on; `split_kind(i)`, `categories(i)` and `hyperplane(i)` describe its split.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    n_classes_ : int
        Number of classes.
    categories_ : list, one entry per column
        The categories of a nominal column, None for a numeric one.
    feature_importances_ : ndarray of shape (n_features,)
        Importance of each column: its share of the total gain of all splits. At least 0; the sum is 1, or 0 for a single leaf.
    monotonic_cst_ : ndarray of shape (n_features,) or None
        The monotone constraint of each column; None without any.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the table had string names.

    See Also
    --------
    rarewood.inspection.export_text : The rules of a fitted tree as text.
    rarewood.inspection.plot_tree : The tree as a picture.
    sklearn.tree.DecisionTreeClassifier : Gini and entropy trees on numbers.

    Notes
    -----
    For two classes the Hellinger distance of a split with :math:`n_{t+}` and :math:`n_{t-}` rows of the classes in child t
    and :math:`N_+`, :math:`N_-` in the node is

    .. math:: \sqrt{\sum_t \left(\sqrt{n_{t+} / N_+} - \sqrt{n_{t-} / N_-}\right)^2}

    between 0 (the children have the mixture of the node) and :math:`\sqrt 2` (each child is pure). It does not change when
    a class is replicated. For more classes the largest distance over all divisions of the classes into two groups counts.

    *Missing values* (NaN, None) go to the side that scores better, learned at each split; where none were seen, to the
    side with more weight. *A category not seen* at a node in training goes to that side too; in a multiway split it stays
    at the node and takes the node's class counts. *Ties* between equally good splits go to the first column, then to the
    smallest threshold.

    A row of sample weight zero counts as absent, though its label still appears in `classes_`; an integer weight counts
    as so many equal rows.

    References
    ----------
    D. A. Cieslak, T. R. Hoens, N. V. Chawla and W. P. Kegelmeyer, "Hellinger distance decision trees are robust and
    skew-insensitive", Data Mining and Knowledge Discovery 24, 2012.

    T. R. Hoens, Q. Qian, N. V. Chawla and Z.-H. Zhou, "Building decision trees for the multi-class imbalance problem",
    PAKDD 2012.

    Examples
    --------
    >>> import pandas as pd
    >>> from rarewood import TreeClassifier
    >>> table = pd.DataFrame(
    ...     {
    ...         "amount": [12, 1823, None, 40, 95, 2500, 2600, 3000],
    ...         "country": ["DE", "NG", "RO", "FR", "RO", "FR", "DE", "RO"],
    ...     }
    ... ).astype({"country": "category"})
    >>> y = ["legit", "fraud", "fraud", "legit", "legit", "legit", "legit", "fraud"]
    >>> tree = TreeClassifier().fit(table, y)
    >>> tree.get_n_leaves()
    3

    Missing values and unseen categories are allowed:

    >>> tree.predict_proba(pd.DataFrame({"amount": [None, 20], "country": ["RO", "XX"]})).round(2)
    array([[0.8 , 0.2 ],
           [0.33, 0.67]])

    The rules can be read:

    >>> from rarewood.inspection import export_text
    >>> print(export_text(tree))
    |--- country in {DE, FR}
    |   |--- class: legit
    |--- country not in {DE, FR}
    |   |--- amount <= 959
    |   |   |--- class: legit
    |   |--- amount > 959 or missing
    |   |   |--- class: fraud

    A custom criterion is a function of the class counts on both sides of many candidate splits:

    >>> def fewest_errors(left, right):
    ...     return left.max(axis=1) + right.max(axis=1)
    >>> TreeClassifier(fewest_errors).fit(table, y).score(table, y)
    1.0
    """

    tree_: Tree

    def __init__(
        self,
        criterion: Any = "hellinger",
        *,
        splitter: str = "best",
        n_cuts: int = 10,
        max_features: str | int | float | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        smoothing: float = 1.0,
        nominal: str = "subset",
        categorical_features: Any = "from_dtype",
        pruning: str | None = None,
        confidence: float = 0.25,
        class_weight: Any = None,
        monotonic_cst: Any = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.n_cuts = n_cuts
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.smoothing = smoothing
        self.nominal = nominal
        self.categorical_features = categorical_features
        self.pruning = pruning
        self.confidence = confidence
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training rows: a NumPy array, nested lists, or a pandas, polars or pyarrow table. NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels: numbers or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, at least 0. Whole numbers say how often a row counts;
            any others are shares, and a factor on all of them changes nothing. None gives every row weight 1.

        Returns
        -------
        TreeClassifier
            The fitted estimator itself.
        """
        return self._learn_from(lambda model: model._read_training_data(X, y, sample_weight))

    @keeps_model_unless_done
    def _learn_from(self, read: Callable[[Any], TrainingData]) -> Self:
        """Fit to the rows that `read` reads for the tree it is given, wherever they are."""
        self._forget()
        self._check_parameters()
        data = read(self)
        plan = self._plan_fit(data)
        self._finish_fit(data.grow([plan], 1, None)[0], data, plan)
        return self

    def _plan_fit(self, data: TrainingData, class_map: list[int] | None = None) -> Any:
        """What is to be grown; with `class_map`, class j of the table counts as class class_map[j] of `data`."""
        return data.plan(
            [resolve_criterion(self.criterion, data.labels.n_classes, self.nominal)],
            class_map,
            n_trees=1,
            seed=draw_seed(self.random_state),
            signs=self._signs(data),
            **growth_options(self),
        )

    def _finish_fit(self, forest: Forest, data: TrainingData, _plan: Any, _n_threads: int = 1) -> None:
        """Keep what the core has grown."""
        if self.pruning == "pessimistic":
            forest = forest.pruned(self.confidence)
        self._keep(data)
        self._pseudo_count()  # raises where leaves could not keep an order
        self.tree_ = self._restrained(forest, data)[0]

    @sees_one_model
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probabilities of the classes: the smoothed class frequencies of the leaf of each row.

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
        return self._score().probabilities(matrix)

    def _score(self) -> Score:
        return Score(self.tree_, self._pseudo_count())

    def _class_shares(self) -> NDArray[np.float64]:
        return np.asarray(self.tree_.value[0])

    @sees_one_model
    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Find the node where each row ends.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Node numbers. The node is a leaf, or a multiway node without a branch for the category of the row.
        """
        matrix = self._encode(X)
        return self.tree_.apply(matrix)

    def decision_path(self, X: ArrayLike) -> csr_matrix:
        """Find the nodes that each row passes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        csr_matrix of shape (n_samples, node_count)
            One where the row passes the node.
        """
        matrix = self._encode(X)
        return paths_through(self.tree_, matrix)

    def get_depth(self) -> int:
        """Return the length of the longest path from the root to a leaf; 0 for a single leaf."""
        check_is_fitted(self)
        return int(self.tree_.max_depth)

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return int(self.tree_.n_leaves)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importance of each column: its share of the total gain of all splits."""
        check_is_fitted(self)
        return self.tree_.feature_importances
