"""What reviewing N rows a day catches, against going through the days one by one."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood._tables.periods import days_of
from rarewood.report._arguments import check_review
from rarewood.report._scores import ScoredRows
from rarewood.report._sections.review import review
from support.subjects import subject_of


def slow_review(rows, days, n):
    """Rows reviewed and rare rows caught; of those that tie at the border, the rare ones count in proportion."""
    reviewed, caught = 0, 0.0
    for day in set(days.tolist()):
        of_day = [(score, rare) for score, rare, other in zip(rows.scores, rows.is_rare, days) if other == day]
        left = min(n, len(of_day))
        reviewed += left
        for score in sorted({score for score, _ in of_day}, reverse=True):
            tied = [rare for other, rare in of_day if other == score]
            taken = min(left, len(tied))
            caught += taken * sum(tied) / len(tied)
            left -= taken
    return reviewed, caught


@st.composite
def rows_of_days(draw):
    n = draw(st.integers(2, 40))
    scores = np.array(draw(st.lists(st.sampled_from([0.1, 0.2, 0.5, 0.9]), min_size=n, max_size=n)))
    days = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    n_rare = draw(st.integers(1, n - 1))
    return ScoredRows(scores, np.random.default_rng(draw(st.integers(0, 9))).permutation(n) < n_rare), days


@given(rows_of_days(), st.lists(st.integers(1, 50), min_size=1, max_size=4))
def test_it_is_what_going_through_the_days_gives(case, numbers):
    rows, days = case
    found = review(subject_of(rows, days=days, review=numbers))
    assert [each["n"] for each in found["listed"]] == sorted(set(numbers))
    assert found["n_days"] == len(set(days.tolist()))
    for each in found["listed"]:
        reviewed, caught = slow_review(rows, days, each["n"])
        assert each["reviewed"] == reviewed
        assert each["caught"] == pytest.approx(caught)
        assert each["missed"] == pytest.approx(rows.n_rare - caught)
        assert each["precision"] == pytest.approx(caught / reviewed)
        assert each["recall"] == pytest.approx(caught / rows.n_rare)
        assert each["recall_interval"][0] <= each["recall"] <= each["recall_interval"][1]
    curve = found["curve"]
    for n, reviewed, caught in zip(curve["n"], curve["reviewed"], curve["caught"], strict=True):
        assert (reviewed, caught) == pytest.approx(slow_review(rows, days, n), abs=1e-5)


def test_all_rows_catch_all_of_the_rare_ones():
    days = np.repeat([0, 1, 2], [15, 14, 6])
    rows = ScoredRows(np.full(35, 0.1), ~np.isin(np.arange(35), [4, 15, 18, 22, 32]))
    (found,) = review(subject_of(rows, days=days, review=[15]))["listed"]  # shares of 14/15, 11/14 and 5/6 a row
    assert (found["caught"], found["missed"], found["recall"], found["recall_interval"][1]) == (30.0, 0.0, 1.0, 1.0)


def test_without_days_the_table_is_one_day():
    rng = np.random.default_rng(0)
    rows = ScoredRows(rng.random(300), rng.random(300) < 0.1)
    found = review(subject_of(rows, review=[10]))
    best = np.argsort(-rows.scores)[:10]
    assert found["n_days"] is None
    assert found["listed"][0]["caught"] == rows.is_rare[best].sum()


@pytest.mark.parametrize(("n", "share"), [(50, 0.5), (1000, 0.002), (100_000, 0.02)])
def test_numbers_that_nobody_chose_fit_the_table(n, share):
    rng = np.random.default_rng(0)
    is_rare = np.arange(n) < max(1, n * share)
    listed = review(subject_of(ScoredRows(rng.random(n), is_rare)))["listed"]
    numbers = [each["n"] for each in listed]
    assert 1 <= len(numbers) <= 7
    assert numbers[0] <= is_rare.sum()
    assert numbers[-1] <= n


def test_days_are_read_from_whatever_holds_dates():
    wanted = [19905, 19905, 19906]
    text = ["2024-07-01 00:00:00", "2024-07-01 23:59:59", "2024-07-02 00:00:00"]
    moments = np.array(text, dtype="M8[s]")
    for times in (moments, text, [datetime.datetime.fromisoformat(each) for each in text], moments.astype("M8[ns]")):
        assert days_of(times, 3).tolist() == wanted
    assert days_of([datetime.date(1969, 12, 31)], 1).tolist() == [-1]
    assert days_of(None, 3) is None


@pytest.mark.parametrize(
    ("times", "error", "message"),
    [
        ([1.0, 2.0], TypeError, "times should hold dates"),
        (["soon", "later"], ValueError, "should hold dates or times"),
        (np.array(["2024-07-01", "NaT"], dtype="M8[D]"), ValueError, "times has no value for 1 rows"),
        (["2024-07-01"], ValueError, "1 entries for 2 rows"),
    ],
)
def test_times_that_are_none_are_refused(times, error, message):
    with pytest.raises(error, match=message):
        days_of(times, 2)


@pytest.mark.parametrize("numbers", [0, [0], [-1], [], ["many"], [1.5]])
def test_numbers_that_make_no_sense_are_refused(numbers):
    with pytest.raises((TypeError, ValueError), match="review"):
        check_review(numbers)
