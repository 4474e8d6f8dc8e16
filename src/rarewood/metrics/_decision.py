"""Where to draw the line: from scores to decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d

from rarewood._validation import Choice, Number, check_parameter, check_sample_weight, column_of, rarest_label

RULES = ("f1", "precision", "recall", "cost")

_NEARLY = 1e-12  # a floor of 0.9 is reached by 9 of 10, whatever the rounding


@dataclass(frozen=True)
class DecisionThreshold:
    """A score from which on a row is called positive, and what that gives on the rows it was chosen on.

    Made by :func:`choose_threshold`; kept by a model as `decision_threshold_` after
    :func:`rarewood.ensemble.fit_threshold`, and with it in a model file.

    Parameters
    ----------
    value : float
        The threshold: a row is called positive if its score is at least this.
    rule : {"f1", "precision", "recall", "cost"}
        How it was chosen.
    positive : label
        The class that the scores are of.
    precision, recall, f1 : float
        Of the positive class, at the threshold; 0 where nothing is called positive.
    cost : float or None
        Mean cost of a row, if costs were given.
    floor : float or None
        The least precision or recall that was asked for.
    costs : tuple of two floats, or None
        Cost of a false alarm and of a miss.

    Examples
    --------
    >>> from rarewood.metrics import choose_threshold
    >>> threshold = choose_threshold([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.5, 0.9])
    >>> threshold.apply([0.3, 0.8])
    array([False,  True])
    >>> print(threshold)
    0.35: class 1 from here on, by f1 (precision 0.667, recall 1, f1 0.8)
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

    def apply(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Tell which rows are called positive.

        Parameters
        ----------
        scores : array-like of shape (n_samples,)
            Scores of the positive class, such as its column of ``predict_proba``.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            True where the score is at least the threshold; NaN is not.
        """
        return np.asarray(np.asarray(scores, dtype=np.float64) >= self.value)

    def labels(self, probabilities: ArrayLike, classes: ArrayLike) -> NDArray[Any]:
        """Predict labels: the positive class from the threshold on, the most probable other class below it.

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
        told = f"precision {self.precision:.3g}, recall {self.recall:.3g}, f1 {self.f1:.3g}"
        if self.cost is not None:
            told += f", cost {self.cost:.3g} per row"
        by = self.rule if self.floor is None else f"{self.rule} of at least {self.floor:g}"
        return f"{self.value:.4g}: class {self.positive} from here on, by {by} ({told})"


def choose_threshold(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    rule: str = "f1",
    floor: float | None = None,
    costs: Sequence[float] | None = None,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
) -> DecisionThreshold:
    r"""Choose the score from which on rows are called positive.

    Scores should be those of rows that the model has not seen: out-of-bag scores, cross-validated ones, or of a set aside.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    scores : array-like of shape (n_samples,)
        Scores of the positive class, larger is more likely.
    rule : {"f1", "precision", "recall", "cost"}, default="f1"
        What is best: the highest F-measure; the highest recall with at least `floor` precision; the highest precision with
        at least `floor` recall; the lowest cost. Of equals the highest threshold, which raises the fewest alarms.
    floor : float or None, default=None
        Least precision or recall, above 0 and at most 1; for these two rules only, which need it.
    costs : pair of floats or None, default=None
        Cost of a false alarm (a row wrongly called positive) and of a miss (a positive row not called so), at least 0.
        ``rule="cost"`` needs them; with other rules they are only reported.
    positive : label or None, default=None
        The positive class. None takes the rarest in `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each row stands for. None is one.

    Returns
    -------
    DecisionThreshold
        The threshold and what it gives on these rows.

    Raises
    ------
    ValueError
        If no threshold reaches the floor; the message says what can be reached.

    See Also
    --------
    rarewood.ensemble.fit_threshold : The same for a fitted model, on scores of rows it has not seen.
    sklearn.model_selection.TunedThresholdClassifierCV : A classifier that carries its threshold inside.

    Notes
    -----
    With the rows rightly called positive (tp), wrongly called so (fp) and missed (fn), precision is tp / (tp + fp), recall
    tp / (tp + fn), and

    .. math:: F = \frac{2\,tp}{2\,tp + fp + fn}, \qquad \text{cost} = \frac{c_{fp}\,fp + c_{fn}\,fn}{n}.

    Every way to cut the sorted scores is tried, calling nothing positive included. The threshold lies half way between the
    two scores that it parts.

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
    >>> choose_threshold(y, scores, rule="precision", floor=0.9).recall
    0.5
    >>> choose_threshold(y, scores, rule="cost", costs=(3, 20)).cost
    0.5
    """
    check_parameter("rule", rule, Choice(RULES))
    floor, pair = _check_floor(rule, floor), _check_costs(rule, costs)
    truth, score = _check_rows(y_true, scores)
    weights = check_sample_weight(sample_weight, len(truth))
    wanted = rarest_label(truth) if positive is None else positive
    is_positive = truth == wanted
    weight = np.ones(len(truth)) if weights is None else weights
    if not np.any(is_positive & (weight > 0)):
        raise ValueError(f"y_true has no row of the positive class {wanted!r}, so there is nothing to find.")
    cuts = _all_cuts(is_positive, score, weight)
    best = _best(cuts, rule, floor, pair)
    return DecisionThreshold(
        float(cuts.value[best]),
        rule,
        wanted,
        float(cuts.precision[best]),
        float(cuts.recall[best]),
        float(cuts.f1[best]),
        None if pair is None else float(cuts.cost(pair)[best]),
        floor,
        pair,
    )


@dataclass(frozen=True)
class _Cuts:
    """All ways to cut sorted scores in two, from calling nothing positive to calling everything so."""

    value: NDArray[np.float64]
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
        np.concatenate([[0.0], tp]),
        np.concatenate([[0.0], fp]),
        float(tp[-1]),
        float(tp[-1] + fp[-1]),
    )


