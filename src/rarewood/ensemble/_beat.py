"""Bootstrap ensembles of alpha-trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from rarewood._core import CriterionSpec
from rarewood._validation import Choice, Constraint, Number
from rarewood.criteria import AlphaDivergence
from rarewood.ensemble.base import FOREST_PARAMETERS, BaseForest
from rarewood.tree.base import TrainingData, resolve_criterion


class BEATClassifier(BaseForest):
    r"""BEAT: bagged trees, each of which splits by an alpha divergence with its own alpha.

    Small alpha favours splits that isolate the common class, large alpha splits that isolate the rare one. Trees with
    different alpha make different errors, so a small ensemble is enough.

    Parameters
    ----------
    n_estimators : int, default=30
        Number of trees.
    a, b : float, default=1.0
        Each tree draws alpha/2 from the Beta(a, b) distribution: (1, 1) is uniform, (1, 3) favours small alpha, (3, 1)
        large.
    reference : {"marginal", "uniform"}, default="marginal"
        What the class distribution of a child is compared with: that of the node, or equal shares.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns tried in each node, drawn at random from those that are not constant there. An int is their number, a
        float their share of all columns; "sqrt" and "log2" take the square root or logarithm of the number of columns,
        rounded down. None tries all, as in the paper.
    max_depth : int or None, default=None
        Longest path from the root to a leaf; None sets no limit.
    min_samples_split : int, default=2
        Nodes with fewer cases become leaves. A row with sample weight 3 counts as three cases.
    min_samples_leaf : int, default=1
        Splits that leave fewer cases on one side are not considered.
    nominal : {"subset", "multiway", "one_vs_rest"}, default="subset"
        How a nominal column splits. "subset": a set of categories against the others; "multiway": one child per category;
        "one_vs_rest": one category against the others.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, which multiplies its counts; classes not in the dictionary get 1. "balanced" gives every class
        the same total weight. Unlike `sample_weight`, class weights do not change what counts as a case in
        `min_samples_split` and `min_samples_leaf`.
    smoothing : float, default=0.0
        Cases added to every class of a leaf before its probabilities are computed. 0, as in the paper, gives raw frequencies.
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
    alphas_ : ndarray of shape (n_estimators,)
        The alpha of each tree.
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
        over the classes weighted by their frequency.
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
    rarewood.criteria.AlphaDivergence : The criterion, with its formula.

    References
    ----------
    Y. Park and J. Ghosh, "Compact Ensemble Trees for Imbalanced Data", Multiple Classifier Systems, 2011.

    Examples
    --------
    >>> from rarewood import BEATClassifier
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> beat = BEATClassifier(random_state=0).fit(X, y)
    >>> beat.alphas_[:3].round(2)
    array([1.32, 0.17, 0.13])
    >>> beat.predict_proba(X[:2]).shape
    (2, 2)
    """

    _accepted: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        **FOREST_PARAMETERS,
        # further out, nearly every draw rounds to 0 or 2, where there is no alpha divergence
        "a": (Number(1e-3, 1e6),),
        "b": (Number(1e-3, 1e6),),
        "reference": (Choice(("marginal", "uniform")),),
    }

    alphas_: NDArray[np.float64]

    def __init__(
        self,
        n_estimators: int = 30,
        *,
        a: float = 1.0,
        b: float = 1.0,
        reference: Literal["marginal", "uniform"] = "marginal",
        max_features: int | float | str | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        smoothing: float = 0.0,
        nominal: str = "subset",
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        oob_score: bool = False,
        calibration: str | None = None,
        monotonic_cst: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.a = a
        self.b = b
        self.reference = reference
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.smoothing = smoothing
        self.nominal = nominal
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.oob_score = oob_score
        self.calibration = calibration
        self.monotonic_cst = monotonic_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _criteria(self, n_classes: int) -> list[CriterionSpec | Callable[..., Any]]:
        return [
            resolve_criterion(AlphaDivergence(alpha, self.reference), n_classes, self.nominal)
            for alpha in self._draw_alphas().tolist()
        ]

    def _criterion_of(self, tree: int, /) -> AlphaDivergence:
        return AlphaDivergence(float(self.alphas_[tree]), self.reference)

    def _keep(self, data: TrainingData) -> None:
        super()._keep(data)
        self.alphas_ = self._draw_alphas()

    def _keep_from(self, earlier: Self) -> None:
        self.alphas_[: len(earlier.alphas_)] = earlier.alphas_  # `a` and `b` may have changed since

    def _draw_alphas(self) -> NDArray[np.float64]:
        """Two times Beta(a, b) per tree; 0 and 2, possible only by rounding, are drawn again."""
        rng = np.random.RandomState(self._seed % 2**32)
        alphas = np.empty(self.n_estimators)
        for tree in range(self.n_estimators):
            alpha = 0.0
            while not 0.0 < alpha < 2.0:
                alpha = 2.0 * rng.beta(self.a, self.b)
            alphas[tree] = alpha
        return alphas
