"""Trees of random candidates, node by node: the rows a rule sends on are those the counts speak of, the best candidate wins,
and nothing but a limit stops a node that could be split.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rarewood
from oracle.criteria import CRITERIA as TWINS
from oracle.splits import numeric_rules, subset_rules
from oracle.tree import Problem, apply_rule
from oracle.walk import walk
from rarewood import TreeClassifier
from support.forests import inner_nodes
from support.strategies import DATA_KINDS, WEIGHT_KINDS, make_problem, new_rows, problems

SPLITTERS = ("random", "hyperplane")


def fit(problem, splitter, **parameters):
    class_weight = None if problem.class_weight is None else dict(enumerate(problem.class_weight.tolist()))
    model = TreeClassifier(
        splitter=splitter, categorical_features=list(problem.nominal), class_weight=class_weight, **parameters
    )
    return model.fit(problem.X, problem.y, sample_weight=problem.sample_weight)


# ----------------------------------------------------------------------------------------- counts, leaves and predictions


def assert_describes_its_rows(model, problem, max_depth=np.inf, min_samples_split=2, min_samples_leaf=1):
    """Every node against the training rows that really reach it by the stored rules."""
    tree = model.tree_
    reached, _ = walk(tree, problem.X[problem.rows])
    rows = [problem.rows[places] for places in reached]
    np.testing.assert_allclose(tree.value, [problem.counts(r) for r in rows], rtol=1e-9, atol=1e-9)
    assert tree.n_node_samples.tolist() == [problem.cases(r) for r in rows]
    assert min(problem.cases(r) for r in rows) >= min(min_samples_leaf, problem.cases(problem.rows))
    depths = node_depths(tree)
    for node in range(tree.node_count):
        if tree.children_left[node] != -1:
            assert problem.cases(rows[node]) >= min_samples_split
            assert depths[node] < max_depth
        elif depths[node] < max_depth and problem.cases(rows[node]) >= min_samples_split and min_samples_leaf == 1:
            assert is_unsplittable(problem, rows[node]), f"leaf {node} could have been split"


def node_depths(tree):
    depths = np.zeros(tree.node_count, dtype=int)
    for node in inner_nodes(tree):  # children come after their parent
        depths[[tree.children_left[node], tree.children_right[node]]] = depths[node] + 1
    return depths


def is_unsplittable(problem, rows):
    """One class, or the same value in every column; missing is a value, too."""
    columns = np.nan_to_num(problem.X[rows], nan=-99.0)
    return len(np.unique(problem.y[rows])) == 1 or np.ptp(columns, axis=0).max() == 0


def assert_walk_agrees(model, problem):
    X = np.vstack([problem.X, new_rows(problem)])
    for j in problem.nominal:  # the core sees a category it does not know as one past the last
        X[:, j] = np.minimum(X[:, j], len(model.categories_[j]))
    _, ends = walk(model.tree_, X)
    np.testing.assert_array_equal(model.apply(X), ends)
    counts = model.tree_.value[ends] + model.smoothing
    np.testing.assert_allclose(model.predict_proba(X), counts / counts.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("weights", WEIGHT_KINDS)
@pytest.mark.parametrize("data", DATA_KINDS)
def test_counts_are_those_of_the_rows_that_arrive(splitter, weights, data):
    for seed in range(3):
        problem = make_problem(data, weights, n_classes=2 + seed, seed=seed)
        model = fit(problem, splitter, n_cuts=1 + 3 * seed, random_state=seed)
        assert_describes_its_rows(model, problem)
        assert_walk_agrees(model, problem)


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("data", DATA_KINDS)
@pytest.mark.parametrize(
    "limits",
    [{"max_depth": 3}, {"min_samples_split": 12}, {"min_samples_leaf": 4}],
    ids=lambda limits: next(iter(limits)),
)
def test_limits_are_kept(splitter, data, limits):
    for seed in range(3):
        problem = make_problem(data, "integer", seed=seed)
        assert_describes_its_rows(fit(problem, splitter, random_state=seed, **limits), problem, **limits)


@pytest.mark.parametrize("splitter", SPLITTERS)
@settings(max_examples=150)
@given(problem=problems(), seed=st.integers(0, 99), n_cuts=st.sampled_from([1, 4]))
def test_small_tables_full_of_ties(splitter, problem, seed, n_cuts):
    model = fit(problem, splitter, n_cuts=n_cuts, max_features=1, random_state=seed)
    assert_describes_its_rows(model, problem)
    assert_walk_agrees(model, problem)


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("criterion", rarewood.criteria.names())
def test_every_criterion_works_with_every_splitter(splitter, criterion):
    for data in ("mixed", "rare"):
        problem = make_problem(data, n_rows=60)
        model = fit(problem, splitter, criterion=criterion, random_state=0)
        assert_walk_agrees(model, problem)
        if criterion != "c45":  # it stops where nothing is gained
            assert_describes_its_rows(model, problem)


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_numbers_that_differ_only_in_float64_are_told_apart(splitter):
    X = np.column_stack([1.0 + 1e-12 * np.arange(40), np.random.default_rng(0).normal(size=40)])
    y = np.arange(40) % 2
    assert fit_arrays(X, y, splitter).score(X, y) == 1.0
    assert fit_arrays(X[:, :1], y, splitter).score(X[:, :1], y) == 1.0


def fit_arrays(X, y, splitter):
    return TreeClassifier(splitter=splitter, random_state=0).fit(X, y)


# --------------------------------------------------------------------------------------------------- the best candidate wins


PLAIN_MAXIMUM = [name for name in rarewood.criteria.names() if name != "c45"]


@pytest.mark.parametrize(
    ("criterion", "n_classes"), [(name, k) for name in PLAIN_MAXIMUM for k in (2, 3) if (name, k) != ("dkm", 3)]
)
class TestManyCandidatesFindTheBest:
    """So many candidates that every possible one is among them: the chosen score is the best that the oracle knows."""

    def check(self, problem, criterion, rules):
        model = fit(problem, "random", criterion=criterion, n_cuts=2000, max_depth=1, random_state=0)
        twin = TWINS[criterion]
        best = max(twin(apply_rule(problem, rule, problem.rows).table) for rule in rules)
        assert twin(model.tree_.value[1:]) == pytest.approx(best, abs=1e-9)

    def test_of_all_thresholds(self, criterion, n_classes):
        problem = one_column(lambda rng, y: rng.integers(7, size=len(y)) + (y == 1), n_classes)
        self.check(problem, criterion, numeric_rules(0, problem.X[:, 0]))

    def test_of_all_thresholds_and_both_sides_for_missing(self, criterion, n_classes):
        def column(rng, y):
            return np.where(rng.random(len(y)) < 0.1 + 0.2 * (y == 1), np.nan, rng.integers(5, size=len(y)) + y)

        problem = one_column(column, n_classes)
        rules = [rule for rule in numeric_rules(0, problem.X[:, 0]) if rule.threshold != np.inf]
        self.check(problem, criterion, rules)

    def test_of_all_category_sets(self, criterion, n_classes):
        problem = one_column(lambda rng, y: (rng.integers(5, size=len(y)) + 2 * y) % 5, n_classes, nominal=True)
        self.check(problem, criterion, subset_rules(0, problem.X[:, 0]))


def one_column(values, n_classes, nominal=False):
    rng = np.random.default_rng(n_classes)
    y = np.r_[np.arange(n_classes), rng.choice(n_classes, size=80, p=[0.7, 0.3, 0.0][:n_classes])]
    if n_classes == 3:
        y[-12:] = 2
    X = np.asarray(values(rng, y), dtype=float)[:, None]
    return Problem(X, y, n_classes, (0,) if nominal else ())


class Witness:
    """Hellinger's distance as a Python function that remembers what it was asked."""

    def __init__(self):
        self.tables = []

    def __call__(self, left, right):
        tables = np.stack([left, right], axis=1)
        self.tables += list(tables)
        return np.array([TWINS["hellinger"](table) for table in tables])

    @property
    def best(self):
        return max(TWINS["hellinger"](table) for table in self.tables)


