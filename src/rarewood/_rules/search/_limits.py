"""Limits that a rule must keep to be listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """What the user asks of rules; precision and lift are estimates for rows that took no part in finding the rule."""

    n_rules: int = 10
    max_conditions: int = 4
    min_precision: float = 0.0
    min_lift: float = 1.0
    min_support: float = 3

    def allow(self, rare: Any, precision: Any, base: float) -> Any:
        """Whether a rule that finds so many rare rows with that precision may be listed."""
        return (rare >= self.min_support) & (precision >= max(self.min_precision, self.min_lift * base))
