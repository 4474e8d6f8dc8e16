"""Rules of the rare class as a model file keeps them: found once, counted and applied anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._rules._conditions import ColumnCondition, Conditions
from rarewood._rules._json import recounted, rule_from_json, rule_to_json
from rarewood._rules._rule import Pattern, Rule
from rarewood._rules._rule_set import RuleSet
from rarewood._rules._words import Condition
from rarewood._tables import Columns

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class RuleList:
    """Rules with the names and categories of a table, and a sentence on what they are worth or why there are none.

    Unlike `Patterns`, a list knows only the columns that its rules name, so it needs neither the model nor its training table.
    """

    rules: tuple[Pattern, ...] = ()
    note: str = ""

    @classmethod
    def of(cls, rules: RuleSet) -> Self:
        """The rules of a set, with what they are worth together, or the reason why there are none."""
        return cls(tuple(rules), str(rules.together) if len(rules) else f"No rules: {rules.reason}")

    @property
    def have_figures(self) -> bool:
        """Whether there are rules, and each says what to expect of rows that were not used to find it."""
        return bool(self.rules) and all(isinstance(rule, Rule) for rule in self.rules)

    def to_json(self) -> dict[str, Any]:
        """The entries of a model file's metadata."""
        return {"rules": list(map(rule_to_json, self.rules)), "rules_note": self.note}

    @classmethod
    def from_json(cls, metadata: Mapping[str, Any], label: Any) -> Self:
        """The inverse of `to_json`, for rules of class `label`; raises KeyError, TypeError or ValueError if they are damaged."""
        rules = tuple(rule_from_json(stored, label) for stored in metadata["rules"])
        return cls(rules, str(metadata.get("rules_note", "")))

    def counted(self, table: Any, is_rare: Flags) -> RuleList:
        """The same rules with the counts of the rows of a data frame."""
        held = self.covers(table)
        counts = zip(held[is_rare].sum(axis=0).tolist(), held[~is_rare].sum(axis=0).tolist(), strict=True)
        return replace(self, rules=tuple(recounted(rule, *pair) for rule, pair in zip(self.rules, counts, strict=True)))

    def covers(self, table: Any) -> Flags:
        """For which rows of a data frame each rule holds, rows x rules; the frame may have other columns, too."""
        columns, conditions = self._coded
        if len(table) == 0 or len(columns) == 0:
            return conditions.covers(np.empty((len(table), len(columns))))
        frame = nw.from_native(table, eager_only=True).select(columns.names).to_native()
        return conditions.covers(columns.read(columns.put_on(BaseEstimator()), frame))

    @cached_property
    def _coded(self) -> tuple[Columns, Conditions]:
        """The columns that rules name, with the categories that rules name, and the conditions in their codes."""
        categories: dict[str, dict[Any, int] | None] = {}
        kinds: dict[str, str] = {}
        for condition in (condition for rule in self.rules for condition in rule.conditions):
            kinds[condition.column] = condition.kind
            codes = categories.setdefault(condition.column, None if condition.categories is None else {})
            for level in condition.categories or ():
                if codes is not None:
                    codes.setdefault(level, len(codes))
        columns = Columns.described(
            [None if codes is None else _array(codes) for codes in categories.values()],
            np.array(list(categories), dtype=object),
            np.zeros(len(categories), dtype=bool),
            list(kinds.values()),
        )
        places = {name: place for place, name in enumerate(categories)}
        rules = [
            tuple(
                _coded(condition, places[condition.column], categories[condition.column])
                for condition in rule.conditions
            )
            for rule in self.rules
        ]
        return columns, Conditions.of(rules)


def _array(levels: Mapping[Any, int]) -> NDArray[Any]:
    return np.fromiter(levels, dtype=object, count=len(levels))


def _coded(condition: Condition, column: int, codes: Mapping[Any, int] | None) -> ColumnCondition:
    """A condition in the codes of a list."""
    inside = None if codes is None else tuple(sorted(codes[level] for level in condition.categories or ()))
    return ColumnCondition(column, condition.lower, condition.upper, condition.missing, inside)
