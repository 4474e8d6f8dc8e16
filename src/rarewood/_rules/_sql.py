"""Conditions in SQL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rarewood._rules._words import Condition
from rarewood._tables.moments import DAY, MOMENTS, moment_in_words

DIALECTS = (None, "sqlite")
_EXACT_DIGITS = 15
_YEAR_1, _YEAR_10000 = -62_135_596_800, 253_402_300_800  # in seconds; texts of years outside have another order
_TICKS = {"date": DAY, "datetime": 1e-6, "datetime_utc": 1e-6}
_FLOAT64_INTEGERS, _INTEGERS = 2**53, 2**63  # up to where every whole number is a float64, and an integer of databases


def rule_in_sql(conditions: Sequence[Condition], dialect: str | None = None) -> str:
    """A boolean expression; where it is NULL the rule does not hold."""
    if dialect not in DIALECTS:
        raise ValueError(f"dialect={dialect!r} is not accepted; give None or 'sqlite'.")
    return " AND ".join(_in_sql(condition, dialect) for condition in conditions) or "1 = 1"


def select_in_sql(rules: Sequence[Sequence[Condition]], table: str | Sequence[str], dialect: str | None = None) -> str:
    """A query for all columns of a table and one more per rule, 1 where it holds and 0 elsewhere."""
    columns = [
        f"CASE WHEN {rule_in_sql(rule, dialect)} THEN 1 ELSE 0 END AS rule_{number}"
        for number, rule in enumerate(rules, 1)
    ]
    return "SELECT " + ",\n    ".join(["*", *columns]) + f"\nFROM {_table_in_sql(table)}"


def _table_in_sql(table: str | Sequence[str]) -> str:
    """Each part in quotes of its own: a point within a name is part of the name."""
    parts = [table] if isinstance(table, str) else table
    if not isinstance(parts, (list, tuple)) or not parts or not all(isinstance(part, str) and part for part in parts):
        raise ValueError(
            f"table={table!r} is not accepted; give the name of a table, or its schema and its name, such as ('sales', 'orders')."
        )
    return ".".join(map(_name_in_sql, parts))


def _in_sql(condition: Condition, dialect: str | None) -> str:
    name = _name_in_sql(condition.column)
    if condition.categories is not None:
        listed = ", ".join(_value_in_sql(value, condition.column) for value in condition.categories)
        tests = [f"{name} IN ({listed})"] if listed else []
    else:
        bounds = {">": condition.lower, "<=": condition.upper}
        tests = [
            f"{_cell_in_sql(name, bound, condition, dialect)} {_than_in_sql(sign, bound, condition)}"
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


def _cell_in_sql(name: str, bound: float, condition: Condition, dialect: str | None) -> str:
    """A cell as it can be compared with a bound."""
    if dialect == "sqlite" and condition.kind == "datetime_utc":
        return _utc_in_sqlite(name)
    if dialect == "sqlite" and condition.kind == "duration":
        raise ValueError(
            f"SQLite has no type for the lengths of time in column {condition.column!r}; give it as a number of seconds, and fit again."
        )
    if condition.kind not in MOMENTS and abs(bound) >= _FLOAT64_INTEGERS:
        # Beyond, a model sees whole numbers rounded. Some databases would round them as well, others compare them exactly.
        return f"CAST({name} AS DOUBLE PRECISION)"
    return name


def _than_in_sql(sign: str, bound: float, condition: Condition) -> str:
    """A comparison with a bound, which for dates and times is text that databases compare with types of their own.

    Where they are text themselves, as in SQLite, a day may be written with a midnight behind it and a second with zeros: so each
    is compared with the first value above the bound, which begins like all its spellings and comes before them.
    """
    kind = condition.kind
    if kind not in MOMENTS:
        return f"{sign} {_number_in_sql(bound, condition.column)}"
    if kind in _TICKS and bound + _TICKS[kind] < _YEAR_1:
        raise ValueError(f"SQL cannot write the years before 1 that a rule asks for in column {condition.column!r}.")
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
    return '"' + _writable(name).replace('"', '""') + '"'


def _value_in_sql(value: Any, column: str) -> str:
    """A category."""
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _number_in_sql(float(value), column)
    if isinstance(value, bytes):
        raise ValueError(
            f"Databases write bytes each in its own way: make text of column {column!r}, which has {value!r:.60}, and fit again."
        )
    return "'" + _writable(str(value)).replace("'", "''") + "'"


def _number_in_sql(number: float, column: str) -> str:
    """A number that databases read as this one, and compare as float64 with columns of any type of numbers.

    A decimal point may mean a type of fixed precision, and both this and an integer are rounded where they meet a float32; an
    exponent makes a float64 of them. So it is left out only where a float32 is the same number.
    """
    if not math.isfinite(number):
        raise ValueError(
            f"SQL has no word for the number {number} in column {column!r}; leave its cells empty, and fit again."
        )
    is_whole = number.is_integer() and abs(number) < _INTEGERS
    text = str(int(number)) if is_whole else repr(number)
    if "e" in text or (is_whole and abs(number) >= _FLOAT64_INTEGERS):
        return text
    is_plain = len(text.strip("-0.")) <= _EXACT_DIGITS and float(np.float32(number)) == number
    return text if is_plain else f"{text}e0"


def _writable(text: str) -> str:
    """The text, if databases can hold it."""
    if "\0" in text:
        raise ValueError(
            f"SQL cannot hold the character NUL of {text!r}; rename the table, the column or the category."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"SQL cannot hold the half of a character in {text!r}; rename the table, the column or the category."
        ) from None
    return text
