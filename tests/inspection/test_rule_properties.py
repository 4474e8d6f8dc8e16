"""Rules say the same in every language, and count what they say they count."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from oracle.rules import condition_holds
from rarewood._rules import ColumnCondition, Conditions, Limits, Origin, Patterns, PatternTable, RuleList
from rarewood._rules.search import _findings
from rarewood._rules.search._search_table import SearchTable
from rarewood._tables import Columns, read_table
from rarewood.inspection import find_rules
from support.labelled_rows import labelled_rows

# ---------------------------------------------------------------------------------------------------------
# languages

words = st.one_of(
    st.sampled_from(["order", "O'Hara", 'say "so"', "größe ≥ 1", "", " ", "--", ";", "%s", "{}", "?", "\\", "NULL"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
)
numbers = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-2, 2).map(lambda x: round(x, 2)),
)
Table = tuple[list[str], list[list[str] | None], list[list], list[tuple[ColumnCondition, ...]]]


@st.composite
def tables_and_rules(draw) -> Table:
    """Names, the categories of each column or None for numbers, cells by column with None for missing, and rules."""
    names = draw(st.lists(words.filter(bool), min_size=1, max_size=3, unique_by=str.casefold))
    n_rows = draw(st.integers(1, 8))
    categories = [draw(st.none() | st.lists(words, min_size=1, max_size=4, unique=True)) for _ in names]
    cells = [
        draw(
            st.lists(st.none() | (numbers if some is None else st.sampled_from(some)), min_size=n_rows, max_size=n_rows)
        )
        for some in categories
    ]
    possible = {
        column: conditions(column, some, column_cells)
        for column, (some, column_cells) in enumerate(zip(categories, cells))
    }
    rules = draw(st.lists(st.fixed_dictionaries({}, optional=possible), min_size=1, max_size=3))
    return names, categories, cells, [tuple(rule[column] for column in sorted(rule)) for rule in rules]


def conditions(column, categories, cells):
    """What a rule may ask of a column; cuts are often values of the column."""
    if categories is not None:
        codes = st.lists(st.integers(0, len(categories) - 1), unique=True).map(sorted).map(tuple)
        return st.builds(ColumnCondition, st.just(column), st.just(-np.inf), st.just(np.inf), st.booleans(), codes)
    present = [cell for cell in cells if cell is not None]
    cuts = st.one_of(numbers, st.sampled_from(present)) if present else numbers
    lower, upper = st.just(-np.inf) | cuts, st.just(np.inf) | cuts
    return st.builds(ColumnCondition, st.just(column), lower, upper, st.booleans(), st.none())


def patterns_and_frame(names, categories, cells, rules):
    frame = pd.DataFrame(
        {
            name: pd.Series(column, dtype=float) if some is None else pd.Categorical(column, categories=some)
            for name, some, column in zip(names, categories, cells, strict=True)
        }
    )
    owner = BaseEstimator()
    nominal = [i for i, some in enumerate(categories) if some is not None]
    columns, _ = Columns.learn(read_table(owner, frame, reset=True), nominal, np.array(names, dtype=object))
    # The coding of a column is the learned one: only categories that occur, in their order.
    rules = [tuple(recoded(each, categories[each.column], columns) for each in rule) for rule in rules]
    nothing = np.zeros(len(rules), dtype=np.int64)
    table = PatternTable.of_no_leaf(Conditions.of(rules), 1, nothing, nothing)
    return Patterns(table, Origin(columns, np.array([0, 1]), 1)), frame


def recoded(condition, categories, columns):
    if condition.codes is None:
        return condition
    learned = columns.categories[condition.column].tolist()
    codes = tuple(sorted(learned.index(categories[code]) for code in condition.codes if categories[code] in learned))
    return replace(condition, codes=codes)


def by_hand(patterns, names, cells):
    """Rows x rules, condition by condition and cell by cell."""
    column = dict(zip(names, cells, strict=True))
    return np.array(
        [
            [all(condition_holds(each, column[each.column][row]) for each in rule.conditions) for rule in patterns]
            for row in range(len(cells[0]))
        ]
    )


def in_sql(execute, names, categories, cells, query):
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    kinds = ["DOUBLE" if some is None else "TEXT" for some in categories]
    execute(f'CREATE TABLE "t\'s" ({", ".join(map(" ".join, zip(quoted, kinds, strict=True)))})')
    for row in zip(*cells, strict=True):
        execute(f'INSERT INTO "t\'s" VALUES ({", ".join("?" * len(names))})', list(row))
    return np.array([row[len(names) :] for row in execute(query).fetchall()], dtype=bool)


class TestLanguages:
    @given(tables_and_rules())
    @example(
        (
            ["x"],
            [None],
            [[0.1 + 0.2, 0.3, None]],
            [(ColumnCondition(0, lower=0.3),), (ColumnCondition(0, upper=0.3, missing=True),)],
        )
    )
    @example((["it's"], [["O'Hara", "ß"]], [["ß", None, "O'Hara"]], [(ColumnCondition(0, missing=True, codes=(1,)),)]))
    def test_conditions_python_and_sqlite_agree(self, drawn):
        names, categories, cells, _ = drawn
        patterns, frame = patterns_and_frame(*drawn)
        covers = patterns.covers(frame)
        np.testing.assert_array_equal(by_hand(patterns, names, cells), covers)
        stored = RuleList.from_json(json.loads(json.dumps(RuleList(tuple(patterns)).to_json())), 1)
        np.testing.assert_array_equal(stored.covers(frame.assign(more=0.0)), covers)
        space: dict = {}
        exec(patterns.to_python(), space)
        rows = [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]
        np.testing.assert_array_equal([space["rules_that_hold"](row) for row in rows], covers)
        with closing(sqlite3.connect(":memory:")) as base:
            said = in_sql(base.execute, names, categories, cells, patterns.to_sql("t's"))
        np.testing.assert_array_equal(said, covers)

    @settings(max_examples=25)
    @given(tables_and_rules())
    def test_duckdb_agrees(self, drawn):
        duckdb = pytest.importorskip("duckdb")
        names, categories, cells, _ = drawn
        patterns, frame = patterns_and_frame(*drawn)
        with closing(duckdb.connect()) as base:
            said = in_sql(base.execute, names, categories, cells, patterns.to_sql("t's"))
        np.testing.assert_array_equal(said, patterns.covers(frame))


# ---------------------------------------------------------------------------------------------------------
# counts


def rows_of(seed, n_rows=160):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": random.normal(size=n_rows).round(2),
            "flag": random.integers(0, 2, n_rows),
            "kind": pd.Categorical(random.choice(["a'b", "ü", "c"], n_rows)),
        }
    )
    rare = (frame["x"] > 0.5) & (frame["kind"] == "ü") & (random.random(n_rows) < 0.9)
    rare |= random.random(n_rows) < 0.03
    frame.loc[random.random(n_rows) < 0.1, "x"] = np.nan
    return frame, np.asarray(rare)


@settings(max_examples=8)
@given(st.integers(0, 2**32))
def test_counts_are_those_of_the_conditions(seed):
    frame, rare = rows_of(seed)
    other, other_rare = rows_of(seed + 1)
    found = find_rules(frame, rare, held_out=(other, other_rare), random_state=seed % 2**31)
    held, held_out = (
        np.array([[all(condition_holds(c, row[c.column]) for c in rule.conditions) for rule in found] for row in rows])
        .reshape(len(rows), len(found))
        .astype(bool)
        for rows in (frame.to_dict("records"), other.to_dict("records"))
    )
    base = rare.mean()
    for number, rule in enumerate(found):
        assert (rule.rare, rule.rest) == (held[rare, number].sum(), held[~rare, number].sum())
        counts = held_out[other_rare, number].sum(), held_out[~other_rare, number].sum()
        assert (rule.held_out_rare, rule.held_out_rest) == counts
        assert base < rule.low < rule.precision < rule.high < 1
        assert rule.precision < max(rule.rare / (rule.rare + rule.rest), 1.0001 * base)
    together = found.together
    assert (together.n_rare, together.n_rows) == (rare.sum(), len(rare))
    assert together.training_rows == held.any(axis=1).sum()
    assert together.training_rare == held[rare].any(axis=1).sum()
    assert 0 <= together.unseen_rare <= together.unseen_rows <= len(rare)


@pytest.mark.parametrize("inside", [True, False])
def test_a_row_is_judged_by_the_list_that_left_it_out(inside, monkeypatch):
    """Column 0 holds the fold. Lists that fire only where they were searched fire nowhere, and the other way round."""
    fold = np.arange(60) % 5
    is_rare = np.arange(60) < 20
    table = labelled_rows(fold[:, np.newaxis], is_rare, [5])

    def lists(_, insides, *__):
        numbers = [set(range(5)), *(set(fold[each].tolist()) for each in insides[1:])]
        wanted = numbers if inside else [numbers[0], *(set(range(5)) - each for each in numbers[1:])]
        return [Conditions.of([(ColumnCondition(0, codes=tuple(sorted(codes))),)]) for codes in wanted]

    monkeypatch.setattr(_findings, "_folds", lambda *_: fold)
    monkeypatch.setattr(_findings, "_search_all", lists)
    found = _findings.find(SearchTable.of(table), Limits(), purpose="rank")
    np.testing.assert_array_equal(found.fired, np.full(60, not inside))


def test_a_rule_that_would_not_be_listed_does_not_count_for_the_list(monkeypatch):
    """The lists of folds are judged as the final one is: a rule for every row finds everything, and is dropped everywhere."""
    flag = np.arange(400) < 40
    table = labelled_rows(flag[:, np.newaxis], flag & (np.arange(400) % 10 > 0), [0])
    sharp, blunt = (ColumnCondition(0, lower=0.5),), (ColumnCondition(0),)
    monkeypatch.setattr(
        _findings, "_search_all", lambda _, insides, *__: [Conditions.of([sharp, blunt]) for _ in insides]
    )
    found = _findings.find(SearchTable.of(table), Limits())
    assert [found.rules.rule(i) for i in range(len(found.rules))] == [sharp]
    np.testing.assert_array_equal(found.fired, flag)
    assert _findings.find(SearchTable.of(table), Limits(), purpose="rank").fired.all()
