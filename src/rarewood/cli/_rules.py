"""Rules of the rare class as a model file keeps them: found once, counted and applied anywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rarewood._patterns import strength
from rarewood._tables import take_rows
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.inspection import Condition, Pattern, extract_patterns
from rarewood.inspection.stand_in import DEPTH, different_rules, grow_stand_in

ABOUT = f"rules of a HeDEx forest of depth {DEPTH} grown on the same rows; one that finds mostly what stronger ones find is left out"
_MOST_OF_LEAVES = 20  # a fully grown forest has thousands


@dataclass(frozen=True)
class Rule:
    """A conjunction of conditions on columns, with the rows of the rare class and the others for which it holds."""

    text: str
    conditions: tuple[Condition, ...]
    rare: float
    rest: float

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
        return cls(pattern.rule, pattern.conditions, pattern.rare, pattern.rest)

    def holds(self, table: Any) -> NDArray[np.bool_]:
        """Whether it holds for each row of a data frame."""
        met = [_meets(condition, table[condition.column]) for condition in self.conditions]
        return np.all(met, axis=0) if met else np.ones(len(table), dtype=bool)

    def counted(self, table: Any, is_rare: NDArray[np.bool_]) -> Rule:
        """The same rule with the counts of other rows."""
        held = self.holds(table)
        return Rule(self.text, self.conditions, int((held & is_rare).sum()), int((held & ~is_rare).sum()))

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
            for condition in self.conditions
        ]
        counts = {"rare": self.rare, "rest": self.rest, "strength": round(self.strength, 3)}
        return {"rule": self.text, **counts, "conditions": conditions}

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """The inverse of `as_json`."""
        try:
            conditions = tuple(_condition(each) for each in told["conditions"])
            return cls(str(told["rule"]), conditions, float(told["rare"]), float(told["rest"]))
        except (KeyError, TypeError, ValueError) as error:
            raise CommandError(ExitCode.MODEL_FILE, f"the rules in the model file are damaged: {error}") from error


def find_rules(X: Any, y: NDArray[Any], positive: Any, *, most: int, n_jobs: int | None, seed: int) -> list[Rule]:
    """The strongest rules that say different things, of a shallow forest."""
    patterns = extract_patterns(grow_stand_in(X, y, n_jobs=n_jobs, random_state=seed), X, y, positive=positive)
    rare = np.flatnonzero(y == positive)
    chosen = different_rules(patterns, take_rows(X, rare), most)
    return [Rule.of(pattern) for pattern in chosen]


def rules_of(model: Any, metadata: dict[str, Any], positive: Any) -> list[Rule]:
    """The rules in a model file; of a model that was not made by `rarewood fit`, the strongest of its own leaves."""
    if isinstance(metadata.get("rules"), list):
        return [Rule.from_json(told) for told in metadata["rules"]]
    try:
        return [Rule.of(pattern) for pattern in extract_patterns(model, positive=positive)[:_MOST_OF_LEAVES]]
    except (TypeError, ValueError) as error:
        raise CommandError(
            ExitCode.MODEL_FILE, f"the model file holds no rules, and none can be read from its model: {error}"
        ) from error


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
        values = column.to_numpy(dtype=np.float64)
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
    )


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
