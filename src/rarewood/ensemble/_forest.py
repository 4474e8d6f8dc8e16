"""The general forest."""

from __future__ import annotations

from typing import Any

from rarewood.ensemble.base import BaseForest


class ForestClassifier(BaseForest):
    """A forest of trees under any criterion, any splitter and any way of drawing rows.

    Bagged Hellinger trees are the default; the other forests of this package are settings of it. The table is prepared
    once for all trees, and the trees grow on all threads.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion, splitter, n_cuts, max_depth, min_samples_split, min_samples_leaf, smoothing, nominal, \
categorical_features, pruning, confidence, class_weight :
        As in :class:`rarewood.TreeClassifier`.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns looked at in each node, drawn at random among those that are not constant there: so many, this share of
        them, the whole square root or logarithm of their number. None looks at all.
    sampling : {"all", "bootstrap", "stratified", "balanced"}, default="bootstrap"
        Which rows a tree sees: every one; as many draws with replacement as there are rows; the same inside each class, so
        that no class is ever lost; as many draws from each class as the smallest has rows.
    oob_score : bool, default=False
        Whether to score the training rows by the trees that did not see them.
    calibration : {"beta"} or None, default=None
        Whether to calibrate the probabilities by the training rows that trees did not see, as :class:`rarewood.RareClassifier`
        does; they are then about the training table, however rows were drawn.
    warm_start : bool, default=False
        Whether `fit` adds trees to those of the fit before.
    n_jobs : int or None, default=None
        Threads: None is one, -1 all processors. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState instance or None, default=None
        Seed; the first trees of a larger forest are those of a smaller one with the same seed.

    Attributes
    ----------
    estimators_ : sequence of TreeClassifier
        The trees.
    forest_ : Forest
        The same as the core keeps them.
    classes_, n_classes_, categories_, feature_importances_, n_features_in_, feature_names_in_ :
        As in :class:`rarewood.TreeClassifier`.
    calibration_ : Calibration or None
        With ``calibration="beta"``: what makes probabilities of the scores; None if a class has too few rows for it.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        With ``oob_score=True``: mean leaf probabilities over the trees that did not see the row; NaN where there is none.
    oob_score_ : float
        With ``oob_score=True``: area under the ROC curve of `oob_decision_function_`, for more than two classes weighted by
        their frequency. Accuracy, which scikit-learn reports here, says little about a rare class. With a handful of rare
        rows it is a little pessimistic (about 0.47 instead of 0.5 on noise with 10 of them), as is every score pooled over
        rows left out one at a time.

    See Also
    --------
    rarewood.HeDExClassifier : Hellinger extra-trees.
    rarewood.BalancedForestClassifier : Equal rows of each class for every tree.

    Notes
    -----
    Trees are averaged by their leaf probabilities. Every tree has random streams named by the seed and its number, so
    the forest is the same for any `n_jobs`.

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
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
