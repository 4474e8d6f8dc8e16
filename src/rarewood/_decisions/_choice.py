"""Decisions by calibrated probabilities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions._f1 import half_best_f1
from rarewood._decisions._prior import odds_factor, shift_prior
from rarewood._decisions._sharpening import UNCHANGED, Sharpening
from rarewood._pipelines import last_step
from rarewood._validation import column_of
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import ThresholdRule, choose_by_rule


def choose_for_probabilities(
    rule: ThresholdRule,
    y: NDArray[Any],
    probabilities: NDArray[np.float64],
    *,
    positive: Any,
    sample_weight: NDArray[np.float64] | None = None,
    groups: NDArray[np.intp] | None = None,
    n_rows: int | None = None,
    sharpening: Sharpening = UNCHANGED,
) -> DecisionThreshold:
    """A threshold for calibrated probabilities of the positive class, which for new rows are changed by `sharpening`.

    What such probabilities say themselves is not searched for in a few rows: the F-measure is best at half its best value, a
    false alarm of cost c and a miss of cost d balance at c / (c + d). So what these two give on the rows at hand is what they give on
    new rows, too, and the cut is the same for them. The other rules try every cut, and what they promise is counted: their cut
    moves along with `sharpening` and calls the same scores. `groups` and `n_rows` are those of `choose_by_rule`.
    """
    value = None
    if rule.name == "f1":
        value = half_best_f1(probabilities, y == positive, sample_weight)
    elif rule.name == "cost" and rule.costs is not None:
        value = rule.costs[0] / sum(rule.costs)
    chosen = choose_by_rule(
        rule, y, probabilities, positive=positive, sample_weight=sample_weight, groups=groups, n_rows=n_rows, find=value
    )
    counted = value is None and rule.value is None
    return replace(chosen, value=sharpening.cut(chosen.value)) if counted else chosen


def choose_for_model(
    model: Any,
    rule: ThresholdRule,
    y: NDArray[Any],
    probabilities: NDArray[np.float64],
    positive: Any,
    trusted: bool = True,
    groups: NDArray[np.intp] | None = None,
    sharpening: Sharpening = UNCHANGED,
) -> DecisionThreshold:
    """A threshold for a fitted model from probabilities of rows that it had not seen, as it would give them by itself.

    Unless its calibration is `trusted` on such rows, every cut is tried, as for other scores.

    `sharpening` says what the log-odds of such rows, of the second class, become for new ones.

    If the model, or the last step of a pipeline, has been told a prior, then the threshold is for that population: the
    probabilities are shifted, and each row weighs as much as its class is more frequent there.
    """
    last = last_step(model)
    classes = np.asarray(model.classes_)
    scored = ~np.isnan(probabilities).any(axis=1)  # a row that every tree drew has no out-of-bag score
    n_rows, groups = len(y), None if groups is None else groups[scored]
    y, probabilities, weights = y[scored], probabilities[scored], None
    if hasattr(last, "prior_"):
        if rule.confidence is not None and rule.name != "recall":
            raise ValueError(
                f"the {rule.name} of rows with another prior cannot be promised: the prior is no observation. Promise a recall, or leave "
                "the confidence out."
            )
        probabilities = shift_prior(probabilities, last.own_prior_, last.prior_)
        codes = np.searchsorted(classes, y)
        weights = (last.prior_ * len(y) / np.maximum(np.bincount(codes, minlength=len(classes)), 1))[codes]
    column = column_of(positive, classes)
    about: dict[str, Any] = {"positive": positive, "sample_weight": weights, "groups": groups, "n_rows": n_rows}
    if not (trusted and is_calibrated(model)):
        return choose_by_rule(rule, y, probabilities[:, column], **about)
    line = sharpening.of_class(column)
    if hasattr(last, "prior_"):
        line = line.at_odds(odds_factor(column, last.own_prior_, last.prior_) or 1.0)
    return choose_for_probabilities(rule, y, probabilities[:, column], **about, sharpening=line)


def is_calibrated(model: Any) -> bool:
    """Whether the scores of a fitted model are probabilities."""
    return getattr(model, "calibration_", None) is not None


def choose_for_scores(
    model: Any, rule: ThresholdRule, y: NDArray[Any], scores: NDArray[np.float64], positive: Any
) -> DecisionThreshold:
    """A threshold for what a fitted model predicts: scores of the positive class, which are probabilities if it is calibrated."""
    choose = choose_for_probabilities if is_calibrated(model) else choose_by_rule
    return choose(rule, y, scores, positive=positive)
