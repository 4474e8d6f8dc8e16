"""Binary problems for any scikit-learn classifier: one clone per problem, fitted to the table with other labels."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from rarewood._progress import progress
from rarewood._tables import take_rows
from rarewood._validation import Labels, Weights
from rarewood.decomposition.codes import LEFT_OUT, CodeBook
from rarewood.decomposition.constant import ConstantClassifier


def fit_separately(
    estimator: Any, code_book: CodeBook, X: Any, labels: Labels, weights: Weights, n_threads: int, verbose: int
) -> list[Any]:
    """One fitted clone per column of the code book."""
    fits = (
        joblib.delayed(_fit_problem)(estimator, X, column[labels.codes].astype(np.int64), weights)
        for column in code_book.T
    )
    models: list[Any] = []
    with progress(code_book.shape[1], "fitting", verbose) as report:
        for model in joblib.Parallel(n_jobs=n_threads, prefer="threads", return_as="generator")(fits):
            models.append(model)
            if report is not None:
                report(len(models))
    return models


def fit_clone(estimator: Any, X: Any, y: Any, weights: Weights) -> Any:
    """A fitted clone. A classifier that takes no weights cannot be given any."""
    model = clone(estimator)
    if weights is None:
        return model.fit(X, y)
    if not takes_weights(estimator):
        raise TypeError(
            f"{type(estimator).__name__}.fit takes no sample_weight, so neither sample_weight nor class_weight can be used "
            "with it; for a pipeline, enable metadata routing and let its steps request sample_weight."
        )
    return model.fit(X, y, sample_weight=weights)


def takes_weights(estimator: Any) -> bool:
    """Whether `fit` takes weights, by its signature or, for a pipeline and the like, because a step inside requests them."""
    if has_fit_parameter(estimator, "sample_weight"):
        return True
    routing = bool(get_config().get("enable_metadata_routing", False))
    return routing and bool(get_routing_for_object(estimator).consumes("fit", ["sample_weight"]))


def positive_probability(model: Any, X: Any) -> NDArray[np.float64]:
    """Probability of label 1."""
    return np.asarray(model.predict_proba(X)[:, list(model.classes_).index(1)], dtype=np.float64)


def _fit_problem(estimator: Any, X: Any, y: NDArray[np.int64], weights: Weights) -> Any:
    kept = np.flatnonzero(y != LEFT_OUT)
    if len(kept) < len(y):
        X, y = take_rows(X, kept), y[kept]
        weights = None if weights is None else weights[kept]
    present = np.unique(y if weights is None else y[weights > 0])
    return fit_clone(estimator, X, y, weights) if len(present) == 2 else ConstantClassifier(*present.tolist()[:1])
