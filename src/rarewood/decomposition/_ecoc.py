"""Error-correcting output codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rarewood._validation import SEED, Choice, Constraint, Instance, Integer
from rarewood.decomposition.base import DECOMPOSITION_PARAMETERS, BaseDecomposition
from rarewood.decomposition.codes import (
    MOST_EXHAUSTIVE_CLASSES,
    CodeBook,
    check_code_book,
    default_bits,
    exhaustive_code,
    most_dense_columns,
    random_code,
    signs_of,
)


class ECOCClassifier(BaseDecomposition):
    r"""Error-correcting output codes: many binary problems, each setting a group of classes against the others.

    Each class is a word of bits, one per problem. The problems predict the bits of a row, and the class with the
    nearest word wins, so a few wrong bits do no harm. This takes more time than one-vs-rest and ranks better.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier fitted to each problem, any with `predict_proba`. None means ``TreeClassifier()``, a Hellinger tree.
        It sees the labels 1 and 0, so its own `class_weight` refers to these two; "balanced" gives both sides the same
        weight. For the trees and forests of this package the table is prepared once and shared by all problems.
    code : {"exhaustive", "dense", "sparse"}, int or array of shape (n_classes, n_bits), default="exhaustive"
        Which binary problems to make.

        - "exhaustive": every division of the k classes in two, :math:`2^{k-1} - 1` problems; for up to 11 classes;
        - "dense": :math:`10 \log_2 k` different random divisions;
        - "sparse": :math:`15 \log_2 k` random divisions, in each of which a class takes part with probability 1/2;
        - an integer: this many different random divisions;
        - an array: 1 and 0 for the two sides, -1 for a class that takes no part.

        Of up to 100 random codes, the one whose two closest words are furthest apart is used. With few classes there
        are fewer divisions than "dense" and "sparse" ask for; then all of them are used.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class of `y`, which multiplies the sample weights of its rows; classes that are not in the
        dictionary get 1. "balanced" gives every class the same total weight.
    n_jobs : int or None, default=None
        Number of threads: None means 1 (in `fit`: the `n_jobs` of the estimator), -1 all processors. The result does not
        depend on it.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState instance or None, default=None
        Seed of a random code; the estimator has a seed of its own.

    Attributes
    ----------
    code_book_ : ndarray of shape (n_classes, n_bits)
        The word of each class: 1, 0, or -1 where the class takes no part.
    estimators_ : list
        The fitted estimator of each column of `code_book_`. For two classes there is a single one, fitted to `y` as it is.
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
    rarewood.OneVsAllClassifier : One problem per class.
    sklearn.multiclass.OutputCodeClassifier : Random codes; predicts labels only.

    Notes
    -----
    With :math:`p_b` the probability of code 1 in problem b, a class scores

    .. math:: s_c = \sum_b \begin{cases} p_b & \text{code 1} \\ 1 - p_b & \text{code 0} \\ 1/2 & \text{left out} \end{cases}

    and its probability is :math:`s_c` divided by the sum over all classes. The class with the largest probability is the
    one whose word is nearest to the predicted probabilities in the sum of absolute differences. A class that a problem
    leaves out counts half there, as in Allwein, Schapire and Singer; the lengths of the random codes and the share of
    classes that take part are also theirs.

    If all rows on one side of a problem have weight 0, an estimator of another library is not fitted: the other side gets
    probability 1.

    References
    ----------
    T. G. Dietterich and G. Bakiri, "Solving multiclass learning problems via error-correcting output codes", Journal of
    Artificial Intelligence Research 2, 1995.

    E. L. Allwein, R. E. Schapire and Y. Singer, "Reducing multiclass to binary: a unifying approach for margin classifiers",
    Journal of Machine Learning Research 1, 2000.

    T. R. Hoens, Q. Qian, N. V. Chawla and Z.-H. Zhou, "Building decision trees for the multi-class imbalance problem",
    PAKDD 2012.

    Examples
    --------
    >>> from rarewood import ECOCClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier().fit(X[::2], y[::2])
    >>> model.code_book_
    array([[1, 1, 1],
           [0, 0, 1],
           [0, 1, 0]], dtype=int8)
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> ECOCClassifier(code=7).fit(X, y)
    Traceback (most recent call last):
        ...
    ValueError: code=7 is more than the 3 ways to divide 3 classes into two groups; give at most 3, or code='exhaustive'.
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        **DECOMPOSITION_PARAMETERS,
        "code": (
            Choice(("exhaustive", "dense", "sparse")),
            Integer(1),
            Instance((np.ndarray, list, tuple), "an array of 1, 0 and -1"),
        ),
        "random_state": SEED,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        code: Any = "exhaustive",
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _make_code(self, n_classes: int) -> CodeBook:
        if isinstance(self.code, str) and self.code == "exhaustive":
            return exhaustive_code(check_few(n_classes))
        rng = check_random_state(self.random_state)
        if isinstance(self.code, str):
            sparse = self.code == "sparse"
            return random_code(n_classes, default_bits(n_classes, sparse=sparse), rng, sparse=sparse)
        if isinstance(self.code, Integral):
            return random_code(n_classes, check_length(int(self.code), n_classes), rng)
        return check_code_book(self.code, n_classes)

    def _combine(self, positive: Iterator[NDArray[np.float64]]) -> NDArray[np.float64]:
        signs = signs_of(self.code_book_)
        scores: Any = 0.0
        for probability, of_classes in zip(positive, signs.T, strict=True):
            scores = scores + probability[:, np.newaxis] * of_classes
        # A zero counts 1 - p: so far it has -p. A class left out counts 1/2.
        scores = scores + np.array([np.sum(row == -1.0) + np.sum(row == 0.0) / 2.0 for row in signs])
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def check_few(n_classes: int) -> int:
    """Raise if an exhaustive code of so many classes would be too long."""
    if n_classes > MOST_EXHAUSTIVE_CLASSES:
        raise ValueError(
            f"code='exhaustive' would make {most_dense_columns(n_classes)} problems of {n_classes} classes; it is meant for "
            f"at most {MOST_EXHAUSTIVE_CLASSES}. Use code='dense' ({default_bits(n_classes, sparse=False)} problems), "
            f"code='sparse' ({default_bits(n_classes, sparse=True)}) or a number of problems."
        )
    return n_classes


def check_length(n_bits: int, n_classes: int) -> int:
    """Raise unless there are so many different columns and they are enough to tell the classes apart."""
    most = most_dense_columns(n_classes)
    if n_bits > most:
        raise ValueError(
            f"code={n_bits} is more than the {most} ways to divide {n_classes} classes into two groups; give at most "
            f"{most}, or code='exhaustive'."
        )
    fewest = (n_classes - 1).bit_length()
    if n_bits < fewest:
        raise ValueError(
            f"code={n_bits} is too few: {n_bits} problems cannot tell {n_classes} classes apart; give at least "
            f"{fewest}."
        )
    return n_bits
