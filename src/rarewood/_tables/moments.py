"""Dates and times as numbers: seconds since 1970 (UTC), since midnight, or of a duration."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import is_missing
from rarewood._wording import number_in_words

Moment = Literal["date", "datetime", "datetime_utc", "time", "duration"]
"""What a column holds: days, points in time without or with a time zone (kept as UTC), times of day, lengths of time."""

MOMENTS: tuple[Moment, ...] = get_args(Moment)
OF_A_DAY: tuple[Moment, ...] = ("time", "duration")
"""Those that count from midnight or from nothing; the others are points in time, since 1970."""

DAY = 86_400
_FEWEST_DAYS = 10  # different ones, before numbers are called days
_OWN_CENTURY = 69  # two digits of a year from here on are of the twentieth century

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = (
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})|(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"
    rf"|(?P<dd>\d{{1,2}})[- ](?P<name>{_MONTH})[- ](?P<yy>\d{{4}}|\d{{2}})"
    rf"|(?P<name2>{_MONTH})[- ](?P<dd2>\d{{1,2}}),? (?P<yy2>\d{{4}})"
)
CLOCK = (
    r"(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?P<half>[AaPp]\.?[Mm]\.?)? ?(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?"
)
"""A time of day, of twelve or twenty-four hours, with a time zone or without."""

_POINT = re.compile(rf"(?:{_DAY})(?:(?:[T ]|, ?){CLOCK})?", re.IGNORECASE)
_TIME = re.compile(r"(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?: ?(?P<half>[AaPp]\.?[Mm]\.?))?")


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


def are_written_days(numbers: NDArray[np.floating]) -> bool:
    """Whether numbers are days of this century or the last, written as 20240131."""
    different = np.unique(numbers[~np.isnan(numbers)])
    if len(different) < _FEWEST_DAYS or different[0] < 19_000_101 or different[-1] > 20_991_231:
        return False
    try:
        days = {datetime.datetime.strptime(f"{number:.0f}", "%Y%m%d") for number in different.tolist()}
    except ValueError:
        return False
    return len(days) == len(different)


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
    if not isinstance(example, (datetime.date, datetime.time, datetime.timedelta)):
        return seconds
    ticks = datetime.timedelta(microseconds=round(seconds * 1e6))
    if isinstance(example, datetime.datetime):
        point = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + ticks
        return point.replace(tzinfo=None) if example.tzinfo is None else point.astimezone(example.tzinfo)
    if isinstance(example, datetime.timedelta):
        return ticks
    if isinstance(example, datetime.time):
        return (datetime.datetime(1970, 1, 1) + ticks).time()
    return datetime.date(1970, 1, 1) + ticks


def read_moment(text: str) -> datetime.date | datetime.time:
    """``2024-01-31``, ``31.1.2024``, ``31-Jan-2024``, each with a time of day and a zone behind, or a time of day alone."""
    text = text.strip()
    time = _TIME.fullmatch(text)
    if time is not None:
        return datetime.time.fromisoformat(clock_of(time))
    match = _POINT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a date or time")
    day = _day_of(match)
    return day if match["clock"] is None else with_zone(day, clock_of(match), match["zone"])


def _day_of(match: re.Match[str]) -> datetime.date:
    if match["year"]:
        return datetime.date(*(int(match[name]) for name in ("year", "month", "day")))
    if match["y"]:
        return datetime.date(*(int(match[name]) for name in ("y", "m", "d")))
    name, day, year = (
        match[first] or match[second] for first, second in (("name", "name2"), ("dd", "dd2"), ("yy", "yy2"))
    )
    return datetime.date(full_year(year), _MONTHS.index(name[:3].lower()) + 1, int(day))


def full_year(digits: str) -> int:
    """Four digits, or two as POSIX has them: 69 is 1969, 68 is 2068."""
    year = int(digits)
    return year if len(digits) == 4 else year + (1900 if year >= _OWN_CENTURY else 2000)


def with_zone(day: datetime.date, clock: str, zone: str | None) -> datetime.datetime:
    """A point in time of its parts."""
    zone = {None: "", "UTC": "+00:00", "Z": "+00:00"}.get(zone.upper() if zone else None, zone)
    return datetime.datetime.fromisoformat(f"{day.isoformat()}T{clock}{zone}")


def clock_of(match: re.Match[str]) -> str:
    """The time of day of a match of `CLOCK`: hours of two digits up to 23, and no more than microseconds."""
    hours, rest = match["clock"].split(":", 1)
    if match["half"] is None:
        return f"{int(hours):02d}:{rest}"[:15]
    if not 1 <= int(hours) <= 12:
        raise ValueError(f"{match['clock']!r} is not a time of twelve hours")
    return f"{int(hours) % 12 + 12 * (match['half'][0] in 'pP'):02d}:{rest}"[:15]


def moments_in(texts: Sequence[str]) -> Moment | None:
    """What all of some texts are, None if they are not all of one kind."""
    kinds: set[Moment] = set()
    for text in texts:
        if not (text[:1].isdigit() or text[:3].lower() in _MONTHS):
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
