"""Conditions as other languages write them: SQL and Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rarewood._rules._words import Condition
from rarewood._tables.moments import DAY, MOMENTS, moment_in_words

DIALECTS = (None, "sqlite")
_EXACT_DIGITS = 15
_YEAR_10000 = 253_402_300_800  # in seconds; its text would come before that of all other years
_TICKS = {"date": DAY, "datetime": 1e-6, "datetime_utc": 1e-6}


def rule_in_sql(conditions: Sequence[Condition], dialect: str | None = None) -> str:
    """A boolean expression; where it is NULL the rule does not hold."""
    if dialect not in DIALECTS:
        raise ValueError(f"dialect={dialect!r} is not accepted; give None or 'sqlite'.")
    return " AND ".join(_in_sql(condition, dialect) for condition in conditions) or "1 = 1"


def select_in_sql(rules: Sequence[Sequence[Condition]], table: str, dialect: str | None = None) -> str:
    """A query for all columns of a table and one more per rule, 1 where it holds and 0 elsewhere."""
    columns = [
        f"CASE WHEN {rule_in_sql(rule, dialect)} THEN 1 ELSE 0 END AS rule_{number}"
        for number, rule in enumerate(rules, 1)
    ]
    return "SELECT " + ",\n    ".join(["*", *columns]) + f"\nFROM {_name_in_sql(table)}"


def _in_sql(condition: Condition, dialect: str | None) -> str:
    name = _name_in_sql(condition.column)
    value = _utc_in_sqlite(name) if dialect == "sqlite" and condition.kind == "datetime_utc" else name
    if condition.categories is not None:
        listed = ", ".join(_value_in_sql(value) for value in condition.categories)
        tests = [f"{name} IN ({listed})"] if listed else []
    else:
        bounds = {">": condition.lower, "<=": condition.upper}
        tests = [
            f"{value} {_than_in_sql(sign, bound, condition.kind)}"
            for sign, bound in bounds.items()
            if math.isfinite(bound) and not _is_last(bound, condition.kind)
        ]
        if not condition.lower < condition.upper or _is_last(condition.lower, condition.kind):
            tests = []
        elif not tests:
            tests = [f"{name} IS NOT NULL"]
    if condition.missing:
        met = " AND ".join(tests)
        return f"({met} OR {name} IS NULL)" if met else f"{name} IS NULL"
    return " AND ".join(tests) or "1 = 0"


def _than_in_sql(sign: str, bound: float, kind: str) -> str:
    """A comparison with a bound, which for dates and times is text that databases compare with types of their own.

    Where they are text themselves, as in SQLite, a day may be written with a midnight behind it and a second with zeros: so each
    is compared with the first value above the bound, which begins like all its spellings and comes before them.
    """
    if kind not in MOMENTS:
        return f"{sign} {_value_in_sql(bound)}"
    sign = {">": ">=", "<=": "<"}[sign]
    if kind == "date":
        return f"{sign} '{moment_in_words('date', bound + DAY, 6)}'"
    microseconds = _microseconds_up_to(bound) + 1
    if kind == "duration":
        return f"{sign} INTERVAL '{microseconds} microseconds'"
    return f"{sign} '{moment_in_words(kind, microseconds / 1e6, 6).replace(' UTC', '+00:00')}'"


def _utc_in_sqlite(name: str) -> str:
    """A text such as 2024-01-31 12:00:00.25+01:00 in UTC, without its zone; `datetime` knows zones, but no fractions of seconds."""
    return f"datetime(substr({name}, 1, 19) || substr({name}, -6)) || substr({name}, 20, length({name}) - 25)"


def _is_last(bound: float, kind: str) -> bool:
    """Whether no later date can be written."""
    return kind in _TICKS and bound + _TICKS[kind] >= _YEAR_10000


def _microseconds_up_to(seconds: float) -> int:
    """The last whole number of microseconds that is, as seconds, at most so much; no cell is finer."""
    nearly = math.floor(seconds * 1e6)
    return max(each for each in (nearly - 1, nearly, nearly + 1) if each / 1e6 <= seconds)


def _name_in_sql(name: str) -> str:
    return '"' + _without_nul(name).replace('"', '""') + '"'


def _value_in_sql(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if number.is_integer() and abs(number) < 2**53:
            return str(int(number))
        text = repr(number)
        # Databases may read a decimal point as a type of fixed precision, an exponent never.
        return text if "e" in text or len(text.strip("-0.")) <= _EXACT_DIGITS else f"{text}e0"
    return "'" + _without_nul(str(value)).replace("'", "''") + "'"


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"SQL cannot hold the character NUL of {text!r}; rename the column or the category.")
    return text


_PYTHON = '''\
def rules_that_hold(row):
    """Whether each rule holds for a row, given as a mapping from column names to values; None and NaN are missing."""

    def missing(value):
        return value is None or value != value
{seconds}
    return [
{rules}
    ]
'''

_SECONDS = """
    def seconds(value):
        if hasattr(value, "total_seconds"):
            return value.total_seconds()
        days = value.toordinal() - 719163 if hasattr(value, "toordinal") else 0
        hour, minute, second = (getattr(value, name, 0) for name in ("hour", "minute", "second"))
        zone = value.utcoffset() if getattr(value, "tzinfo", None) is not None else None
        clock = 3600 * hour + 60 * minute + second + getattr(value, "microsecond", 0) / 1e6
        return 86400 * days + clock - (0 if zone is None else zone.total_seconds())
"""


def rules_in_python(rules: Sequence[tuple[str, Sequence[Condition]]]) -> str:
    """The source of a function without imports, from rules in words and their conditions."""
    lines = []
    for words, rule in rules:
        tests = " and ".join(f"({_in_python(condition)})" for condition in rule) or "True"
        lines.append(f"        bool({tests}),  # {_one_line(words)}")
    of_moments = any(condition.kind in MOMENTS for _, rule in rules for condition in rule)
    return _PYTHON.format(rules="\n".join(lines), seconds=_SECONDS if of_moments else "")


def _in_python(condition: Condition) -> str:
    cell = f"row[{condition.column!r}]"
    if condition.categories is not None:
        tests = _membership_in_python(cell, [_plain(value) for value in condition.categories])
    elif not condition.lower < condition.upper:
        tests = "False"
    else:
        left = f"{condition.lower!r} < " if math.isfinite(condition.lower) else ""
        right = f" <= {condition.upper!r}" if math.isfinite(condition.upper) else ""
        value = f"seconds({cell})" if condition.kind in MOMENTS else cell
        tests = f"{left}{value}{right}" if left or right else "True"
    if condition.missing:
        return f"missing({cell}) or {tests}"
    return f"not missing({cell}) and {tests}"


def _membership_in_python(cell: str, values: Sequence[Any]) -> str:
    """Values that Python can write down without an import as they are; others, such as dates and intervals, by their text."""
    if all(value is None or isinstance(value, (str, bytes, bool, int)) or _is_finite(value) for value in values):
        return f"{cell} in ({''.join(f'{value!r}, ' for value in values)})"
    return f"str({cell}) in ({''.join(f'{str(value)!r}, ' for value in values)})"


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _one_line(text: str) -> str:
    return " ".join(text.split())
