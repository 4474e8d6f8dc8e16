"""One prepared table, other classes: trees are those of a table prepared with the new labels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood import _core, criteria
from support.forests import BAGGED, assert_same_state
from support.strategies import DATA_KINDS, make_problem, problems

SPLITTERS = ("best", "random", "hyperplane")
ONE_VERSUS_REST = [0, 1, 0, 0]
PAIRS = [1, 0, 0, 1]
THREE = [2, 0, 1, 0]


def prepared(problem, y=None):
    n_categories = np.zeros(problem.X.shape[1], dtype=np.int32)
    for column in problem.nominal:
        n_categories[column] = 1 + np.nanmax(problem.X[:, column], initial=0)
    y = problem.y if y is None else y
    return _core.Dataset(problem.X, n_categories, y.astype(np.int32), int(y.max()) + 1)


def planned(problem, n_classes, splitter="best", sampling="all", criterion="hellinger", class_map=None):
    class_weights = None if problem.class_weight is None else np.array([3.0, 1.0, 0.5])[:n_classes]
    return _core.ForestPlan(
        [criteria.get(criterion)._spec()],
        n_trees=4,
        seed=11,
        sampling=sampling,
        weights=problem.sample_weight,
        class_weights=class_weights,
        class_map=class_map,
        splitter=splitter,
        n_cuts=3,
        max_features=2,
    )


def grown(dataset, problem, n_classes, *options, **more):
    return _core.grow_forests(dataset, [planned(problem, n_classes, *options, **more)])[0]


@pytest.mark.parametrize("class_map", [ONE_VERSUS_REST, PAIRS, THREE])
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("data", DATA_KINDS)
@pytest.mark.parametrize("weights", ["none", "integer", "both"])
def test_relabelled_classes_grow_the_forest_of_the_new_labels(data, weights, splitter, class_map):
    problem = make_problem(data, weights, n_classes=4)
    n_new = max(class_map) + 1
    fresh = prepared(problem, np.array(class_map)[problem.y])
    table = prepared(problem)
    for sampling in ("all", *BAGGED):
        expected = grown(fresh, problem, n_new, splitter, sampling)
        assert_same_state(grown(table, problem, n_new, splitter, sampling, class_map=class_map), expected)
        assert_same_state(grown(table.relabelled(class_map), problem, n_new, splitter, sampling), expected)
        for tree in range(4):
            expected_times = _core.testing.times_drawn(fresh, planned(problem, n_new, sampling=sampling), tree)
            times = _core.testing.times_drawn(
                table, planned(problem, n_new, sampling=sampling, class_map=class_map), tree
            )
            np.testing.assert_array_equal(times, expected_times)


@given(problems(max_classes=4), st.lists(st.integers(0, 2), min_size=4, max_size=4), st.sampled_from(SPLITTERS))
def test_any_small_table_can_be_relabelled(problem, class_map, splitter):
    class_map = class_map[: problem.n_classes]
    fresh = prepared(problem, np.array(class_map)[problem.y])
    expected = grown(fresh, problem, max(class_map) + 1, splitter, "bootstrap", "entropy")
    relabelled = grown(
        prepared(problem), problem, max(class_map) + 1, splitter, "bootstrap", "entropy", class_map=class_map
    )
    assert_same_state(relabelled, expected)


@pytest.mark.parametrize("data", ["continuous", "ties", "missing"])
@pytest.mark.parametrize("weights", ["none", "integer", "fractional"])
def test_a_class_can_be_left_out(data, weights):
    problem = make_problem(data, weights, n_classes=4)
    kept = problem.y != 2
    part = replace(
        problem,
        X=problem.X[kept],
        y=np.array([0, 1, -1, 0])[problem.y[kept]],
        sample_weight=None if problem.sample_weight is None else problem.sample_weight[kept],
    )
    for sampling in ("all", *BAGGED):
        expected = grown(prepared(part), part, 2, sampling=sampling)
        assert_same_state(grown(prepared(problem), problem, 2, sampling=sampling, class_map=[0, 1, -1, 0]), expected)


def test_other_classes_can_be_relabelled_again():
    problem = make_problem("mixed", n_classes=4)
    twice = prepared(problem).relabelled([2, 0, 1, 0]).relabelled([0, 1, 1])
    assert_same_state(grown(twice, problem, 2), grown(prepared(problem), problem, 2, class_map=[1, 0, 1, 0]))


def test_out_of_bag_scores_are_those_of_the_new_labels():
    problem = make_problem("mixed", n_classes=4)
    fresh, table = prepared(problem, y=np.array(PAIRS)[problem.y]), prepared(problem)
    plan, relabelling = (planned(problem, 2, sampling="bootstrap", class_map=class_map) for class_map in (None, PAIRS))
    expected = _core.grow_forests(fresh, [plan])[0].out_of_bag(fresh, plan, 1.0)
    forest = _core.grow_forests(table, [relabelling])[0]
    for one, other in zip(forest.out_of_bag(table, relabelling, 1.0), expected):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_many_forests_of_one_call_are_those_of_single_calls(n_threads):
    problem = make_problem("mixed", "fractional", n_classes=4)
    table = prepared(problem)
    plans, expected = [], []
    for number, class_map in enumerate([None, ONE_VERSUS_REST, PAIRS, THREE]):
        rows = {"sampling": "bootstrap", "weights": problem.sample_weight, "class_map": class_map}
        plans.append(_core.ForestPlan([criteria.get("gini")._spec()], n_trees=1 + number, seed=number, **rows))
        expected.extend(_core.grow_forests(table, [plans[-1]]))
    reported = []
    forests = _core.grow_forests(table, plans, n_threads=n_threads, progress=reported.append)
    assert [len(forest) for forest in forests] == [1, 2, 3, 4]
    for one, other in zip(forests, expected):
        assert_same_state(one, other)


@pytest.mark.parametrize(
    ("class_map", "words"),
    [
        ([0, 1], "there are 4 classes but 2 entries"),
        ([-1, -1, -1, -1], "not every class can be left out"),
        ([0, 1, -2, 0], "numbered from 0"),
    ],
)
def test_maps_that_make_no_sense_are_refused(class_map, words):
    problem = make_problem("ties", n_classes=4)
    with pytest.raises(ValueError, match=words):
        prepared(problem).relabelled(class_map)
    with pytest.raises(ValueError, match=words):
        grown(prepared(problem), problem, 2, class_map=class_map)
