"""Numbers and dates as people write them: what is written is read again, whatever the way, and the whole column decides."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood._tables.date_texts import DateWriting, find_dates, read_date_format
from rarewood._tables.kinds import Moments, Numbers, written_kind
from rarewood._tables.kinds.guessing import TextHints, guess_kind
from rarewood._tables.moments import read_moment
from rarewood._tables.number_texts import MarkHints, NumberWriting, find_writing

MARKS = [(".", ","), (",", "."), (".", "'"), (",", " "), (",", "\N{NARROW NO-BREAK SPACE}")]


def written(value, decimal, thousands, dress):
    text = f"{abs(value):,.2f}".replace(",", "_").replace(".", decimal).replace("_", thousands)
    return dress(text, value < 0)


DRESSES = {
    "minus in front": lambda text, negative: f"{'-' * negative}{text}",
    "minus behind": lambda text, negative: f"{text}{'-' * negative}",
    "brackets": lambda text, negative: f"({text})" if negative else text,
    "dollars": lambda text, negative: f"{'-' * negative}${text}",
    "euros": lambda text, negative: f"{'-' * negative}{text} €",
    "percent": lambda text, negative: f"{'-' * negative}{text} %",
    "a code": lambda text, negative: f"CHF {'-' * negative}{text}",
}


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize(("decimal", "thousands"), MARKS)
@given(values=st.lists(st.integers(-(10**9), 10**9).map(lambda cents: cents / 100), min_size=1, max_size=20))
def test_what_is_written_is_read_again(dress, decimal, thousands, values):
    texts = [written(value, decimal, thousands, DRESSES[dress]) for value in values]
    found = find_writing(texts, MarkHints())
    assert [found.number(text) for text in texts] == values
    assert NumberWriting.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("texts", "hints", "numbers"),
    [
        (["2.775", "775", "12.000"], MarkHints(), [2775, 775, 12000]),
        (["2.775", "775", "2.5"], MarkHints(), [2.775, 775, 2.5]),
        (["2.775", "1775"], MarkHints(), [2.775, 1775]),
        (["2.775", "775"], MarkHints(has_points=True), [2.775, 775]),
        (["2.775", "3.125"], MarkHints(), [2.775, 3.125]),
        (["2.775", "3.125"], MarkHints(",", is_told=True), [2775, 3125]),
        (["2.775", "775"], MarkHints(".", is_told=True), [2.775, 775]),
        (["1,234", "17"], MarkHints(), [1234, 17]),
        (["1,234", "17,5"], MarkHints(), [1.234, 17.5]),
        (["1.234.567", "3.14"], MarkHints(), None),
        (["$1", "€2"], MarkHints(), None),
        (["1.234", "2,345"], MarkHints(), None),
        (["10.0.0.1"], MarkHints(), None),
        (["(5", "6"], MarkHints(), None),
        (["12 apples"], MarkHints(), None),
    ],
)
def test_a_whole_column_decides(texts, hints, numbers):
    found = find_writing(texts, hints)
    assert (found and [found.number(text) for text in texts]) == numbers


def test_many_cells_of_three_digits_are_thousands_whatever_other_columns_say():
    texts = [f"{value:,}".replace(",", ".") for value in range(7, 90_000, 1_717)]
    assert find_writing(texts, MarkHints(has_points=True)).thousands == "."


@pytest.mark.parametrize(
    "pattern", ["%m/%d/%Y", "%d/%m/%Y", "%d.%m.%y", "%d-%m-%Y", "%d-%b-%Y", "%b %d, %Y", "%Y/%m/%d"]
)
@given(days=st.lists(st.dates(datetime.date(1970, 1, 1), datetime.date(2060, 1, 1)), min_size=1, max_size=10))
def test_dates_are_read_again(pattern, days):
    days = [*days, datetime.date(2024, 1, 31)]
    texts = [day.strftime(pattern) for day in days]
    word, writing = find_dates(texts)
    assert word == "date"
    assert [(read_moment if writing is None else writing.read)(text) for text in texts] == days


def test_dates_that_could_be_either_are_in_doubt():
    word, writing = find_dates(["01/02/2024", "03/04/2024"])
    assert (word, writing.order, writing.in_doubt) == ("date", "mdy", True)
    assert find_dates(["01/02/2024"], order="dmy")[1].order == "dmy"
    assert find_dates(["31/12/2024", "12/31/2024"]) is None
    assert find_dates(["31/02/2024"]) is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1/13/24 3:15 PM", datetime.datetime(2024, 1, 13, 15, 15)),
        ("1/13/24 12:15 am", datetime.datetime(2024, 1, 13, 0, 15)),
        ("13/1/2024 23:59:59.5", datetime.datetime(2024, 1, 13, 23, 59, 59, 500000)),
        ("5-Jan-2024 11:00 p.m.", datetime.datetime(2024, 1, 5, 23, 0)),
    ],
)
def test_times_of_twelve_hours(text, moment):
    _, writing = find_dates([text])
    assert (read_moment if writing is None else writing.read)(text) == moment


def test_formats_that_a_user_names():
    assert read_date_format("DMY") == DateWriting("dmy")
    compact = read_date_format("%Y%m%d")
    kind = guess_kind(["20240131", "20231201"], "day", TextHints(dates={"day": compact}))
    assert kind == Moments("date", compact)
    assert guess_kind(["20240131"], "other", TextHints(dates={"day": compact})) == Numbers()
    for wrong in ("ydm", "%Q", "31/12/2024"):
        with pytest.raises(ValueError, match="no format of dates"):
            read_date_format(wrong)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("number", {}),
        ("number", []),
        ("number", {"decimal": ".", "thousands": ".", "signs": []}),
        ("number", {"decimal": "x", "thousands": "", "signs": []}),
        ("number", {"decimal": ".", "thousands": "", "signs": ["a" * 5]}),
        ("number", {"decimal": ".", "thousands": "", "signs": [[]]}),
        ("date", {"order": "xyz", "format": ""}),
        ("date", {"order": "", "format": ""}),
        ("date", {"order": 1, "format": ""}),
        ("nominal", {"order": "dmy", "format": ""}),
    ],
)
def test_what_a_model_file_may_not_say(word, told):
    with pytest.raises(ValueError, match="not valid"):
        written_kind(word, told)
