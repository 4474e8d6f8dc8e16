"""Where to draw the line: from scores to decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d

from rarewood._validation import check_sample_weight, column_of, rarest_label
from rarewood.metrics._threshold_rules import ThresholdRule, read_rule

_NEARLY = 1e-12  # a floor of 0.9 is reached by 9 of 10, whatever the rounding


@dataclass(frozen=True)
class DecisionThreshold:
    """A decision threshold, with its precision and recall on the rows it was chosen on.

    Made by :func:`choose_threshold`. :func:`rarewood.ensemble.fit_threshold` stores one as `decision_threshold_` of a
    model, and model files keep it.

    Parameters
    ----------
    value : float
        The threshold: a row is called positive if its score is at least this.
    rule : {"f1", "precision", "recall", "cost", "alerts", "given"}
        How it was chosen.
    positive : label
        The class that is called at or above the threshold.
    precision, recall, f1 : float
        Precision, recall and F-measure of the positive class on the rows the threshold was chosen on; 0 if nothing is
        called positive.
    cost : float or None
        Mean cost per row, if costs were given.
    floor : float or None
        The minimum precision or recall that was asked for.
    costs : tuple of two floats, or None
        Cost of a false alarm and of a miss.
    alerts : float or None
        The share of rows that may raise an alarm, if that was the rule.

    Examples
    --------
    >>> from rarewood.metrics import choose_threshold
    >>> threshold = choose_threshold([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.5, 0.9])
    >>> threshold.apply([0.3, 0.8])
    array([False,  True])
    >>> print(threshold)
    Threshold 0.35 (best F1): call '1' at or above it; precision 0.667, recall 1, F1 0.8
    """

    value: float
    rule: str
    positive: Any
    precision: float
    recall: float
    f1: float
    cost: float | None = None
    floor: float | None = None
    costs: tuple[float, float] | None = None
    alerts: float | None = None

    def apply(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Tell which rows are called positive.

        Parameters
        ----------
        scores : array-like of shape (n_samples,)
            Scores of the positive class, such as its column of ``predict_proba``.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            True where the score is at least the threshold; False for NaN.
        """
        return np.asarray(np.asarray(scores, dtype=np.float64) >= self.value)

    def labels(self, probabilities: ArrayLike, classes: ArrayLike) -> NDArray[Any]:
        """Predict labels: the positive class at or above the threshold, else the most probable other class.

        Parameters
        ----------
        probabilities : array-like of shape (n_samples, n_classes)
            What ``predict_proba`` returns.
        classes : array-like of shape (n_classes,)
            The class of each column, a model's `classes_`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        scores, known = np.array(probabilities, dtype=np.float64), np.asarray(classes)
        column = column_of(self.positive, known)
        called = self.apply(scores[:, column])
        if len(known) == 1:
            return known[np.zeros(len(scores), dtype=np.intp)]
        scores[:, column] = -np.inf
        return np.asarray(known[np.where(called, column, scores.argmax(axis=1))])

    def __str__(self) -> str:
        told = f"precision {self.precision:.3g}, recall {self.recall:.3g}, F1 {self.f1:.3g}"
        if self.cost is not None:
            told += f", cost {self.cost:.3g} per row"
        return f"Threshold {self.value:.4g} ({self.reason}): call '{self.positive}' at or above it; {told}"

    @property
    def reason(self) -> str:
        """How the threshold was chosen, in a few words."""
        if self.rule == "given":
            return "as given"
        if self.alerts is not None:
            return f"alerts for at most {self.alerts:.3%} of the rows".replace(".000%", "%")
        if not self.reaches_floor:
            return f"highest {self.rule}; {self.floor:g} is out of reach"
        if self.floor is not None:
            return f"{self.rule} of at least {self.floor:g}"
        return {"f1": "best F1", "cost": "lowest cost"}.get(self.rule, f"best {self.rule}")

    @property
    def reaches_floor(self) -> bool:
        """Whether the precision or recall that was asked for is reached on the rows the threshold was chosen on."""
        held = {"precision": self.precision, "recall": self.recall}.get(self.rule)
        return self.floor is None or held is None or not held < self.floor - _NEARLY


def choose_threshold(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    rule: str | float = "f1",
    floor: float | None = None,
    costs: Sequence[float] | None = None,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
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
        the fewest alarms.
    floor : float or None, default=None
        Minimum precision or recall, above 0 and at most 1, if `rule` is just "precision" or "recall".
    costs : pair of floats or None, default=None
        Cost of a false alarm (a row wrongly called positive) and of a miss (a positive row not called so), at least 0, if
        `rule` is just "cost"; with other rules they are only reported.
    positive : label or None, default=None
        The positive class. None takes the rarest class in `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each row stands for. None means 1.

    Returns
    -------
    DecisionThreshold
        The threshold, with its precision, recall, F-measure and cost on these rows.

    Raises
    ------
    ValueError
        If no threshold reaches the required precision or recall; the message says what can be reached.

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

    References
    ----------
    C. Elkan, "The foundations of cost-sensitive learning", IJCAI 2001.

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
    return choose_by_rule(read_rule(rule, floor, costs), y_true, scores, positive=positive, sample_weight=sample_weight)


def choose_by_rule(
    rule: ThresholdRule,
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
    nearest: bool = False,
) -> DecisionThreshold:
    """`choose_threshold` for a rule that has been read; `nearest`: where no threshold reaches the floor, what comes nearest."""
    cuts, wanted = _read_cuts(y_true, scores, positive, sample_weight)
    return _measured(cuts, _best(cuts, rule, nearest), rule, wanted)


def threshold_at(
    value: float,
    y_true: ArrayLike,
    scores: ArrayLike,
    rule: ThresholdRule,
    *,
    positive: Any,
    sample_weight: ArrayLike | None = None,
) -> DecisionThreshold:
    """A threshold that a rule has chosen otherwise than by trying cuts, with what it gives on these rows."""
    cuts, wanted = _read_cuts(y_true, scores, positive, sample_weight)
    return _measured(cuts, _cut_at(cuts, value), rule, wanted, value)


def _cut_at(cuts: _Cuts, value: float) -> int:
    """The cut that calls the same rows positive as a threshold."""
    return int(np.count_nonzero(cuts.lowest_called >= value))


def _measured(
    cuts: _Cuts, best: int, rule: ThresholdRule, positive: Any, value: float | None = None
) -> DecisionThreshold:
    if rule.value is not None:
        value = rule.value
    return DecisionThreshold(
        float(cuts.value[best]) if value is None else value,
        rule.name,
        positive,
        float(cuts.precision[best]),
        float(cuts.recall[best]),
        float(cuts.f1[best]),
        None if rule.costs is None else float(cuts.cost(rule.costs)[best]),
        rule.floor,
        rule.costs,
        rule.alerts(cuts.n_rows),
    )


def _read_cuts(y_true: ArrayLike, scores: ArrayLike, positive: Any, sample_weight: Any) -> tuple[_Cuts, Any]:
    """All cuts of the scores, and the positive class."""
    truth, score = _check_rows(y_true, scores)
    weights = check_sample_weight(sample_weight, len(truth))
    wanted = rarest_label(truth) if positive is None else positive
    is_positive = truth == wanted
    weight = np.ones(len(truth)) if weights is None else weights
    if not np.any(is_positive & (weight > 0)):
        raise ValueError(f"y_true has no row of the positive class {wanted!r}, so there is nothing to find.")
    return _all_cuts(is_positive, score, weight), wanted


@dataclass(frozen=True)
class _Cuts:
    """All ways to cut sorted scores in two, from calling nothing positive to calling everything so."""

    value: NDArray[np.float64]
    lowest_called: NDArray[np.float64]  # of every cut but the first, which calls nothing
    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    n_positive: float
    n_rows: float

    @property
    def precision(self) -> NDArray[np.float64]:
        called = self.tp + self.fp
        return np.divide(self.tp, called, out=np.zeros_like(called), where=called > 0)

    @property
    def recall(self) -> NDArray[np.float64]:
        return self.tp / self.n_positive

    @property
    def f1(self) -> NDArray[np.float64]:
        return 2.0 * self.tp / (self.tp + self.fp + self.n_positive)

    def cost(self, costs: tuple[float, float]) -> NDArray[np.float64]:
        return (costs[0] * self.fp + costs[1] * (self.n_positive - self.tp)) / self.n_rows


def _all_cuts(is_positive: NDArray[np.bool_], score: NDArray[np.float64], weight: NDArray[np.float64]) -> _Cuts:
    order = np.argsort(-score, kind="stable")
    distinct, first = np.unique(-score[order], return_index=True)
    distinct = -distinct  # descending
    ends = np.append(first[1:], len(score)) - 1
    tp = np.cumsum(np.where(is_positive, weight, 0.0)[order])[ends]
    fp = np.cumsum(np.where(is_positive, 0.0, weight)[order])[ends]
    below = np.append(distinct[1:], distinct[-1])
    middle = distinct / 2.0 + below / 2.0
    value = np.where(middle > below, middle, distinct)
    nothing = np.nextafter(distinct[0], np.inf)
    return _Cuts(
        np.concatenate([[nothing], value]),
        distinct,
        np.concatenate([[0.0], tp]),
        np.concatenate([[0.0], fp]),
        float(tp[-1]),
        float(tp[-1] + fp[-1]),
    )


def _best(cuts: _Cuts, rule: ThresholdRule, nearest: bool) -> int:
    if rule.value is not None:
        return _cut_at(cuts, rule.value)
    if rule.name == "f1":
        return _first_largest(cuts.f1)
    if rule.costs is not None and rule.name == "cost":
        return _first_largest(-cuts.cost(rule.costs))
    alerts = rule.alerts(cuts.n_rows)
    if alerts is not None:
        called = cuts.tp + cuts.fp
        return _first_largest(np.where(called <= alerts * cuts.n_rows * (1.0 + _NEARLY), called, -1.0))
    floor = rule.floor
    assert floor is not None
    held, wanted = (cuts.precision, cuts.recall) if rule.name == "precision" else (cuts.recall, cuts.precision)
    enough = held >= (min(floor, held.max()) if nearest else floor) - _NEARLY
    if not enough.any():
        raise ValueError(
            f"no threshold reaches a {rule.name} of {floor:g} on these rows: the highest is {held.max():.4g}. "
            "Ask for less, or choose by 'f1' or 'cost'."
        )
    return _first_largest(np.where(enough, wanted, -1.0))


def _first_largest(values: NDArray[np.float64]) -> int:
    """Position of the largest, the highest threshold of equals; rounding makes no difference between equals."""
    largest = values.max()
    return int(np.flatnonzero(values >= largest - _NEARLY * max(1.0, abs(largest)))[0])


def _check_rows(y_true: ArrayLike, scores: ArrayLike) -> tuple[NDArray[Any], NDArray[np.float64]]:
    truth = column_or_1d(y_true)
    if len(truth) == 0:
        raise ValueError("y_true is empty; it needs at least one label.")
    score = check_array(scores, ensure_2d=False, dtype=np.float64, input_name="scores")
    if score.shape != truth.shape:
        raise ValueError(
            f"scores.shape == {score.shape}, expected {truth.shape}: one score of the positive class for each label."
        )
    return truth, score