@pytest.mark.parametrize(("splitter", "per_node"), [("random", 3 * 7), ("hyperplane", 3 * 7)])
def test_the_best_of_exactly_the_asked_number_of_candidates_is_chosen(splitter, per_node):
    """Three columns, or three pairs of them, seven candidates each."""
    problem = make_problem("continuous", n_rows=100)
    for seed in range(10):
        witness = Witness()
        model = fit(problem, splitter, criterion=witness, n_cuts=7, max_depth=1, random_state=seed)
        assert len(witness.tables) == per_node
        assert TWINS["hellinger"](model.tree_.value[1:]) == pytest.approx(witness.best, abs=1e-10)


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_missing_rows_are_tried_on_both_sides_of_every_candidate(splitter):
    problem = make_problem("missing", n_rows=100)
    witness = Witness()
    model = fit(problem, splitter, criterion=witness, n_cuts=5, max_depth=1, random_state=0)
    assert TWINS["hellinger"](model.tree_.value[1:]) == pytest.approx(witness.best, abs=1e-10)
    n_columns_with_gaps = 2
    if splitter == "random":
        assert len(witness.tables) == 5 * (3 + n_columns_with_gaps)


def test_candidates_are_tables_of_real_cuts():
    problem = make_problem("ties", n_classes=3, n_rows=60)
    witness = Witness()
    fit(problem, "random", criterion=witness, n_cuts=20, max_depth=1, random_state=0)
    possible = {
        apply_rule(problem, rule, problem.rows).table.tobytes()
        for feature in range(3)
        for rule in numeric_rules(feature, problem.X[:, feature])
    }
    assert len(witness.tables) == 60
    assert all(table.tobytes() in possible for table in witness.tables)


@pytest.mark.parametrize("criterion", ["hellinger", "gini"])
def test_lines_score_at_least_as_much_as_the_best_axis_cut_where_the_border_is_slanted(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=300) > 0).astype(int)
    axis = TreeClassifier(criterion, max_depth=1).fit(X, y)
    line = TreeClassifier(criterion, splitter="hyperplane", n_cuts=1000, max_depth=1, random_state=0).fit(X, y)
    assert TWINS[criterion](line.tree_.value[1:]) > TWINS[criterion](axis.tree_.value[1:]) + 0.05
