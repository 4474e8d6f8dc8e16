"""Where to draw the line: from labels and scores to a threshold, and what it will give on new rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._tables.divisions import groups_of
from rarewood._warnings import warn
from rarewood.metrics._decision_threshold import NEARLY, DecisionThreshold
from rarewood.metrics._figures import Figures, Find, expected_figures
from rarewood.metrics._labelled_scores import Cuts, Floats, LabelledScores
from rarewood.metrics._promises import Promise, find_promise
from rarewood.metrics._threshold_rules import ThresholdRule, read_rule


def choose_threshold(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    rule: str | float = "f1",
    floor: float | None = None,
    costs: Sequence[float] | None = None,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> DecisionThreshold:
    r"""Choose a decision threshold: rows with at least this score are called positive.

    The scores should be of rows that the model has not seen: out-of-bag, cross-validated, or of a hold-out set.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    scores : array-like of shape (n_samples,)
        Scores of the positive class; higher means more likely.
    rule : str or float, default="f1"
        What to optimise: "f1", the highest F-measure; "precision=0.9", the highest recall with at least this precision;
        "recall=0.8", the highest precision with at least this recall; "cost=1:20", the lowest cost if a false alarm costs 1
        and a miss 20; "alerts=0.5%" or "alerts=200", at most so many alarms, as a share of the rows or as a number per as
        many rows as these. A number is the threshold itself. Of equally good thresholds, the highest is chosen, which raises
        the fewest alarms. With a confidence, as in "precision=0.6@90%", "recall=0.8@90%" or "alerts=0.5%@90%", the threshold
        promises it: new rows keep it with about this probability.
    floor : float or None, default=None
        Minimum precision or recall, above 0 and at most 1, if `rule` is just "precision" or "recall".
    costs : pair of floats or None, default=None
        Cost of a false alarm (a row wrongly called positive) and of a miss (a positive row not called so), at least 0, if
        `rule` is just "cost"; with other rules they are only reported.
    positive : label or None, default=None
        The positive class. None takes the rarest class in `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each row stands for. None means 1.

    groups : array-like of shape (n_samples,), default=None
        The group of each row, such as its customer. Rows of a group stay together where figures are estimated, and count as
        less than as many independent rows in a promise.

    Returns
    -------
    DecisionThreshold
        The threshold, with the precision, recall, F-measure and cost to expect on new rows.

    Warns
    -----
    RarewoodWarning
        If no threshold reaches or promises what was asked for. The threshold is then the one that comes nearest, or the one
        without the promise, and the message says what can be had.

    See Also
    --------
    rarewood.ensemble.fit_threshold : The same for a fitted model, on scores of rows it has not seen.
    sklearn.model_selection.TunedThresholdClassifierCV : A classifier that contains its threshold.

    Notes
    -----
    With true positives tp, false positives fp and false negatives fn, precision is tp / (tp + fp), recall tp / (tp + fn),
    and

    .. math:: F = \frac{2\,tp}{2\,tp + fp + fn}, \qquad \text{cost} = \frac{c_{fp}\,fp + c_{fn}\,fn}{n}.

    Every cut of the sorted scores is tried, including calling nothing positive. The threshold lies halfway between the two
    scores it separates.

    A promise of precision takes the loosest cut with tp of k alarms right for which tp or more would have probability at most
    1 - confidence if the true precision were just the floor [2]_; with fewer than 50 positive rows, half of that. All cuts are
    tried without a correction, so the confidence is not proved but measured. A promise of recall takes the highest score at
    or above which the recall of new rows, which has a beta distribution, is at least the floor with this confidence; one of
    alerts the lowest score at or above which the share of new rows is at most that asked for.

    References
    ----------
    .. [1] C. Elkan, "The foundations of cost-sensitive learning", IJCAI 2001.
    .. [2] C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
       Biometrika 26, 1934.

    Examples
    --------
    >>> from rarewood.metrics import choose_threshold
    >>> y = ["ok", "ok", "ok", "ok", "fault", "fault"]
    >>> scores = [0.1, 0.2, 0.3, 0.8, 0.6, 0.9]
    >>> round(choose_threshold(y, scores).value, 2)
    0.45
    >>> choose_threshold(y, scores, rule="precision=0.9").recall
    0.5
    >>> choose_threshold(y, scores, rule="cost=3:20").cost
    0.5
    >>> int(choose_threshold(y, scores, rule="alerts=2").apply(scores).sum())
    2
    """
    chosen = choose_by_rule(
        read_rule(rule, floor, costs),
        y_true,
        scores,
        positive=positive,
        sample_weight=sample_weight,
        groups=None if groups is None else groups_of(groups, "groups"),
    )
    warn_if_short(chosen)
    return chosen


def choose_by_rule(
    rule: ThresholdRule,
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: NDArray[np.intp] | None = None,
    n_rows: int | None = None,
    find: Find | float | None = None,
) -> DecisionThreshold:
    """`choose_threshold` for a rule that has been read.

    `find` is the threshold, or finds it, where that takes more than trying cuts. Rows of a group stay together. `n_rows` is how many
    rows a number of alerts is meant for, if some have no score.
    """
    rows = LabelledScores.read(
        y_true, scores, positive=positive, sample_weight=sample_weight, groups=groups, n_rows=n_rows
    )
    if callable(find):
        return _described(rows, rule, find(rows), find)
    fixed = rule.value if find is None else find
    if fixed is not None:
        return _described(rows, rule, fixed)
    if rule.confidence is None:
        return _described(rows, rule, _best(rows, rule), lambda part: _best(part, rule))
    promise = find_promise(rows, rule)
    if not promise.kept:
        return _described(rows, rule, _best(rows, rule), lambda part: _best(part, rule), promise)
    value = _value_of(rows.cuts, rule, promise)
    return _described(rows, rule, value, lambda part: _value_of(part.cuts, rule, find_promise(part, rule)), promise)


def promised_value(
    rule: ThresholdRule,
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    positive: Any,
    sample_weight: ArrayLike | None = None,
    groups: NDArray[np.intp] | None = None,
) -> float | None:
    """The threshold that keeps a promise, without figures; None if it cannot be made."""
    rows = LabelledScores.read(y_true, scores, positive=positive, sample_weight=sample_weight, groups=groups)
    promise = find_promise(rows, rule)
    return _value_of(rows.cuts, rule, promise) if promise.kept else None


def warn_if_short(threshold: DecisionThreshold) -> None:
    """Warn if a threshold does not do what was asked for."""
    shortfall = threshold.shortfall
    if shortfall is not None:
        warn(shortfall)


def _value_of(cuts: Cuts, rule: ThresholdRule, promise: Promise) -> float:
    """Half way to the next score; where alarms are counted, at the last score that may be called."""
    if rule.name == "alerts" and promise.cut > 0:
        return float(cuts.lowest_called[promise.cut - 1])
    return float(cuts.value[promise.cut])


def _best(rows: LabelledScores, rule: ThresholdRule) -> float:
    """The threshold that is best on these rows; where none reaches the floor, the one that comes nearest."""
    cuts = rows.cuts
    return float(cuts.value[_best_cut(cuts, rule, rows.n_rows)])


def _best_cut(cuts: Cuts, rule: ThresholdRule, n_rows: int) -> int:
    if rule.name == "f1":
        return _first_largest(cuts.f1)
    if rule.name == "cost":
        assert rule.costs is not None
        return _first_largest(-cuts.cost(rule.costs))
    alerts = rule.alerts(n_rows)
    if alerts is not None:
        called = cuts.called
        return _first_largest(np.where(called <= alerts * cuts.total * (1.0 + NEARLY), called, -1.0))
    assert rule.floor is not None
    held, wanted = (cuts.precision, cuts.recall) if rule.name == "precision" else (cuts.recall, cuts.precision)
    return _first_largest(np.where(held >= min(rule.floor, held.max()) - NEARLY, wanted, -1.0))


def _first_largest(values: Floats) -> int:
    """Position of the largest, the highest threshold of equals; rounding makes no difference between equals."""
    largest = values.max()
    return int(np.flatnonzero(values >= largest - NEARLY * max(1.0, abs(largest)))[0])


def _described(
    rows: LabelledScores, rule: ThresholdRule, value: float, find: Find | None = None, promise: Promise | None = None
) -> DecisionThreshold:
    """The threshold with what it gives; `find` found it and will find others on parts of the rows."""
    figures = Figures.of(rows, value) if find is None else expected_figures(rows, value, find)
    called = rows.scores >= value
    return DecisionThreshold(
        value,
        rule.name,
        rows.positive,
        figures.precision,
        figures.recall,
        figures.f1,
        None if rule.costs is None else figures.cost(rule.costs),
        rule.floor,
        rule.costs,
        rule.alerts(rows.n_rows),
        promised=promise is not None and promise.kept,
        confidence=rule.confidence,
        lower=None if promise is None else promise.lower,
        most=_most(rows.cuts, rule) if promise is None else promise.most,
        n_alarms=int(np.count_nonzero(called)),
        n_hits=int(np.count_nonzero(called & rows.is_positive)),
        share=rows.share,
    )


def _most(cuts: Cuts, rule: ThresholdRule) -> float | None:
    """The highest precision of any cut, where that is less than was asked for."""
    if rule.name != "precision" or rule.floor is None:
        return None
    most = float(cuts.precision.max())
    return most if most < rule.floor - NEARLY else None
