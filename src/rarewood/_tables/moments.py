"""Dates and times as numbers: seconds since 1970 (UTC), since midnight, or of a duration."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._factors import is_missing
from rarewood._wording import number_in_words

Moment = Literal["date", "datetime", "datetime_utc", "time", "duration"]
"""What a column holds: days, points in time without or with a time zone (kept as UTC), times of day, lengths of time."""

MOMENTS: tuple[Moment, ...] = get_args(Moment)
DAY = 86_400

_DAY = r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})|(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"
_CLOCK = r"(?P<clock>\d{1,2}:\d{2}(:\d{2}(\.\d{1,9})?)?)"
_POINT = re.compile(rf"(?:{_DAY})(?:[T ]{_CLOCK} ?(?P<zone>Z|UTC|[+-]\d{{2}}:?\d{{2}})?)?")
_TIME = re.compile(_CLOCK)


def moment_of(value: Any) -> Moment:
    """What a single value is."""
    if isinstance(value, datetime.datetime):
        return "datetime" if value.tzinfo is None else "datetime_utc"
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        return "duration"
    if isinstance(value, datetime.time):
        return "time"
    return "date" if isinstance(value, datetime.date) else "datetime"


def are_days(seconds: NDArray[np.float64]) -> bool:
    """Whether all points in time are midnights: pandas has no type for days."""
    return not bool((seconds[~np.isnan(seconds)] % DAY).any())


def seconds_of_objects(
    values: Iterable[Any], name: str | int, row_of: Callable[[int], int] = int
) -> NDArray[np.float64]:
    """Dates, times and text that reads like them, as seconds; NaN where missing. `row_of` a place is what errors call it."""
    found: list[float] = []
    for place, value in enumerate(values):
        try:
            found.append(math.nan if is_missing(value) else seconds_of(value))
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"Column {name!r} should hold dates or times, but row {row_of(place)} has {value!r:.60}; write dates as 2024-01-31, "
                "times as 23:59:59."
            ) from None
    return np.array(found, dtype=np.float64)


def seconds_of(value: Any) -> float:
    """One date, time or duration, or a text of one."""
    if isinstance(value, str):
        return seconds_of(read_moment(value))
    if isinstance(value, np.datetime64):
        return float(value.astype("M8[us]").astype(np.int64) / 1e6)
    if isinstance(value, np.timedelta64):
        return float(value.astype("m8[us]").astype(np.int64) / 1e6)
    if isinstance(value, datetime.timedelta):
        return value / datetime.timedelta(seconds=1)
    if isinstance(value, datetime.time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    if isinstance(value, datetime.datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=datetime.UTC)
        return (aware - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) / datetime.timedelta(seconds=1)
    if isinstance(value, datetime.date):
        return float((value.toordinal() - datetime.date(1970, 1, 1).toordinal()) * DAY)
    raise TypeError(f"{value!r} is not a date")


def moments_like(cells: Iterable[Any], seconds: Iterable[float]) -> list[Any]:
    """The inverse of `seconds_of`, in the type of some cells; seconds themselves where these are no dates or times."""
    example = next((cell for cell in cells if not is_missing(cell)), None)
    return [_moment_like(example, each) for each in seconds]


def _moment_like(example: Any, seconds: float) -> Any:
    ticks = datetime.timedelta(microseconds=round(seconds * 1e6))
    if isinstance(example, datetime.datetime):
        point = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + ticks
        return point.replace(tzinfo=None) if example.tzinfo is None else point.astimezone(example.tzinfo)
    if isinstance(example, datetime.timedelta):
        return ticks
    if isinstance(example, datetime.time):
        return (datetime.datetime(1970, 1, 1) + ticks).time()
    if isinstance(example, datetime.date):
        return datetime.date(1970, 1, 1) + ticks
    return seconds


def read_moment(text: str) -> datetime.date | datetime.time:
    """``2024-01-31``, ``31.1.2024``, either with a time of day and a zone behind, or a time of day alone."""
    text = text.strip()
    if _TIME.fullmatch(text):
        return datetime.time.fromisoformat(_padded(text))
    match = _POINT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a date or time")
    parts = (match["year"], match["month"], match["day"]) if match["year"] else (match["y"], match["m"], match["d"])
    day = datetime.date(*map(int, parts))
    if match["clock"] is None:
        return day
    zone = {None: "", "UTC": "+00:00", "Z": "+00:00"}.get(match["zone"], match["zone"])
    return datetime.datetime.fromisoformat(f"{day.isoformat()}T{_padded(match['clock'])}{zone}")


def _padded(clock: str) -> str:
    """Hours of two digits, and no more than microseconds."""
    clock = clock if clock[1] != ":" else f"0{clock}"
    return clock[:15]


def moments_in(texts: Sequence[str]) -> Moment | None:
    """What all of some texts are, None if they are not all of one kind."""
    kinds: set[Moment] = set()
    for text in texts:
        if not text[:1].isdigit():
            return None
        try:
            kinds.add(moment_of(read_moment(text)))
        except ValueError:
            return None
    if kinds == {"date", "datetime"}:
        return "datetime"
    return kinds.pop() if len(kinds) == 1 else None


def moment_in_words(moment: Moment, seconds: float, decimals: int) -> str:
    """Seconds as a date or time. Days are rounded down, which leaves conditions on whole days true as they are."""
    if not math.isfinite(seconds):
        return number_in_words(seconds, decimals)
    if moment == "date":
        return str(np.datetime64(math.floor(seconds / DAY), "D"))
    whole = math.floor(seconds)
    rest = number_in_words(seconds - whole, min(decimals, 6))
    rest = rest[1:] if rest.startswith("0.") else ""
    if moment == "time":
        return f"{_clock(whole)}{rest}"
    if moment == "duration":
        sign, whole = ("-", -whole) if whole < 0 and not rest else ("", whole)
        days, clock = divmod(whole, DAY)
        return f"{sign}{f'{days} days ' if days else ''}{_clock(clock)}{rest}"
    text = str(np.datetime64(whole, "s")).replace("T", " ")
    return f"{text}{rest}{' UTC' if moment == 'datetime_utc' else ''}"


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
