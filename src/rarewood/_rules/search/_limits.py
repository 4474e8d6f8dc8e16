"""Limits that a rule must keep to be listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from rarewood._validation import Integer, Number, check_parameter


@dataclass(frozen=True)
class Limits:
    """What the user asks of rules; precision and lift are estimates for rows that took no part in finding the rule."""

    n_rules: int = 10
    max_conditions: int = 4
    min_precision: float = 0.0
    min_lift: float = 1.0
    min_support: float = 3

    @classmethod
    def read(cls, n_rules: int, max_conditions: int, min_precision: float, min_lift: float, min_support: float) -> Self:
        """From what a caller passed; raises where that makes no sense."""
        check_parameter("n_rules", n_rules, Integer(1))
        check_parameter("max_conditions", max_conditions, Integer(1))
        check_parameter("min_precision", min_precision, Number(0.0, 1.0))
        check_parameter("min_lift", min_lift, Number(1.0))
        check_parameter("min_support", min_support, Number(0.0))
        return cls(n_rules, max_conditions, float(min_precision), float(min_lift), float(min_support))

    def allow(self, rare: Any, precision: Any, base: float) -> Any:
        """Whether a rule that finds so many rare rows with that precision may be listed."""
        return (rare >= self.min_support) & (precision >= max(self.min_precision, self.min_lift * base))
