"""Trees do not show what the search leaves out: with its shortcuts and without, bit for bit the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarewood import _core, criteria
from rarewood.datasets import make_workload
from support.forests import assert_same_state
from support.strategies import DATA_KINDS, WEIGHT_KINDS, make_problem, problems

WAYS = [
    pytest.param(way, id="-".join(map(str, way.values())))
    for way in (
        {"splitter": "best"},
        {"splitter": "best", "max_features": 1},
        {"splitter": "best", "nominal": "multiway", "min_samples_leaf": 3.0},
        {"splitter": "random", "n_cuts": 1},
        {"splitter": "random", "n_cuts": 20, "max_features": 2},
        {"splitter": "random", "n_cuts": 17, "min_samples_leaf": 3.0},
        {"splitter": "hyperplane", "n_cuts": 4, "max_features": 2},
        {"splitter": "hyperplane", "n_cuts": 10, "min_samples_leaf": 3.0},
    )
]
CRITERIA = [
    "hellinger",
    "entropy",
    "gini",
    "gain_ratio",
    "c45",
    "hellinger_ova",
    "ccp_gini",
    criteria.AlphaDivergence(0.3),
]


def grown(problem, criterion, shortcuts, **options):
    n_categories = np.zeros(problem.X.shape[1], dtype=np.int32)
    for column in problem.nominal:
        n_categories[column] = 1 + np.nanmax(problem.X[:, column], initial=0)
    return grown_on(
        problem.X,
        problem.y,
        n_categories,
        problem.n_classes,
        criterion,
        shortcuts,
        weights=problem.sample_weight,
        class_weights=problem.class_weight,
        **options,
    )


def grown_on(X, y, n_categories, n_classes, criterion, shortcuts, **options):
    table = _core.Dataset(X, n_categories, np.asarray(y, dtype=np.int32), n_classes)
    options = {"seed": 3, "n_trees": 2, "shortcuts": shortcuts, **options}
    return _core.grow_forests(table, [_core.ForestPlan([criteria.get(criterion)._spec()], **options)])[0]


def assert_shortcuts_do_not_show(problem, criterion, **options):
    assert_same_state(grown(problem, criterion, True, **options), grown(problem, criterion, False, **options))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("weights", WEIGHT_KINDS)
@pytest.mark.parametrize("data", DATA_KINDS)
def test_on_every_kind_of_table(data, weights, way):
    for n_classes in (2, 3, 6):
        problem = make_problem(data, weights, n_classes, seed=4, n_rows=180)
        for criterion in CRITERIA:
            assert_shortcuts_do_not_show(problem, criterion, **way)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=25)
@given(
    problem=problems(), criterion=st.sampled_from(CRITERIA), sampling=st.sampled_from(["all", "bootstrap", "balanced"])
)
def test_on_any_table(problem, criterion, sampling, way):
    assert_shortcuts_do_not_show(problem, criterion, sampling=sampling, **way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("criterion", ["hellinger", "entropy", "gini", criteria.AlphaDivergence(1.6)], ids=str)
@pytest.mark.parametrize("workload", ["a", "d"])
def test_on_thousands_of_rows(workload, criterion, way):
    data = make_workload(workload, rows=2000)
    n_categories = np.zeros(data.X.shape[1], dtype=np.int32)
    for sampling in ("all", "stratified"):
        fast, slow = (
            grown_on(data.X, data.y, n_categories, data.n_classes, criterion, on, sampling=sampling, n_trees=1, **way)
            for on in (True, False)
        )
        assert_same_state(fast, slow)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_lines_through_two_columns_of_categories(n_classes):
    """Rows of large nodes are counted by pairs of categories first, missing values among them."""
    rng = np.random.default_rng(n_classes)
    levels = np.array([2, 3, 5, 9], dtype=np.int32)
    X = rng.integers(0, levels, size=(2000, 4)).astype(float)
    y = ((X[:, 0] + X[:, 2] > 4) + (rng.random(2000) < 0.1) + n_classes - 2) % n_classes
    X[rng.random(X.shape) < (0, 0.1, 0, 0.3)] = np.nan
    for n_cuts, least in ((3, 1.0), (10, 5.0)):
        options = {"splitter": "hyperplane", "n_cuts": n_cuts, "min_samples_leaf": least, "max_features": 3}
        fast, slow = (grown_on(X, y, levels, n_classes, "entropy", on, **options) for on in (True, False))
        assert_same_state(fast, slow)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("weights", ["none", "integer", "fractional", "class"])
def test_branches_that_few_of_many_classes_reach(weights, way):
    """They are grown among these classes alone, and exact cuts of many classes are left out by running sums."""
    rng = np.random.default_rng(6)
    n_classes, n_rows = 70, 500
    y = np.concatenate([np.arange(n_classes), np.sort(rng.integers(0, n_classes, size=n_rows - n_classes))])
    levels = np.array([0, 0, 0, 6, 3], dtype=np.int32)
    X = np.column_stack(
        [y + rng.normal(size=n_rows), rng.normal(size=n_rows).round(1), y // 9, y // 12 % 6, y % 3]
    ).astype(float)
    X[:, 4][rng.random(n_rows) < 0.2] = np.nan
    drawn = {"integer": rng.integers(1, 4, n_rows).astype(float), "fractional": rng.random(n_rows) + 0.1}.get(weights)
    class_weights = rng.integers(1, 4, n_classes) / 3.0 if weights == "class" else None
    for missing in (0.0, 0.1):
        X[:, 0][rng.random(n_rows) < missing] = np.nan
        for criterion in (*CRITERIA, "ccp_entropy", "dcsm", "ihd", "ihdw"):
            options = {"weights": drawn, "class_weights": class_weights, "n_trees": 1, **way}
            fast, slow = (grown_on(X, y, levels, n_classes, criterion, on, **options) for on in (True, False))
            assert_same_state(fast, slow)


def test_branches_split_by_columns_of_many_categories():
    """Orders of categories are those of the whole problem, whose classes a branch numbers anew."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n_classes, n_rows, n_levels = 60, 700, 40
        y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, size=n_rows - n_classes)])
        level = np.where(
            rng.random(n_rows) < 0.4, rng.integers(0, n_levels, n_rows), rng.permutation(n_classes)[y] % n_levels
        )
        X = np.column_stack([y // 6 + 0.3 * rng.normal(size=n_rows), level, rng.integers(0, n_levels, n_rows)]).astype(
            float
        )
        levels = np.array([0, n_levels, n_levels], dtype=np.int32)
        for criterion in ("entropy", "gini", "ccp_gini", "ihd", "hellinger"):
            fast, slow = (grown_on(X, y, levels, n_classes, criterion, on, n_trees=1) for on in (True, False))
            assert_same_state(fast, slow)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("size", [2.0**24, 2.0**32, 1e12])
def test_many_classes_of_large_whole_weights(size, criterion):
    """More cases than running sums can hold."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(40), rng.integers(0, 40, size=400)])
    X = np.column_stack([y + 3.0 * rng.normal(size=len(y)), rng.normal(size=len(y))])
    weights = size * rng.integers(1, 4, len(y)).astype(float)
    numbers = np.zeros(2, dtype=np.int32)
    fast, slow = (grown_on(X, y, numbers, 40, criterion, on, weights=weights, n_trees=1) for on in (True, False))
    assert_same_state(fast, slow)


@pytest.mark.parametrize("way", WAYS)
def test_a_class_that_weighs_nothing(way):
    """Its rows are cases all the same."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 4, 200)
        X = np.column_stack([y + rng.normal(size=200), rng.normal(size=200)])
        options = {"class_weights": np.array([0.0, 1.0, 1.0, 1.0]), "n_trees": 1, "min_samples_leaf": 3.0, **way}
        for criterion in ("entropy", "gini", "hellinger"):
            fast, slow = (
                grown_on(X, y, np.zeros(2, dtype=np.int32), 4, criterion, on, **options) for on in (True, False)
            )
            assert_same_state(fast, slow)


def test_many_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 4)).round(2)
    for n_classes in (11, 17, 40):  # more than are sorted at once, and than are screened at all
        y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, size=len(X) - n_classes)])
        fast, slow = (
            grown_on(X, y, np.zeros(4, dtype=np.int32), n_classes, "hellinger", on, n_trees=1) for on in (True, False)
        )
        assert_same_state(fast, slow)


