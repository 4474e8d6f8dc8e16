"""Plans: forests of different kinds on one table, leaves and mixtures of them, rows a tree did not see."""

import pickle
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood._core import CriterionSpec, Dataset, ForestPlan, grow_forests, testing
from support.forests import assert_same_state
from support.interrupts import seconds_until_stopped
from support.strategies import DATA_KINDS, make_problem, problems

# Three families that share nothing but the table.
FAMILIES = (
    {"criteria": ["entropy"], "splitter": "hyperplane", "n_cuts": 20},
    {"criteria": ["hellinger"], "splitter": "random", "n_cuts": 10},
    {"criteria": ["gini"], "splitter": "best"},
)


def dataset_of(problem):
    n_categories = np.zeros(problem.X.shape[1], dtype=np.int32)
    for column in problem.nominal:
        n_categories[column] = 1 + np.nanmax(problem.X[:, column], initial=0)
    return Dataset(problem.X, n_categories, problem.y.astype(np.int32), problem.n_classes)


def plan_of(family, **options):
    family = dict(family)
    specs = [CriterionSpec(name) for name in family.pop("criteria")]
    return ForestPlan(specs, **{"n_trees": 5, "seed": 7, "max_features": 2, **family, **options})


def subsample_sizes(y, weights=None):
    """Four rows of five of every class, at least one and not all."""
    counts = np.bincount(y if weights is None else y[weights > 0])
    return [int(max(1, min(round(0.8 * n), n - 1))) if n else 0 for n in counts]


def leaf_counts(tree, X):
    """Class counts of the leaf of each row."""
    return tree.value[tree.apply(X)]


def smoothed(counts, pseudo_counts):
    """Definition of the probabilities of a leaf, row by row."""
    rows = []
    for row in counts:
        total = sum(row) + sum(pseudo_counts)
        rows.append([(n + a) / total if total > 0 else 1 / len(row) for n, a in zip(row, pseudo_counts)])
    return np.array(rows)


def slow_out_of_bag(forest, dataset, plan, X, pseudo_counts):
    """Tree by tree and row by row."""
    n_classes = forest[0].n_classes
    sums, n_trees = np.zeros((len(X), n_classes)), np.zeros(len(X), dtype=int)
    for i in range(len(forest)):
        by_row = smoothed(leaf_counts(forest[i], X), pseudo_counts)
        for row in np.flatnonzero(testing.times_drawn(dataset, plan, i) == 0):
            sums[row] += by_row[row]
            n_trees[row] += 1
    return sums, n_trees


