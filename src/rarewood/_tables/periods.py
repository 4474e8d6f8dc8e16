"""Days in periods: weeks, months, quarters, years."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.moments import seconds_of_objects
from rarewood._validation import unmasked

Whole = NDArray[np.int64]

_UNITS = ("day", "week", "month", "quarter", "year")
_MOST = 31
_DAY = 86_400  # seconds
_FEWEST = 10  # events in an average period; shares of fewer say little


def unit_of(days: Whole, n_events: float) -> str | None:
    """The unit in which days are shown; None where all of them are in one period of each unit.

    It is the shortest in which an average period has ten events and there are no more than 31 periods, else the longest of which
    there are two.
    """
    sizes = {unit: len(np.unique(period_of(days, unit))) for unit in _UNITS}
    several = {unit: n for unit, n in sizes.items() if n > 1}
    fitting = (unit for unit, n in several.items() if n <= _MOST and n_events / n >= _FEWEST)
    return next(fitting, next(reversed(several), None))


def period_of(days: Whole, unit: str) -> Whole:
    """The number of the period that a day falls in, counted without gaps; weeks begin on Monday."""
    if unit == "day":
        return days
    if unit == "week":
        return (days + 3) // 7  # 1970-01-01 was a Thursday
    months = days.astype("M8[D]").astype("M8[M]").astype(np.int64)
    return np.asarray(months // {"month": 1, "quarter": 3, "year": 12}[unit])


def label_of(number: int, unit: str) -> str:
    """The name of a period: its day, the Monday of its week, its month, quarter or year."""
    if unit in ("day", "week"):
        return str(date_of(number if unit == "day" else 7 * number - 3))
    if unit == "month":
        return str(np.datetime64(number, "M"))
    return str(1970 + number) if unit == "year" else f"{1970 + number // 4} Q{number % 4 + 1}"


def date_of(day: int) -> np.datetime64:
    """The date of a day that is counted from 1970."""
    return np.datetime64(day, "D")


def days_of(times: Any, n_rows: int) -> NDArray[np.int64] | None:
    """The day of each row as a number, from dates or from dates with times."""
    if times is None:
        return None
    if len(times) != n_rows:
        raise ValueError(f"times has {len(times)} entries for {n_rows} rows.")
    given = np.asarray(unmasked(times))
    if given.dtype.kind == "M":
        missing, days = np.isnat(given), given.astype("M8[D]").astype(np.int64)
    elif given.dtype.kind in "OU":
        seconds = seconds_of_objects(given.tolist(), "times", lambda row: row)
        missing, days = np.isnan(seconds), np.floor(np.nan_to_num(seconds) / _DAY).astype(np.int64)
    else:
        raise TypeError(
            f"times should hold dates, or dates with times, as numpy.datetime64 or datetime; got {given.ravel()[0]!r:.60}."
        )
    if missing.any():
        raise ValueError(f"times has no value for {int(missing.sum()):,} rows; give the times of all rows, or none.")
    return np.asarray(days)
