"""Cuts of probabilities, learned from the rows that trees left out."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import Learned, Triage, choose_for_probabilities
from rarewood._validation import Weights
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import ThresholdRule
from rarewood.tree.base import TrainingData


def choose_cut(
    rule: ThresholdRule | None, learned: Learned, data: TrainingData, weights: Weights, positive: int
) -> DecisionThreshold | None:
    """The threshold of class number `positive`; None where none is asked for, and where there is nothing to learn it from."""
    classes = data.labels.classes
    label = classes.tolist()[positive]
    if rule is None or len(classes) == 1:
        return None
    if rule.value is not None and learned.n_scored[positive] == 0:
        return DecisionThreshold(rule.value, rule.name, label, math.nan, math.nan, math.nan)
    if learned.calibration is None and rule.value is None:
        return None
    # rules that try cuts are about the rows as they are, whatever the classes weigh
    weighed = weights if rule.name in ("f1", "cost") else data.weights
    used = _judging(learned, weighed)
    return choose_for_probabilities(
        rule,
        classes[data.labels.codes[used]],
        learned.probabilities[used, positive],
        positive=label,
        sample_weight=None if weighed is None else weighed[used],
        groups=None if data.groups is None else data.groups.of_rows(used),
        n_rows=len(used) if weighed is None else int(np.count_nonzero(weighed > 0)),
        sharpening=learned.sharpening.of_class(positive),
    )


def choose_triage(rule: ThresholdRule | None, learned: Learned, data: TrainingData, positive: int) -> Triage | None:
    """The cuts of `triage`; None where there is nothing to learn them from."""
    if learned.calibration is None:
        return None
    used = _judging(learned, data.weights)
    divided = Triage.choose(
        rule,
        data.labels.codes[used],
        learned.probabilities[used, positive],
        positive,
        None if data.weights is None else data.weights[used],
        None if data.groups is None else data.groups.of_rows(used),
    )
    return divided.carried(learned.sharpening.of_class(positive).cut)


def _judging(learned: Learned, weights: Weights) -> NDArray[np.bool_]:
    """Rows that have scores and count for something."""
    return learned.scored if weights is None else learned.scored & (weights > 0)
