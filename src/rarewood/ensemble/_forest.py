"""The general forest."""

from __future__ import annotations

from typing import Any

from rarewood.ensemble.base import BaseForest


class ForestClassifier(BaseForest):
    """A forest with any split criterion, any splitter and any way of drawing rows.

    The default is bagged Hellinger trees; most other forests of this package are special cases of it. The table is
    prepared once for all trees, and trees grow in parallel on `n_jobs` threads.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : str, criterion object or callable, default="hellinger"
        How splits are scored: a name from ``rarewood.criteria.names()``, an object such as
        ``rarewood.criteria.AlphaDivergence(alpha=0.8)``, or a function ``score(left, right)`` that gets the class counts on
        both sides of many candidate splits, two arrays of shape (candidates, classes), and returns one score per candidate;
        larger is better.
    splitter : {"best", "random", "hyperplane"}, default="best"
        Which splits are tried. "best": every threshold and category set; "random": `n_cuts` random thresholds or category
        sets per column; "hyperplane": `n_cuts` random lines per pair of columns.
    n_cuts : int, default=10
        Random candidates per column or pair of columns. Not used by ``splitter="best"``.
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
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, which multiplies its counts; classes not in the dictionary get 1. "balanced" gives every class
        the same total weight. Unlike `sample_weight`, class weights do not change what counts as a case in
        `min_samples_split` and `min_samples_leaf`.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns tried in each node, drawn at random from those that are not constant there. An int is their number, a
        float their share of all columns; "sqrt" and "log2" take the square root or logarithm of the number of columns,
        rounded down. None tries all.
    sampling : {"all", "bootstrap", "stratified", "balanced"}, default="bootstrap"
        Which rows a tree sees. "all": every row; "bootstrap": as many draws with replacement as there are rows;
        "stratified": a bootstrap within each class, so that no class is lost; "balanced": as many draws from each class as
        the smallest class has rows.
    oob_score : bool, default=False
        Whether to score the training rows with the trees that did not see them.
    calibration : {"beta"} or None, default=None
        Whether to calibrate the probabilities on out-of-bag rows, by beta calibration. They then match the class shares of the
        training table, however each tree drew its rows.
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
    calibration_ : Calibration or None
        With ``calibration="beta"``: the map from scores to probabilities; None if a class has too few rows for it.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        With ``oob_score=True``: mean leaf probabilities over the trees that did not see the row; NaN where every tree saw it.
    oob_score_ : float
        With ``oob_score=True``: area under the ROC curve of `oob_decision_function_`; with more than two classes, the mean
        over the classes weighted by their frequency. scikit-learn reports accuracy here, which says little about a rare
        class. With a handful of rare rows this score is slightly pessimistic (about 0.47 instead of 0.5 on noise with 10
        rare rows), as is any score pooled over rows left out one at a time.
    n_groups_ : int
        Number of groups, if `fit` was given any or a warning tells of them: out-of-bag scores are those of new groups. For rows
        of groups that it has seen, it does better.
    oob_groups_ : ndarray of shape (n_samples,)
        The number of each row's group, if rows were kept together.
    n_repeated_rows_ : int
        Number of rows that are copies of another in all columns, or in all but a row number: like a group, copies are left out of a
        tree together. 0 where `fit` was given groups, and where equal rows are natural, because few different ones are possible.

    See Also
    --------
    rarewood.HeDExClassifier : Hellinger extra-trees.
    rarewood.BalancedForestClassifier : Equal numbers of rows of each class for every tree.

    Notes
    -----
    The leaf probabilities of the trees are averaged. The random numbers of a tree depend only on the seed and the
    number of the tree, so the forest is the same for any `n_jobs`.

    References
    ----------
    L. Breiman, "Random Forests", Machine Learning 45, 2001.

    Examples
    --------
    >>> from rarewood import ForestClassifier
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> forest = ForestClassifier(sampling="stratified", oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.8
    True
    >>> len(forest.estimators_)
    100
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "hellinger",
        splitter: str = "best",
        n_cuts: int = 10,
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        smoothing: float = 1.0,
        nominal: str = "subset",
        categorical_features: Any = "from_dtype",
        pruning: str | None = None,
        confidence: float = 0.25,
        class_weight: Any = None,
        sampling: str = "bootstrap",
        oob_score: bool = False,
        calibration: str | None = None,
        monotonic_cst: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
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
        self.sampling = sampling
        self.oob_score = oob_score
        self.calibration = calibration
        self.monotonic_cst = monotonic_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