class TestOneTable:
    @pytest.mark.parametrize("n_threads", [1, 2])
    @pytest.mark.parametrize("weights", ["none", "fractional"])
    @pytest.mark.parametrize("data", DATA_KINDS)
    def test_different_forests_of_one_call_are_those_of_tables_of_their_own(self, data, weights, n_threads):
        problem = make_problem(data, weights, n_classes=3)
        rows = {
            "sampling": "subsample",
            "class_sizes": subsample_sizes(problem.y, problem.sample_weight),
            "weights": problem.sample_weight,
            "class_weights": np.array([1.0, 4.0, 0.5]),
        }
        plans = [plan_of(family, **rows) for family in FAMILIES]
        together = grow_forests(dataset_of(problem), plans, n_threads=n_threads)
        for plan, forest in zip(plans, together):
            assert_same_state(forest, grow_forests(dataset_of(problem), [plan])[0])

    @given(problems(max_classes=3), st.permutations(FAMILIES))
    def test_a_table_gets_its_forms_in_any_order(self, problem, families):
        shared = dataset_of(problem)
        for family in families:
            plan = plan_of(family, sampling="bootstrap")
            assert_same_state(grow_forests(shared, [plan])[0], grow_forests(dataset_of(problem), [plan])[0])

    @given(problems(max_classes=3), st.sampled_from(FAMILIES))
    def test_a_released_table_makes_its_forms_again(self, problem, family):
        shared, plan = dataset_of(problem), plan_of(family, sampling="bootstrap")
        relabelled = shared.relabelled(list(range(problem.n_classes)))
        forest = grow_forests(shared, [plan])[0]
        shared.release()
        for again in (shared, relabelled):
            assert_same_state(grow_forests(again, [plan])[0], forest)
            np.testing.assert_array_equal(again.has_missing, np.isnan(problem.X).any(axis=0))

    def test_large_tables_whose_nodes_get_tables_of_their_own(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300_000, 16)).astype(np.float32)
        y = (X[:, 0] + rng.normal(size=len(X)) > 2.5).astype(np.int32)
        plans = [plan_of(family, n_trees=1, min_samples_leaf=20) for family in FAMILIES]

        def table():
            return Dataset(X, np.zeros(16, dtype=np.int32), y, 2)

        for plan, forest in zip(plans, grow_forests(table(), plans)):
            assert_same_state(forest, grow_forests(table(), [plan])[0])

    def test_threads_may_share_a_table_that_nobody_has_prepared(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(3000, 6)), rng.integers(0, 2, size=3000).astype(np.int32)
        plans = [plan_of(family) for family in FAMILIES]
        expected = [grow_forests(Dataset(X, np.zeros(6, dtype=np.int32), y, 2), [plan])[0] for plan in plans]
        for _ in range(5):
            shared, start = Dataset(X, np.zeros(6, dtype=np.int32), y, 2), threading.Barrier(3)

            def grow(plan, shared=shared, start=start):
                start.wait()
                return grow_forests(shared, [plan])[0]

            with ThreadPoolExecutor(3) as pool:
                for forest, alone in zip(pool.map(grow, plans), expected):
                    assert_same_state(forest, alone)

    def test_a_category_out_of_range_is_refused_each_time(self):
        dataset = Dataset(np.array([[0.0], [5.0]]), np.array([3], dtype=np.int32), np.array([0, 1], dtype=np.int32), 2)
        for family in FAMILIES[:2]:
            with pytest.raises(ValueError, match=r"column 0: category code out of range: 5"):
                grow_forests(dataset, [plan_of(family, max_features=1)])


class TestMissing:
    @given(problems(max_classes=2), st.sampled_from([None, *FAMILIES]))
    def test_columns_with_missing_cells_are_known_before_and_after_growing(self, problem, family):
        dataset = dataset_of(problem)
        if family is not None:
            grow_forests(dataset, [plan_of(family)])
        np.testing.assert_array_equal(dataset.has_missing, np.isnan(problem.X).any(axis=0))

    def test_a_sum_that_overflows_is_not_missing(self):
        X = np.repeat([3e38, -3e38], 128).astype(np.float32)[:, np.newaxis]
        dataset = Dataset(X, np.zeros(1, dtype=np.int32), np.zeros(256, dtype=np.int32), 1)
        assert dataset.has_missing.tolist() == [False]