@pytest.mark.parametrize("n_cuts", [1, 10, 600])  # of more than 500 not all columns are screened together
@pytest.mark.parametrize("n_classes", [3, 8, 31, 40])
def test_small_branches_of_random_cuts(n_classes, n_cuts):
    """They are grown whole on tables of their own; both kinds of columns, and rows that lie in any order in memory."""
    rng = np.random.default_rng(n_classes)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, size=600 - n_classes)])
    wide = rng.normal(size=(600, 5)) + y[:, None] / n_classes
    narrow = wide.astype(np.float32)
    mixed = np.column_stack([wide[:, :2], narrow[:, 2:]])
    weights = rng.integers(1, 4, size=n_classes).astype(float)
    for X in (narrow, wide, mixed, np.asfortranarray(narrow)):
        for class_weights in (None, weights):
            options = {
                "splitter": "random",
                "n_cuts": n_cuts,
                "max_features": 2,
                "class_weights": class_weights,
                "n_trees": 1,
            }
            fast, slow = (
                grown_on(X, y, np.zeros(5, dtype=np.int32), n_classes, "hellinger", on, **options)
                for on in (True, False)
            )
            assert_same_state(fast, slow)


@pytest.mark.parametrize("data", DATA_KINDS)
@pytest.mark.parametrize("weights", ["none", "integer", "fractional", "class"])
def test_trees_that_see_few_rows_rank_their_own(data, weights):
    """Balanced bags and subsamples of a quarter of the table or less; the plain search ranks the whole table."""
    problem = make_problem(data, weights, 3, seed=9, n_rows=400)
    sizes = np.bincount(problem.y, weights=None, minlength=3)
    few = [int(min(size, 12)) if weights == "none" else 1 for size in sizes]
    for options in ({"sampling": "balanced"}, {"sampling": "subsample", "class_sizes": few}):
        for criterion in ("hellinger", "gini", "c45"):
            assert_shortcuts_do_not_show(problem, criterion, **options)


