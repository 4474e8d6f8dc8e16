"""Folds that chance must not draw: by time, by group."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from rarewood import TreeClassifier
from rarewood.evaluation import compare, time_split
from rarewood.evaluation._data import read_datasets
from rarewood.evaluation._protocol import Protocol
from rarewood.evaluation.divisions import Division
from rarewood.exceptions import RarewoodWarning

METHODS = {"tree": TreeClassifier(), "stump": TreeClassifier(max_depth=1)}


@pytest.fixture
def table():
    """Two hundred payments of forty customers on a hundred days; what a customer does, they do again."""
    rng = np.random.default_rng(0)
    customer = rng.integers(40, size=200)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(100, size=200), unit="D")
    y = np.where(customer % 5 == 0, "rare", "common")
    frame = pd.DataFrame({"day": day, "amount": rng.normal(size=200), "tail": customer * 1.0, "customer": customer})
    return frame, y


def reference_periods(times, n_periods):
    """The slow, obvious way: a row belongs to the part in which the middle of all rows of its moment lies."""
    order = sorted(range(len(times)), key=lambda row: times[row])
    parts = {}
    for row in range(len(times)):
        places = [place for place, other in enumerate(order) if times[other] == times[row]]
        middle = (places[0] + places[-1] + 1) / 2
        parts[row] = int(middle * (n_periods + 1) / len(times))
    return [
        ([row for row in range(len(times)) if parts[row] < k], [row for row in range(len(times)) if parts[row] == k])
        for k in range(1, n_periods + 1)
    ]


@pytest.mark.parametrize("n_values", [8, 30, 1000])
def test_periods_against_the_obvious_way(n_values):
    times = np.random.default_rng(n_values).integers(n_values, size=90).astype(float)
    found = Division.read(times, None).periods(4)
    assert [(train.tolist(), test.tolist()) for train, test in found] == reference_periods(times.tolist(), 4)
    for train, test in found:
        assert times[train].max() < times[test].min()


def test_the_last_part_is_later_and_large_enough():
    times = np.array([5.0, 1, 1, 2, 9, 9, 9, 3])
    train, test = Division.read(times, None).last_part(0.25)
    assert times[test].tolist() == [9, 9, 9]
    assert times[train].max() < 9
    train, test = Division.read([1, 1, 1, 1, 1, 1, 2], None).last_part(
        0.5
    )  # half of the rows is more than the last moment has
    assert (train.tolist(), test.tolist()) == ([0, 1, 2, 3, 4, 5], [6])
    with pytest.raises(ValueError, match="leaves no earlier rows to train on"):
        Division.read([1, 1, 1], None).last_part()


def reference_split(times, delay, share, groups):
    """The slow, obvious way: what is known of each row, one after the other; None where no row is left to train on."""
    known = [row for row, time in enumerate(times) if time + delay <= max(times)]
    if not known:
        return None
    order = sorted(times[row] for row in known)
    begin = order[int(len(order) * (1 - share))]
    if begin == order[0]:
        begin = min((time for time in order if time > begin), default=begin)
    sides = {"train": [], "later": [], "gap": [], "unknown": [], "same_groups": []}
    tested = {groups[row] for row in known if times[row] >= begin}
    for row, time in enumerate(times):
        if row not in known:
            sides["unknown"].append(row)
        elif time >= begin:
            sides["later"].append(row)
        elif time + delay > begin:
            sides["gap"].append(row)
        else:
            sides["same_groups" if groups[row] in tested else "train"].append(row)
    return sides if sides["train"] else None


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 12)), min_size=1, max_size=40),
    st.integers(0, 12),
    st.sampled_from([0.1, 0.25, 0.5, 0.9]),
    st.booleans(),
)
def test_time_split_against_the_obvious_way(rows, delay, share, with_groups):
    times, groups = [time for time, _ in rows], [group for _, group in rows]
    expected = reference_split(times, delay, share, groups if with_groups else list(range(len(rows))))
    asked = {"delay": delay, "test_size": share, "groups": groups if with_groups else None}
    if expected is None:
        with pytest.raises(ValueError, match=r"no label would be known yet|leaves no earlier rows to train on"):
            time_split(times, **asked)
        return
    found = time_split(times, **asked)
    assert {side: getattr(found, side).tolist() for side in expected} == expected
    assert sorted(row for side in expected.values() for row in side) == list(range(len(rows)))


@pytest.mark.parametrize("delay", [0, 3, 9])
def test_periods_learn_from_known_labels_only(delay):
    times = np.random.default_rng(delay).integers(60, size=200).astype(float)
    for train, test in Division.read(times, None, delay=delay).periods(3):
        assert (times[train] + delay <= times[test].min()).all()
        assert times[train].max() >= times[test].min() - delay - 3  # and from all of them
        assert times[test].max() <= times.max() - delay


def test_rows_taken_away_do_not_move_the_end():
    """A label that was not known at the end of the table is no better known without the last rows."""
    whole = Division.read(np.arange(20.0), None, delay=4)
    left = whole.take(whole.known())
    assert len(left.time) == 16
    assert left.known().all()
    assert [side.tolist() for side in left.last_part()] == [side.tolist() for side in whole.last_part()]


def test_the_sentence_of_a_split():
    days = pd.Series(pd.date_range("2024-01-01", periods=40))
    assert str(time_split(days)) == "30 rows to train on, 10 later ones from 2024-01-31 on"
    split = time_split(
        days.dt.strftime("%d.%m.%Y"), delay=datetime.timedelta(days=2), groups=[0] * 5 + [*range(34), 33]
    )
    assert str(split) == (
        "27 rows to train on, 10 later ones from 2024-01-29 on; left out: 1 row of the 2 days before that, with labels not known "
        "then, 2 rows of the last 2 days, with labels not known yet"
    )
    assert str(time_split([1, 2, 3, 4], delay=1, test_size=0.3, groups=[*"abba"])) == (
        "1 row to train on, 1 later one from 3 on; left out: 1 row of groups with later rows, 1 row of the last 1 unit of times, "
        "with labels not known yet"
    )
    assert repr(split) == f"TimeSplit({split})"


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"times": None}, TypeError, "times is None"),
        ({"times": []}, ValueError, "has no rows"),
        ({"times": [1, 2], "delay": 1}, ValueError, "leaves no earlier rows to train on whose label was known by then"),
        (
            {"times": [1, 2], "delay": 5},
            ValueError,
            "is 5 units of times older than the last one, so no label would be",
        ),
        ({"times": [1, 2], "delay": "1d"}, ValueError, "has a unit, but column 'times' holds numbers"),
        (
            {"times": ["2024-01-01", "2024-01-02"], "delay": 1},
            ValueError,
            "has no unit, but column 'times' holds dates",
        ),
        ({"times": [1, 2], "test_size": 0}, ValueError, "test_size=0"),
        ({"times": [1, 2], "groups": ["a"]}, ValueError, "times has 2 values and groups 1"),
    ],
)
def test_what_cannot_be_split_by_time_is_said(asked, error, message):
    with pytest.raises(error, match=message):
        time_split(**asked)


def test_groups_with_time_leave_training():
    division = Division.read([1, 2, 3, 4], ["a", "b", "a", "c"])
    train, test = division.last_part(0.5)
    assert (train.tolist(), test.tolist()) == ([1], [2, 3])
    with pytest.raises(ValueError, match="whose group in 'groups' is not tested"):
        Division.read([1, 2], ["a", "a"]).last_part()


@pytest.mark.parametrize(
    "times",
    [
        pd.Series(pd.to_datetime(["2024-01-02", "2024-01-01"])),
        pl.Series([datetime.date(2024, 1, 2), datetime.date(2024, 1, 1)]),
        ["2024-01-02", "2024-01-01"],
        ["2.1.2024", "1.1.2024"],
        np.array(["2024-01-02", "2024-01-01"], dtype="M8[D]"),
        [datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 1)],
    ],
    ids=["pandas", "polars", "text", "text, days first", "datetime64", "objects"],
)
def test_times_of_any_kind(times):
    assert Division.read(times, None).time.tolist() == [1704153600.0, 1704067200.0]


def test_what_is_no_time_or_group_is_refused():
    with pytest.raises(ValueError, match="should hold dates or times, but row 1 has 'soon'"):
        Division.read(["2024-01-01", "soon"], None)
    with pytest.raises(ValueError, match="'time' has no value in 1 of 2 rows, the first of them row 1"):
        Division.read([1.0, np.nan], None)
    with pytest.raises(ValueError, match="'groups' has no value in 1 of 3 rows, the first of them row 2"):
        Division.read(None, ["a", "b", None])


def test_no_group_on_both_sides(table):
    X, y = table
    result = compare(METHODS, {"payments": (X, y)}, "3x2", "auc", groups="customer", progress=False)
    assert result.provenance["protocol"] == "3x2, no customer on both sides"
    assert result.provenance["datasets"]["payments"]["n_columns"] == 3  # the customer is not learned from
    found = Division.read(None, X["customer"]).group_folds(y, 3, 2, 0)
    assert len(found) == 6
    for train, test in found:
        assert set(X["customer"][train]).isdisjoint(X["customer"][test])
        assert sorted([*train, *test]) == list(range(200))
    assert not np.array_equal(found[0][1], found[2][1])  # drawn anew
    # The column `tail` gives the customer away: by chance the trees seem to know, on new customers they do not.
    by_chance = compare(METHODS, {"payments": (X, y)}, "3x2", "auc", progress=False)
    assert by_chance.means("auc")[0, 0] > result.means("auc")[0, 0] + 0.1


def test_periods_of_a_comparison(table):
    X, y = table
    result = compare(METHODS, {"payments": (X, y)}, None, "auc", time="day", progress=False)
    assert result.provenance["protocol"] == "5fold, in the order of day"
    assert [record["n_train"] for record in result.records[::2]] == sorted(
        record["n_train"] for record in result.records[::2]
    )
    both = compare(
        METHODS, {"payments": (X, y)}, "2fold", "auc", time="day", groups={"payments": X["customer"]}, progress=False
    )
    assert both.provenance["protocol"] == "2fold, in the order of day, no customer on both sides"


def test_periods_of_a_comparison_wait_for_labels(table):
    X, y = table
    at_once, late = (
        compare(METHODS, {"payments": (X, y)}, "3fold", "auc", time="day", delay=delay, progress=False)
        for delay in (None, "10d")
    )
    assert late.provenance["protocol"] == "3fold, in the order of day, labels known after 10 days"
    folds = Division.read(X["day"], None, delay="10d").periods(3)
    assert [record["n_train"] for record in late.records[::2]] == [len(train) for train, _ in folds]
    assert late.records[0]["n_train"] < at_once.records[0]["n_train"]


def test_what_cannot_be_divided_is_said(table):
    X, y = table
    data = {"payments": (X, y)}
    with pytest.raises(ValueError, match="delay='7d' needs a column of time"):
        compare(METHODS, data, None, "auc", delay="7d")
    with pytest.raises(ValueError, match="data set 'payments': delay=7 has no unit, but column 'day' holds dates"):
        compare(METHODS, data, None, "auc", time="day", delay=7)
    with pytest.raises(ValueError, match="'5x2' is not accepted with time"):
        compare(METHODS, data, "5x2", "auc", time="day")
    with pytest.raises(ValueError, match="with time, protocol should be a word such as '5fold'"):
        compare(METHODS, data, StratifiedKFold(3), "auc", time="day")
    with pytest.raises(ValueError, match="no column 'dya', did you mean 'day'"):
        compare(METHODS, data, None, "auc", time="dya")
    with pytest.raises(ValueError, match="array without column names"):
        compare(METHODS, {"payments": (X[["amount"]].to_numpy(), y)}, None, "auc", time="day")
    with pytest.raises(ValueError, match="X has 200 rows and groups 3 values"):
        compare(METHODS, data, None, "auc", groups={"payments": [1, 2, 3]})
    with pytest.raises(ValueError, match="a data set that is not compared: 'other'"):
        compare(METHODS, data, None, "auc", groups={"other": [1, 2, 3]})
    with pytest.raises(ValueError, match="has 39 groups, fewer than 50 folds"):
        compare(METHODS, data, "50fold", "auc", groups="customer")
    with pytest.raises(ValueError, match="use different columns for time or groups"):
        compare(METHODS, data | {"other": (X, y)}, None, "auc", groups={"payments": "customer"})


def test_folds_without_rare_rows_are_an_error_or_a_warning():
    X, y = np.zeros((60, 1)), np.repeat([0, 1, 0], [30, 10, 20])
    with pytest.raises(ValueError, match="fold 1 has no row of the rare class 1 to train on"):
        compare(METHODS, {"d": (X, y)}, "2fold", "accuracy", time={"d": np.arange(60)})
    given = read_datasets({"d": (X, y)}, None, {"d": np.arange(60)})[0]
    late = Protocol("late", lambda _: [(np.arange(40), np.arange(40, 60))])
    with pytest.warns(RarewoodWarning, match="1 of 1 folds have no rows of the rare class 1 to test on"):
        late.folds(given)
