"""The arguments of a report, checked and read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.utils.validation import check_is_fitted

from rarewood._pipelines import last_step, only_resamples, steps_of
from rarewood._validation import Integer, check_parameter, encode_labels, unmasked
from rarewood.metrics import rarest_label


def check_model(model: Any) -> None:
    """Raise unless it is a fitted classifier with probabilities."""
    if not hasattr(model, "predict_proba") or not hasattr(type(model), "fit"):
        raise TypeError(
            f"a report needs a fitted classifier with predict_proba; got {type(model).__name__}. For one that only "
            "has decision_function, wrap it in scikit-learn's CalibratedClassifierCV first."
        )
    check_is_fitted(model)


def seeing_columns(model: Any) -> Any:
    """The classifier that sees the columns of the caller: the last of a pipeline whose other steps only resample.

    Searches for parameters and for thresholds hand their columns on, too.
    """
    if hasattr(model, "best_estimator_"):
        return seeing_columns(model.best_estimator_)
    if isinstance(model, (FixedThresholdClassifier, TunedThresholdClassifierCV)):
        return seeing_columns(model.estimator_)
    last = last_step(model)
    return seeing_columns(last) if last is not model and only_resamples(model) else model


def name_of(model: Any) -> str:
    """The classes of a model and of the steps before it."""
    return " + ".join(type(step).__name__ for step in steps_of(model))


def check_train(train: Any) -> tuple[Any, NDArray[Any] | None]:
    """The training table and its labels; two Nones if there are none."""
    if train is None:
        return None, None
    if not isinstance(train, (tuple, list)) or len(train) != 2:
        raise TypeError(
            f"train={type(train).__name__} is not accepted; give a pair (X, y) of the rows the model learned from."
        )
    X, y = unmasked(train[0]), train[1]
    labels = encode_labels(train, y, None)
    if np.shape(X)[0] != len(labels.codes):
        raise ValueError(
            f"the X and y of train have inconsistent numbers of rows: {np.shape(X)[0]} and {len(labels.codes)}."
        )
    return X, labels.classes[labels.codes]


def rare_class(model: Any, positive: Any, of_threshold: Any, truth: NDArray[Any], train_labels: Any) -> Any:
    """The label that the page is about: the one given, that of the threshold, or the rarest."""
    if positive is not None and of_threshold is not None and positive != of_threshold:
        raise ValueError(
            f"positive={positive!r}, but the threshold was chosen for the class {of_threshold!r}; pass a threshold for the "
            "class of the report."
        )
    unknown = np.setdiff1d(truth, model.classes_)
    if len(unknown):
        raise ValueError(
            f"y has labels that the model does not know: {unknown.tolist()}; its classes are {model.classes_.tolist()}."
        )
    if positive is not None:
        return positive
    return of_threshold if of_threshold is not None else rarest_label(truth if train_labels is None else train_labels)


def check_both_kinds(is_rare: NDArray[np.bool_], positive: Any) -> None:
    """Raise unless there are rare rows and others."""
    if not is_rare.any():
        raise ValueError(f"y has no row of the class {positive!r}, so a report on finding it is not possible.")
    if is_rare.all():
        raise ValueError(f"all rows of y are of the class {positive!r}; a report needs rows of another class, too.")


def check_review(numbers: Any) -> None:
    """Raise unless these are numbers of rows to review, or None."""
    if numbers is None:
        return
    if not isinstance(numbers, (list, tuple, np.ndarray)) or len(numbers) == 0:
        raise TypeError(f"review={numbers!r} is not accepted; give a list of numbers of rows, such as [20, 100].")
    for number in numbers:
        check_parameter("review", number, Integer(1))


def check_row_names(names: Any, n_rows: int) -> list[str] | None:
    """The names of the rows as text, if they have names."""
    if names is None:
        return None
    if len(names) != n_rows:
        raise ValueError(f"row_names has {len(names)} names for {n_rows} rows.")
    return [str(name) for name in names]
