"""Conditions in words, by the names and kinds of columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rarewood._rules._conditions import CodedRule, ColumnCondition
from rarewood._tables import Columns
from rarewood._tables.kinds import Kind
from rarewood._terminal import shown
from rarewood._wording import membership_in_words, missing_in_words, or_missing


@dataclass(frozen=True)
class Condition:
    """A condition of a pattern or rule on one column.

    Parameters
    ----------
    column : str
        Name of the column.
    lower, upper : float
        A number must be above `lower` and at most `upper`; infinite where there is no bound, and for nominal columns.
    categories : tuple or None
        The categories that meet the condition; None for a column of numbers.
    missing : bool
        Whether a missing value meets it.
    text : str
        The condition in words.
    kind : str, default="number"
        What the column holds: "number", "nominal", or "date", "datetime", "datetime_utc", "time" and "duration", whose bounds are
        seconds (since 1970-01-01, since midnight, or of the duration).
    """

    column: str
    lower: float
    upper: float
    categories: tuple[Any, ...] | None
    missing: bool
    text: str
    kind: str = "number"

    @shown
    def __str__(self) -> str:
        return self.text


def name_condition(condition: ColumnCondition, columns: Columns, decimals: int) -> Condition:
    """A condition with the names of its column and categories."""
    levels = columns.categories[condition.column]
    return Condition(
        columns.name(condition.column),
        condition.lower,
        condition.upper,
        None if levels is None else tuple(levels[code] for code in condition.codes or ()),
        condition.missing,
        condition_in_words(condition, columns, decimals),
        columns.kinds[condition.column].word,
    )


def rule_in_words(rule: CodedRule, columns: Columns, decimals: int) -> str:
    """A whole rule in words."""
    texts = [condition_in_words(condition, columns, decimals) for condition in rule]
    if len(texts) > 1:
        texts = [f"({text})" if text.endswith(" or missing") else text for text in texts]
    return " and ".join(texts) or "every row"


def condition_in_words(condition: ColumnCondition, columns: Columns, decimals: int) -> str:
    """One condition in words."""
    name, kind = columns.name(condition.column), columns.kinds[condition.column]
    if condition.codes is None:
        return _interval(name, kind, condition.lower, condition.upper, condition.missing, decimals)
    return _set(name, kind, condition.codes, condition.missing, decimals)


def _interval(name: str, kind: Kind, lower: float, upper: float, missing: bool, decimals: int) -> str:
    if not lower < upper:
        return missing_in_words(name, missing=True)
    if lower == -math.inf and upper == math.inf:
        return missing_in_words(name, missing=False)
    if kind.whole and upper - lower <= 1 and upper == math.floor(upper):
        text = f"{name} = {kind.in_words(upper, decimals)}"
    elif lower == -math.inf:
        text = f"{name} <= {kind.in_words(upper, decimals)}"
    elif upper == math.inf:
        text = f"{name} > {kind.in_words(lower, decimals)}"
    else:
        text = f"{kind.in_words(lower, decimals)} < {name} <= {kind.in_words(upper, decimals)}"
    return or_missing(text) if missing else text


def _set(name: str, kind: Kind, codes: tuple[int, ...], missing: bool, decimals: int) -> str:
    n_levels = 0 if kind.categories is None else len(kind.categories)
    if len(codes) == 0:
        return missing_in_words(name, missing=True)
    if len(codes) == n_levels:
        return missing_in_words(name, missing=False)
    inside = 2 * len(codes) <= n_levels
    listed = codes if inside else sorted(set(range(n_levels)).difference(codes))
    text = membership_in_words(name, [kind.in_words(code, decimals) for code in listed], inside=inside)
    return or_missing(text) if missing else text
