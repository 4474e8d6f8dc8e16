"""Rules in forms that JSON can store, and back.

A condition has one form; `RuleSet.as_json` leaves out its kind. A rule has two, both of which others rely on:
`RuleSet.as_json` gives all figures beside the counts. Model files keep those of `FIGURES` under "unseen", so that rules
without figures (leaves of a forest) fit in as well.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rarewood._rules._measures import growth_rate, strength
from rarewood._rules._rule import Pattern, Rule
from rarewood._rules._together import Together
from rarewood._rules._words import Condition
from rarewood._tables.moments import MOMENTS

FIGURES = ("precision", "low", "high", "lift", "recall")
_ALL_FIGURES = ("precision", "low", "high", "lift", "lift_low", "lift_high", "recall", "recall_low", "recall_high")

Json = dict[str, Any]


def condition_to_json(condition: Condition) -> Json:
    """A condition with null for a bound that it does not have; `kind` is there for dates and times only."""
    return {
        "column": condition.column,
        "lower": _finite(condition.lower),
        "upper": _finite(condition.upper),
        "categories": None if condition.categories is None else [_plain(level) for level in condition.categories],
        "missing": condition.missing,
        "text": condition.text,
    } | ({"kind": condition.kind} if condition.kind in MOMENTS else {})


def condition_from_json(stored: Json) -> Condition:
    """The inverse of `condition_to_json`."""
    lower, upper = stored["lower"], stored["upper"]
    return Condition(
        str(stored["column"]),
        -math.inf if lower is None else float(lower),
        math.inf if upper is None else float(upper),
        None if stored["categories"] is None else tuple(stored["categories"]),
        bool(stored["missing"]),
        str(stored["text"]),
        str(stored.get("kind", "number")),
    )


def rule_to_json(rule: Pattern) -> Json:
    """A rule as model files keep it."""
    counts = {"rare": rule.rare, "rest": rule.rest, "strength": round(rule.strength, 3)}
    figures = {"unseen": {name: getattr(rule, name) for name in FIGURES}} if isinstance(rule, Rule) else {}
    return {"rule": rule.rule, **counts, **figures, "conditions": list(map(condition_to_json, rule.conditions))}


def rule_from_json(stored: Json, label: Any) -> Pattern:
    """The inverse of `rule_to_json`, for a rule of class `label`: a `Rule` if it has figures, else a `Pattern`."""
    conditions = tuple(map(condition_from_json, stored["conditions"]))
    fields = _counted(str(stored["rule"]), conditions, label, float(stored["rare"]), float(stored["rest"]))
    if stored.get("unseen") is None:
        return Pattern(**fields)
    return Rule(**fields | {name: float(stored["unseen"][name]) for name in FIGURES})


def recounted(rule: Pattern, rare: int, rest: int) -> Pattern:
    """A rule with the counts of other rows, and without figures: those belong to the rows it was found on."""
    return Pattern(**_counted(rule.rule, rule.conditions, rule.label, rare, rest))


def _counted(text: str, conditions: tuple[Condition, ...], label: Any, rare: float, rest: float) -> Json:
    """The fields of a pattern that come from no leaf that is kept."""
    return {
        "rule": text,
        "conditions": conditions,
        "label": label,
        "rare": rare,
        "rest": rest,
        "growth_rate": float(growth_rate(np.asarray(rare), np.asarray(rest))),
        "strength": float(strength(rare, rest)),
        "occurrences": 1,
        "tree": -1,
        "leaf": -1,
    }


def rule_as_json(rule: Rule) -> Json:
    """A rule with all its figures, for `RuleSet.as_json`, which does not tell the kinds of columns."""
    conditions = [condition_to_json(condition) for condition in rule.conditions]
    for condition in conditions:
        condition.pop("kind", None)
    figures = {name: getattr(rule, name) for name in _ALL_FIGURES}
    plain = {"rule": rule.rule, "rare": rule.rare, "rest": rule.rest, "conditions": conditions, **figures}
    if rule.held_out_rare is None:
        return plain
    return {**plain, "held_out_rare": rule.held_out_rare, "held_out_rest": rule.held_out_rest}


def rule_in_report(rule: Pattern, test_rare: int | None, test_rest: int | None) -> Json:
    """A rule as the page of a report shows it, with its counts on test rows."""
    return {
        "rule": rule.rule,
        "conditions": [condition.text for condition in rule.conditions],
        "train_rare": float(rule.rare),
        "train_rest": float(rule.rest),
        "strength": rule.strength,
        "test_rare": test_rare,
        "test_rest": test_rest,
        "expected": [rule.precision, rule.low, rule.high] if isinstance(rule, Rule) else None,
    }


def together_as_json(together: Together) -> Json:
    """The counts and shares of a whole list, for `RuleSet.as_json`."""
    return {**vars(together), "precision": _finite(together.precision), "recall": together.recall}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
