"""One class against the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import Choice, Constraint
from rarewood.decomposition.base import DECOMPOSITION_PARAMETERS, BaseDecomposition
from rarewood.decomposition.codes import CodeBook, one_vs_all_code


class OneVsAllClassifier(BaseDecomposition):
    r"""One-vs-rest: one binary problem per class, the class against all others.

    Criteria made for two classes, above all the Hellinger distance, do better on these imbalanced binary problems than a
    single tree does on all classes at once.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier fitted to each problem, any with `predict_proba`. None means ``TreeClassifier()``, a Hellinger tree.
        It sees the labels 1 (the class) and 0 (the rest), so its own `class_weight` refers to these two; "balanced" gives
        class and rest the same weight. For the trees and forests of this package the table is prepared once and shared by
        all problems.
    normalize : {"sum", "weka"}, default="sum"
        How the probabilities :math:`p_c` of the classes in their own problems become a distribution. "sum" divides them by
        their sum; "weka" first adds :math:`1 - p_i` of all other classes to :math:`p_c`, as Weka does, and then divides by
        the sum. Both give the same winner but different areas under ROC curves.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class of `y`, which multiplies the sample weights of its rows; classes that are not in the
        dictionary get 1. "balanced" gives every class the same total weight.
    n_jobs : int or None, default=None
        Number of threads: None means 1 (in `fit`: the `n_jobs` of the estimator), -1 all processors. The result does not
        depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    estimators_ : list
        The fitted estimator of each class, in the order of `classes_`. For two classes there is a single one, fitted to `y`
        as it is.
    code_book_ : ndarray of shape (n_classes, n_classes)
        One column per problem: 1 for the class that it sets against the others, else 0.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    n_classes_ : int
        Number of classes.
    feature_importances_ : ndarray of shape (n_features,)
        Mean importance of each column over the problems, if the estimator has importances.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the table had string names.

    See Also
    --------
    rarewood.ECOCClassifier : More problems, each setting a group of classes against the others.
    rarewood.TreeClassifier : One tree on all classes; ``criterion="hellinger"`` looks for the best division of the classes.
    sklearn.multiclass.OneVsRestClassifier : The same idea; prepares the table anew for every class.

    Notes
    -----
    With ``normalize="sum"`` the probability of class c is

    .. math:: P(c) = p_c \Big/ \sum_i p_i

    and 1 / k for all k classes where every :math:`p_i` is 0; with ``normalize="weka"``

    .. math:: P(c) = \Big(p_c + \sum_{i \ne c} (1 - p_i)\Big) \Big/ \sum_j \Big(p_j + \sum_{i \ne j} (1 - p_i)\Big).

    If all rows of a class have weight 0, an estimator of another library is not fitted: the class gets probability 0.

    References
    ----------
    T. R. Hoens, Q. Qian, N. V. Chawla and Z.-H. Zhou, "Building decision trees for the multi-class imbalance problem",
    PAKDD 2012.

    R. Rifkin and A. Klautau, "In defense of one-vs-all classification", Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> from rarewood import OneVsAllClassifier, TreeClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsAllClassifier().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> len(model.estimators_)
    3

    Set parameters of the estimator with the prefix `estimator__`:

    >>> model = OneVsAllClassifier(TreeClassifier()).set_params(estimator__min_samples_leaf=5)
    >>> model.fit(X, y).predict_proba(X[:1]).round(2)
    array([[0.97, 0.02, 0.01]])
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        **DECOMPOSITION_PARAMETERS,
        "normalize": (Choice(("sum", "weka")),),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        normalize: str = "sum",
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.normalize = normalize
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_code(self, n_classes: int) -> CodeBook:
        return one_vs_all_code(n_classes)

    def _combine(self, positive: Iterator[NDArray[np.float64]]) -> NDArray[np.float64]:
        scores = np.column_stack(list(positive))
        if self.normalize == "weka":
            scores = 2.0 * scores + (1.0 - scores).sum(axis=1, keepdims=True) - 1.0
        totals = scores.sum(axis=1, keepdims=True)
        uniform = np.full_like(scores, 1.0 / scores.shape[1])
        return np.asarray(np.divide(scores, totals, out=uniform, where=totals > 0.0))
