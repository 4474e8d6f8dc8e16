"""How long after the moment of a row its label is known: a length of time, or a number in the unit of a numeric column."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarewood._tables.kinds import Kind
from rarewood._tables.moments import DAY, seconds_of
from rarewood._wording import number_in_words

_SECONDS = {"week": 7 * DAY, "day": DAY, "hour": 3600, "minute": 60, "second": 1}
_SHORT = {"w": "week", "d": "day", "h": "hour", "min": "minute", "s": "second"}
_LENGTH = re.compile(r"(?P<number>[+-]?[0-9]+(?:\.[0-9]+)?) ?(?P<unit>[a-z]*)")
_EXAMPLES = "such as '7d', '36h', '2w' or '15min'"


@dataclass(frozen=True)
class Length:
    """A length of time in seconds, or, without a unit, a number that only a column of numbers gives a meaning."""

    amount: float
    has_unit: bool


def read_length(given: Any) -> Length:
    """``"7d"``, ``"36 hours"``, a timedelta, or a number, also as text; never negative."""
    try:
        length = _read(given)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"delay={_shown(given)} is not understood; give a number and a unit, {_EXAMPLES}, or a number alone if the column "
            "of time holds numbers."
        ) from None
    if not 0.0 <= length.amount < math.inf:
        raise ValueError(
            f"delay={_shown(given)} is not accepted; labels are known some time after the row, or at once."
        )
    return length


def delay_of(given: Any, kind: Kind, name: str) -> float:
    """A delay in the unit in which a column of time is read: its own for numbers, seconds for dates and times."""
    length = read_length(given)
    of_numbers = kind.word == "number"
    if length.has_unit and of_numbers:
        raise ValueError(
            f"delay={_shown(given)} has a unit, but column {name!r} holds numbers; give a number in the unit of that column."
        )
    if not length.has_unit and not of_numbers and length.amount:
        raise ValueError(
            f"delay={_shown(given)} has no unit, but column {name!r} holds dates or times; give a unit, {_EXAMPLES}."
        )
    return length.amount


def delay_in_words(amount: float, kind: Kind, name: str) -> str:
    """``7 days``, or ``7 units of step`` for a column of numbers."""
    if kind.word == "number":
        return f"{_counted(amount, 'unit')} of {name}"
    return length_in_words(amount)


def length_in_words(seconds: float) -> str:
    """In the longest unit, up to days, of which the length is a whole number."""
    of = (unit for unit in ("day", "hour", "minute") if seconds and seconds % _SECONDS[unit] == 0)
    unit = next(of, "second")
    return _counted(seconds / _SECONDS[unit], unit)


def _read(given: Any) -> Length:
    if isinstance(given, (datetime.timedelta, np.timedelta64)):
        return Length(seconds_of(given) if not np.isnat(np.timedelta64(given)) else math.nan, True)
    if isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(given, bool):
        return Length(float(given), False)
    match = _LENGTH.fullmatch(given.strip().lower()) if isinstance(given, str) else None
    if match is None:
        raise TypeError
    number, unit = float(match["number"]), match["unit"]
    if not unit:
        return Length(number, False)
    return Length(number * _SECONDS[_unit(unit)], True)


def _unit(word: str) -> str:
    known = _SHORT.get(word, word.removesuffix("s"))
    if known not in _SECONDS:
        raise ValueError
    return known


def _counted(number: float, noun: str) -> str:
    return f"{number_in_words(number, 6)} {noun}{'' if number == 1 else 's'}"


def _shown(given: Any) -> str:
    return f"{given!r:.60}"
