"""Problems planted in tables are found, and clean tables have none."""

import numpy as np
import pandas as pd
import pytest

from rarewood.report._tables import read_tables
from rarewood.report.problems import Examined, find_problems, problems_of_table

N = 400
RARE = np.arange(N) % 8 == 0


def table(seed=0, **more):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N), **more})


def problems(test, train=None, train_rare=RARE):
    columns = read_tables(None, test, train, None)
    found = find_problems(Examined(columns, RARE, None if train is None else train_rare))
    return {each["kind"]: each for each in found}


def test_a_clean_table_has_none():
    assert problems(table()) == {}
    assert problems(table(), table(1)) == {}


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_that_give_the_class_away(sign):
    leak = sign * (RARE + 0.3 * np.random.default_rng(0).random(N))
    found = problems(table(leak=leak, mild=RARE + np.random.default_rng(1).normal(size=N)))
    assert found["leak"]["columns"] == ["leak"]
    assert found["leak"]["level"] == "warning"


def test_missing_values_that_give_the_class_away():
    values = np.where(RARE, np.nan, np.random.default_rng(0).normal(size=N))
    assert problems(table(when=values))["leak"]["columns"] == ["when"]


@pytest.mark.parametrize("with_train", [True, False])
def test_categories_that_give_the_class_away(with_train):
    states = np.where(RARE, np.where(np.arange(N) % 16 == 0, "blocked", "under review"), "open")
    many = np.array([f"c{i}" for i in range(N)])  # shares of its own rows would rank perfectly
    test = table(state=states, many=many)
    found = problems(test, table(1, state=states, many=np.roll(many, 3)) if with_train else None)
    assert found["leak"]["columns"] == ["state"]


def test_few_rare_rows_make_no_leaks():
    rare = np.arange(N) < 3
    columns = read_tables(None, table(leak=rare * 1.0), None, None)
    kinds = {each["kind"] for each in find_problems(Examined(columns, rare, None))}
    assert kinds == {"few rare rows"}


def test_constant_and_empty_columns():
    found = problems(table(zero=0.0, word="x", empty=np.nan))
    assert found["constant"]["columns"] == ["zero", "word", "empty"]
    assert found["missing"]["columns"] == ["empty (100 %)"]


def test_missing_shares():
    half = np.where(np.arange(N) % 2 == 1, np.nan, 1.0 * np.arange(N))
    assert problems(table(half=half))["missing"]["columns"] == ["half (50 %)"]
    found = problems(
        table(late=np.where(np.arange(N) < 10, np.nan, 0.5 * np.arange(N))), table(1, late=np.arange(N) + 0.25)
    )
    assert found["newly missing"]["columns"] == ["late"]


def test_repeated_and_contradicting_rows():
    twice = table()
    twice.iloc[1] = twice.iloc[0]  # row 0 is rare, row 1 is not
    twice.iloc[3] = twice.iloc[2]
    found = problems(twice)
    assert found["duplicates"]["title"].startswith("2 rows")
    assert found["contradictions"]["title"].startswith("1 rare row equals")


def test_missing_values_and_zeros_of_either_sign_are_equal_rows():
    frame = table()
    frame.iloc[2] = [np.nan, 0.0]
    frame.iloc[3] = [np.nan, -0.0]
    assert "1 row is a duplicate" in problems(frame)["duplicates"]["title"]


def test_rows_that_training_knows():
    test, train = table(), table(1)
    train.iloc[:50] = test.iloc[:50].to_numpy()
    found = problems(test, train)["shared rows"]
    assert found["level"] == "warning"
    assert found["title"].startswith("50 of 400 test rows")


def test_categories_that_training_lacks():
    test = table(kind=np.where(np.arange(N) < 4, "new", "old"))
    found = problems(test, table(1, kind=["old", "older"] * (N // 2)))
    assert found["unseen categories"]["columns"] == ["kind (1.0 %)"]


def test_identifiers():
    found = problems(table(number=np.random.default_rng(3).permutation(N), code=[f"k{i:04}" for i in range(N)]))
    assert found["identifiers"]["columns"] == ["number", "code"]


def test_columns_that_are_the_same():
    town = np.random.default_rng(3).choice(["x", "y", "z"], N)
    found = problems(table(same=table()["a"], town=town, city=town, empty=np.nan, void=np.nan))
    assert found["same columns"]["columns"] in (["same"], ["city"])
    both = problems_of_table(table(same=table()["a"], town=town, city=town), RARE, ["same columns"])
    assert [problem.columns for problem in both] == [["same"], ["city"]]


def test_identifiers_are_found_beside_training_rows():
    names = np.array([f"P{i}" for i in range(2 * N)], dtype=object)
    found = problems(table(name=names[:N]), table(1, name=names[N:]))
    assert found["identifiers"]["columns"] == ["name"]


def test_long_tables_are_looked_at_in_part(monkeypatch):
    monkeypatch.setattr("rarewood.report.problems._LOOKED_AT", 100)
    leak = RARE + 0.3 * np.random.default_rng(0).random(N)
    (found,) = problems_of_table(table(leak=leak), RARE, ["leak"])
    assert found.columns == ["leak"]
