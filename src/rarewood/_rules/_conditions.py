"""What rules ask of the columns of an encoded table, and the one place that decides whether a row meets it.

Words: a *condition* is what a rule asks of one column: an interval or a set of categories, and whether a missing value will do.
A *rule*, or *pattern*, is a conjunction of conditions, at most one per column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class ColumnCondition:
    """What a rule asks of one column: a number above `lower` and at most `upper`, or one of some category codes.

    `codes` are ascending, and None for a column of numbers; a nominal column has no bounds.
    """

    column: int
    lower: float = -np.inf
    upper: float = np.inf
    missing: bool = False
    codes: tuple[int, ...] | None = None

    def meets(self, values: NDArray[Any]) -> Flags:
        """Which values of the column meet it; compared in double precision, as a database would."""
        values = values.astype(np.float64, copy=False)
        between = (values > self.lower) & (values <= self.upper)
        met = between if self.codes is None else np.isin(values, self.codes)
        return met | np.isnan(values) if self.missing else met


CodedRule = tuple[ColumnCondition, ...]  # ascending by column


@dataclass(frozen=True)
class Conditions:
    """The conditions of many rules, in flat arrays.

    Rule r has the conditions from ``start[r]`` to ``start[r + 1]``, ascending by column. The categories that meet condition c
    are those from ``code_start[c]`` to ``code_start[c + 1]`` of `codes`, ascending. The array `nominal` has one entry per
    condition, because a set without categories would otherwise look like an interval without bounds. `ColumnCondition` says
    what the other arrays mean.
    """

    start: Ints
    column: Ints
    lower: Floats
    upper: Floats
    missing: Flags
    nominal: Flags
    code_start: Ints
    codes: Ints

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def sizes(self) -> Ints:
        """Conditions per rule."""
        return np.diff(self.start)

    def codes_of(self, condition: int) -> Ints:
        """The categories that meet a condition."""
        return self.codes[self.code_start[condition] : self.code_start[condition + 1]]

    def numbers_of(self, rule: int) -> range:
        """The numbers of the conditions of a rule."""
        return range(int(self.start[rule]), int(self.start[rule + 1]))

    def rule(self, rule: int) -> CodedRule:
        """The conditions of one rule."""
        return tuple(
            ColumnCondition(
                int(self.column[c]),
                float(self.lower[c]),
                float(self.upper[c]),
                bool(self.missing[c]),
                tuple(self.codes_of(c).tolist()) if self.nominal[c] else None,
            )
            for c in self.numbers_of(rule)
        )

    def covers(self, matrix: NDArray[Any]) -> Flags:
        """For which rows of an encoded table each rule holds, rows x rules."""
        met = np.ones((len(self), len(matrix)), dtype=bool)
        for number, flags in enumerate(met):
            for condition in self.rule(number):
                flags &= condition.meets(matrix[:, condition.column])
        return met.T

    def take(self, rules: Ints) -> Conditions:
        """Some of the rules, in the order given."""
        start, here = gather_segments(self.start, rules)
        code_start, cells = gather_segments(self.code_start, here)
        return Conditions(
            start,
            self.column[here],
            self.lower[here],
            self.upper[here],
            self.missing[here],
            self.nominal[here],
            code_start,
            self.codes[cells],
        )

    @classmethod
    def none(cls, n_rules: int = 0) -> Self:
        """Rules that ask nothing of any row."""
        return cls.of([()] * n_rules)

    @classmethod
    def of(cls, rules: Sequence[CodedRule]) -> Self:
        """These rules, one after the other."""
        conditions = [condition for rule in rules for condition in rule]
        codes = [condition.codes or () for condition in conditions]
        return cls(
            _starts([len(rule) for rule in rules]),
            np.array([condition.column for condition in conditions], dtype=np.int64),
            np.array([condition.lower for condition in conditions], dtype=np.float64),
            np.array([condition.upper for condition in conditions], dtype=np.float64),
            np.array([condition.missing for condition in conditions], dtype=bool),
            np.array([condition.codes is not None for condition in conditions], dtype=bool),
            _starts([len(some) for some in codes]),
            np.array([code for some in codes for code in some], dtype=np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Conditions]) -> Self:
        """The rules of several, one after the other."""
        arrays: dict[str, Any] = {}
        for field in fields(cls):
            values = [getattr(part, field.name) for part in parts]
            arrays[field.name] = _joined_starts(values) if field.name.endswith("start") else np.concatenate(values)
        return cls(**arrays)


def gather_segments(start: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Where the chosen segments start once they stand side by side, and the old position of every item in them."""
    sizes = start[chosen + 1] - start[chosen]
    new_start = _starts(sizes)
    items = np.repeat(start[chosen] - new_start[:-1], sizes) + np.arange(new_start[-1])
    return new_start, items


def _starts(sizes: Sequence[int] | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _joined_starts(starts: list[Ints]) -> Ints:
    ends = np.cumsum([0, *(start[-1] for start in starts)])
    return np.concatenate([[0], *(start[1:] + end for start, end in zip(starts, ends))]).astype(np.int64)
