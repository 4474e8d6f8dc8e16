"""The model card and the data dictionary."""

import hashlib
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.report import build, summarise
from rarewood.report._sections.card import files_behind, promise_here
from rarewood.report._sections.dictionary import dictionary
from rarewood.report._tables import read_tables
from support.subjects import subject_of


def test_files_are_named_by_their_hash(tmp_path):
    content = b"a,b\n" * 1_000_000  # more than a block
    (tmp_path / "rows.csv").write_bytes(content)
    (found,) = files_behind({"test rows": tmp_path / "rows.csv"})
    assert found == {
        "role": "test rows",
        "name": "rows.csv",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    assert files_behind(None) == []


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.1).astype(int)
    X = pd.DataFrame({"a": rng.normal(size=600) + 2 * y, "b": rng.normal(size=600)})
    return rw.TreeClassifier(max_depth=3, random_state=0).fit(X, y), X, y


def limits(*case, **settings):
    return " ".join(summarise(*case, baseline=False, n_rules=0, **settings)["card"]["limits"])


def test_limits_are_those_of_the_page(case):
    plain = limits(*case)
    n_rare = int(case[2].sum())
    assert f"All figures rest on {n_rare} rare rows: the recall of" in plain
    assert "training rows were not given" in plain
    assert "was not recorded" in plain
    assert "chosen on these same rows" not in plain
    assert "chosen on these same rows" in limits(*case, threshold="f1")
    assert "was not recorded" not in limits(*case, split="By date.")


def test_limits_name_columns_that_moved_and_warnings(case):
    model, X, y = case
    moved = limits(model, X.assign(b=X["b"] + 3), y, train=(X, y))
    assert "1 column has changed a lot since training (PSI of at least 0.25): b." in moved
    few = np.flatnonzero((y == 0) | (np.cumsum(y) <= 5))
    assert "The data call for caution: Only 5 rare rows" in limits(model, X.iloc[few], y[few])


def test_limits_name_another_share_of_the_rare_class(case):
    model, X, y = case
    fewer = np.flatnonzero((y == 0) | (np.cumsum(y) % 4 == 0))
    assert "The rare class is less frequent here than in training" in limits(
        model, X.iloc[fewer], y[fewer], train=(X, y)
    )
    assert "frequent here than in training" not in limits(model, X, y, train=(X, y))


def test_limits_say_when_scores_are_no_probabilities(case):
    _, X, y = case
    balanced = rw.ForestClassifier(20, sampling="balanced", max_depth=2, random_state=0).fit(X, y)
    assert "The scores " in limits(balanced, X, y)
    assert "The scores " not in limits(*case)


def test_the_card_is_on_the_page(case, tmp_path):
    (tmp_path / "rows.csv").write_text("x")
    page = build(
        *case,
        threshold="recall=0.8",
        baseline=False,
        files={"test rows": tmp_path / "rows.csv"},
        card={"Owner": "the fraud team"},
        split="Rows were divided by date.",
    )
    words = page.html
    assert hashlib.sha256(b"x").hexdigest() in words
    assert "<dt>Owner</dt><dd>the fraud team</dd>" in words
    assert "Rows were divided by date." in words
    assert "(highest precision at recall 0.8): call ‘1’ at or above it." in words


def test_the_dictionary_says_what_columns_are():
    frame = pd.DataFrame(
        {
            "amount": [1.5, 1234.567, np.nan, 20.0],
            "count": [3.0, 0.0, 7.0, 7.0],
            "day": pd.to_datetime(["2024-01-31", "2024-02-01", None, "2023-12-24"]),
            "kind": ["b", "a", "b", None],
            "code": [f"c{i}" for i in range(4)],
            "empty": [np.nan] * 4,
        }
    )
    tables = read_tables(None, frame, frame.iloc[:2], None)
    found = {entry["name"]: entry for entry in dictionary(subject_of(None, tables, importances=np.arange(6.0)))}
    assert list(found) == ["empty", "code", "kind", "day", "count", "amount"]  # the most important first
    assert {name: (entry["kind"], entry["values"]) for name, entry in found.items()} == {
        "amount": ("number", "1.5 to 1235"),
        "count": ("whole number", "0 to 7"),
        "day": ("date", "2023-12-24 to 2024-02-01"),
        "kind": ("category", "b, a"),
        "code": ("category", "c0, c1, c2, c3"),
        "empty": ("number", "no values"),
    }
    assert (found["amount"]["missing_share"], found["amount"]["train_missing_share"]) == (0.25, 0.0)
    assert found["kind"]["n_distinct"] == 2


def test_of_many_levels_the_most_frequent_are_named():
    cells = [f"c{min(i, 30)}" for i in range(100)]
    tables = read_tables(None, pd.DataFrame({"code": cells}), None, None)
    (entry,) = dictionary(subject_of(None, tables, importances=[1.0]))
    assert entry["values"].startswith("c30, c0, c1")
    assert entry["values"].endswith(" and 25 more")


@pytest.mark.parametrize(
    ("share", "high", "verdict"), [(0.7, 0.8, "kept"), (0.5, 0.65, "missed by less"), (0.4, 0.5, "not kept")]
)
def test_a_promise_is_held_against_the_rows_of_the_page(share, high, verdict):
    chosen = SimpleNamespace(promise="A precision of 0.6.", rule="precision", floor=0.6, alerts=None)
    intervals = {"precision": {"value": share, "low": share - 0.1, "high": high}}
    sentence = promise_here(SimpleNamespace(chosen=chosen), intervals, {}, 100)
    assert verdict in sentence
    assert "at least 60 %" in sentence
    alerts = SimpleNamespace(promise="...", rule="alerts", alerts=0.05)
    assert "not kept" in promise_here(SimpleNamespace(chosen=alerts), {}, {"alarms": 6}, 100)
    assert promise_here(SimpleNamespace(chosen=None), intervals, {}, 100) is None
