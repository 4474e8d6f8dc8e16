"""Drift of columns against its definition, bin by bin, and against what chance gives."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact

from rarewood._memory import chance_limit, stability_index
from rarewood.report._sections.drift import drift, rare_shares
from rarewood.report._tables import read_tables
from support.subjects import subject_of


def slow_index(train, test):
    used = [i for i in range(len(train)) if train[i] + test[i] > 0]
    total = 0.0
    for i in used:
        p = (train[i] + 0.5) / (sum(train) + 0.5 * len(used))
        q = (test[i] + 0.5) / (sum(test) + 0.5 * len(used))
        total += (q - p) * math.log(q / p)
    return total


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=12))
def test_the_index_follows_its_definition(counts):
    train, test = (np.array(side) + (side is counts) for side in zip(*counts, strict=True))
    assert stability_index(train, test) == pytest.approx(slow_index(train.tolist(), test.tolist()))
    assert stability_index(train, train) == 0.0
    assert stability_index(train, test) == pytest.approx(stability_index(test, train))


def test_chance_exceeds_its_limit_in_one_case_of_twenty():
    rng = np.random.default_rng(0)
    beyond = 0
    for _ in range(1000):
        train, test = (rng.multinomial(size, [0.1] * 10) for size in (2000, 1000))
        beyond += stability_index(train, test) > chance_limit(train, test)
    assert 0.03 <= beyond / 1000 <= 0.07


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    n = 4000
    train = pd.DataFrame(
        {
            "still": rng.normal(size=n),
            "moved": rng.normal(size=n),
            "gone": rng.random(n),
            "kind": rng.choice(["a", "b"], n),
            "steady": rng.choice(["x", "y"], n),
            "same": 1.0,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 30, n), unit="D"),
        }
    )
    test = train.assign(
        still=rng.permutation(train["still"]),
        moved=train["moved"] + 0.35,
        gone=np.where(rng.random(n) < 0.5, np.nan, train["gone"]),
        kind=np.where(rng.random(n) < 0.2, "new", train["kind"]),
        day=train["day"] + pd.Timedelta(days=90),
    )
    tables = read_tables(None, test, train, None)
    return (
        train,
        test,
        {column["name"]: column for column in drift(subject_of(None, tables))["columns"]},
        drift(subject_of(None, tables)),
    )


def test_columns_that_stay_and_columns_that_move(found):
    _, _, columns, whole = found
    levels = {name: column["level"] for name, column in columns.items()}
    assert levels == {
        "still": "none",
        "moved": "some",
        "gone": "much",
        "kind": "much",
        "steady": "none",
        "same": "none",
        "day": "much",
    }
    assert (whole["n_much"], whole["n_some"]) == (3, 1)
    sizes = [column["psi"] for column in whole["columns"]]
    assert sizes == sorted(sizes, reverse=True)
    assert columns["same"]["psi"] == 0.0


def test_numbers_are_compared_in_tenths_of_the_training_values(found):
    train, test, columns, _ = found
    ordered = sorted(train["moved"])
    ends = [ordered[math.ceil(len(ordered) * i / 10) - 1] for i in range(1, 10)]
    counts = [
        [
            sum(low < value <= high for value in frame["moved"])
            for low, high in zip([-math.inf, *ends], [*ends, math.inf])
        ]
        for frame in (train, test)
    ]
    assert columns["moved"]["psi"] == pytest.approx(slow_index(*counts))


def test_categories_are_compared_one_by_one_and_new_ones_named(found):
    train, test, columns, _ = found
    levels = ["a", "b", "new"]
    counts = [[int((frame["kind"] == level).sum()) for level in levels] for frame in (train, test)]
    kind = columns["kind"]
    assert kind["psi"] == pytest.approx(slow_index(*counts))
    assert (kind["new_categories"], kind["n_new_categories"]) == (["new"], 1)
    assert kind["new_share"] == pytest.approx((test["kind"] == "new").mean())
    assert kind["change"].startswith("new categories: 0.0 % → ")


def test_changes_are_told_in_the_words_of_the_column(found):
    train, test, columns, _ = found
    assert columns["day"]["change"].startswith("median 2024-01-1")
    assert columns["gone"]["test_missing"] == pytest.approx(test["gone"].isna().mean())
    assert columns["gone"]["train_missing"] == 0.0
    middle = f"{np.median(train['moved']):.4f} → {np.median(test['moved']):.4f}"
    assert columns["moved"]["change"].split()[0] == "median"
    assert [float(part) for part in columns["moved"]["change"][7:].split(" → ")] == pytest.approx(
        [float(part) for part in middle.split(" → ")], abs=1e-3
    )


def test_a_column_without_values_breaks_nothing():
    train = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 1.0, 2.0]})
    test = pd.DataFrame({"a": [np.nan, np.nan, np.nan], "b": [1.0, 1.0, 2.0]})
    columns = {
        column["name"]: column for column in drift(subject_of(None, read_tables(None, test, train, None)))["columns"]
    }
    assert columns["a"]["change"] == "no values on one side"
    other = {
        column["name"]: column for column in drift(subject_of(None, read_tables(None, train, test, None)))["columns"]
    }
    assert other["a"]["psi"] > 0


@pytest.mark.parametrize(
    ("n_train", "n_test", "differs"), [(20, 20, False), (20, 12, False), (20, 45, True), (20, 3, True)]
)
def test_shares_of_the_rare_class(n_train, n_test, differs):
    train, test = np.arange(1000) < n_train, np.arange(900) < n_test
    found = rare_shares(train, test)
    for key, rare in (("train", train), ("test", test)):
        ends = binomtest(int(rare.sum()), len(rare)).proportion_ci(method="wilson")
        assert found[key] == pytest.approx([rare.mean(), ends.low, ends.high])
    assert found["differs"] == differs
    table = [[n_train, 1000 - n_train], [n_test, 900 - n_test]]
    assert found["differs"] == (fisher_exact(table).pvalue < 0.01)


def test_without_training_rows_there_is_none():
    assert drift(subject_of(None, read_tables(None, pd.DataFrame({"a": [1.0, 2.0]}), None, None))) is None


def test_the_columns_that_drifted_are_drawn(found):
    train, test, _, whole = found
    drawn = {column["name"]: column["drawing"] for column in whole["columns"] if "drawing" in column}
    assert set(drawn) == {"moved", "gone", "kind", "day"}
    shown = drawn["kind"]
    for side, frame in (("before", train), ("here", test)):
        shares = frame["kind"].value_counts(normalize=True)
        assert dict(zip(shown["levels"], shown[side], strict=True)) == pytest.approx(
            {level: shares.get(level, 0.0) for level in shown["levels"]}
        )
        assert sum(drawn["moved"][side]) == pytest.approx(1.0)
