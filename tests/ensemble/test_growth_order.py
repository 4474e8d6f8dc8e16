"""Trees do not show in which order their nodes were grown: depth first, breadth first and at random give the same bits."""

import numpy as np
import pytest
from hypothesis import given, settings

from rarewood import _core, criteria
from support.forests import assert_same_state, differ
from support.strategies import DATA_KINDS, WEIGHT_KINDS, make_problem, problems

WAYS = [
    pytest.param({"splitter": splitter, "nominal": nominal}, id=f"{splitter}-{nominal}")
    for splitter, nominal in (
        ("best", "subset"),
        ("best", "one_vs_rest"),
        ("best", "multiway"),
        ("random", "subset"),
        ("hyperplane", "subset"),
    )
]
OTHER_ORDERS = ("breadth_first", "random")


def grown(problem, order, criterion="hellinger", sampling="all", n_trees=3, **options):
    n_categories = np.zeros(problem.X.shape[1], dtype=np.int32)
    for column in problem.nominal:
        n_categories[column] = 1 + np.nanmax(problem.X[:, column], initial=0)
    table = _core.Dataset(problem.X, n_categories, problem.y.astype(np.int32), problem.n_classes)
    plan = _core.ForestPlan(
        [criteria.get(criterion)._spec()],
        order=order,
        seed=5,
        **options,
        n_trees=n_trees,
        sampling=sampling,
        weights=problem.sample_weight,
        class_weights=problem.class_weight,
    )
    return _core.grow_forests(table, [plan])[0]


def assert_order_does_not_show(problem, **options):
    """Bit for bit: nodes, pools, leaves, and importances, which are sums of floats."""
    expected = grown(problem, "depth_first", **options)
    for order in OTHER_ORDERS:
        assert_same_state(grown(problem, order, **options), expected)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("weights", WEIGHT_KINDS)
@pytest.mark.parametrize("data", DATA_KINDS)
def test_order_of_growth_does_not_show(data, weights, way):
    for n_classes in (2, 5):
        problem = make_problem(data, weights, n_classes, seed=1, n_rows=150)
        for limits in ({}, {"max_features": 1}, {"min_samples_leaf": 4.0, "max_depth": 5}):
            assert_order_does_not_show(problem, **way, **limits)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("criterion", ["c45", "gini", "hellinger_ova", "dkm"])
def test_with_other_criteria(criterion, way):
    problem = make_problem("mixed", "fractional", 2 if criterion == "dkm" else 4, seed=2, n_rows=200)
    assert_order_does_not_show(problem, criterion=criterion, max_features=2, **way)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=25)
@given(problem=problems())
def test_on_any_table(problem, way):
    assert_order_does_not_show(problem, sampling="bootstrap", n_trees=2, max_features=1, **way)


@pytest.mark.parametrize("splitter", ["best", "random", "hyperplane"])
def test_below_nodes_that_have_a_table_of_their_own(splitter):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70_000, 64)).astype(np.float32)  # nodes of 128 to 4375 rows are copied
    y = (X[:, 0] + X[:, 1] + rng.normal(size=len(X)) > 2.5).astype(np.int32)
    table = _core.Dataset(X, np.zeros(64, dtype=np.int32), y, 2)
    forests = []
    for order in ("depth_first", *OTHER_ORDERS):
        options = {"order": order, "splitter": splitter, "n_cuts": 3, "max_features": 3, "seed": 1}
        plan = _core.ForestPlan([criteria.get("hellinger")._spec()], **options)
        forests.append(_core.grow_forests(table, [plan])[0])
    for other in forests[1:]:
        assert_same_state(other, forests[0])


def test_nodes_are_numbered_in_visiting_order():
    forest = grown(make_problem("mixed", n_classes=3, n_rows=200), "random", nominal="multiway")
    for tree in (*forest, *forest.pruned(0.25)):
        stack, expected = [0], 1
        while stack:
            node = stack.pop()
            if tree.n_children[node]:
                assert tree.children_left[node] == expected
                expected += tree.n_children[node]
                stack.extend(range(tree.children_right[node], tree.children_left[node] - 1, -1))


def test_orders_other_than_these_are_refused():
    with pytest.raises(ValueError, match="order must be 'depth_first', 'breadth_first' or 'random', got 'widest'"):
        _core.ForestPlan([criteria.get("gini")._spec()], order="widest")


def test_the_same_columns_of_sibling_nodes_have_streams_of_their_own():
    """Two copies of a table, told apart at the root: the cuts below must not be the same on both sides."""
    rng = np.random.default_rng(3)
    half = rng.normal(size=(60, 2))
    y = (half[:, 0] + rng.normal(size=60) > 0).astype(np.int32)
    X = np.column_stack([np.repeat([0.0, 100.0], 60), np.vstack([half, half])])
    table = _core.Dataset(X, np.zeros(3, dtype=np.int32), np.tile(y, 2), 2)
    options = {"splitter": "random", "n_cuts": 1, "max_features": 1}
    plan = _core.ForestPlan([criteria.get("gini")._spec()], n_trees=30, **options)
    for tree in _core.grow_forests(table, [plan])[0]:
        thresholds = tree.threshold[tree.feature > 0]
        assert len(np.unique(thresholds)) == len(thresholds)


def test_a_pair_that_is_drawn_again_gets_other_lines():
    """Two columns have two orders: ten draws at a node repeat them, and more lines must find better ones."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 2))
    y = (X @ [1.0, 0.7] > 0.3).astype(np.int32)
    table = _core.Dataset(X, np.zeros(2, dtype=np.int32), y, 2)
    forests = [
        _core.grow_forests(
            table,
            [
                _core.ForestPlan(
                    [criteria.get("gini")._spec()],
                    splitter="hyperplane",
                    n_cuts=1,
                    max_features=n,
                    max_depth=1,
                    n_trees=50,
                )
            ],
        )[0]
        for n in (4, 40)
    ]
    few, many = ([tree.value[1:].max(axis=1).sum() for tree in forest] for forest in forests)
    assert np.mean(many) > np.mean(few) + 10
    assert differ(*forests)
