"""Folds that chance must not draw: by time, by group."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import StratifiedKFold

from rarewood import TreeClassifier
from rarewood.evaluation import compare
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


def test_what_cannot_be_divided_is_said(table):
    X, y = table
    data = {"payments": (X, y)}
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
