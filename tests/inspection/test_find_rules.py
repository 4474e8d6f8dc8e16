"""Rules that hold: found, judged, written in other languages."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

from rarewood import HeDExClassifier
from rarewood.datasets import make_planted_rules
from rarewood.inspection import Patterns, Rule, extract_patterns, find_rules


@pytest.fixture(scope="module")
def payments():
    return make_planted_rules(3000, random_state=0)


@pytest.fixture(scope="module")
def rules(payments):
    fresh = make_planted_rules(3000, random_state=1)
    return find_rules(payments.X, payments.y, held_out=(fresh.X, fresh.y))


def test_planted_rules_are_recovered():
    payments = make_planted_rules(10_000, random_state=0)
    fresh = make_planted_rules(20_000, random_state=7)
    covers = find_rules(payments.X, payments.y).covers(fresh.X)
    for planted in payments.rules:
        holds = planted.holds(fresh.X)[:, np.newaxis]
        alike = (covers & holds).sum(axis=0) / (covers | holds).sum(axis=0)
        assert alike.max() > 0.6


def test_every_rule_keeps_to_the_limits(payments):
    found = find_rules(
        payments.X, payments.y, n_rules=2, max_conditions=2, min_precision=0.3, min_lift=5, min_support=10
    )
    assert 0 < len(found) <= 2
    for rule in found:
        assert len(rule.conditions) <= 2
        assert rule.precision >= 0.3
        assert rule.lift >= 5
        assert rule.rare >= 10


def test_figures_are_ordered_and_rules_hold(rules, payments):
    base = payments.y.mean()
    assert isinstance(rules, Patterns)
    for rule in rules:
        assert isinstance(rule, Rule)
        assert base < rule.low < rule.precision < rule.high < 1
        assert 0 <= rule.recall_low < rule.recall < rule.recall_high <= 1
        assert rule.lift == pytest.approx(rule.precision / base)


def test_counts_are_those_of_the_rows(rules, payments):
    fresh = make_planted_rules(3000, random_state=1)
    rare = payments.y == 1
    for rule, holds, held in zip(rules, rules.covers(payments.X).T, rules.covers(fresh.X).T, strict=True):
        assert (rule.rare, rule.rest) == ((holds & rare).sum(), (holds & ~rare).sum())
        assert (rule.held_out_rare, rule.held_out_rest) == (
            (held & (fresh.y == 1)).sum(),
            (held & (fresh.y == 0)).sum(),
        )
    any_holds = rules.covers(payments.X).any(axis=1)
    assert rules.together.training_rows == any_holds.sum()
    assert rules.together.training_rare == (any_holds & rare).sum()
    assert rules.together.held_out_rows == rules.covers(fresh.X).any(axis=1).sum()


def test_text_says_what_the_list_is_worth(rules):
    text = rules.text()
    assert "precision" in text
    assert "Together:" in text
    assert "Held out:" in text
    assert "training" not in text


def test_slices_keep_their_figures(rules):
    assert rules[1:][0] == rules[1]
    assert rules[np.array([True] + [False] * (len(rules) - 1))].precision.tolist() == [rules[0].precision]
    assert list(rules.frame("pandas")["precision"]) == rules.precision.tolist()


def test_noise_has_no_rules_and_a_reason():
    with_rules = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        found = find_rules(random.normal(size=(500, 6)), random.random(500) < 0.06, random_state=seed)
        with_rules += len(found) > 0
        if not len(found):
            assert "chance" in found.text() or "none holds" in found.text()
    assert with_rules <= 1


def test_few_rare_rows_are_a_reason():
    found = find_rules(np.arange(40.0).reshape(-1, 2), np.arange(20) < 3)
    assert len(found) == 0
    assert "only 3 rare rows" in found.reason
    assert found.to_sql("t") == 'SELECT *\nFROM "t"'


@pytest.mark.several_threads
def test_the_number_of_threads_changes_nothing(payments):
    one, two = (find_rules(payments.X, payments.y, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.text() == two.text()


def test_whole_numbers_and_flags_read_as_such():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"flag": random.integers(0, 2, 2000), "floor": random.integers(0, 12, 2000)})
    rare = (table["flag"] == 1) & (table["floor"] == 4)
    found = find_rules(table, rare & (random.random(2000) < 0.9))
    assert found[0].rule == "flag = 1 and floor = 4"


def test_a_shallow_model_gives_candidates(payments):
    model = HeDExClassifier(max_depth=3, random_state=0).fit(payments.X, payments.y)
    assert len(find_rules(payments.X, payments.y, model=model)) > 0


def test_a_class_that_is_not_rare(payments):
    found = find_rules(payments.X, payments.y, positive=0)
    assert all(rule.label == 0 for rule in found)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_rules": 0}, "n_rules"),
        ({"min_lift": 0.5}, "min_lift"),
        ({"min_precision": 2}, "min_precision"),
        ({"positive": "no"}, "no"),
        ({"held_out": 3}, "pair"),
    ],
)
def test_wrong_parameters_are_named(payments, wrong, words):
    with pytest.raises((TypeError, ValueError), match=words):
        find_rules(payments.X, payments.y, **wrong)


# ---------------------------------------------------------------------------------------------------------
# other languages


def awkward_table(n_rows=1500):
    """Quotes, unicode and spaces in names and categories, missing values everywhere, flags and numbers as categories."""
    random = np.random.default_rng(3)
    names = ["O'Hara", 'say "so"', "größe ≥ 1", "a,b", "DROP TABLE"]
    table = pd.DataFrame(
        {
            'it\'s "quoted"': pd.Categorical(random.choice(names, n_rows)),
            "größe in €": random.normal(size=n_rows).round(2),
            "order": random.integers(0, 5, n_rows).astype(float),
            "grade": pd.Categorical(random.choice([1, 2, 3], n_rows)),
        }
    )
    rare = table.iloc[:, 0].isin(names[:3]) & ((table["größe in €"] > 0.8) | table["größe in €"].isna())
    rare |= (table["grade"] == 2) & (table["order"] == 3)
    for number, column in enumerate(table.columns):
        table.loc[random.random(n_rows) < 0.1 + 0.02 * number, column] = None
    return table, np.asarray(rare) & (random.random(n_rows) < 0.9)


@pytest.fixture(scope="module", params=["rules", "patterns"])
def awkward(request):
    table, rare = awkward_table()
    if request.param == "rules":
        found = find_rules(table, rare)
    else:
        found = extract_patterns(HeDExClassifier(20, max_depth=4, random_state=0).fit(table, rare), table, rare)[:60]
    assert any(condition.missing for pattern in found for condition in pattern.conditions)
    return table, found, found.covers(table)


def plain_rows(table):
    columns = [[None if pd.isna(value) else value for value in table[name].tolist()] for name in table]
    return list(zip(*columns, strict=True))


def run_sql(execute, executemany, table, found):
    quoted = ['"' + name.replace('"', '""') + '"' for name in table]
    types = ["TEXT", "DOUBLE", "DOUBLE", "INTEGER"]
    execute(f'CREATE TABLE "my rows" ({", ".join(f"{name} {kind}" for name, kind in zip(quoted, types, strict=True))})')
    executemany('INSERT INTO "my rows" VALUES (?, ?, ?, ?)', plain_rows(table))
    rows = execute(found.to_sql("my rows")).fetchall()
    return np.array([row[len(quoted) :] for row in rows], dtype=bool)


def test_sqlite_says_the_same(awkward):
    table, found, covers = awkward
    with sqlite3.connect(":memory:") as base:
        said = run_sql(base.execute, base.executemany, table, found)
        where = base.execute(f'SELECT COUNT(*) FROM "my rows" WHERE {found[0].to_sql()}').fetchone()[0]
    base.close()
    np.testing.assert_array_equal(said, covers)
    assert where == covers[:, 0].sum()


def test_duckdb_says_the_same(awkward):
    duckdb = pytest.importorskip("duckdb")
    table, found, covers = awkward
    base = duckdb.connect()
    np.testing.assert_array_equal(run_sql(base.execute, base.executemany, table, found), covers)
    base.close()


def test_python_says_the_same(awkward):
    table, found, covers = awkward
    space: dict = {}
    exec(found.to_python(), space)
    said = [space["rules_that_hold"](dict(zip(table, row, strict=True))) for row in plain_rows(table)]
    np.testing.assert_array_equal(np.array(said), covers)
    nan = [dict(zip(table, row, strict=True)) for row in table.itertuples(index=False, name=None)]
    np.testing.assert_array_equal(np.array([space["rules_that_hold"](row) for row in nan]), covers)


def test_json_holds_everything(awkward):
    _, found, _ = awkward
    if not hasattr(found, "as_json"):
        pytest.skip("does not apply: patterns of leaves have no JSON")
    told = json.loads(json.dumps(found.as_json()))
    assert [rule["rule"] for rule in told["rules"]] == [rule.rule for rule in found]
    assert told["together"]["n_rare"] == found.together.n_rare


def test_nul_cannot_be_written():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"x\0": random.normal(size=400)})
    found = find_rules(table, table["x\0"] > 1.2)
    with pytest.raises(ValueError, match="NUL"):
        found.to_sql()


def test_distinct_patterns_find_different_rows(payments):
    forest = HeDExClassifier(50, max_depth=4, random_state=0).fit(payments.X, payments.y)
    patterns = extract_patterns(forest, payments.X, payments.y)
    few = patterns.distinct(4)
    finds = few.covers(payments.X)[payments.y == 1]
    for number in range(1, len(few)):
        new = finds[:, number] & ~finds[:, :number].any(axis=1)
        assert new.sum() >= 0.5 * finds[:, number].sum()
    with pytest.raises(ValueError, match="not counted on any rows"):
        extract_patterns(forest).distinct(4)


def test_plot_shows_intervals_and_held_out_rows(rules):
    pytest.importorskip("matplotlib")
    axes = rules.plot()
    assert len(axes.get_yticklabels()) == len(rules)
    assert "held-out rows" in [text.get_text() for text in axes.get_legend().get_texts()]
