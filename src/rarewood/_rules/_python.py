"""Conditions as Python source text that needs nothing but the standard library.

What it is given are cells of rows in any type: of Python, NumPy, pandas, or text. It makes of a cell what reading a table makes of
it, or raises TypeError or ValueError where it cannot tell: a comparison in the type of the cell may round the bound.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from types import NoneType
from typing import Any

import numpy as np

from rarewood._rules._words import Condition
from rarewood._tables.cells import TRUTH_WORDS
from rarewood._tables.moments import MOMENTS, OF_A_DAY
from rarewood._terminal import printable

_FUNCTION = '''\
def rules_that_hold(row):
    """Whether each rule holds for a row, given as a mapping from column names to values; None and NaN are missing."""
    import datetime

    def missing(value):
        try:
            return value is None or bool(value != value)
        except TypeError:  # pandas' NA will not say
            return True
{helpers}
    return [
{rules}
    ]
'''

_HELPERS = {
    "number": """
    def number(value):
        if isinstance(value, (str, bytes)) or type(value).__name__ in ("datetime64", "timedelta64"):
            raise TypeError(f"{value!r} is not a number")
        return float(value)
""",
    "plain": """
    def plain(value):
        if type(value).__name__ in ("datetime64", "timedelta64") and isinstance(value.item(), int):
            return value.astype(value.dtype.kind + "8[us]").item()
        return value.item() if type(value).__module__ == "numpy" else value
""",
    "truth": """
    def truth(value):
        value = value.strip().lower() if isinstance(value, str) else value
        return {"false": False, "true": True, "0": False, "1": True}.get(value, value)
""",
    "point": '''
    def point(value):
        """Seconds since 1970."""
        if isinstance(value, str):
            value = datetime.datetime.fromisoformat(value)
        if type(value).__name__ == "datetime64":
            return int(value.astype("M8[us]").astype("int64")) / 1e6
        if not isinstance(value, datetime.date):
            raise TypeError(f"{value!r} is not a date; give one, or text such as 2024-01-31")
        parts = [getattr(value, name, 0) for name in ("hour", "minute", "second", "microsecond")]
        since = datetime.datetime(value.year, value.month, value.day, *parts) - datetime.datetime(1970, 1, 1)
        zone = value.utcoffset() if getattr(value, "tzinfo", None) is not None else None
        return (since - (zone or datetime.timedelta())) // datetime.timedelta(microseconds=1) / 1e6
''',
    "length": '''
    def length(value):
        """Seconds of a length of time, or since midnight."""
        if isinstance(value, str) and ":" in value:
            value = datetime.time.fromisoformat(value)
            if value.tzinfo is not None:
                raise ValueError(f"{value} has a time zone, which a time of day cannot have")
        if type(value).__name__ == "timedelta64":
            return int(value.astype("m8[us]").astype("int64")) / 1e6
        if isinstance(value, datetime.time):
            return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
        if not isinstance(value, datetime.timedelta):
            raise TypeError(f"{value!r} is not a time or a length of time; give one, or text such as 23:59:59")
        whole = datetime.timedelta(value.days, value.seconds, value.microseconds)  # pandas has nanoseconds besides
        return whole // datetime.timedelta(microseconds=1) / 1e6
''',
}


def rules_in_python(rules: Sequence[tuple[str, Sequence[Condition]]]) -> str:
    """The source of a function, from rules in words and their conditions."""
    lines = []
    for words, rule in rules:
        tests = " and ".join(f"({_in_python(condition)})" for condition in rule) or "True"
        lines.append(f"        bool({tests}),  # {_one_line(words)}")
    body = "\n".join(lines)
    helpers = "".join(text for name, text in _HELPERS.items() if f"{name}(row[" in body)
    return _FUNCTION.format(rules=body, helpers=helpers)


def _in_python(condition: Condition) -> str:
    cell = f"row[{condition.column!r}]"
    if condition.categories is not None:
        tests = _membership(cell, [_plain(value) for value in condition.categories])
    elif not condition.lower < condition.upper:
        tests = "False"
    else:
        left = f"{condition.lower!r} < " if math.isfinite(condition.lower) else ""
        right = f" <= {condition.upper!r}" if math.isfinite(condition.upper) else ""
        tests = f"{left}{_reader(condition.kind)}({cell}){right}" if left or right else "True"
    if condition.missing:
        return f"missing({cell}) or {tests}"
    return f"not missing({cell}) and {tests}"


def _reader(kind: str) -> str:
    """What makes a number of a cell."""
    if kind not in MOMENTS:
        return "number"
    return "length" if kind in OF_A_DAY else "point"


def _membership(cell: str, values: Sequence[Any]) -> str:
    """Whether a cell is one of some categories: by value where Python can write it down, by text where it has to be, as files have it."""
    if {str(value) for value in values} <= set(TRUTH_WORDS):
        truths = [f"{str(value) == 'True'!r}" for value in values]
        return f"truth({cell}) in {_tuple(truths)}"
    known = [text for text in map(_literal, values) if text is not None]
    texts = [repr(str(value)) for value in values if _has_no_word(value)]
    tests = [f"plain({cell}) in {_tuple(known)}"] if known else []
    tests += [f"str({cell}) in {_tuple(texts)}"] if texts else []
    return f"({' or '.join(tests)})" if len(tests) > 1 else "".join(tests) or "False"


def _tuple(texts: Sequence[str]) -> str:
    return f"({''.join(f'{text}, ' for text in texts)})"


def _has_no_word(value: Any) -> bool:
    """Whether files have but a text for it."""
    return not (value is None or isinstance(value, (str, bytes, bool, int, float)))


def _literal(value: Any) -> str | None:
    """A value as source text; None if Python needs more than its standard library for it."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, (bool, bytes, NoneType)):
        return repr(value)
    if isinstance(value, (int, float)):
        return repr(int(value) if isinstance(value, int) else float(value))  # an enumeration is shown by its names
    if isinstance(value, str):
        return repr(str.__str__(value))
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        return None
    if isinstance(value, datetime.datetime):
        clock = value.hour, value.minute, value.second, value.microsecond
        point = datetime.datetime(value.year, value.month, value.day, *clock)
        if value.tzinfo is None:
            return repr(point)
        return repr((point - (value.utcoffset() or datetime.timedelta())).replace(tzinfo=datetime.UTC))
    if isinstance(value, datetime.timedelta):
        return repr(datetime.timedelta(value.days, value.seconds, value.microseconds))
    return repr(value) if type(value) in (datetime.date, datetime.time) else None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))
