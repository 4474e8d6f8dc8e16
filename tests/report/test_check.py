"""`rw.check` names what `rarewood fit` names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rarewood as rw


def planted(n=400):
    rng = np.random.default_rng(0)
    rare = rng.random(n) < 0.1
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n) + rare,
            "recoveries": np.where(rare & (rng.random(n) < 0.9), rng.integers(4, 90, n), rng.integers(0, 4, n)),
            "policy": rng.permutation(np.arange(700_000, 900_000))[:n],
            "same": 1.0,
            "price": [f"${value:,}" for value in rng.integers(1, 90_000, n)],
            "day": pd.date_range("2020-01-01", periods=n),
        }
    )
    return frame.assign(again=frame["x"]), np.where(rare, "yes", np.where(rng.random(n) < 0.5, "no", "No"))


@pytest.mark.parametrize("container", [lambda frame: frame, pl.from_pandas])
def test_what_is_planted_is_named(container):
    X, y = planted()
    found = rw.check(container(X), y, positive="yes")
    named = {(problem.kind, *problem.columns) for problem in found.problems}
    assert {("leak", "recoveries"), ("identifiers", "policy"), ("constant", "same"), ("same columns", "again")} <= named
    assert {"words", "labels"} <= {kind for kind, *_ in named}
    assert not found.ok
    assert "recoveries >= 4" in repr(found)
    frame = found.frame("pandas")
    assert frame["kind"].tolist() == [problem.kind for problem in found.problems]
    assert frame.columns.tolist() == ["number", "kind", "level", "title", "text", "columns"]


def test_a_table_in_order():
    rng = np.random.default_rng(1)
    y = rng.random(2000) < 0.1
    found = rw.check(rng.normal(size=(2000, 3)) + y[:, None], y)
    assert found.ok
    assert repr(found) == f"2,000 rows, {y.sum()} of class True: nothing looks wrong"
    assert len(found.frame("polars")) == 0


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="X has 3 rows and y 2 labels"):
        rw.check(np.ones((3, 2)), [0, 1])
    with pytest.raises(ValueError, match="positive=7 is not among the classes"):
        rw.check(np.ones((3, 2)), [0, 1, 1], positive=7)


def test_cells_and_rows_that_look_odd():
    rng = np.random.default_rng(3)
    customer = np.repeat(np.arange(200), 4)
    y = np.isin(customer, rng.choice(200, 25, replace=False))
    frame = pd.DataFrame({"customer": customer, "age": rng.integers(20, 80, 800).astype(float)})
    frame["town"] = rng.choice(["Bern", "BERN", "Köln"], 800)
    frame.loc[::40, "age"] = -999
    found = rw.check(frame, y)
    named = {problem.title for problem in found.problems}
    assert "age is -999 in 20 rows, far from all other numbers" in named
    assert "The categories 'BERN', 'Bern' of town differ only by case or spaces" in named
    assert "100% of the rows with the same customer as a rare row are rare, too" in named
    assert {"RW106", "RW124", "RW142"} <= set(found.frame("pandas")["number"])
    assert "There are 60 columns for 40 rows" in repr(rw.check(rng.normal(size=(40, 60)), np.arange(40) % 4 == 0))
