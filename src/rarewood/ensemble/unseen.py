"""Scores of the rows a model was fitted to, by what has not seen them: out-of-bag, or by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rarewood._decisions import UNCHANGED, Sharpening, choose_for_model, shift_prior
from rarewood._pipelines import last_step
from rarewood._progress import progress
from rarewood._tables import Rows, take_rows
from rarewood._tables.found_groups import together_of
from rarewood._tables.groups import stratified_folds
from rarewood._validation import rarest_label
from rarewood.ensemble._warnings import warn_found_groups
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import ThresholdRule

FOLDS = 5


@dataclass(frozen=True, eq=False)
class UnseenScores:
    """Probabilities of rows by what did not learn from them; `kept` says which rows have any."""

    how: str
    probabilities: NDArray[np.float64]
    kept: NDArray[np.bool_]

    calibrated: bool = True
    groups: NDArray[np.intp] | None = None  # of the rows, if some belong together
    sharpening: Sharpening = UNCHANGED  # what their log-odds become for new rows

    def threshold(self, model: Any, rule: ThresholdRule, y: NDArray[Any], positive: Any) -> DecisionThreshold:
        """The threshold that a rule chooses for the model; where its calibration is not to be trusted, every cut is tried."""
        return choose_for_model(
            model,
            rule,
            y,
            self.probabilities,
            positive,
            trusted=self.calibrated,
            groups=self.groups,
            sharpening=self.sharpening,
        )


def unseen_scores(
    model: Any,
    X: Any,
    y: NDArray[Any],
    *,
    cv: int = FOLDS,
    verbose: int = 0,
    groups: NDArray[np.intp] | None = None,
) -> UnseenScores:
    """Of a fitted model and the rows it was fitted to; at most `cv` folds, of whole groups, where it has no out-of-bag scores."""
    out_of_bag = getattr(model, "oob_decision_function_", None)
    if out_of_bag is None:
        return _cross_validated(model, X, y, cv, verbose, groups)
    if groups is not None:
        raise ValueError(
            "the model has out-of-bag scores, and what they say of a row depends on the groups that it was fitted with: give groups to "
            "fit instead of fit_threshold."
        )
    if len(out_of_bag) != len(y):
        raise ValueError(
            f"the model has out-of-bag scores for {len(out_of_bag)} rows, but y has {len(y)}; give the rows it was "
            "fitted to, or use rarewood.metrics.choose_threshold for other rows."
        )
    scores = np.asarray(out_of_bag)
    kept = ~np.isnan(scores).any(axis=1)  # none of a row that every tree drew
    groups, sharpening = getattr(model, "oob_groups_", None), getattr(model, "_sharpening", UNCHANGED)
    return UnseenScores("out-of-bag", scores, kept, groups=groups, sharpening=sharpening)


def held_out_scores(model: Any, X: Any, y: NDArray[Any], groups: NDArray[np.intp] | None = None) -> UnseenScores:
    """Of rows that took no part in the fit, by the model itself, as it would score them without having been told a prior.

    Such rows may be later ones, or of another place, so the calibration, which is learned from the rows of the fit, is not
    relied on to choose a cut.
    """
    classes = np.asarray(model.classes_)
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(
            f"y has labels that the model does not know: {unknown.tolist()}; its classes are {classes.tolist()}."
        )
    held = np.unique(y).tolist()
    if len(held) < 2:
        raise ValueError(f"the rows held out have no other class than {held}, so no threshold can be chosen on them.")
    scores = np.asarray(model.predict_proba(X), dtype=np.float64)
    if len(scores) != len(y):
        raise ValueError(f"X has {len(scores)} rows and y {len(y)} labels.")
    last = last_step(model)
    if hasattr(last, "prior_"):
        scores = shift_prior(scores, last.prior_, last.own_prior_)
    return UnseenScores("held-out rows", scores, np.ones(len(y), dtype=bool), calibrated=False, groups=groups)


def scores_of_folds(
    model: Any,
    X: Any,
    y: NDArray[Any],
    folds: Sequence[tuple[Any, Any]],
    how: str,
    *,
    verbose: int = 0,
    groups: NDArray[np.intp] | None = None,
) -> UnseenScores:
    """Of the test rows of some folds, by clones of the model that learned from the training rows; other rows have none.

    Where rows belong together by time or group, out-of-bag scores are those of trees that know the neighbours of a row; these
    are not.
    """
    classes = np.asarray(model.classes_)
    scores = np.full((len(y), len(classes)), np.nan)
    with progress(len(folds), "cross-validating", verbose) as report:
        for number, (train, test) in enumerate(folds, start=1):
            fitted = silent(clone(model)).fit(take_rows(X, train), y[train])
            left_out = take_rows(X, test)
            if isinstance(left_out, Rows):
                left_out = Rows(left_out.matrix, fitted._columns)
            found = np.zeros((len(test), len(classes)))
            found[:, np.searchsorted(classes, fitted.classes_)] = fitted.predict_proba(left_out)  # it may lack a class
            scores[test] = found
            if report:
                report(number)
    return UnseenScores(how, scores, ~np.isnan(scores).any(axis=1), groups=groups)


def silent(model: Any) -> Any:
    """The same without progress bars of its own."""
    parameters = model.get_params().items()
    shown = {name: value for name, value in parameters if name.split("__")[-1] == "verbose" and isinstance(value, int)}
    return model.set_params(**{name: type(value)(0) for name, value in shown.items()})  # False or 0, as it was


def _cross_validated(
    model: Any, X: Any, y: NDArray[Any], cv: int, verbose: int, groups: NDArray[np.intp] | None
) -> UnseenScores:
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if groups is None and smallest > 1:
        groups = _together(X, y)
    if groups is not None and smallest > 1:
        smallest = min(len(np.unique(groups[y == label])) for label in np.unique(y))
        if smallest < 2:
            raise ValueError(
                "a class has rows in a single group, or copies of a single row, so it cannot be both learned and tested by folds of whole "
                "groups; give more rows of it, or fit a forest with oob_score=True."
            )
    if smallest < 2:
        raise ValueError(
            f"class {rarest_label(y)!r} has a single row, so it cannot be both learned and tested by "
            "cross-validation; fit a forest with oob_score=True, or choose the threshold on other rows."
        )
    n_folds = min(cv, smallest)
    folds = stratified_folds(y, n_folds, groups)
    return scores_of_folds(model, X, y, folds, f"{n_folds}-fold cross-validation", verbose=verbose, groups=groups)


def _together(X: Any, y: NDArray[Any]) -> NDArray[np.intp] | None:
    """The group of each row, where rows belong together though nobody said so."""
    found = together_of(X, y)
    if found is None:
        return None
    groups, columns = found
    if groups.column is not None:
        warn_found_groups(groups, columns.name(groups.column))
    return groups.numbers.astype(np.intp)
