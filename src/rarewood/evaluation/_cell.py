"""One method on one fold: fit, predict, measure."""

from __future__ import annotations

import math
import pickle
import time
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rarewood.evaluation._data import LabelledData
from rarewood.evaluation.divisions import Fold
from rarewood.metrics import Metric, Predictions

_MOST_WARNINGS = 5
_MOST_CHARACTERS = 500


def run_cell(
    estimator: Any, table: LabelledData, fold: Fold, seed: int, metrics: Sequence[Metric], single_threaded: bool
) -> dict[str, Any]:
    """Scores, times and size of a fresh copy of `estimator`; an error is part of the result, never raised."""
    result = empty_result(fold)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _fit_and_measure(prepared(estimator, seed, single_threaded), table, fold, metrics, result)
        except Exception as error:
            _pass_on_interrupt(error)
            result["error"] = _shortened(f"{type(error).__name__}: {error}")
            result["traceback"] = "".join(traceback.format_exception(error))[-4000:]
            result["scores"] = {}
    said = [_shortened(f"{item.category.__name__}: {item.message}") for item in caught]
    result["warnings"] = list(dict.fromkeys(said))[:_MOST_WARNINGS]
    return result


def empty_result(fold: Fold) -> dict[str, Any]:
    """The result of a cell before it starts: no figures yet."""
    train, test = fold
    return {
        "n_train": len(train),
        "n_test": len(test),
        "scores": {},
        "undefined": {},
        "fit_seconds": None,
        "predict_seconds": None,
        "model_bytes": None,
        "error": None,
        "traceback": None,
        "warnings": [],
    }


def prepared(estimator: Any, seed: int, single_threaded: bool) -> Any:
    """A copy with every `random_state` inside it set to `seed`, and one thread where the folds already run side by side."""
    copy = clone(estimator, safe=False)
    if not hasattr(copy, "set_params"):
        return copy
    wanted: dict[str, Any] = {}
    for name, value in copy.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if last == "random_state":
            wanted[name] = seed
        elif last == "n_jobs" and single_threaded and value is not None:
            wanted[name] = 1
    return copy.set_params(**wanted)


def _fit_and_measure(
    model: Any, table: LabelledData, fold: Fold, metrics: Sequence[Metric], result: dict[str, Any]
) -> None:
    train, test = fold
    X_train, X_test = table.rows(train), table.rows(test)
    started = time.perf_counter()
    model.fit(X_train, table.y[train])
    result["fit_seconds"] = time.perf_counter() - started
    started = time.perf_counter()
    given, has_chances = _predictions(model, X_test, table.y[test], table, {metric.needs for metric in metrics})
    result["predict_seconds"] = time.perf_counter() - started
    for metric in metrics:
        value, reason = _measure(metric, given, has_chances)
        result["scores"][metric.name] = value
        if reason:
            result["undefined"][metric.name] = reason
    result["model_bytes"] = _size(model)


def _predictions(
    model: Any, X: Any, y_true: NDArray[Any], table: LabelledData, needs: set[str]
) -> tuple[Predictions, bool]:
    """The predictions that the measures need, and whether the scores are probabilities."""
    labels = np.asarray(model.predict(X)) if "labels" in needs else None
    scores, has_chances = None, hasattr(model, "predict_proba")
    if needs - {"labels"}:
        classes = np.asarray(getattr(model, "classes_", table.classes))
        if has_chances:
            scores = _in_columns(np.asarray(model.predict_proba(X)), classes, table.classes, absent=0.0)
        elif hasattr(model, "decision_function"):
            decisions = np.asarray(model.decision_function(X))
            if decisions.ndim == 1:
                decisions = np.column_stack([-decisions, decisions])
            scores = _in_columns(decisions, classes, table.classes, absent=float(decisions.min()) - 1.0)
    return Predictions(y_true, table.classes, table.rare, labels, scores), has_chances


def _in_columns(scores: NDArray[Any], known: NDArray[Any], classes: NDArray[Any], absent: float) -> NDArray[np.float64]:
    """One column per class of the data set; a class that the training rows lack gets the lowest score."""
    if scores.shape[1] != len(known):
        raise ValueError(f"the classifier returns {scores.shape[1]} columns of scores for {len(known)} classes.")
    places = {label: column for column, label in enumerate(classes.tolist())}
    strange = [label for label in known.tolist() if label not in places]
    if strange:
        raise ValueError(f"the classifier gives scores for classes that the data set does not have: {strange}.")
    columns = np.full((len(scores), len(classes)), absent)
    columns[:, [places[label] for label in known.tolist()]] = scores
    return columns


def _measure(metric: Metric, given: Predictions, has_chances: bool) -> tuple[float | None, str]:
    """The value, or None with the reason why there is none."""
    if metric.needs == "probabilities" and not has_chances:
        return None, "the classifier has no predict_proba"
    if metric.needs == "scores" and given.scores is None:
        return None, "the classifier has neither predict_proba nor decision_function"
    try:
        value = float(metric.compute(given))
    except Exception as error:
        _pass_on_interrupt(error)
        return None, _shortened(f"{type(error).__name__}: {error}")
    if math.isfinite(value):
        return value, ""
    return None, "not defined on this fold" if math.isnan(value) else "infinite"


def _size(model: Any) -> int | None:
    try:
        return len(pickle.dumps(model, protocol=5))
    except Exception as error:  # a model that cannot be pickled has no size, but its scores stand
        _pass_on_interrupt(error)
        return None


def _pass_on_interrupt(error: BaseException) -> None:
    """Stop if Ctrl-C is behind an error: compiled code of other libraries raises its own in place of what it was called with."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        cause = cause.__cause__ or cause.__context__


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + " ..."
