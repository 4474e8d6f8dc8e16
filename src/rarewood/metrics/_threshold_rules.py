"""What a decision is worth, in words: ``"f1"``, ``"precision=0.9"``, ``"cost=1:20"``, ``"alerts=200"``, a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rarewood._validation import Number, check_parameter

WORDS = (
    "'f1', 'cost=1:20' (a false alarm : a miss), 'precision=0.9', 'recall=0.8', 'alerts=0.5%' or 'alerts=200' (rows that you "
    "can review), one of the last four with a promise, as in 'precision=0.6@90%', or a number from 0 to 1"
)
PROMISING = ("precision", "recall", "alerts")  # rules that can be promised with a confidence

_FLOOR = Number(0.0, 1.0, open_low=True)
_VALUE = Number(0.0, 1.0)


@dataclass(frozen=True)
class ThresholdRule:
    """How a threshold is chosen: `name` is f1, precision, recall, cost, alerts or given; other fields belong to some of them."""

    name: str
    floor: float | None = None
    costs: tuple[float, float] | None = None
    share: float | None = None
    count: int | None = None
    value: float | None = None
    confidence: float | None = None  # with which it is promised

    def alerts(self, n_rows: float) -> float | None:
        """The share of rows that can be looked at, out of `n_rows`; None if the rule does not say."""
        return self.share if self.count is None else min(1.0, self.count / n_rows)


def read_rule(
    told: Any, floor: float | None = None, costs: Sequence[float] | None = None, name: str = "rule"
) -> ThresholdRule:
    """The rule that `told` says, with `floor` and `costs` where the words leave them open; `name` is the parameter's."""
    try:
        rule = _read_words(told) if isinstance(told, str) else _read_number(told)
    except ValueError:
        raise ValueError(f"{name}={told!r} is not understood; give {WORDS}.") from None
    except TypeError:
        raise TypeError(f"{name}={told!r} ({type(told).__name__}) is not accepted; give {WORDS}.") from None
    if rule.share is not None and not 0.0 < rule.share <= 1.0:
        raise ValueError(f"{name}={told!r}: the share of rows to review must be above 0% and at most 100%.")
    if rule.floor is not None and not _FLOOR.has_range(rule.floor):
        raise ValueError(f"{name}={told!r}: the minimum {rule.name} must be above 0 and at most 1.")
    if rule.count is not None and rule.count < 1:
        raise ValueError(f"{name}={told!r}: give at least one row.")
    if rule.confidence is not None and not 0.5 < rule.confidence < 1.0:
        raise ValueError(f"{name}={told!r}: the confidence of a promise must be above 50% and below 100%.")
    if rule.value is not None and not _VALUE.has_range(rule.value):
        raise ValueError(f"{name}={told!r} is not accepted; a number must be a score from 0 to 1.")
    return _with_arguments(rule, floor, costs)


def _read_words(told: str) -> ThresholdRule:
    words, at, confidence = (part.strip() for part in told.partition("@"))
    if not at:
        return _read_rule(words)
    rule = _read_rule(words)
    if rule.name not in PROMISING or not confidence.endswith("%"):
        raise ValueError
    return replace(rule, confidence=round(_number(confidence[:-1]) / 100.0, 12))


def _read_rule(told: str) -> ThresholdRule:
    word, equals, value = (part.strip() for part in told.partition("="))
    if word in ("f1", "precision", "recall", "cost") and not equals:
        return ThresholdRule(word)
    if word in ("precision", "recall"):
        return ThresholdRule(word, floor=_number(value))
    if word == "cost":
        alarm, miss = value.split(":")
        return ThresholdRule(word, costs=(_number(alarm), _number(miss)))
    if word == "alerts" and value.endswith("%"):
        return ThresholdRule(word, share=_number(value[:-1]) / 100.0)
    if word == "alerts":
        return ThresholdRule(word, count=int(value))
    return _read_number(_number(told))


def _read_number(told: Any) -> ThresholdRule:
    if not _VALUE.has_kind(told):
        raise TypeError
    return ThresholdRule("given", value=float(told))


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _with_arguments(rule: ThresholdRule, floor: float | None, costs: Sequence[float] | None) -> ThresholdRule:
    """The same with what was given beside the words, all of it checked."""
    if floor is not None and rule.floor is not None:
        raise ValueError(f"floor={floor!r} is given twice: rule='{rule.name}={rule.floor:g}' already sets it.")
    if costs is not None and rule.costs is not None:
        raise ValueError(
            f"costs={costs!r} are given twice: rule='cost={rule.costs[0]:g}:{rule.costs[1]:g}' already sets them."
        )
    least = _check_floor(rule.name, rule.floor if floor is None else floor)
    pair = _check_costs(rule.name, rule.costs if costs is None else costs)
    return replace(rule, floor=least, costs=pair)


def _check_floor(rule: str, floor: float | None) -> float | None:
    if rule not in ("precision", "recall"):
        if floor is not None:
            raise ValueError(f"floor={floor!r} does not apply to rule={rule!r}; it is for 'precision' and 'recall'.")
        return None
    if floor is None:
        raise ValueError(f"rule={rule!r} needs floor=, the minimum {rule}, above 0 and at most 1.")
    check_parameter("floor", floor, _FLOOR)
    return float(floor)


def _check_costs(rule: str, costs: Any) -> tuple[float, float] | None:
    if costs is None:
        if rule == "cost":
            raise ValueError("rule='cost' needs costs=, a pair: the cost of a false alarm and the cost of a miss.")
        return None
    pair = tuple(costs) if isinstance(costs, (Sequence, np.ndarray)) else ()
    accepted = Number(0.0)
    numbers = len(pair) == 2 and all(accepted.has_kind(cost) and accepted.has_range(cost) for cost in pair)
    if not numbers or not any(pair):
        raise ValueError(
            f"costs={costs!r} is not accepted; give two numbers of at least 0, not both 0: the cost of a false alarm "
            "and the cost of a miss."
        )
    return float(pair[0]), float(pair[1])