def _best(cuts: _Cuts, rule: str, floor: float | None, costs: tuple[float, float] | None) -> int:
    if rule == "f1":
        return _first_largest(cuts.f1)
    if costs is not None and rule == "cost":
        return _first_largest(-cuts.cost(costs))
    assert floor is not None
    held, wanted = (cuts.precision, cuts.recall) if rule == "precision" else (cuts.recall, cuts.precision)
    enough = held >= floor - _NEARLY
    if not enough.any():
        raise ValueError(
            f"no threshold reaches a {rule} of {floor:g} on these rows: the highest is {held.max():.4g}. "
            f"Lower floor, or choose by rule='f1' or rule='cost'."
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


def _check_floor(rule: str, floor: float | None) -> float | None:
    if rule not in ("precision", "recall"):
        if floor is not None:
            raise ValueError(f"floor={floor!r} has no meaning for rule={rule!r}; it is for 'precision' and 'recall'.")
        return None
    if floor is None:
        raise ValueError(f"rule={rule!r} needs floor=, the least {rule} to accept, above 0 and at most 1.")
    check_parameter("floor", floor, Number(0.0, 1.0, open_low=True))
    return float(floor)


def _check_costs(rule: str, costs: Any) -> tuple[float, float] | None:
    if costs is None:
        if rule == "cost":
            raise ValueError("rule='cost' needs costs=, a pair: the cost of a false alarm and of a miss.")
        return None
    pair = tuple(costs) if isinstance(costs, (Sequence, np.ndarray)) else ()
    accepted = Number(0.0)
    numbers = len(pair) == 2 and all(accepted.has_kind(cost) and accepted.has_range(cost) for cost in pair)
    if not numbers or not any(pair):
        raise ValueError(
            f"costs={costs!r} is not accepted; give two numbers of at least 0, not both 0: the cost of a false alarm and "
            "of a miss."
        )
    return float(pair[0]), float(pair[1])
