"""A rule in the codes of an encoded table: what it asks of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._patterns import Conditions

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Asked:
    """What a rule asks of one column: a number above `lower` and at most `upper`, or one of some category codes."""

    lower: float
    upper: float
    missing: bool
    codes: tuple[int, ...] | None = None

    def meets(self, values: NDArray[Any]) -> Flags:
        """Which values meet it; compared in double precision, as a database would."""
        values = values.astype(np.float64, copy=False)
        between = (values > self.lower) & (values <= self.upper)
        met = between if self.codes is None else np.isin(values, self.codes)
        return np.where(np.isnan(values), self.missing, met) if self.missing else met


CodedRule = Mapping[int, Asked]  # column number -> what is asked of it


def covers(rule: CodedRule, matrix: NDArray[Any]) -> Flags:
    """The rows that meet everything a rule asks."""
    met = np.ones(len(matrix), dtype=bool)
    for column, asked in rule.items():
        met &= asked.meets(matrix[:, column])
    return met


def rule_of(conditions: Conditions, pattern: int, nominal: Flags) -> dict[int, Asked]:
    """One pattern of many."""
    asked = {}
    for c in conditions.of(pattern):
        column = int(conditions.column[c])
        codes = tuple(conditions.codes_of(c).tolist()) if nominal[column] else None
        asked[column] = Asked(
            float(conditions.lower[c]), float(conditions.upper[c]), bool(conditions.missing[c]), codes
        )
    return asked


def conditions_of(rules: Sequence[CodedRule]) -> Conditions:
    """Rules side by side in flat arrays, the columns of each in ascending order."""
    asked = [(column, rule[column]) for rule in rules for column in sorted(rule)]
    codes = [each.codes or () for _, each in asked]
    return Conditions(
        _starts([len(rule) for rule in rules]),
        np.array([column for column, _ in asked], dtype=np.int64),
        np.array([each.lower for _, each in asked], dtype=np.float64),
        np.array([each.upper for _, each in asked], dtype=np.float64),
        np.array([each.missing for _, each in asked], dtype=bool),
        _starts([len(some) for some in codes]),
        np.array([code for some in codes for code in some], dtype=np.int64),
    )


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