class TestLeaves:
    X = np.random.default_rng(0).normal(size=(400, 4))
    y = (np.arange(400) % 7 % 3).astype(np.int32)

    def forest(self, family=FAMILIES[1], **options):
        plan = plan_of(family, sampling="bootstrap", **options)
        return grow_forests(Dataset(self.X, np.zeros(4, dtype=np.int32), self.y, 3), [plan])[0]

    @pytest.mark.parametrize("n_rows", [1, 7, 8, 255, 256, 400])
    @pytest.mark.parametrize("family", FAMILIES)
    def test_pseudo_counts_per_class(self, family, n_rows):
        pseudo_counts = np.array([0.5, 0.3, 0.2])
        forest, X = self.forest(family, max_depth=4), self.X[:n_rows]
        by_tree = [smoothed(leaf_counts(forest[i], X), pseudo_counts) for i in range(len(forest))]
        np.testing.assert_allclose(forest.predict_proba(X, pseudo_counts), np.mean(by_tree, axis=0), rtol=1e-13)
        np.testing.assert_array_equal(forest[0].predict_proba(X, pseudo_counts), by_tree[0])

    @pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0, 1 / 3])
    def test_a_number_is_the_same_for_every_class(self, smoothing):
        forest = self.forest()
        for X in (self.X, self.X[:3]):
            equal = forest.predict_proba(X, np.full(3, smoothing))
            np.testing.assert_array_equal(forest.predict_proba(X, smoothing), equal)

    @pytest.mark.parametrize("n_rows", [1, 7, 8, 255, 256, 400])
    def test_weights_of_trees_mix_families_in_one_pass(self, n_rows):
        families, X = [self.forest(family) for family in FAMILIES], self.X[:n_rows]
        weights = [0.2, 0.7, 0.1]
        joined = families[0] + families[1] + families[2]
        expected = sum(w * forest.predict_proba(X, 0.5) for w, forest in zip(weights, families))
        for n_threads in (1, 2):
            mixed = joined.predict_proba(X, 0.5, n_threads, tree_weights=np.repeat(weights, 5) / 5)
            np.testing.assert_allclose(mixed, expected, rtol=1e-12)

    @pytest.mark.parametrize(
        ("pseudo_counts", "tree_weights", "words"),
        [
            (np.ones(2), None, "3 classes but 2 pseudo-counts"),
            (np.array([1.0, -1.0, 1.0]), None, "finite and not negative"),
            (float("nan"), None, "finite and not negative"),
            (1.0, np.ones(4), "5 trees but 4 weights"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, pseudo_counts, tree_weights, words):
        with pytest.raises(ValueError, match=words):
            self.forest().predict_proba(self.X, pseudo_counts, tree_weights=tree_weights)


class TestOutOfBag:
    @pytest.mark.parametrize("sampling", ["bootstrap", "stratified", "balanced", "subsample"])
    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("data", DATA_KINDS)
    def test_sums_over_the_trees_that_did_not_see_a_row(self, data, family, sampling):
        problem = make_problem(data, "integer", n_classes=3)
        sizes = subsample_sizes(problem.y, problem.sample_weight) if sampling == "subsample" else None
        plan = plan_of(family, sampling=sampling, class_sizes=sizes, weights=problem.sample_weight, first_tree=3)
        dataset = dataset_of(problem)
        forest = grow_forests(dataset, [plan])[0]
        pseudo_counts = np.bincount(problem.y, minlength=3) / len(problem.y)
        expected, expected_trees = slow_out_of_bag(forest, dataset, plan, problem.X, pseudo_counts)
        sums, n_trees = forest.out_of_bag(dataset, plan, pseudo_counts)
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-300)
        np.testing.assert_array_equal(n_trees, expected_trees)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_many_rows_many_trees_many_threads(self, dtype, order):
        rng = np.random.default_rng(0)
        X = np.asarray(rng.normal(size=(1500, 4)), dtype=dtype, order=order)
        y = (X[:, 0] + rng.normal(size=1500) > 1).astype(np.int32)
        dataset = Dataset(X, np.zeros(4, dtype=np.int32), y, 2)
        plan = plan_of(FAMILIES[1], n_trees=70, sampling="subsample", class_sizes=subsample_sizes(y))
        forest = grow_forests(dataset, [plan])[0]
        expected, expected_trees = slow_out_of_bag(forest, dataset, plan, X, [0.8, 0.2])
        one = forest.out_of_bag(dataset, plan, np.array([0.8, 0.2]))
        np.testing.assert_allclose(one[0], expected, rtol=1e-12)
        np.testing.assert_array_equal(one[1], expected_trees)
        np.testing.assert_array_equal(forest.out_of_bag(dataset, plan, np.array([0.8, 0.2]), n_threads=3)[0], one[0])
        whole, half = forest.out_of_bag(dataset, plan, np.array([0.8, 0.2]), n_threads=2, by_half=True)
        fewer = plan_of(FAMILIES[1], n_trees=35, sampling="subsample", class_sizes=subsample_sizes(y))
        first = forest.part(0, 35).out_of_bag(dataset, fewer, np.array([0.8, 0.2]))
        for found, wanted in zip((*whole, *half), (*one, *first)):
            np.testing.assert_array_equal(found, wanted)

    def test_a_forest_that_was_continued_is_asked_with_the_whole_plan(self):
        X = np.random.default_rng(0).normal(size=(60, 2))
        y = (np.arange(60) % 3 == 0).astype(np.int32)
        dataset = Dataset(X, np.zeros(2, dtype=np.int32), y, 2)
        plan = plan_of(FAMILIES[0], n_trees=8, sampling="bootstrap")
        whole = grow_forests(dataset, [plan])[0]
        first = grow_forests(dataset, [plan_of(FAMILIES[0], n_trees=3, sampling="bootstrap")])[0]
        continued = first + grow_forests(dataset, [plan.rest(3)])[0]
        assert_same_state(continued, whole)
        for one, other in zip(continued.out_of_bag(dataset, plan, 1.0), whole.out_of_bag(dataset, plan, 1.0)):
            np.testing.assert_array_equal(one, other)

    def test_another_plan_is_refused(self):
        problem = make_problem("mixed", n_classes=3)
        dataset, plan = dataset_of(problem), plan_of(FAMILIES[0], sampling="bootstrap")
        forest = grow_forests(dataset, [plan])[0]
        with pytest.raises(ValueError, match="the plan has 2 trees, the forest 5"):
            forest.out_of_bag(dataset, plan.rest(3), 1.0)
        with pytest.raises(ValueError, match="not grown by this plan"):
            forest.out_of_bag(dataset, plan_of(FAMILIES[0], sampling="bootstrap", class_map=[0, 1, 1]), 1.0)

    def test_ctrl_c_stops_it(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(100_000, 2)), rng.integers(0, 2, size=100_000).astype(np.int32)
        dataset = Dataset(X, np.zeros(2, dtype=np.int32), y, 2)
        few = ForestPlan([CriterionSpec("gini")], sampling="bootstrap", max_depth=3)
        forest = grow_forests(dataset, [few])[0]
        while len(forest) < 20_000:
            forest = forest + forest
        plan = ForestPlan([CriterionSpec("gini")], sampling="bootstrap", n_trees=len(forest))
        seconds_until_stopped(lambda: forest.out_of_bag(dataset, plan, 1.0, n_threads=2))


def hellinger_like(left, right):
    return np.abs(left - right).sum(axis=1)


class TestPickles:
    def test_a_plan_grows_the_same_forest_after_a_pickle(self):
        problem = make_problem("mixed", "both", 3, n_rows=200)
        shared = CriterionSpec("alpha", 0.3, "uniform")
        plan = ForestPlan(
            [shared, CriterionSpec("gini"), shared, hellinger_like],
            n_trees=4,
            seed=7,
            sampling="bootstrap",
            splitter="random",
            n_cuts=3,
            max_features=2,
            weights=problem.sample_weight,
            class_weights=problem.class_weight,
        )
        copy = pickle.loads(pickle.dumps(plan))
        dataset = dataset_of(problem)
        assert_same_state(*(grow_forests(dataset, [each])[0] for each in (copy, plan)))
        assert_same_state(*(grow_forests(dataset, [each.rest(1)])[0] for each in (copy, plan)))
        criteria, options = copy.__getstate__()
        assert criteria[0] is criteria[2]
        assert [repr(each) for each in criteria] == [repr(each) for each in plan.__getstate__()[0]]
        for name, value in plan.__getstate__()[1].items():
            np.testing.assert_array_equal(options[name], value)

    def test_a_state_that_makes_no_sense_is_refused(self):
        empty = ForestPlan.__new__(ForestPlan)
        with pytest.raises(TypeError, match="a ForestPlan has no option 'trees'"):
            empty.__setstate__(([CriterionSpec("gini")], {"trees": 3}))


class TestPlan:
    def test_shows_its_options(self):
        weights = np.ones(4)
        plan = ForestPlan(
            [CriterionSpec("gini")],
            n_trees=3,
            first_tree=4,
            seed=2**63,
            sampling="subsample",
            class_sizes=[1, 2],
            weights=weights,
            class_map=[0, 1, -1],
            splitter="hyperplane",
            n_cuts=7,
            max_features=2,
            max_depth=5,
            min_samples_split=6,
            min_samples_leaf=2,
            nominal="one_vs_rest",
        )
        assert (plan.n_trees, plan.first_tree, plan.seed) == (3, 4, 2**63)
        assert (plan.sampling, plan.class_sizes, plan.class_map) == ("subsample", [1, 2], [0, 1, -1])
        assert (plan.splitter, plan.n_cuts, plan.nominal) == ("hyperplane", 7, "one_vs_rest")
        assert (plan.max_features, plan.max_depth) == (2, 5)
        assert (plan.min_samples_split, plan.min_samples_leaf) == (6.0, 2.0)
        assert np.shares_memory(plan.weights, weights)
        assert plan.class_weights is None

    def test_without_options_it_is_a_single_tree_on_all_rows(self):
        plan = ForestPlan([CriterionSpec("gini")], max_depth=None, weights=None)
        assert (plan.n_trees, plan.sampling, plan.splitter, plan.max_depth) == (1, "all", "best", 0)

    def test_options_cannot_be_changed(self):
        with pytest.raises(AttributeError):
            ForestPlan([CriterionSpec("gini")]).n_trees = 5

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"n_tree": 3}, TypeError, "a ForestPlan has no option 'n_tree'"),
            ({"n_trees": "many"}, TypeError, "n_trees must be a whole number of at least 0, got 'many'"),
            ({"n_trees": -1}, TypeError, "n_trees must be a whole number of at least 0, got -1"),
            ({"n_trees": 0}, ValueError, "at least one tree"),
            (
                {"weights": [1.0]},
                TypeError,
                r"weights must be a one-dimensional contiguous array of float64, got \[1.0\]",
            ),
            ({"min_samples_leaf": "one"}, TypeError, "min_samples_leaf must be a number, got 'one'"),
            ({"class_sizes": 5}, TypeError, "class_sizes must be a list of whole numbers, got 5"),
            ({"splitter": 3}, TypeError, "splitter must be a name, got 3"),
            ({"splitter": "worst"}, ValueError, "splitter must be 'best', 'random' or 'hyperplane', got 'worst'"),
            ({"nominal": "none"}, ValueError, "nominal must be 'subset', 'multiway' or 'one_vs_rest', got 'none'"),
            ({"sampling": "some"}, ValueError, "'all', 'bootstrap', 'stratified', 'balanced' or 'subsample', got"),
            ({"splitter": "random", "n_cuts": 0}, ValueError, "n_cuts must be at least 1"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, options, error, words):
        with pytest.raises(error, match=words):
            ForestPlan([CriterionSpec("gini")], **options)

    def test_criteria_are_one_or_one_per_tree(self):
        gini, entropy = CriterionSpec("gini"), CriterionSpec("entropy")
        for criteria, n_trees in (([], 1), ([gini, gini], 3), ([gini], 0)):
            with pytest.raises(ValueError, match=r"criterion|tree"):
                ForestPlan(criteria, n_trees=n_trees)
        problem = make_problem("mixed")
        mixed = ForestPlan([gini, entropy, gini, entropy], n_trees=4, sampling="bootstrap")
        forest = grow_forests(dataset_of(problem), [mixed], n_threads=2)[0]
        tail = grow_forests(dataset_of(problem), [mixed.rest(1)])[0]
        for criterion, trees in ((gini, (0, 2)), (entropy, (1, 3))):
            pure = grow_forests(dataset_of(problem), [ForestPlan([criterion], n_trees=4, sampling="bootstrap")])[0]
            for tree in trees:
                assert_same_state(forest[tree], pure[tree])
                if tree > 0:
                    assert_same_state(tail[tree - 1], pure[tree])

    def test_a_function_may_score_the_trees_of_several_threads(self):
        def gain(left, right):
            return (left[:, 0] - right[:, 0]) ** 2

        problem = make_problem("continuous")
        plan = ForestPlan([gain], n_trees=6, sampling="bootstrap")
        assert_same_state(*(grow_forests(dataset_of(problem), [plan], n_threads=n)[0] for n in (1, 3)))

    def test_nothing_is_left_of_a_plan_that_was_grown(self):
        with pytest.raises(ValueError, match="nothing is left of a plan of 2 trees from tree 2 on"):
            ForestPlan([CriterionSpec("gini")], n_trees=2).rest(2)

    def test_a_tree_that_is_not_planned_was_not_drawn(self):
        problem = make_problem("mixed")
        with pytest.raises(ValueError, match="the plan has 5 trees, there is no tree 5"):
            testing.times_drawn(dataset_of(problem), plan_of(FAMILIES[0]), 5)

    def test_weights_are_shared_and_let_go(self):
        weights = np.ones(1_000_000)
        tracemalloc.start()
        plans = [ForestPlan([CriterionSpec("gini")], weights=weights) for _ in range(100)]
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1_000_000
        held = sys.getrefcount(weights)
        del plans
        assert sys.getrefcount(weights) < held
