"""Refinement of a rule: fewer conditions and rounder cuts, as long as that costs nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._conditions import CodedRule, ColumnCondition

Flags = NDArray[np.bool_]
Value = Callable[[Flags, int], float]  # worth of a cover with so many conditions

_MOST_MOVED = 0.01  # share of the rows that may change side when a cut is rounded
_WITHIN_NOISE = 1.0  # of its worth, by a rule that loses a condition
_KEPT = 0.99  # of its worth, by a rule whose cuts are rounded


def refined(rule: CodedRule, matrix: NDArray[Any], value: Value) -> tuple[CodedRule, Flags]:
    """The rule after dropping and rounding, and the rows it holds for."""
    met = [condition.meets(matrix[:, condition.column]) for condition in rule]
    kept = _shortened(met, value)
    rule, met = _rounded([rule[i] for i in kept], [met[i] for i in kept], matrix, value)
    return rule, _all_of(met)


def _shortened(met: Sequence[Flags], value: Value) -> list[int]:
    """The conditions to keep: one goes if the rule is worth as much without it."""
    kept = list(range(len(met)))
    worth = value(_all_of(met), len(kept))
    while len(kept) > 1:
        without = {i: value(_all_of([met[j] for j in kept if j != i]), len(kept) - 1) for i in kept}
        dropped = max(without, key=lambda i: without[i])
        if without[dropped] < _WITHIN_NOISE * worth:
            break
        worth = max(without[dropped], worth)
        kept.remove(dropped)
    return kept


def _rounded(
    rule: list[ColumnCondition], met: list[Flags], matrix: NDArray[Any], value: Value
) -> tuple[CodedRule, list[Flags]]:
    """The rule with rounder cuts, and the rows that meet each of its conditions."""
    worth = value(_all_of(met), len(rule))
    for i, condition in enumerate(rule):
        values = matrix[:, condition.column]
        others = met[:i] + met[i + 1 :]
        for side in ("lower", "upper"):
            cut = getattr(rule[i], side)
            if condition.codes is not None or not math.isfinite(cut):
                continue
            for round_cut in round_cuts(values, cut):
                changed = replace(rule[i], lower=round_cut) if side == "lower" else replace(rule[i], upper=round_cut)
                if not changed.lower < changed.upper:
                    continue
                flags = changed.meets(values)
                new = value(_all_of([*others, flags]), len(rule))
                if new >= _KEPT * worth:
                    rule[i], met[i], worth = changed, flags, new
                    break
        rule[i] = _one_value(rule[i], values)
    return tuple(rule), met


def _one_value(condition: ColumnCondition, values: NDArray[Any]) -> ColumnCondition:
    """An interval with room for a single whole number of the column, as (number - 1/2, number]; words read it as equality."""
    present = values[~np.isnan(values)]
    if condition.codes is not None or not is_whole(present):
        return condition
    lower, upper = condition.lower, condition.upper
    if np.isin(present, (0.0, 1.0)).all():
        lower, upper = max(lower, -1.0), min(upper, 1.0)
    if not math.isfinite(lower) or not math.isfinite(upper) or math.floor(upper) - math.floor(lower) != 1:
        return condition
    return replace(condition, lower=math.floor(upper) - 0.5, upper=float(math.floor(upper)))


def round_cuts(values: NDArray[Any], cut: float) -> Iterator[float]:
    """Rounder cuts, the roundest first, that move few of the values to the other side; the last one moves none."""
    present = values[~np.isnan(values)]
    at = np.count_nonzero(present <= cut)
    most = _MOST_MOVED * len(present)
    if is_whole(present):
        whole = math.floor(cut)  # the same side for every whole number
        digits_of_cut = len(str(abs(whole)))
        for digits in range(1, digits_of_cut):
            rounder = float(round(whole, digits - digits_of_cut))
            if abs(np.count_nonzero(present <= rounder) - at) <= most:
                yield rounder
        yield float(whole)
        return
    if cut == 0:
        return
    for digits in range(1, 7):
        rounder = float(f"{cut:.{digits - 1}e}")
        moved = abs(np.count_nonzero(present <= rounder) - at)
        if moved <= most if digits <= 3 else moved == 0:
            yield rounder


def is_whole(present: NDArray[Any]) -> bool:
    """Whether a column holds whole numbers only."""
    return bool(len(present)) and bool(np.all(present == np.floor(present)))


def _all_of(met: Sequence[Flags]) -> Flags:
    """The rows that meet all of some conditions, at least one."""
    return np.asarray(np.logical_and.reduce(met))
