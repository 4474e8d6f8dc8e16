"""Dates as people write them, with the day or the month in front: a whole column decides which."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from rarewood._tables.moments import CLOCK, Moment, clock_of, full_year, moment_of, moments_in, with_zone

ORDERS = {"dmy": "day before month", "mdy": "month before day"}
_NUMERIC = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<mark>[./-])(?P<second>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d{{2}})(?:[T ,]+{CLOCK})?"
)


@dataclass(frozen=True)
class DateWriting:
    """How a column writes dates: in this order, or in a format of `strptime`.

    `example` is a cell that is written so, `in_doubt` whether day and month could also be the other way round.
    """

    order: str = ""
    format: str = ""
    example: str = field(default="", compare=False)
    in_doubt: bool = field(default=False, compare=False)

    def read(self, text: str) -> datetime.date | datetime.time:
        """The date or time that is written so; ValueError if it is not."""
        text = text.strip()
        if self.format:
            return _formatted(text, self.format)
        cell = _NUMERIC.fullmatch(text)
        if cell is None:
            raise ValueError(f"{text!r} is not a date")
        day, month = (cell["first"], cell["second"]) if self.order == "dmy" else (cell["second"], cell["first"])
        date = datetime.date(full_year(cell["year"]), int(month), int(day))
        return date if cell["clock"] is None else with_zone(date, clock_of(cell), cell["zone"])

    @property
    def in_words(self) -> str:
        """For a note."""
        return f"written as {self.format}" if self.format else ORDERS[self.order]

    def to_json(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {"order": self.order, "format": self.format}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; raises ValueError for what `to_json` does not write."""
        order, format_ = told.get("order"), told.get("format")
        if not isinstance(order, str) or not isinstance(format_, str) or bool(order) == bool(format_):
            raise ValueError("the order of dates is not valid")
        if order and order not in ORDERS:
            raise ValueError("the order of dates is not valid")
        return cls(order, format_)


def read_date_format(text: str) -> DateWriting:
    """What a user says: dmy, mdy, or a format such as %d/%m/%Y."""
    if text.lower() in ORDERS:
        return DateWriting(text.lower())
    if "%" not in text:
        raise ValueError(f"{text!r} is no format of dates; give dmy, mdy, or one such as %d/%m/%Y or '%Y%m%d %H:%M'.")
    try:
        written = datetime.datetime(2024, 1, 31, 15, 45).strftime(text)
        datetime.datetime.strptime(written, text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no format of dates: {error}.") from None
    return DateWriting(format=text)


def find_dates(
    texts: Sequence[str], told: DateWriting | None = None, order: str = ""
) -> tuple[Moment, DateWriting | None] | None:
    """What dates or times all of some texts are, and how they are written where `read_moment` does not read them.

    `told` is how a user says that dates are written; `order` is that of other columns, for those that could be either.
    """
    if told is not None:
        found = _all(texts, told)
        return None if found is None else (found, DateWriting(told.order, told.format, texts[0] if texts else ""))
    plain = moments_in(texts)
    if plain is not None:
        return plain, None
    chosen = _order(texts, order)
    if chosen is None:
        return None
    moment = _all(texts, chosen)
    return None if moment is None else (moment, chosen)


def are_dates_in_both_orders(texts: Sequence[str]) -> bool:
    """Whether all texts are dates, some with a day in front that no month is, others with such a day behind."""
    cells = [_NUMERIC.fullmatch(text) for text in texts]
    found = [cell for cell in cells if cell is not None]
    places = ("first", "second")
    return len(found) == len(cells) and all(any(int(cell[place]) > 12 for cell in found) for place in places)


def _order(texts: Sequence[str], order: str) -> DateWriting | None:
    """By a day above 12; else as in other columns, or with points day first, and month first otherwise."""
    days_first = months_first = False
    mark = example = ""
    for text in texts:
        cell = _NUMERIC.fullmatch(text)
        if cell is None or (cell["mark"] == "." and len(cell["year"]) == 2 and len(text.split(".")[0]) == 1):
            return None
        first, second, mark = int(cell["first"]), int(cell["second"]), cell["mark"]
        if first > 12 or second > 12:
            example = text
        days_first |= first > 12
        months_first |= second > 12
    if days_first and months_first:
        return None
    if days_first or months_first:
        return DateWriting("dmy" if days_first else "mdy", example=example)
    chosen = "dmy" if mark == "." else order or "mdy"
    return DateWriting(chosen, example=texts[0], in_doubt=mark != ".")


def _all(texts: Sequence[str], writing: DateWriting) -> Moment | None:
    try:
        kinds = {moment_of(writing.read(text)) for text in texts}
    except ValueError:
        return None
    if kinds == {"date", "datetime"}:
        return "datetime"
    return kinds.pop() if len(kinds) == 1 else None


def _formatted(text: str, format_: str) -> datetime.date | datetime.time:
    found = datetime.datetime.strptime(text, format_)
    has_day, has_clock = (
        any(f"%{each}" in format_ for each in letters) for letters in ("YyjdcxDFsGgUWV", "HIMSfcXsTRr")
    )
    if has_clock and not has_day:
        return found.time()
    return found if has_clock else found.date()
