"""Rules as a model file keeps them hold for the rows that they held for before."""

import json

import numpy as np
import pandas as pd
import pytest

from rarewood._rules import RuleList
from rarewood.inspection import Condition, Pattern, Rule, extract_patterns, find_rules
from rarewood.tree import TreeClassifier

N_ROWS = 600


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 10**6, N_ROWS), unit="s"),
            "late": pd.to_timedelta(random.integers(0, 10**5, N_ROWS), unit="s"),
            "size": pd.Categorical(random.choice([10, 20, 30], N_ROWS)),
            "paid": random.random(N_ROWS) < 0.5,
            "x": np.where(random.random(N_ROWS) < 0.2, np.nan, random.normal(size=N_ROWS)),
        }
    )
    rare = (frame["when"] > "2024-01-09") | (frame["size"].eq(20) & frame["paid"] & ~(frame["x"] < 0))
    return frame, np.asarray(rare)


def stored_and_read(rules):
    return RuleList.from_json(json.loads(json.dumps(rules.to_json())), True)


def test_rules_of_a_set_hold_for_the_same_rows(table):
    frame, rare = table
    found = find_rules(frame, rare, random_state=0)
    again = stored_and_read(RuleList.of(found))
    assert len(again.rules) == len(found) > 0
    assert all(type(rule) is Rule for rule in again.rules)
    assert again.have_figures
    shuffled = frame[frame.columns[::-1]].assign(more="?")
    np.testing.assert_array_equal(again.covers(shuffled), found.covers(frame))
    assert again.to_json() == RuleList.of(found).to_json()
    counted = again.counted(frame, rare)
    assert [(rule.rare, rule.rest) for rule in counted.rules] == [(rule.rare, rule.rest) for rule in found]
    assert not counted.have_figures


def test_leaves_hold_for_the_same_rows(table):
    frame, rare = table
    patterns = extract_patterns(TreeClassifier(max_depth=5).fit(frame, rare), positive=True)
    again = stored_and_read(RuleList(tuple(patterns)))
    assert all(type(rule) is Pattern for rule in again.rules)
    np.testing.assert_array_equal(again.covers(frame), patterns.covers(frame))
    assert {column for rule in again.rules for column in (c.column for c in rule.conditions)} >= {"when", "size"}


def test_unknown_categories_meet_no_condition():
    condition = Condition("kind", -np.inf, np.inf, ("a", "b"), False, "kind in {a, b}", "nominal")
    rules = RuleList((Pattern("kind in {a, b}", (condition,), 1, 1, 0, np.inf, 1.0, 1, -1, -1),))
    frame = pd.DataFrame({"kind": ["b", "z", None, "a"]})
    assert rules.covers(frame)[:, 0].tolist() == [True, False, False, True]


def test_nothing_to_hold(table):
    frame, _ = table
    assert RuleList().covers(frame).shape == (N_ROWS, 0)
    everything = RuleList((Pattern("every row", (), 1, 1, 0, np.inf, 1.0, 1, -1, -1),))
    assert everything.covers(frame).all()
    assert everything.covers(frame[:0]).shape == (0, 1)


def test_nothing_that_is_damaged_is_read(table):
    stored = RuleList.of(find_rules(*table, random_state=0)).to_json()
    for rules in ([{}], [7], [{**stored["rules"][0], "rare": "many"}], [{**stored["rules"][0], "unseen": {}}]):
        with pytest.raises((KeyError, TypeError, ValueError)):
            RuleList.from_json({"rules": rules}, True)
