"""The threshold of a page, its reason in words, and the costs that go with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.model_selection import TunedThresholdClassifierCV

from rarewood._validation import Number, check_parameter
from rarewood.ensemble.threshold import kept_threshold
from rarewood.metrics import DecisionThreshold
from rarewood.report._asked import seeing_columns
from rarewood.report._scored import ScoredRows

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
class _Given:
    """A threshold that is only a number."""

    value: float
    rule: str = ""
    positive: Any = None
    floor: float | None = None
    costs: tuple[float, float] | None = None


def known_threshold(model: Any, threshold: Any) -> Any:
    """A threshold with `value`, `rule` and `positive`; None where neither the caller nor the model has one."""
    if threshold is None:
        kept = [kept_threshold(each) for each in (model, seeing_columns(model))]
        tuned = model.best_threshold_ if isinstance(model, TunedThresholdClassifierCV) else None
        return next((each for each in kept if each is not None), None if tuned is None else _Given(float(tuned)))
    if isinstance(threshold, DecisionThreshold):
        return threshold
    check_parameter("threshold", threshold, Number(0.0))
    return _Given(float(threshold))


def about_threshold(value: float, chosen: Any, given: Any, here: bool, as_predict: bool) -> dict[str, Any]:
    """The threshold, why it is this one in two or three words, and where it comes from in a clause."""
    rule = getattr(chosen, "rule", "")
    if rule in _RULES:
        known = _costs_in_words(chosen.costs)
        told = _RULES[rule] if chosen.reaches_floor else _OUT_OF_REACH
        reason, words = (each.format(rule=rule, floor=chosen.floor, alerts=chosen.alerts, **known) for each in told)
        where = "on the rows of this page" if here else "on rows the model had not seen when it scored them"
        origin = f"chosen {words}, {where}"
    elif rule == "given" and given is None:
        reason, origin = "given to the model", "given as a number to the model"
    elif given is not None:
        reason, origin = "given for this page", "given for this report"
    elif chosen is not None:
        reason, origin = "tuned", "tuned inside the model by cross-validation"
    elif as_predict:
        reason, origin = (
            "as predict decides",
            "the point where the class becomes the most probable, as predict decides; none was chosen for this model",
        )
    else:
        reason, origin = (
            "as many alarms as predict",
            (
                "a point that calls as many rows as predict does, though not quite the same ones: none was chosen for this model, "
                "and predict calls the most probable of several classes"
            ),
        )
    return {"value": float(value), "rule": rule or None, "reason": reason, "origin": origin, "chosen_here": here}


def _costs_in_words(costs: tuple[float, float] | None) -> dict[str, str]:
    """The two costs of a threshold; nothing where it was not chosen by them."""
    if costs is None:
        return {"at": "", "where": ""}
    return {
        "at": f" at {costs[0]:g}:{costs[1]:g}",
        "where": f" if a false alarm costs {costs[0]:g} and a miss {costs[1]:g}",
    }


def costs_of(costs: Any, chosen: Any, rows: ScoredRows) -> tuple[float, float]:
    """Those given, those of the threshold, or a miss as many times as dear as there are other rows for each rare one."""
    if costs is None:
        known = None if chosen is None else chosen.costs
        return known or (1.0, float(max(1, round(rows.n_rest / rows.n_rare))))
    if not isinstance(costs, (tuple, list)) or len(costs) != 2:
        raise TypeError(f"costs={costs!r} is not accepted; give a pair: the cost of a false alarm and of a miss.")
    for cost in costs:
        check_parameter("costs", cost, Number(0.0))
    return float(costs[0]), float(costs[1])
