"""Monotone constraints: what growth may choose, by the naive twin; what leaves say; what is accepted and refused.

That no probability takes a step the wrong way is looked at along grids by `fuzz/_monotone.py`.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tree.test_against_oracle import PAIRS, fit

import rarewood as rw
from oracle.compiled import read_tree
from oracle.monotone import FREE, bounds_of_children, is_allowed
from oracle.tree import apply_rule, must_stop, scored_choices
from rarewood._core import CriterionSpec, Dataset, ForestPlan, Tree, grow_forests
from support.forests import assert_same_state
from support.models import CLASSIFIERS, effects_at_any_price
from support.strategies import DATA_KINDS, WEIGHT_KINDS, make_problem
from support.tables import mixed_table

FORESTS = [name for name, model in CLASSIFIERS.items() if "monotonic_cst" in model.get_params()]
NAMES = ["HeDExClassifier", "RareClassifier", "TreeClassifier", "BiasedRankingClassifier"]


# ------------------------------------------------------------------------------------------------------------- growth


@pytest.mark.parametrize("data", DATA_KINDS)
@pytest.mark.parametrize("name", [name for name, pair in PAIRS.items() if pair.select is None])
def test_nodes_take_the_best_of_the_choices_that_are_allowed(name, data):
    pair, first = PAIRS[name], list(PAIRS).index(name)
    for seed in (first, first + 1):
        weights = WEIGHT_KINDS[seed % len(WEIGHT_KINDS)]
        problem = make_problem(data, weights, seed=seed)
        rng = np.random.default_rng(seed)
        signs = np.where(
            np.isin(np.arange(problem.X.shape[1]), problem.nominal), 0, rng.choice([-1, 1], problem.X.shape[1])
        )
        nominal = ("subset", "multiway", "one_vs_rest")[seed % 3]
        model = fit(problem, pair.criterion, monotonic_cst=signs, nominal=nominal)
        root = read_tree(model.tree_, problem)
        assert_allowed(problem, pair.settings(nominal=nominal), root, signs, FREE)


def assert_allowed(problem, twin, node, signs, bounds):
    choices = [] if must_stop(problem, twin, node) else scored_choices(problem, twin, node.rows)
    choices = [choice for choice in choices if is_allowed(choice, signs, bounds)]
    assert node.is_leaf == (not choices)
    if node.is_leaf:
        return
    chosen = apply_rule(problem, node.rule, node.rows)
    best = max(choice.score for choice in choices)
    assert is_allowed(chosen, signs, bounds)
    assert twin.criterion(chosen.table) == pytest.approx(best, rel=1e-9, abs=1e-9)
    for child, own in zip(node.children, bounds_of_children(chosen, signs, bounds), strict=True):
        assert_allowed(problem, twin, child, signs, own)


@pytest.mark.parametrize("splitter", ["best", "random", "hyperplane"])
@pytest.mark.parametrize("criterion", ["hellinger", "gini", "entropy"])
def test_neither_shortcuts_nor_the_order_of_growth_show(criterion, splitter):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)).round(1).astype(np.float32)
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=600) > 1.5).astype(np.int32)
    data = Dataset(X, np.zeros(5, dtype=np.int32), y, 2)
    options = {"splitter": splitter, "max_features": 3, "n_trees": 3, "seed": 4, "signs": [1, -1, 0, 1, -1]}
    spec = [CriterionSpec(criterion)]
    expected = grow_forests(data, [ForestPlan(spec, **options)])[0]
    for change in ({"shortcuts": False}, {"order": "breadth_first"}, {"order": "random"}):
        other = grow_forests(data, [ForestPlan(spec, **options, **change)])[0]
        for tree in range(3):
            assert_same_state(expected[tree], other[tree])


# ------------------------------------------------------------------------------------------------------------- leaves


def one_cut(left, right):
    """A tree of one cut with these counts in its leaves."""
    X = np.repeat([0.0, 1.0], 2)[:, np.newaxis]
    counts = [*left, *right]
    model = rw.TreeClassifier().fit(X, [0, 1, 0, 1], sample_weight=counts)
    assert model.tree_.value[1:].tolist() == [list(map(float, left)), list(map(float, right))]
    return model.tree_


def forest_of(tree):
    data = Dataset(np.zeros((2, 1)), np.zeros(1, dtype=np.int32), np.array([0, 1], dtype=np.int32), 2)
    forest = grow_forests(data, [ForestPlan([CriterionSpec("gini")])])[0]
    state = tree.__getstate__()
    return type(forest)(state)


def said(forest, m, prior):
    return forest.predict_proba(np.array([[0.0], [1.0]]), np.array([m * (1 - prior), m * prior]))[:, 1]


@pytest.mark.parametrize(
    ("left", "right"),
    [((5, 1), (2, 4)), ((90, 10), (3, 1)), ((1, 9), (500, 4)), ((40, 2), (1, 3)), ((3, 30), (700, 7))],
)
@pytest.mark.parametrize("prior", [0.5, 0.07])
@pytest.mark.parametrize("sign", [1, -1])
def test_leaves_are_in_order_however_they_are_smoothed(left, right, prior, sign):
    before = forest_of(one_cut(left, right))
    after = before.restrained([sign], prior)
    weights = np.linspace(0.0, 64.0, 33)
    steps = np.array([sign * np.diff(said(after, m, prior))[0] for m in weights])
    assert steps.min() >= -1e-15
    was_in_order = all(sign * np.diff(said(before, m, prior))[0] >= 0 for m in weights)
    same = np.array_equal(before[0].value, after[0].value)
    assert same if was_in_order else not same
    assert before[0].n_node_samples.tolist() == after[0].n_node_samples.tolist()


def test_raw_shares_in_order_do_not_suffice():
    """A small leaf is smoothed more than a large one: what rises in raw shares may fall in smoothed ones."""
    forest = forest_of(one_cut((900, 100), (8, 1)))  # 0.100 and 0.111
    assert np.diff(said(forest, 0.0, 0.01))[0] > 0 > np.diff(said(forest, 64.0, 0.01))[0]
    after = forest.restrained([1], 0.01)
    assert all(np.diff(said(after, m, 0.01))[0] >= 0 for m in (0.0, 1.0, 4.0, 16.0, 64.0))


# ------------------------------------------------------------------------------------------------- what is accepted


@pytest.fixture(scope="module")
def table():
    return mixed_table(2)


@pytest.mark.parametrize("name", NAMES)
def test_a_dictionary_is_a_list_by_names(name, table):
    X, y = table
    model = clone(CLASSIFIERS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = (
            clone(model).set_params(monotonic_cst=given).fit(X, y)
            for given in ({"a": 1, "d": -1, "b": 0}, [1, 0, 0, -1, 0, 0])
        )
    assert one.monotonic_cst_.tolist() == other.monotonic_cst_.tolist() == [1, 0, 0, -1, 0, 0]
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("name", FORESTS)
def test_free_columns_change_nothing(name, table):
    X, y = table
    model = CLASSIFIERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        free = clone(model).set_params(monotonic_cst=np.zeros(6, dtype=int)).fit(X, y)
        plain = clone(model).fit(X, y)
    assert free.monotonic_cst_ is None
    assert np.array_equal(free.predict_proba(X), plain.predict_proba(X))


def test_the_class_that_is_meant(table):
    """The second one, as in scikit-learn; for a model that knows the rare class, that one."""
    X, y = table
    rows = X.iloc[np.zeros(30, dtype=int)].assign(b=np.linspace(-3, 3, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        second = rw.HeDExClassifier(20, monotonic_cst={"b": 1}, random_state=0).fit(X, y).predict_proba(rows)[:, 1]
        model = rw.RareClassifier(20, positive="calm", monotonic_cst={"b": 1}, random_state=0).fit(X, y)
    assert np.diff(second).min() >= 0
    assert second[-1] > second[0]
    told = model.predict_proba(rows)
    assert model.classes_.tolist() == ["calm", "wild"]
    assert np.diff(told[:, 0]).min() >= -1e-15
    assert np.diff(told[:, 1]).max() <= 1e-15


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([1, 0], ValueError, "2 constraints, but X has 6 columns"),
        ([1, 0, 0, 2, 0, 0], ValueError, "contains 2"),
        ("rising", TypeError, "is not accepted"),
        (1, TypeError, "is not accepted"),
        ([[1], [0]], TypeError, "is not accepted"),
        ({"A": 1}, ValueError, "does not have: 'A', did you mean 'a'"),
        ({"a": True}, ValueError, "has True for column 'a'"),
        ({"a": "up"}, ValueError, "has 'up' for column 'a'"),
        ({"city": 1}, ValueError, r"categories, which have no order: \['city'\]"),
    ],
)
def test_what_makes_no_sense_is_refused(given, error, words, table):
    with pytest.raises(error, match=words):
        rw.TreeClassifier(monotonic_cst=given).fit(*table)


def test_names_need_a_table_that_has_them(table):
    X, y = table
    with pytest.raises(ValueError, match="names of columns, but X has none"):
        rw.TreeClassifier(monotonic_cst={"a": 1}).fit(X[["a", "b"]].to_numpy(), y)


@pytest.mark.parametrize(
    "model",
    [
        rw.TreeClassifier(),
        rw.RareClassifier(9),
        rw.BiasedRankingClassifier(),
        rw.OneVsAllClassifier(rw.TreeClassifier()),
    ],
)
def test_more_classes_are_refused_with_the_reason(model):
    X, y = mixed_table(3)
    inside = getattr(model, "estimator", model)
    inside.set_params(monotonic_cst={"a": 1})
    with pytest.raises(ValueError, match="is for two classes, but y has 3"):
        model.fit(X, y)


def test_one_class_has_nothing_to_obey(table):
    X, _ = table
    assert rw.TreeClassifier(monotonic_cst={"a": 1}).fit(X, np.zeros(len(X))).monotonic_cst_ is None


def test_leaves_that_are_smoothed_too_much_are_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="smoothing=33 is not accepted together with monotonic_cst"):
        rw.HeDExClassifier(3, smoothing=33, monotonic_cst={"a": 1}).fit(X, y)
    model = rw.HeDExClassifier(3, smoothing=32, monotonic_cst={"a": 1}).fit(X, y)
    with pytest.raises(ValueError, match="up to smoothing=32"):
        model.set_params(smoothing=100.0).predict_proba(X)


def test_a_forest_goes_on_under_the_same_constraints_only(table):
    X, y = table
    forest = rw.HeDExClassifier(3, monotonic_cst={"a": 1}, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="give the same monotonic_cst as before"):
        forest.set_params(n_estimators=5, monotonic_cst={"a": -1}).fit(X, y)
    grown = forest.set_params(n_estimators=5, monotonic_cst={"a": 1}).fit(X, y)
    whole = rw.HeDExClassifier(5, monotonic_cst={"a": 1}, random_state=0).fit(X, y)
    assert np.array_equal(grown.predict_proba(X), whole.predict_proba(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rare = rw.RareClassifier(8, monotonic_cst={"a": 1}, warm_start=True, random_state=0).fit(X, y)
        with pytest.raises(ValueError, match="give the same rows as before"):
            rare.set_params(n_estimators=12).fit(X[50:], y[50:])


def test_a_tree_of_a_forest_knows_its_constraints(table):
    tree = rw.HeDExClassifier(3, monotonic_cst={"a": 1}, random_state=0).fit(*table).estimators_[0]
    assert tree.monotonic_cst_.tolist() == [1, 0, 0, 0, 0, 0]
    assert isinstance(tree.tree_, Tree)


# ------------------------------------------------------------------------------------------------------------ effects


def test_effects_of_columns_obey_too():
    """Log-odds rise with the square of each column; under constraints on two of them these rise and fall, and pairs leave them out."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1500, 4)), columns=list("abcd"))
    X.loc[rng.random(1500) < 0.1, "a"] = np.nan
    y = (X.fillna(2.0) ** 2).sum(axis=1) + rng.normal(size=1500) > 8.0
    with effects_at_any_price():
        model = rw.RareClassifier(12, monotonic_cst={"a": 1, "b": -1}, random_state=0).fit(X, y)
    effects = model.column_effects_
    rising, falling, free = (effects.values[place][:-1] for place in (0, 1, 2))
    assert np.diff(rising).min() >= 0 >= np.diff(falling).max()
    assert rising[-1] > rising[0]
    assert np.diff(free).min() < 0 < np.diff(free).max()
    assert [pair.columns for pair in effects.pairs] == [(3, 2)]
