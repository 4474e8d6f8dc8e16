"""Rules of the rare class as a model file keeps them: found once, counted and applied anywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rarewood._patterns import strength
from rarewood._tables.divisions import moments_or_nan
from rarewood._tables.moments import MOMENTS
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.inspection import Condition, Pattern, RuleSet, extract_patterns
from rarewood.inspection import find_rules as find_rule_set

ABOUT = "precision, lift and recall are estimates for new rows, from rows that were not used to find the rules, with 90 % intervals"
HONEST = ("precision", "low", "high", "lift", "recall")
_MOST_OF_LEAVES = 20  # a fully grown forest has thousands


@dataclass(frozen=True)
class Rule:
    """A conjunction of conditions on columns, with the rows of the rare class and the others for which it holds.

    `unseen` has what is to be expected of other rows, by the names in `HONEST`; None where it is not known.
    """

    text: str
    conditions: tuple[Condition, ...]
    rare: float
    rest: float
    unseen: dict[str, float] | None = None

    @property
    def strength(self) -> float:
        """That of the pattern, by the counts it has here."""
        return float(strength(self.rare, self.rest))

    @property
    def precision(self) -> float:
        """Share of the rare class among the rows for which it holds; NaN if there are none."""
        return self.rare / (self.rare + self.rest) if self.rare + self.rest else math.nan

    @classmethod
    def of(cls, pattern: Pattern) -> Self:
        """The rule of a pattern."""
        unseen = {name: float(getattr(pattern, name)) for name in HONEST} if hasattr(pattern, "precision") else None
        return cls(pattern.rule, pattern.conditions, pattern.rare, pattern.rest, unseen)

    def holds(self, table: Any) -> NDArray[np.bool_]:
        """Whether it holds for each row of a data frame."""
        met = [_meets(condition, table[condition.column]) for condition in self.conditions]
        return np.all(met, axis=0) if met else np.ones(len(table), dtype=bool)

    def counted(self, table: Any, is_rare: NDArray[np.bool_]) -> Rule:
        """The same rule with the counts of other rows."""
        held = self.holds(table)
        return Rule(self.text, self.conditions, int((held & is_rare).sum()), int((held & ~is_rare).sum()))

    def as_report_row(self, held: NDArray[np.bool_], is_rare: NDArray[np.bool_]) -> dict[str, Any]:
        """What a report tells of it, given for which rows it holds."""
        return {
            "rule": self.text,
            "conditions": [condition.text for condition in self.conditions],
            "train_rare": float(self.rare),
            "train_rest": float(self.rest),
            "strength": self.strength,
            "test_rare": int((held & is_rare).sum()),
            "test_rest": int((held & ~is_rare).sum()),
            "expected": None if self.unseen is None else [self.unseen[name] for name in ("precision", "low", "high")],
        }

    def as_json(self) -> dict[str, Any]:
        """What JSON can keep: no bound is null."""
        conditions = [
            {
                "column": condition.column,
                "lower": _finite(condition.lower),
                "upper": _finite(condition.upper),
                "categories": None if condition.categories is None else list(condition.categories),
                "missing": condition.missing,
                "text": condition.text,
            }
            | ({"kind": condition.kind} if condition.kind in MOMENTS else {})
            for condition in self.conditions
        ]
        counts = {"rare": self.rare, "rest": self.rest, "strength": round(self.strength, 3)}
        unseen = {} if self.unseen is None else {"unseen": self.unseen}
        return {"rule": self.text, **counts, **unseen, "conditions": conditions}

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """The inverse of `as_json`."""
        try:
            conditions = tuple(_condition(each) for each in told["conditions"])
            unseen = None if told.get("unseen") is None else {name: float(told["unseen"][name]) for name in HONEST}
            return cls(str(told["rule"]), conditions, float(told["rare"]), float(told["rest"]), unseen)
        except (KeyError, TypeError, ValueError) as error:
            raise CommandError(ExitCode.MODEL_FILE, f"the rules in the model file are damaged: {error}") from error


@dataclass(frozen=True)
class ShortList:
    """Rules, and a sentence on what they are worth together or why there are none."""

    rules: tuple[Rule, ...] = ()
    note: str = ""

    @classmethod
    def of(cls, found: RuleSet) -> Self:
        """The rules of a set."""
        note = str(found.together) if len(found) else f"No rules: {found.reason}"
        return cls(tuple(Rule.of(rule) for rule in found), note)

    def as_section(self, table: Any, is_rare: NDArray[np.bool_]) -> dict[str, Any]:
        """The rules as a report shows them, counted on the rows of a data frame."""
        held = [rule.holds(table) for rule in self.rules]
        found = np.any(held, axis=0) if held else np.zeros(len(table), dtype=bool)
        expected = (
            " “Expected” is the precision expected on new rows, with its 90 % interval, estimated on rows that were "
            "not used to find the rule."
        )
        return {
            "source": "file",
            "note": f"These are the rules stored in the model file.{expected} {self.note}" if held else self.note,
            "n_found": len(held),
            "rules": [rule.as_report_row(each, is_rare) for rule, each in zip(self.rules, held, strict=True)],
            "together": {"rare": int((found & is_rare).sum()), "rest": int((found & ~is_rare).sum())} if held else None,
        }


def find_rules(X: Any, y: NDArray[Any], positive: Any, *, most: int, n_jobs: int | None, seed: int) -> ShortList:
    """Short rules that hold, at most so many."""
    return ShortList.of(find_rule_set(X, y, positive=positive, n_rules=most, n_jobs=n_jobs, random_state=seed))


def rules_of(model: Any, metadata: dict[str, Any], positive: Any) -> ShortList:
    """The rules in a model file; of a model that was not made by `rarewood fit`, its own, or the strongest of its leaves."""
    if isinstance(metadata.get("rules"), list):
        return ShortList(tuple(Rule.from_json(told) for told in metadata["rules"]), str(metadata.get("rules_note", "")))
    own = getattr(model, "rules_", None)
    if isinstance(own, RuleSet):
        return ShortList.of(own)
    try:
        strongest = extract_patterns(model, positive=positive)[:_MOST_OF_LEAVES]
    except (TypeError, ValueError) as error:
        raise CommandError(
            ExitCode.MODEL_FILE, f"the model file holds no rules, and none can be read from its model: {error}"
        ) from error
    note = (
        "These rules are leaves of the model, counted on its training rows, so the figures say little about new rows."
    )
    return ShortList(tuple(Rule.of(pattern) for pattern in strongest), note)


def fired(rules: Sequence[Rule], table: Any) -> list[str]:
    """Per row, the rules that hold, in words."""
    texts = [""] * len(table)
    for rule in rules:
        for row in np.flatnonzero(rule.holds(table)).tolist():
            texts[row] = f"{texts[row]} | {rule.text}" if texts[row] else rule.text
    return texts


def _meets(condition: Condition, column: Any) -> NDArray[np.bool_]:
    missing = column.isna().to_numpy()
    if condition.categories is not None:
        met = column.isin(list(condition.categories)).to_numpy()
    else:
        values = moments_or_nan(column) if column.dtype.kind in "mM" else column.to_numpy(dtype=np.float64)
        met = (values > condition.lower) & (values <= condition.upper)
    return np.where(missing, condition.missing, met)


def _condition(told: dict[str, Any]) -> Condition:
    lower, upper = told["lower"], told["upper"]
    return Condition(
        str(told["column"]),
        -math.inf if lower is None else float(lower),
        math.inf if upper is None else float(upper),
        None if told["categories"] is None else tuple(told["categories"]),
        bool(told["missing"]),
        str(told["text"]),
        str(told.get("kind", "number")),
    )


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