def test_ranks_of_the_whole_table_are_used_where_another_plan_needs_them():
    data = make_workload("a", rows=3000)
    n_categories = np.zeros(data.X.shape[1], dtype=np.int32)
    spec = criteria.get("hellinger")._spec()
    balanced = _core.ForestPlan([spec], sampling="balanced", n_trees=3, seed=1)
    everything = _core.ForestPlan([spec], sampling="all", seed=2)
    random = _core.ForestPlan([spec], splitter="random", sampling="all", seed=3)
    table = _core.Dataset(data.X, n_categories, data.y.astype(np.int32), 2)
    alone = _core.grow_forests(table, [balanced])[0]
    beside = _core.grow_forests(table, [random, balanced])[1]
    assert_same_state(beside, alone)
    together = _core.grow_forests(table, [everything, balanced])[1]
    assert_same_state(together, alone)
    assert_same_state(_core.grow_forests(table, [balanced])[0], alone)  # the ranks are there now


def test_many_trees_that_see_few_rows_share_the_ranks_of_the_table():
    """They would sort more rows than the table has; the first of them are those of a small forest, which ranks its own."""
    data = make_workload("a", rows=3000)
    n_categories = np.zeros(data.X.shape[1], dtype=np.int32)
    spec = criteria.get("gini")._spec()
    few, many = (
        _core.grow_forests(
            _core.Dataset(data.X, n_categories, data.y.astype(np.int32), 2),
            [_core.ForestPlan([spec], sampling="balanced", n_trees=n_trees, seed=1)],
        )[0]
        for n_trees in (3, 100)
    )
    assert 100 * 2 * np.bincount(data.y).min() > 3 * 3000
    for tree in range(3):
        assert_same_state(few[tree], many[tree])


def test_missing_columns_are_known_without_ranks():
    data = make_workload("a", rows=3000)
    X = data.X.copy()
    X[7, 3] = np.nan
    table = _core.Dataset(X, np.zeros(X.shape[1], dtype=np.int32), data.y.astype(np.int32), 2)
    _core.grow_forests(table, [_core.ForestPlan([criteria.get("gini")._spec()], sampling="balanced")])
    assert np.flatnonzero(table.has_missing).tolist() == [3]
