"""The planted table holds exactly what it says it holds."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarewood import TreeClassifier
from rarewood.datasets import PlantedCondition, PlantedRule, make_planted_rules


def held(data):
    """Which rule holds in which row: rows x rules."""
    return np.column_stack([rule.holds(data.X) for rule in data.rules])


@settings(max_examples=30)
@given(
    n_rules=st.integers(1, 5),
    rare_share=st.floats(0.02, 0.5),
    dangerous_share=st.floats(0.0, 0.5),
    missing_share=st.floats(0.0, 0.9),
    as_frame=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_a_rule_holds_in_rare_and_dangerous_rows_and_nowhere_else(
    n_rules, rare_share, dangerous_share, missing_share, as_frame, seed
):
    data = make_planted_rules(
        400,
        n_rules=n_rules,
        rare_share=rare_share,
        dangerous_share=dangerous_share,
        missing_share=missing_share,
        as_frame=as_frame,
        random_state=seed,
    )
    rare = data.y == 1
    assert rare.sum() == round(rare_share * 400)
    assert data.dangerous.sum() == round(dangerous_share * (~rare).sum())
    assert not (rare & data.dangerous).any()
    np.testing.assert_array_equal(held(data).any(axis=1), rare | data.dangerous)
    np.testing.assert_array_equal(data.rule_of_row >= 0, rare | data.dangerous)
    for number, rule in enumerate(data.rules):
        assert rule.holds(data.X)[data.rule_of_row == number].all()
        assert np.ptp(np.bincount(data.rule_of_row[rare], minlength=n_rules)) <= 1


def test_frame_and_array_are_the_same_table():
    frame, array = (make_planted_rules(500, as_frame=as_frame, random_state=0) for as_frame in (True, False))
    assert list(frame.X.columns) == list(array.feature_names) == list(frame.feature_names)
    for column, levels in enumerate(frame.categories):
        if levels is None:
            np.testing.assert_array_equal(frame.X.iloc[:, column], array.X[:, column])
        else:
            series = frame.X.iloc[:, column]
            assert tuple(series.cat.categories) == levels
            np.testing.assert_array_equal(series.cat.codes, np.nan_to_num(array.X[:, column], nan=-1))
    assert [frame.feature_names[column] for column in frame.categorical_features] == ["country", "channel", "merchant"]
    np.testing.assert_array_equal(held(frame), held(array))


def test_rules_read_polars_frames():
    data = make_planted_rules(500, random_state=0)
    frame = pl.from_pandas(data.X)
    for rule in data.rules:
        np.testing.assert_array_equal(rule.holds(frame), rule.holds(data.X))


def test_missing_values_are_as_many_as_asked_for():
    data = make_planted_rules(5000, missing_share=0.2, random_state=0)
    ordinary = data.X[data.rule_of_row == -1]
    np.testing.assert_allclose(ordinary.isna().mean(), 0.2, atol=0.02)
    assert not make_planted_rules(500, missing_share=0.0, random_state=0).X.isna().any(axis=None)


def test_a_missing_value_meets_no_condition():
    data = make_planted_rules(500, random_state=0)
    for rule in data.rules:
        assert not rule.holds(data.X.assign(**dict.fromkeys(rule.features, None))).any()


def test_bounds_exclude_the_lower_and_include_the_upper():
    condition = PlantedCondition("amount", 0, low=1.0, high=2.0)
    assert condition.accepts(np.array([1.0, 1.5, 2.0, 2.5, np.nan])).tolist() == [False, True, True, False, False]
    assert str(condition) == "amount > 1 and amount <= 2"


def test_rules_in_words():
    data = make_planted_rules(500, n_rules=5, random_state=0)
    for rule in data.rules:
        assert isinstance(rule, PlantedRule)
        assert str(rule) == " and ".join(map(str, rule.conditions))
    assert "country in {NG, RO}" in str(data.rules[0])


def test_a_seed_gives_the_same_table():
    one, two, other = (make_planted_rules(300, random_state=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one.X, two.X)
    assert not one.X.equals(other.X)


@pytest.mark.parametrize("as_frame", [True, False])
def test_a_tree_finds_the_rules(as_frame):
    train, test = (
        make_planted_rules(4000, dangerous_share=0.0, as_frame=as_frame, random_state=seed) for seed in (0, 1)
    )
    nominal = "from_dtype" if as_frame else train.categorical_features
    tree = TreeClassifier(categorical_features=nominal).fit(train.X, train.y)
    assert tree.score(test.X, test.y) > 0.99


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_samples", 0),
        ("n_samples", 1.5),
        ("n_rules", 0),
        ("n_rules", 6),
        ("rare_share", 0.0),
        ("rare_share", 0.6),
        ("dangerous_share", -0.1),
        ("missing_share", 1.0),
        ("as_frame", "yes"),
        ("as_frame", None),
        ("random_state", "zero"),
    ],
)
def test_wrong_parameters_are_named(parameter, value):
    with pytest.raises((TypeError, ValueError), match=f"{parameter}="):
        make_planted_rules(**{parameter: value})


def test_too_few_rows_for_the_rules():
    with pytest.raises(ValueError, match="makes 1 rare rows, too few for n_rules=3"):
        make_planted_rules(50)


class NoPandas:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(name=name)


def test_without_pandas(monkeypatch):
    monkeypatch.setattr("rarewood.datasets._planted_rules.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "pandas")  # not None: scikit-learn 1.6 takes what is there for pandas
    monkeypatch.setattr(sys, "meta_path", [NoPandas(), *sys.meta_path])
    assert isinstance(make_planted_rules(300, random_state=0).X, np.ndarray)
    with pytest.raises(ImportError, match=r"as_frame=True needs pandas.*pip install 'pandas'"):
        make_planted_rules(300, as_frame=True, random_state=0)
