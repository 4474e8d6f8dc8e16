"""Answers of parts of the rows add up: trees grown by asking parts are, bit for bit, those grown on all rows."""

from functools import partial

import numpy as np
import pytest

from rarewood import _core, criteria
from support.forests import assert_same_state
from support.strategies import DATA_KINDS, make_problem


def _tables(problem, n_parts):
    """Part by part, some of them empty: the rows with their places in the whole."""
    edges = np.linspace(0, len(problem.y), n_parts).astype(int)
    return [slice(begin, end) for begin, end in zip((0, *edges), (*edges, len(problem.y)))]


def _categories(problem):
    n_categories = np.zeros(problem.X.shape[1], dtype=np.int32)
    for column in problem.nominal:
        n_categories[column] = 1 + np.nanmax(problem.X[:, column], initial=0)
    return n_categories


def grown_in_parts(problem, plan, n_parts, small_cases=0.0):
    """By a `LevelGrower` that asks `PartRows`, in one process; every other round a part is lost and made again."""
    wide = [not np.array_equal(column.astype(np.float32), column, equal_nan=True) for column in problem.X.T]
    shape = _core.TableShape(_categories(problem).tolist(), wide, problem.n_classes)
    weights = np.ones(len(problem.y)) if problem.sample_weight is None else problem.sample_weight
    y = problem.y.astype(np.int32)
    sizes = np.bincount(y[weights > 0], minlength=problem.n_classes)
    draws = _core.TableDraws(plan, sizes.tolist())
    tables, makers = [], []
    for rows in _tables(problem, n_parts):
        table = shape.table(y[rows])
        for column in range(problem.X.shape[1]):
            table.fill(column, 0, np.ascontiguousarray(problem.X[rows, column], dtype=np.float64))
        table.end_filling()
        before = np.bincount(y[: rows.start][weights[: rows.start] > 0], minlength=problem.n_classes)
        tables.append(table)
        own = [] if problem.sample_weight is None else weights[rows].tolist()
        makers.append(partial(_core.PartRows, draws, before.tolist(), own, np.empty(0, dtype=np.uint32)))
    parts = [make() for make in makers]
    grower = _core.LevelGrower(shape, plan, 0, plan.n_trees, small_cases)

    def splits_for(part):
        return grower.splits() if part.is_behind(grower.new_splits()) else grower.new_splits()

    n_rounds = 0
    while grower.n_questions:
        if n_rounds % 2:
            lost = n_rounds // 2 % n_parts
            parts[lost] = makers[lost]()
        answers = [part.answer(table, splits_for(part), grower.questions()) for part, table in zip(parts, tables)]
        grower.hear(_core.sum_of_answers(answers))
        n_rounds += 1
    small = list(range(len(grower.small_cases)))
    tasks = grower.tasks(small)
    blocks = [part.gather(table, splits_for(part), tasks) for part, table in zip(parts, tables)]
    for node, subtree in zip(small, _core.grow_gathered(shape, plan, tasks, blocks)):
        grower.graft(node, subtree)
    return grower.finish()


def check(problem, n_parts, small_cases=0.0, criterion="hellinger", **options):
    """Weights belong to the parts where there are parts, and to the plan where there is one table."""
    options = {"n_trees": 3, "seed": 5, "class_weights": problem.class_weight, **options}
    spec = [criteria.get(criterion)._spec()]
    table = _core.Dataset(problem.X, _categories(problem), problem.y.astype(np.int32), problem.n_classes)
    whole = _core.grow_forests(table, [_core.ForestPlan(spec, weights=problem.sample_weight, **options)])[0]
    assert_same_state(grown_in_parts(problem, _core.ForestPlan(spec, **options), n_parts, small_cases), whole)


@pytest.mark.parametrize("splitter", ["random", "hyperplane"])
@pytest.mark.parametrize("weights", ["none", "integer", "class"])
@pytest.mark.parametrize("data", DATA_KINDS)
def test_ranges_categories_and_counts_of_parts_add_up(data, weights, splitter):
    for n_classes in (2, 5):
        problem = make_problem(data, weights, n_classes, seed=6, n_rows=150)
        for limits in ({}, {"max_features": 1, "min_samples_leaf": 3.0}, {"criterion": "c45"}):
            check(problem, 7, splitter=splitter, **limits)


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest", "multiway"])
@pytest.mark.parametrize("small_cases", [0.0, 60.0])
def test_exact_splits_of_parts_are_those_of_the_gathered_rows(nominal, small_cases):
    problem = make_problem("nominal", "integer", 3, seed=6, n_rows=200)
    check(problem, 4, small_cases, nominal=nominal)
