"""Lengths of time in words: how long a label takes to be known."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood._tables.delays import Length, delay_in_words, delay_of, length_in_words, read_length
from rarewood._tables.kinds import Moments, Numbers

UNITS = {
    1: ("s", "second", "seconds"),
    60: ("min", "minute", "minutes"),
    3600: ("h", "hour", "hours"),
    86_400: ("d", "day", "days"),
    604_800: ("w", "week", "weeks"),
}


@given(st.integers(0, 10_000), st.sampled_from([(size, word) for size in UNITS for word in UNITS[size]]), st.data())
def test_every_way_to_write_a_length(number, unit, data):
    size, word = unit
    text = data.draw(st.sampled_from([f"{number}{word}", f" {number} {word.upper()} ", f"{number}.0{word}"]))
    assert read_length(text) == Length(number * size, True)
    assert read_length(datetime.timedelta(seconds=number * size)) == Length(number * size, True)
    assert read_length(np.timedelta64(number * size, "s")) == Length(number * size, True)


@given(st.integers(0, 10**9))
def test_words_are_read_back(seconds):
    assert read_length(length_in_words(seconds)) == Length(seconds, True)


@given(st.floats(0, 1e9), st.sampled_from(["{!r}", "{:.6f}"]))
def test_numbers_have_the_unit_of_their_column(number, form):
    assert read_length(number) == Length(number, False)
    if "e" not in form.format(number):
        assert read_length(form.format(number)) == Length(float(form.format(number)), False)


@given(st.text(max_size=8) | st.none() | st.booleans() | st.floats() | st.binary(max_size=3) | st.lists(st.integers()))
def test_anything_else_is_a_clear_error(given_):
    try:
        found = read_length(given_)
    except ValueError as error:
        assert str(error).startswith("delay=")  # noqa: PT017
    else:
        assert 0 <= found.amount < math.inf


@pytest.mark.parametrize("words", ["7", "7m", "d", "7d12h", "7 d d", "7fortnights", "", "1e3d", "７d", "s", "7 ss"])
def test_what_is_no_length(words):
    if words == "7":
        assert read_length(words) == Length(7.0, False)
        return
    with pytest.raises(ValueError, match="is not understood; give a number and a unit, such as '7d'"):
        read_length(words)


@pytest.mark.parametrize(
    "wrong", ["-7d", -1, math.nan, math.inf, datetime.timedelta(-1), np.timedelta64("NaT"), "9" * 400]
)
def test_what_is_no_delay(wrong):
    with pytest.raises(ValueError, match="is not accepted; labels are known some time after the row"):
        read_length(wrong)


def test_units_belong_to_the_kind_of_the_column():
    days, numbers = Moments("date"), Numbers()
    assert delay_of("7d", days, "day") == delay_of(pd.Timedelta(days=7), days, "day") == 604_800
    assert delay_of("7", numbers, "step") == delay_of(7, numbers, "step") == 7
    assert delay_of(0, days, "day") == 0
    with pytest.raises(ValueError, match="delay='7d' has a unit, but column 'step' holds numbers; give a number"):
        delay_of("7d", numbers, "step")
    with pytest.raises(ValueError, match="delay='7' has no unit, but column 'day' holds dates or times; give a unit"):
        delay_of("7", days, "day")
    assert delay_in_words(604_800, days, "day") == "7 days"
    assert delay_in_words(129_600, days, "day") == "36 hours"
    assert delay_in_words(1, numbers, "step") == "1 unit of step"
    assert delay_in_words(0.5, numbers, "step") == "0.5 units of step"
