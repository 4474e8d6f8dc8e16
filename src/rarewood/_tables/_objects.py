"""Columns of Python objects: what they hold, and numbers from them."""

from __future__ import annotations

import datetime
from numbers import Number
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import is_missing

_WORDS = (str, bytes)
_TRUTH = (bool, np.bool_)
_MOMENTS = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def type_of_objects(values: NDArray[Any]) -> Literal["number", "boolean", "text", "moment", "other"]:
    """What the cells that are not missing have in common; one word is enough to make a column text."""
    found = set(first_of_types(values))
    if any(issubclass(each, _WORDS) for each in found):
        return "text"
    if found and all(issubclass(each, _TRUTH) for each in found):
        return "boolean"
    if found and all(issubclass(each, _MOMENTS) for each in found):
        return "moment"
    return "number" if all(map(_is_number, found)) else "other"


def strange_cell(values: NDArray[Any]) -> tuple[int, Any] | None:
    """The first row whose cell is no number, and the cell; the first that has a value if all are numbers."""
    first = first_of_types(values)
    rows = [row for each, row in first.items() if not _is_number(each)] or list(first.values())
    return (min(rows), values[min(rows)]) if rows else None


def _is_number(given: type) -> bool:
    return issubclass(given, (Number, *_TRUTH)) and not issubclass(given, (complex, np.complexfloating))


def first_of_types(values: NDArray[Any]) -> dict[type, int]:
    """The types of the cells that are not missing, each with the first row that has it."""
    first: dict[type, int] = {}
    for row, value in enumerate(values):
        if type(value) not in first and not is_missing(value):
            first[type(value)] = row
    return first


def numbers_of_objects(values: NDArray[Any], name: str | int) -> NDArray[np.float64]:
    """Floats, NaN where missing; a cell that is no number, or too large for one, is an error that names it."""
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in values], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        row, why = next((row, why) for row, why in enumerate(map(_trouble, values)) if why is not None)
        error = TypeError if isinstance(why, TypeError) else ValueError
        raise error(f"Column {name!r} of X should hold numbers, but row {row} has {values[row]!r:.60}: {why}.") from why


def _trouble(value: Any) -> Exception | None:
    try:
        if not is_missing(value):
            float(value)
    except (TypeError, ValueError, OverflowError) as error:
        return error
    return None
