"""The threshold of a page, its reason in words, and the costs that go with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import TunedThresholdClassifierCV

from rarewood._decisions import check_pair, choose_for_scores
from rarewood._validation import Number, check_parameter, column_of
from rarewood.ensemble.threshold import kept_threshold
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import ThresholdRule, read_rule
from rarewood.report._arguments import seeing_columns
from rarewood.report._scores import ScoredRows, cut_of_most_probable

Floats = NDArray[np.float64]

_RULES = {
    "f1": ("best F1", "for the highest F-measure"),
    "precision": (
        "highest recall at precision {floor:g}",
        "for the highest recall at a precision of at least {floor:g}",
    ),
    "recall": ("highest precision at recall {floor:g}", "for the highest precision at a recall of at least {floor:g}"),
    "cost": ("lowest cost{at}", "for the lowest cost{where}"),
    "alerts": ("alarms on {alerts:.3g} of the rows", "for alarms on at most {alerts:.3g} of the rows"),
}
_OUT_OF_REACH = ("{rule} of {floor:g} is out of reach", "for the highest {rule}, because {floor:g} is out of reach")


@dataclass(frozen=True)
class _Number:
    """A threshold that is only a number, with the attributes of a `DecisionThreshold`."""

    value: float
    rule: str = ""
    positive: Any = None
    floor: float | None = None
    costs: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class PageThreshold:
    """The threshold of a page, and where it comes from."""

    value: float
    chosen: Any = None  # what has the rule and the costs behind the value; None for that of `predict`
    given: bool = False  # by the caller
    chosen_here: bool = False  # on the rows of the page
    as_predict: bool = True  # whether it calls the very rows that `predict` calls

    def in_words(self) -> dict[str, Any]:
        """The threshold, its reason in two or three words, and its origin in a clause."""
        rule = getattr(self.chosen, "rule", "")
        reason, origin = self._by_rule(rule) if rule in _RULES else self._without_rule(rule)
        return {
            "value": float(self.value),
            "rule": rule or None,
            "reason": reason,
            "origin": origin,
            "promise": self._promise(),
            "chosen_here": self.chosen_here,
        }

    def _promise(self) -> str | None:
        """What the threshold promises of new rows, or that it cannot; None if no promise was asked for."""
        if not isinstance(self.chosen, DecisionThreshold):
            return None
        asked = self.chosen.confidence is not None
        return self.chosen.promise or (self.chosen.shortfall if asked else None)

    def _by_rule(self, rule: str) -> tuple[str, str]:
        chosen = self.chosen
        costs = _costs_in_words(chosen.costs)
        texts = _RULES[rule] if chosen.reaches_floor else _OUT_OF_REACH
        reason, purpose = (text.format(rule=rule, floor=chosen.floor, alerts=chosen.alerts, **costs) for text in texts)
        where = "on the rows of this page" if self.chosen_here else "on rows the model had not seen when it scored them"
        return reason, f"chosen {purpose}, {where}"

    def _without_rule(self, rule: str) -> tuple[str, str]:
        if self.given:
            return "given for this page", "given for this report"
        if rule == "given":
            return "given to the model", "given as a number to the model"
        if self.chosen is not None:
            return "tuned", "tuned inside the model by cross-validation"
        if self.as_predict:
            return (
                "as predict decides",
                "the point where the class becomes the most probable, as predict decides; none was chosen for this model",
            )
        return (
            "as many alarms as predict",
            (
                "a point that calls as many rows as predict does, though not quite the same ones: none was chosen for this model, "
                "and predict calls the most probable of several classes"
            ),
        )


@dataclass(frozen=True, eq=False)
class ThresholdRequest:
    """A request for a threshold: a rule to apply to the rows of the page, or a threshold that exists already; neither means `predict`."""

    rule: ThresholdRule | None
    known: Any
    given: bool

    @classmethod
    def read(cls, model: Any, threshold: float | str | DecisionThreshold | None) -> ThresholdRequest:
        """Read the argument of the caller; without one, take what the model has kept."""
        rule = read_rule(threshold, name="threshold") if isinstance(threshold, str) else None
        known = _known_threshold(model, None if rule is not None else threshold)
        return cls(rule, known, threshold is not None)

    @property
    def positive(self) -> Any:
        """The class that the threshold was chosen for; None if that is not said."""
        return None if self.known is None else self.known.positive

    def on_rows(self, model: Any, truth: NDArray[Any], chances: Floats, positive: Any) -> PageThreshold:
        """The threshold for rows with these labels and probabilities."""
        column = column_of(positive, model.classes_)
        if self.rule is not None:
            chosen = choose_for_scores(model, self.rule, truth, chances[:, column], positive)
            return PageThreshold(chosen.value, chosen, given=True, chosen_here=True)
        if self.known is not None:
            return PageThreshold(self.known.value, self.known, given=self.given)
        value, as_predict = cut_of_most_probable(chances, column)
        return PageThreshold(value, as_predict=as_predict)


def _known_threshold(model: Any, threshold: Any) -> Any:
    """A threshold with `value`, `rule` and `positive`; None where neither the caller nor the model has one."""
    if threshold is None:
        kept = [kept_threshold(each) for each in (model, seeing_columns(model))]
        tuned = model.best_threshold_ if isinstance(model, TunedThresholdClassifierCV) else None
        return next((each for each in kept if each is not None), None if tuned is None else _Number(float(tuned)))
    if isinstance(threshold, DecisionThreshold):
        return threshold
    check_parameter("threshold", threshold, Number(0.0))
    return _Number(float(threshold))


def _costs_in_words(costs: tuple[float, float] | None) -> dict[str, str]:
    """The two costs of a threshold; nothing where it was not chosen by them."""
    if costs is None:
        return {"at": "", "where": ""}
    return {
        "at": f" at {costs[0]:g}:{costs[1]:g}",
        "where": f" if a false alarm costs {costs[0]:g} and a miss {costs[1]:g}",
    }


def amounts_of(costs: Any, n_rows: int) -> Floats | None:
    """What missing each row costs; None where a miss costs the same for all."""
    if not isinstance(costs, (tuple, list)) or len(costs) != 2 or not np.ndim(costs[1]):
        return None
    check_parameter("costs", costs[0], Number(0.0))
    return check_pair((costs[0], costs[1]), n_rows)[1]


def costs_of(costs: Any, chosen: Any, rows: ScoredRows, amounts: Floats | None = None) -> tuple[float, float]:
    """The costs given, or those of the threshold; without either, a miss is as dear as there are other rows for a rare one.

    Where each row has its own amount, a miss is as dear as the mean of the rare rows.
    """
    if amounts is not None:
        return float(costs[0]), float(amounts[rows.is_rare].mean())
    if costs is None:
        of_threshold = None if chosen is None else chosen.costs
        return of_threshold or (1.0, float(max(1, round(rows.n_rest / rows.n_rare))))
    if not isinstance(costs, (tuple, list)) or len(costs) != 2:
        raise TypeError(
            f"costs={costs!r} is not accepted; give a pair: the cost of a false alarm, and that of a miss, which may be one value per row."
        )
    for cost in costs:
        check_parameter("costs", cost, Number(0.0))
    return float(costs[0]), float(costs[1])
