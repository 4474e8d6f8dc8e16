"""Rules of a data set for readers: a shallow forest grown for them, and few rules that say different things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rarewood._patterns import Patterns, different
from rarewood.ensemble import HeDExClassifier

DEPTH = 4
_MOST_CONSIDERED = 500


def grow_stand_in(
    X: Any, y: Any, *, nominal: Sequence[bool] | None = None, n_jobs: int | None, random_state: int
) -> HeDExClassifier:
    """A forest whose leaves are short rules, beside a model that has none; `nominal` where the table does not say it."""
    return HeDExClassifier(
        max_depth=DEPTH,
        categorical_features="from_dtype" if nominal is None else list(nominal),
        n_jobs=n_jobs,
        random_state=random_state,
    ).fit(X, y)


def different_rules(patterns: Patterns, rare_rows: Any, most: int) -> Patterns:
    """The strongest patterns, except those of whose rare rows the ones before hold for most."""
    considered = patterns[:_MOST_CONSIDERED]
    return considered[different(considered.covers(rare_rows), most)]
