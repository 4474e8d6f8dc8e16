"""The base of both decompositions: binary problems from a code book, fitted together or one by one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import check_is_fitted

from rarewood._decisions import PredictsByProbability
from rarewood._tables import Columns
from rarewood._validation import (
    Constraint,
    Integer,
    Labels,
    Weights,
    check_parameters,
    check_sample_weight,
    encode_labels,
    keeps_model_unless_done,
    resolve_class_weight,
    sees_one_model,
    unmasked,
)
from rarewood.decomposition._separate_fits import fit_clone, fit_separately, positive_probability
from rarewood.decomposition._shared_table import SharedTable, grows_together, is_tree_model, reader_of
from rarewood.decomposition.codes import CodeBook
from rarewood.ensemble.base import FOREST_PARAMETERS, thread_count
from rarewood.tree import TreeClassifier
from rarewood.tree.base import TrainingData

DECOMPOSITION_PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    "n_jobs": FOREST_PARAMETERS["n_jobs"],
    "verbose": (Integer(0),),
}

_AT_ONCE = 32  # problems whose probabilities are held at the same time


class BaseDecomposition(PredictsByProbability, BaseEstimator):
    """Base of classifiers that turn many classes into problems of two.

    A subclass says which problems in `_make_code` and how their probabilities become those of the classes in `_combine`.
    Two classes are one problem: that of the given estimator itself.
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]] = DECOMPOSITION_PARAMETERS

    estimator: Any
    class_weight: Any
    n_jobs: int | None
    verbose: int

    classes_: NDArray[Any]
    estimators_: list[Any]
    code_book_: CodeBook
    _together: bool

    @abstractmethod
    def _make_code(self, n_classes: int) -> CodeBook:
        """The code book; raises where the parameters ask for one that does not exist."""

    @abstractmethod
    def _combine(self, positive: Iterator[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Class probabilities from the probability of code 1 in each problem, in the order of the code book."""

    @keeps_model_unless_done
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the binary problems.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training rows, in any form the estimator accepts.
        y : array-like of shape (n_samples,)
            Labels: numbers or strings, of at least two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, at least 0. Whole numbers say how often a row counts;
            any others are shares, and a factor on all of them changes nothing. None gives every row weight 1.

        Returns
        -------
        Self
            The fitted estimator itself.
        """
        estimator = self._begin_fit()
        X = unmasked(X)
        check_consistent_length(X, y)
        labels = encode_labels(self, y, None)
        self._check_classes(labels)
        weights = self._weigh(labels, check_sample_weight(sample_weight, len(labels.codes)))
        code = self._make_code(labels.n_classes)
        estimators = self._fit_problems(estimator, code, X, y, labels, weights)
        return self._keep(estimators, code, labels)

    @keeps_model_unless_done
    def _learn_from(self, read: Callable[[Any], TrainingData]) -> Self:
        """Fit to the rows that `read` reads for an estimator, wherever they are: all problems share them."""
        estimator = self._begin_fit()
        self._check_in_parts()
        reader = reader_of(estimator)
        data = read(reader)
        self._check_classes(data.labels)
        code = self._make_code(data.labels.n_classes)
        self._together = data.labels.n_classes > 2
        if not self._together:
            return self._keep([clone(estimator)._learn_from(read)], code, data.labels)
        if not grows_together(estimator, code):
            raise TypeError(
                "problems that leave classes out have no common out-of-bag rows, so they cannot be fitted to data in parts: use an "
                "estimator without oob_score and calibration, or another code."
            )
        return self._keep(
            SharedTable.of(reader, code, data, self.n_jobs).fit(estimator.class_weight, self.verbose), code, data.labels
        )

    def _check_in_parts(self) -> None:
        """Raise unless the problems can be fitted to rows that are not in one place."""
        base = base_estimator(self.estimator)
        if not is_tree_model(base):
            raise TypeError(
                f"{type(self).__name__} of {type(base).__name__} cannot be fitted to data in parts: its problems need all rows in "
                "one place. Use a tree or forest of this package, such as HeDExClassifier."
            )
        if self.class_weight is not None:
            raise ValueError(
                f"class_weight={self.class_weight!r} of {type(self).__name__} makes fractions of the weights of rows, whose sums would "
                "depend on the parts; leave it out, or give class_weight to the estimator."
            )

    def _begin_fit(self) -> Any:
        """The estimator of the problems; raises where parameters make no sense."""
        self._forget()
        check_parameters(self.get_params(deep=False), self._accepted)
        thread_count(self.n_jobs)  # raises for 0, also where the problem needs no threads
        return check_base(self.estimator)

    def _check_classes(self, labels: Labels) -> None:
        if labels.n_classes < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes, y has {'one class' if labels.n_classes else 'no label'}: "
                f"{labels.classes.tolist()}."
            )

    def _keep(self, estimators: list[Any], code: CodeBook, labels: Labels) -> Self:
        """Set the fitted attributes."""
        self._keep_names(estimators[0])
        self.classes_ = labels.classes
        self.n_classes_ = labels.n_classes
        self.code_book_ = code
        self.estimators_ = estimators
        return self

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def _weigh(self, labels: Labels, weights: Weights) -> Weights:
        factors = resolve_class_weight(self.class_weight, labels, weights)
        if factors is None:
            return weights
        return factors[labels.codes] * (1.0 if weights is None else weights)

    def _fit_problems(
        self, estimator: Any, code: CodeBook, X: Any, y: Any, labels: Labels, weights: Weights
    ) -> list[Any]:
        if labels.n_classes > 2 and getattr(estimator, "monotonic_cst", None) is not None:
            raise ValueError(
                f"monotonic_cst of the estimator is for two classes, but y has {labels.n_classes}: the probabilities of the problems are "
                "combined, which keeps no order. Fit one class against the rest."
            )
        self._together = labels.n_classes > 2 and grows_together(estimator, code)
        if labels.n_classes == 2:
            return [fit_clone(estimator, X, y, weights)]
        if self._together:
            reader = reader_of(estimator)
            data = reader._read_training_data(X, labels.codes, weights)
            return SharedTable.of(reader, code, data, self.n_jobs).fit(estimator.class_weight, self.verbose)
        return fit_separately(estimator, code, X, labels, weights, thread_count(self.n_jobs), self.verbose)

    def _keep_names(self, fitted: Any) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    @sees_one_model
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probabilities of the classes from those of the binary problems.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`; rows sum to 1.
        """
        check_is_fitted(self)
        if self.n_classes_ == 2:
            return np.asarray(self.estimators_[0].predict_proba(unmasked(X)))
        return self._combine(self._positive_probabilities(unmasked(X)))

    def _positive_probabilities(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """The probabilities of each problem in turn; a few problems are predicted at a time."""
        ask: Callable[[Any, Any], NDArray[np.float64]] = positive_probability
        if self._together:
            X = self._columns.read(self, X)
            ask = _positive_probability_of_tree_model
        n_threads = thread_count(self.n_jobs)
        if n_threads == 1:
            yield from (ask(model, X) for model in self.estimators_)
            return
        for begin in range(0, len(self.estimators_), _AT_ONCE):
            some = self.estimators_[begin : begin + _AT_ONCE]
            yield from joblib.Parallel(n_threads, prefer="threads")(joblib.delayed(ask)(model, X) for model in some)

    @property
    def _columns(self) -> Columns:
        """The columns of the estimators, if these are our own and read tables alike; otherwise there is no such attribute."""
        if not self._together and self.n_classes_ > 2:
            raise AttributeError("the estimators of the problems read tables each for themselves")
        columns: Columns = self.estimators_[0]._columns
        return columns

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean importance of each column over the problems; only if the estimator has importances."""
        check_is_fitted(self)
        return np.asarray(np.mean([model.feature_importances_ for model in self.estimators_], axis=0))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = base_estimator(self.estimator)
        if not hasattr(base, "__sklearn_tags__"):
            return tags  # no estimator; fit says so
        of_base = get_tags(base).input_tags
        tags.input_tags.allow_nan = of_base.allow_nan
        tags.input_tags.sparse = of_base.sparse
        tags.input_tags.string = of_base.string
        return tags


def base_estimator(estimator: Any) -> Any:
    """The estimator of the problems: the one given, or a Hellinger tree."""
    return TreeClassifier() if estimator is None else estimator


def check_base(estimator: Any) -> Any:
    """The estimator of the problems; raises unless it can be one."""
    base = base_estimator(estimator)
    if isinstance(base, type) or not (hasattr(base, "fit") and hasattr(base, "get_params")):
        raise TypeError(f"estimator={base!r} is not accepted; give a classifier with predict_proba, or None.")
    if not hasattr(base, "predict_proba"):
        raise TypeError(
            f"estimator={base!r} has no predict_proba, which is needed to combine the problems; "
            "wrap it in sklearn.calibration.CalibratedClassifierCV."
        )
    return base


def _positive_probability_of_tree_model(model: Any, matrix: NDArray[Any]) -> NDArray[np.float64]:
    probabilities: NDArray[np.float64] = model._score().probabilities(matrix)
    return probabilities[:, 1]
