"""Categories that JSON has no word for: as texts that model files keep, and back.

This is the one list of what a category may be so that a model can be saved; `fit` warns of others.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np

from rarewood._warnings import warn

PLAIN = (bool, int, float, str)
"""What JSON has words for."""

_LONGEST = 1000  # characters: numbers of millions of digits take minutes
_LARGE = 2**63  # whole numbers from here on
_MICROSECOND = datetime.timedelta(microseconds=1)


@dataclass(frozen=True)
class _Kept:
    """A type of values, and how one is written and read."""

    of: type
    write: Callable[[Any], str]
    read: Callable[[str], Any]


_TYPES = {
    "bytes": _Kept(bytes, bytes.hex, bytes.fromhex),
    "decimal": _Kept(Decimal, str, Decimal),
    "fraction": _Kept(Fraction, str, Fraction),
    "datetime": _Kept(datetime.datetime, lambda value: value.isoformat(), datetime.datetime.fromisoformat),
    "date": _Kept(datetime.date, lambda value: value.isoformat(), datetime.date.fromisoformat),
    "time": _Kept(datetime.time, lambda value: value.isoformat(), datetime.time.fromisoformat),
    "integer": _Kept(int, str, int),  # beyond what JSON has words for
    "duration": _Kept(
        datetime.timedelta, lambda value: str(value // _MICROSECOND), lambda text: int(text) * _MICROSECOND
    ),
    "uuid": _Kept(UUID, str, UUID),
}

TAGS = frozenset(_TYPES)
"""What files call these types."""


def written(value: Any) -> tuple[str, str] | None:
    """The name of a value's type and its text, from which an equal value can be read; None if there is no such."""
    for tag, kept in _TYPES.items():
        if isinstance(value, kept.of):
            text = kept.write(value)
            try:
                return (
                    (tag, text) if _are_one(read_value(tag, text), value) else None
                )  # pandas has parts of microseconds
            except ValueError:
                return None
    return None


def read_value(tag: str, text: object) -> Any:
    """The inverse of `written`; ValueError for a text that makes no sense."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise ValueError("it is no text of at most 1,000 characters")
    try:
        value = _TYPES[tag].read(text)
    except (ArithmeticError, TypeError) as error:
        raise ValueError(str(error)) from error
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError("it is no value")
    return value


def is_plain(value: Any) -> bool:
    """Whether JSON has a word for a value."""
    return value is None or (isinstance(value, PLAIN) and not (isinstance(value, int) and abs(value) >= _LARGE))


def plain_value(value: Any) -> Any:
    """A NumPy scalar as the Python value that equals it; another value, and one that has no such, as it is."""
    if not isinstance(value, np.generic):
        return value
    plain = value.item()
    return plain if _are_one(plain, value) else value


def pandas_parts(value: Any) -> tuple[str, tuple[Any, ...]] | None:
    """Of an interval of pandas its ends, and which of them belong to it; of a period its begin and length; None for anything else."""
    kind = type(value)
    if kind.__module__.partition(".")[0] != "pandas":
        return None
    if kind.__name__ == "Interval":
        return "interval", (value.left, value.right, value.closed)
    return ("period", (str(value), value.freqstr)) if kind.__name__ == "Period" else None


def is_kept(value: Any) -> bool:
    """Whether a model file keeps a value."""
    value = plain_value(value)
    if is_plain(value):
        return True
    if type(value) is tuple:
        return all(map(is_kept, value))
    of_pandas = pandas_parts(value)
    return all(map(is_kept, of_pandas[1])) if of_pandas is not None else written(value) is not None


def warn_of_lost(levels: Iterable[Any], name: str | int) -> None:
    """Say at once that a model cannot be saved because of its categories."""
    lost = next((level for level in levels if not is_kept(level)), None)
    if lost is not None:
        warn(
            f"Column {name!r} has the category {lost!r:.60} of type {type(lost).__name__}, which no model file can hold, so the model "
            "cannot be saved. Convert the column, for example with astype(str)."
        )


def _are_one(first: Any, second: Any) -> bool:
    """Whether two values are the same category."""
    return bool(first == second) and hash(first) == hash(second)
