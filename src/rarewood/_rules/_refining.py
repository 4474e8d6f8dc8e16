"""Shorter rules with rounder numbers, where that costs nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._asking import Asked

Flags = NDArray[np.bool_]
Value = Callable[[Flags, int], float]  # worth of a cover with so many conditions

_MOST_MOVED = 0.01  # share of the rows that may change side when a cut is rounded
_WITHIN_NOISE = 1.0  # of its worth, by a rule that loses a condition
_KEPT = 0.99  # of its worth, by a rule whose cuts are rounded


def refined(rule: dict[int, Asked], matrix: NDArray[Any], value: Value) -> tuple[dict[int, Asked], Flags]:
    """The rule after dropping and rounding, and the rows it holds for."""
    met = {column: asked.meets(matrix[:, column]) for column, asked in rule.items()}
    kept = _shortened(met, value)
    rule = {column: rule[column] for column in kept}
    met = {column: met[column] for column in kept}
    rule = _rounded(rule, met, matrix, value)
    return rule, _all_of(met.values(), len(matrix))


def _shortened(met: dict[int, Flags], value: Value) -> list[int]:
    """The columns to keep: a condition goes if the rule is worth as much without it."""
    kept = list(met)
    n_rows = len(next(iter(met.values())))
    worth = value(_all_of((met[c] for c in kept), n_rows), len(kept))
    while len(kept) > 1:
        without = {c: value(_all_of((met[d] for d in kept if d != c), n_rows), len(kept) - 1) for c in kept}
        column = max(without, key=lambda c: without[c])
        if without[column] < _WITHIN_NOISE * worth:
            break
        worth = max(without[column], worth)
        kept.remove(column)
    return kept


def _rounded(rule: dict[int, Asked], met: dict[int, Flags], matrix: NDArray[Any], value: Value) -> dict[int, Asked]:
    """The rule with rounder cuts; `met` follows."""
    rule = dict(rule)
    worth = value(_all_of(met.values(), len(matrix)), len(rule))
    for column in rule:
        values = matrix[:, column]
        for side in ("lower", "upper"):
            asked = rule[column]
            cut = getattr(asked, side)
            if asked.codes is not None or not math.isfinite(cut):
                continue
            for round_cut in round_cuts(values, cut):
                changed = replace(asked, lower=round_cut) if side == "lower" else replace(asked, upper=round_cut)
                if not changed.lower < changed.upper:
                    continue
                flags = changed.meets(values)
                others = [met[c] for c in rule if c != column]
                new = value(_all_of([*others, flags], len(matrix)), len(rule))
                if new >= _KEPT * worth:
                    rule[column], met[column], worth = changed, flags, new
                    break
        rule[column] = _one_value(rule[column], values)
    return rule


def _one_value(asked: Asked, values: NDArray[Any]) -> Asked:
    """An interval that a single whole number of the column can lie in, as (number - 1/2, number]; words read it as equality."""
    present = values[~np.isnan(values)]
    if asked.codes is not None or not is_whole(present):
        return asked
    lower, upper = asked.lower, asked.upper
    if np.isin(present, (0.0, 1.0)).all():
        lower, upper = max(lower, -1.0), min(upper, 1.0)
    if not math.isfinite(lower) or not math.isfinite(upper) or math.floor(upper) - math.floor(lower) != 1:
        return asked
    return replace(asked, lower=math.floor(upper) - 0.5, upper=float(math.floor(upper)))


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


def _all_of(flags: Any, n_rows: int) -> Flags:
    met = np.ones(n_rows, dtype=bool)
    for each in flags:
        met &= each
    return met
