"""Dates and times are shown as such wherever a model is read: text, pictures, rules, SQL, Python, a report."""

import datetime as dt
import re
import sqlite3
from contextlib import closing

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import rarewood as rw
from rarewood.inspection import explain, export_text, extract_patterns, find_rules, plot_tree
from rarewood.report import build

SECONDS_SINCE_1970 = re.compile(r"\b1[67]\d{8}|\de\+?0?9\b")
N = 900


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 200, N), unit="D"),
            "when": pd.Timestamp("2023-05-05 10:11:12") + pd.to_timedelta(random.integers(0, 10**7, N), unit="s"),
            "wait": pd.to_timedelta(random.integers(0, 90_000, N), unit="s"),
            "clock": [dt.time(*divmod(int(minute), 60)) for minute in random.integers(0, 1440, N)],
        }
    )
    late = X["clock"].map(lambda clock: clock.hour >= 20)
    hits = (X["day"] > "2024-05-20") & (X["when"] < "2023-07-10") | (X["wait"] > pd.Timedelta("18h")) & late
    return X, np.where(hits, "bad", "good")


@pytest.fixture
def shown():
    yield lambda ax: [each.get_text() for each in ax.figure.findobj(Text) if each.get_text()]
    plt.close("all")


def check_words(texts):
    assert not [text for text in texts if SECONDS_SINCE_1970.search(text)]


@pytest.mark.parametrize("splitter", ["best", "random", "hyperplane"])
def test_trees(rows, shown, splitter):
    tree = rw.TreeClassifier(max_depth=4, splitter=splitter, random_state=0).fit(*rows)
    text = export_text(tree)
    assert re.search(r"20\d\d-\d\d-\d\d", text)
    check_words(text.splitlines())
    check_words(shown(plot_tree(tree)))


def test_a_line_through_dates_says_what_it_does(rows):
    X, y = rows
    tree = rw.TreeClassifier(max_depth=1, splitter="hyperplane", random_state=3).fit(X[["day", "wait"]], y)
    text = export_text(tree, decimals=12)
    a, first, sign, b, second, offset = re.match(
        r"\|--- (\S+)\*seconds\((.*?)\) ([+-]) (\S+)\*seconds\((.*?)\) <= (\S+)", text
    ).groups()

    def seconds(name):
        column, _, start = name.partition(" since ")
        return (X[column] - pd.Timestamp(start) if start else X[column]).dt.total_seconds()

    left = float(a) * seconds(first) + float(sign + b) * seconds(second) <= float(offset)
    np.testing.assert_array_equal(left, tree.apply(X[["day", "wait"]]) == 1)


def test_explanations(rows, shown):
    X, y = rows
    told = explain(rw.TreeClassifier(max_depth=4, random_state=0).fit(X, y), X[:50])
    check_words(shown(told.plot(row=3)))
    check_words(shown(told.plot()))


def test_rules_and_patterns(rows, shown):
    X, y = rows
    rules = find_rules(X, y, random_state=0)
    assert len(rules)
    tree = rw.TreeClassifier(max_depth=4, random_state=0).fit(X, y)
    for found in (rules, extract_patterns(tree, positive="bad")):
        check_words([str(found), *shown(found.plot()), found.to_sql("t")])


def test_rules_in_python_hold_for_rows_with_dates(rows):
    X, y = rows
    rules = find_rules(X, y, random_state=0)
    assert {condition.kind for rule in rules for condition in rule.conditions} >= {"date", "datetime"}
    scope = {}
    exec(rules.to_python(), scope)
    with_zone = [row | {"day": row["day"].date()} for row in X.to_dict("records")]
    held = np.array([scope["rules_that_hold"](row) for row in with_zone])
    np.testing.assert_array_equal(held, rules.covers(X))
    assert held.any()


def test_rules_in_sql_hold_for_rows_with_dates(rows):
    X, y = rows
    rules = find_rules(X[["day", "when"]], y, random_state=0)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (day TEXT, moment TEXT)")
        cells = zip(X["day"].dt.date.astype(str), X["when"].astype(str))
        connection.executemany("INSERT INTO t VALUES (?, ?)", cells)
        found = connection.execute(rules.to_sql("t").replace('"when"', '"moment"')).fetchall()
    np.testing.assert_array_equal(np.array([row[2:] for row in found], dtype=bool), rules.covers(X[["day", "when"]]))


def test_rules_in_duckdb(rows):
    duckdb = pytest.importorskip("duckdb")
    X, y = rows
    rules = find_rules(X, y, random_state=0)
    with duckdb.connect() as connection:
        connection.register("given", X)
        found = connection.execute(rules.to_sql("given")).fetchnumpy()
    held = np.column_stack([found[f"rule_{number}"] for number in range(1, len(rules) + 1)])
    np.testing.assert_array_equal(held.astype(bool), rules.covers(X))


def test_a_report(rows, tmp_path):
    X, y = rows
    build(rw.TreeClassifier(max_depth=4, random_state=0).fit(X, y), X, y, path=tmp_path / "r.html")
    page = re.sub(r"(?s)<(script|style).*?</\1>", "", (tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "2024-05-" in page
    check_words(re.sub(r"<[^>]+>", "\n", page).splitlines())
