"""Hellinger extra-trees."""

from __future__ import annotations

from typing import Any

from rarewood.ensemble.base import BaseForest


class HeDExClassifier(BaseForest):
    r"""HeDEx: extremely randomised trees that split by the Hellinger distance.

    Every tree sees every row. At each node a few columns are drawn, and for each of them `n_cuts` thresholds, uniformly
    between its smallest and largest value there. The cut with the largest Hellinger distance splits the node. Leaves are
    smoothed by Laplace's correction.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    n_cuts : int, default=10
        Random cuts per column and node.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
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
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, which multiplies its counts; classes not in the dictionary get 1. "balanced" gives every class
        the same total weight. Unlike `sample_weight`, class weights do not change what counts as a case in
        `min_samples_split` and `min_samples_leaf`.
    monotonic_cst : array-like of int, dict or None, default=None
        Monotone constraints: for each column, or in a dictionary by its name, 1 if the probability of the second class in `classes_` may
        only rise with it, -1 if it may only fall, 0 if it is free. For two classes, and for columns of numbers; missing values are free.
    warm_start : bool, default=False
        Whether `fit` adds trees to those of the previous fit.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState instance or None, default=None
        Seed. With the same seed, a larger forest begins with the trees of a smaller one.

    Attributes
    ----------
    estimators_ : sequence of TreeClassifier
        The trees.
    forest_ : Forest
        The same trees, as the compiled core stores them.
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
    rarewood.HeDExhClassifier : The same with lines through two columns.
    sklearn.ensemble.ExtraTreesClassifier : One cut per column, gini, raw leaves.

    Notes
    -----
    Cuts depend only on the smallest and largest value, so trees vary whatever the distribution of a column. A nominal
    column is split by random subsets of its categories; categories absent from the node go to a random side.

    References
    ----------
    S. Kang and K. Ramamohanarao, "A Robust Classifier for Imbalanced Datasets", PAKDD 2014.

    Examples
    --------
    >>> from rarewood import HeDExClassifier
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> forest = HeDExClassifier(random_state=0).fit(X, y)
    >>> forest.predict_proba(X[:2]).shape
    (2, 2)
    """

    splitter = "random"
    sampling = "all"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_cuts: int = 10,
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        smoothing: float = 1.0,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        monotonic_cst: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_cuts = n_cuts
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.smoothing = smoothing
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state


class HeDExhClassifier(HeDExClassifier):
    r"""HeDExh: Hellinger extra-trees that cut with lines through two columns.

    Like :class:`rarewood.HeDExClassifier`, but each node is split by a line in the plane of two columns. This follows
    slanted class borders with far fewer nodes.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    n_cuts : int, default=10
        Random lines per pair of columns and node.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Pairs of columns tried in each node, drawn at random from those that are not constant there. An int is their
        number, a float a share of the number of columns; "sqrt" and "log2" take the square root or logarithm of the
        number of columns, rounded down. None tries as many pairs as there are columns.
    max_depth : int or None, default=None
        Longest path from the root to a leaf; None sets no limit.
    min_samples_split : int, default=2
        Nodes with fewer cases become leaves. A row with sample weight 3 counts as three cases.
    min_samples_leaf : int, default=1
        Splits that leave fewer cases on one side are not considered.
    smoothing : float, default=1.0
        Cases added to every class of a leaf before its probabilities are computed: 1 is Laplace's correction, 0 gives
        raw frequencies. Read at prediction, so it can be changed without a new fit.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, which multiplies its counts; classes not in the dictionary get 1. "balanced" gives every class
        the same total weight. Unlike `sample_weight`, class weights do not change what counts as a case in
        `min_samples_split` and `min_samples_leaf`.
    monotonic_cst : array-like of int, dict or None, default=None
        Monotone constraints: for each column, or in a dictionary by its name, 1 if the probability of the second class in `classes_` may
        only rise with it, -1 if it may only fall, 0 if it is free. For two classes, and for columns of numbers; missing values are free.
    warm_start : bool, default=False
        Whether `fit` adds trees to those of the previous fit.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState instance or None, default=None
        Seed. With the same seed, a larger forest begins with the trees of a smaller one.

    Attributes
    ----------
    estimators_ : sequence of TreeClassifier
        The trees.
    forest_ : Forest
        The same trees, as the compiled core stores them.
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
    rarewood.HeDExClassifier : The same with one column at a time.

    Notes
    -----
    Each line passes through two points drawn uniformly from the node's bounding box in the plane of the pair; candidates
    that leave a side empty are drawn again up to ten times. Nominal columns take part with their categories placed in random
    order. Where fewer than two columns are left, or no line separates anything, the node is cut along one column.

    References
    ----------
    S. Kang and K. Ramamohanarao, "A Robust Classifier for Imbalanced Datasets", PAKDD 2014.

    Examples
    --------
    >>> from rarewood import HeDExhClassifier
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> forest = HeDExhClassifier(random_state=0).fit(X, y)
    >>> forest.predict_proba(X[:2]).shape
    (2, 2)
    >>> forest.estimators_[0].tree_.split_kind(0)
    'hyperplane'
    """

    splitter = "hyperplane"
