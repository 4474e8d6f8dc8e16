"""TreeClassifier as a user meets it; whether it finds the best splits is checked against the naive twins elsewhere."""

import copy
import pickle
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError

from rarewood import TreeClassifier, criteria
from support.interrupts import LIMIT, seconds_until_stopped


@pytest.fixture(scope="module")
def numbers():
    """A rare class that is hard to tell."""
    return make_classification(n_samples=600, n_features=6, n_informative=3, weights=[0.9], flip_y=0.05, random_state=0)


@pytest.fixture(scope="module")
def mixed():
    """Numbers with gaps, a nominal column with gaps, and labels that depend on both."""
    rng = np.random.default_rng(1)
    n = 400
    land = rng.choice(["DE", "FR", "NG", "RO", "US"], size=n).astype(object)
    amount = rng.lognormal(3, 1, size=n)
    risky = np.isin(land, ["NG", "RO"]) & (amount > 20) | (rng.random(n) < 0.03)
    amount[rng.random(n) < 0.1] = np.nan
    land[rng.random(n) < 0.1] = None
    columns = {"amount": amount, "age": rng.integers(18, 80, size=n), "land": land}
    return columns, np.where(risky, "fraud", "legit")


def as_pandas(columns):
    frame = pd.DataFrame(columns)
    return frame.assign(land=pd.Categorical(frame["land"], categories=["DE", "FR", "NG", "RO", "US"]))


def same_tree(one, other):
    np.testing.assert_array_equal(one.tree_.feature, other.tree_.feature)
    np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)
    np.testing.assert_allclose(one.tree_.value, other.tree_.value, rtol=1e-12)
    for node in range(one.tree_.node_count):
        assert one.tree_.categories(node).tolist() == other.tree_.categories(node).tolist()
    return True


class TestTables:
    def test_every_container_gives_the_same_tree(self, mixed):
        columns, y = mixed
        frame = as_pandas(columns)
        tables = {
            "polars": pl.DataFrame({**columns, "land": pl.Series(columns["land"].tolist(), dtype=pl.Categorical)}),
            "pyarrow": pa.table({**columns, "land": pa.array(columns["land"].tolist()).dictionary_encode()}),
        }
        tree = TreeClassifier().fit(frame, y)
        probabilities = tree.predict_proba(frame)
        assert tree.feature_names_in_.tolist() == ["amount", "age", "land"]
        for name, table in tables.items():
            other = TreeClassifier().fit(table, y)
            assert same_tree(tree, other), name
            np.testing.assert_array_equal(other.predict_proba(table), probabilities)
        array = np.column_stack(list(columns.values()))
        other = TreeClassifier(categorical_features=[2]).fit(array, y)
        assert same_tree(tree, other)
        np.testing.assert_array_equal(other.predict_proba(array.tolist()), probabilities)

    @pytest.mark.parametrize(
        "layout", [np.ascontiguousarray, np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2]]
    )
    def test_memory_layout_does_not_matter(self, numbers, layout):
        X, y = numbers
        tree, other = TreeClassifier().fit(X, y), TreeClassifier().fit(layout(X), y)
        assert same_tree(tree, other)
        np.testing.assert_array_equal(other.predict_proba(layout(X)), tree.predict_proba(X))

    def test_reversed_rows_and_columns_are_read_where_they_are(self, numbers):
        X, y = numbers
        straight, reversed_ = TreeClassifier(max_depth=3).fit(X, y), TreeClassifier(max_depth=3).fit(X[::-1], y[::-1])
        np.testing.assert_array_equal(straight.predict_proba(X), reversed_.predict_proba(X[::-1])[::-1])

    def test_values_that_differ_only_in_float64_are_told_apart(self):
        X = np.array([[1.0], [1.0 + 1e-12]])
        assert TreeClassifier().fit(X, [0, 1]).get_n_leaves() == 2
        assert TreeClassifier().fit(X.astype(np.float32), [0, 1]).get_n_leaves() == 1

    def test_integers_and_booleans_are_numbers(self):
        X = np.array([[0, 5], [1, 5], [0, 6], [1, 6]])
        for table in (X, X.astype(np.int8), np.greater(X, X.min(axis=0)), pd.DataFrame(X, columns=["a", "b"])):
            assert TreeClassifier().fit(table, [0, 1, 1, 0]).get_n_leaves() == 4


class TestPredictions:
    def test_a_full_tree_reproduces_distinct_rows(self, numbers):
        X, y = numbers
        assert TreeClassifier().fit(X, y).score(X, y) == 1.0

    @pytest.mark.parametrize("smoothing", [0.0, 1.0, 2.5])
    def test_probabilities_are_smoothed_leaf_counts(self, numbers, smoothing):
        X, y = numbers
        tree = TreeClassifier(max_depth=3, smoothing=smoothing).fit(X, y)
        counts = tree.tree_.value[tree.apply(X)] + smoothing
        np.testing.assert_allclose(tree.predict_proba(X), counts / counts.sum(axis=1, keepdims=True))
        np.testing.assert_allclose(tree.predict_proba(X).sum(axis=1), 1.0)

    def test_smoothing_can_change_after_fit(self, numbers):
        X, y = numbers
        tree = TreeClassifier().fit(X, y)
        assert tree.predict_proba(X).max() < 1.0
        assert tree.set_params(smoothing=0).predict_proba(X).max() == 1.0
        with pytest.raises(ValueError, match="smoothing=-1"):
            tree.set_params(smoothing=-1).predict_proba(X)

    def test_log_probabilities(self, numbers):
        X, y = numbers
        tree = TreeClassifier(smoothing=0).fit(X, y)
        np.testing.assert_array_equal(np.exp(tree.predict_log_proba(X)), tree.predict_proba(X))
        assert tree.predict_log_proba(X).min() == -np.inf

    def test_predictions_belong_to_the_user(self, numbers):
        X, y = numbers
        tree = TreeClassifier().fit(X, y)
        for result in (tree.predict_proba(X), tree.apply(X), tree.predict(X)):
            result[0] = 0

    @pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 5], np.array(["a", "b"], dtype=object)])
    def test_labels_of_any_type(self, numbers, labels):
        X, y = numbers
        named = np.asarray(labels)[y]
        tree = TreeClassifier().fit(X, named)
        assert tree.classes_.tolist() == sorted(np.asarray(labels).tolist())
        np.testing.assert_array_equal(tree.predict(X), named)

    def test_one_class_gives_one_leaf(self):
        tree = TreeClassifier().fit([[1.0], [2.0]], ["only", "only"])
        assert tree.tree_.node_count == 1
        assert tree.predict([[5.0]]).tolist() == ["only"]
        assert tree.predict_proba([[5.0]]).tolist() == [[1.0]]
        assert tree.feature_importances_.tolist() == [0.0]

    def test_one_row(self):
        assert TreeClassifier().fit([[1.0]], ["a"]).predict([[2.0]]).tolist() == ["a"]

    def test_equal_rows_with_different_labels(self):
        tree = TreeClassifier().fit([[1.0]] * 4, [0, 1, 1, 1])
        assert tree.get_n_leaves() == 1
        assert tree.predict_proba([[1.0]]).tolist() == [[2 / 6, 4 / 6]]


class TestStructure:
    def test_path_and_leaf_agree_with_the_arrays(self, numbers):
        X, y = numbers
        tree = TreeClassifier(max_depth=4).fit(X, y)
        paths, leaves, arrays = tree.decision_path(X), tree.apply(X), tree.tree_
        assert paths.shape == (len(X), arrays.node_count)
        for row in range(0, len(X), 50):
            node, walked = 0, [0]
            while arrays.children_left[node] != -1:
                right = X[row, arrays.feature[node]] > arrays.threshold[node]
                node = (arrays.children_right if right else arrays.children_left)[node]
                walked.append(node)
            assert paths[row].indices.tolist() == walked
            assert leaves[row] == node

    def test_counts_of_children_sum_to_their_parent(self, numbers):
        X, y = numbers
        tree = TreeClassifier().fit(X, y).tree_
        inner = np.flatnonzero(tree.children_left != -1)
        left, right = tree.children_left[inner], tree.children_right[inner]
        np.testing.assert_array_equal(tree.value[inner], tree.value[left] + tree.value[right])
        np.testing.assert_array_equal(
            tree.n_node_samples[inner], tree.n_node_samples[left] + tree.n_node_samples[right]
        )
        assert tree.value[0].tolist() == np.bincount(y).tolist()
        assert tree.n_node_samples[0] == len(y)
        np.testing.assert_allclose(tree.weighted_n_node_samples, tree.value.sum(axis=1))

    def test_marks_of_a_leaf_are_those_of_scikit_learn(self, numbers):
        tree = TreeClassifier(max_depth=2).fit(*numbers).tree_
        leaves = tree.children_left == -1
        assert leaves.sum() == tree.n_leaves
        assert set(tree.children_right[leaves]) == {-1}
        assert set(tree.feature[leaves]) == {-2}
        assert set(tree.threshold[leaves]) == {-2.0}

    def test_arrays_are_read_only(self, numbers):
        tree = TreeClassifier().fit(*numbers).tree_
        for name in ("children_left", "children_right", "feature", "threshold", "value", "n_node_samples"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(tree, name)[0] = 0

    def test_limits_are_kept(self, numbers):
        X, y = numbers
        assert TreeClassifier(max_depth=3).fit(X, y).get_depth() == 3
        leafy = TreeClassifier(min_samples_leaf=20).fit(X, y).tree_
        assert leafy.n_node_samples[leafy.children_left == -1].min() >= 20
        coarse = TreeClassifier(min_samples_split=50).fit(X, y).tree_
        assert coarse.n_node_samples[coarse.children_left != -1].min() >= 50

    def test_importances_are_shares(self, numbers):
        X, y = numbers
        for criterion in criteria.names():
            shares = TreeClassifier(criterion).fit(X, y).feature_importances_
            assert shares.shape == (6,)
            assert shares.min() >= 0, criterion
            assert shares.sum() == pytest.approx(1.0), criterion

    def test_a_constant_column_has_no_importance(self, numbers):
        X, y = numbers
        X = np.column_stack([X, np.ones(len(X)), np.full(len(X), np.nan)])
        assert TreeClassifier().fit(X, y).feature_importances_[-2:].tolist() == [0.0, 0.0]


class TestWeights:
    @pytest.mark.parametrize("criterion", ["hellinger", "gini", "entropy", "c45", "dcsm"])
    def test_integer_weights_are_repeated_rows(self, numbers, criterion):
        X, y = numbers
        weights = np.random.default_rng(0).integers(0, 4, size=len(y))
        tree = TreeClassifier(criterion, min_samples_leaf=3, min_samples_split=8)
        weighted = copy.deepcopy(tree).fit(X, y, sample_weight=weights)
        repeated = copy.deepcopy(tree).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        assert same_tree(weighted, repeated)
        np.testing.assert_array_equal(weighted.tree_.n_node_samples, repeated.tree_.n_node_samples)

    def test_balanced_weights_see_sample_weights(self, numbers):
        X, y = numbers
        weights = np.random.default_rng(0).integers(0, 4, size=len(y))
        weighted = TreeClassifier("gini", class_weight="balanced").fit(X, y, sample_weight=weights)
        repeated = TreeClassifier("gini", class_weight="balanced").fit(
            np.repeat(X, weights, axis=0), np.repeat(y, weights)
        )
        assert same_tree(weighted, repeated)
        np.testing.assert_allclose(*weighted.tree_.value[0])

    def test_class_weights_equal_weights_of_their_rows(self, numbers):
        X, y = numbers
        by_class = TreeClassifier("gini", class_weight={1: 5.0}).fit(X, y)
        by_row = TreeClassifier("gini").fit(X, y, sample_weight=np.where(y == 1, 5.0, 1.0))
        assert same_tree(by_class, by_row)

    def test_class_weights_leave_cases_alone(self, numbers):
        X, y = numbers
        tree = TreeClassifier("gini", class_weight={0: 0.01}, min_samples_leaf=15).fit(X, y).tree_
        assert tree.n_node_samples[0] == len(y)
        assert tree.n_node_samples[tree.children_left == -1].min() >= 15

    def test_a_class_without_weight_stays_known(self):
        tree = TreeClassifier().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"], sample_weight=[1, 1, 0])
        assert tree.classes_.tolist() == ["a", "b", "c"]
        assert tree.predict([[5.0]]).tolist() == ["b"]


class TestMissingAndNominal:
    def test_missing_values_are_learned(self):
        X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
        tree = TreeClassifier().fit(X, [0, 0, 0, 1, 1])
        assert tree.predict([[np.nan], [2.5], [99.0]]).tolist() == [1, 0, 0]

    def test_missing_values_not_seen_in_training_go_with_the_heavier_side(self):
        X = np.array([[0.0], [1.0], [1.0], [1.0]])
        assert TreeClassifier().fit(X, [0, 1, 1, 1]).predict([[np.nan]]).tolist() == [1]
        assert TreeClassifier().fit(-X, [0, 1, 1, 1]).predict([[np.nan]]).tolist() == [1]

    @pytest.mark.parametrize("nominal", ["subset", "one_vs_rest", "multiway"])
    def test_nominal_columns_and_categories_not_seen(self, mixed, nominal):
        columns, y = mixed
        frame = as_pandas(columns)
        tree = TreeClassifier(nominal=nominal).fit(frame, y)
        assert [None if levels is None else levels.tolist() for levels in tree.categories_] == [
            None,
            None,
            ["DE", "FR", "NG", "RO", "US"],
        ]
        assert tree.score(frame, y) > 0.99
        strange = frame.astype({"land": object}).assign(land="XX")
        assert np.isfinite(tree.predict_proba(strange)).all()
        kinds = {tree.tree_.split_kind(node) for node in range(tree.tree_.node_count)}
        assert kinds == {"leaf", "numeric", "multiway" if nominal == "multiway" else "subset"}

    def test_a_category_not_seen_stays_at_a_multiway_node(self):
        X = pd.DataFrame({"c": pd.Categorical(["a", "b", "c"] * 3)})
        tree = TreeClassifier("entropy", nominal="multiway", smoothing=0).fit(X, [0, 1, 1] * 3)
        assert tree.tree_.n_children[0] == 3
        strange = pd.DataFrame({"c": ["z"]})
        assert tree.apply(strange).tolist() == [0]
        np.testing.assert_allclose(tree.predict_proba(strange), [[1 / 3, 2 / 3]])

    def test_a_category_is_not_a_number(self):
        X = pd.DataFrame({"c": pd.Categorical(list("abcd") * 5)})
        y = [0, 1, 1, 0] * 5
        assert TreeClassifier().fit(X, y).get_n_leaves() == 2

    def test_a_million_categories(self):
        codes = np.random.default_rng(0).permutation(1_000_000).astype(np.float64)
        y = (codes < 500).astype(int)
        tree = TreeClassifier(max_depth=1, categorical_features=[0]).fit(codes[:, None], y)
        assert tree.score(codes[:, None], y) == 1.0


class TestCriterion:
    @staticmethod
    def gini(left, right):
        def impure(counts):
            total = counts.sum(axis=1)
            return total - (counts**2).sum(axis=1) / np.maximum(total, 1e-300)

        return -(impure(left) + impure(right)) / (left + right).sum(axis=1)

    def test_names_objects_and_functions_are_accepted(self, numbers):
        X, y = numbers
        by_name = TreeClassifier("gini", max_depth=5).fit(X, y)
        by_function = TreeClassifier(self.gini, max_depth=5).fit(X, y)
        np.testing.assert_array_equal(by_name.predict(X), by_function.predict(X))
        assert same_tree(by_name, TreeClassifier(criteria.get("gini"), max_depth=5).fit(X, y))

    def test_a_function_scores_nominal_columns_too(self, mixed):
        columns, y = mixed
        frame = as_pandas(columns)
        assert TreeClassifier(self.gini).fit(frame, y).score(frame, y) > 0.99

    def test_a_function_cannot_score_multiway_splits(self, numbers):
        with pytest.raises(ValueError, match=r"multiway.*Python function"):
            TreeClassifier(self.gini, nominal="multiway").fit(*numbers)

    @pytest.mark.parametrize(
        ("score", "error", "words"),
        [
            (lambda left, right: np.ones(len(left) + 1), ValueError, "array of shape"),
            (lambda left, right: np.full(len(left), np.nan), ValueError, "returned NaN"),
            (lambda left, right: 1 / 0, ZeroDivisionError, "division"),
            (lambda left, right: "a", ValueError, "returned a str"),
            (lambda left: left, TypeError, "argument"),
        ],
    )
    def test_a_bad_function_is_reported(self, numbers, score, error, words):
        tree = TreeClassifier(score)
        with pytest.raises(error, match=words):
            tree.fit(*numbers)
        with pytest.raises(NotFittedError):
            tree.predict(numbers[0])

    def test_undefined_for_the_data_is_an_error_at_fit(self):
        with pytest.raises(ValueError, match=r"DKM.*at most 2 classes"):
            TreeClassifier("dkm").fit([[0.0], [1.0], [2.0]], [0, 1, 2])
        with pytest.raises(ValueError, match="flipped"):
            TreeClassifier(criteria.AlphaDivergence(0.5, "flipped")).fit([[0.0], [1.0], [2.0]], [0, 1, 2])


class TestRandomness:
    def test_the_default_tree_draws_nothing(self, numbers):
        X, y = numbers
        assert same_tree(TreeClassifier(random_state=0).fit(X, y), TreeClassifier(random_state=1).fit(X, y))

    def test_a_seed_fixes_the_tree(self, numbers):
        X, y = numbers
        trees = [TreeClassifier(max_features="sqrt", random_state=seed).fit(X, y) for seed in (0, 0, 1)]
        assert same_tree(trees[0], trees[1])
        assert trees[0].tree_.feature.tolist() != trees[2].tree_.feature.tolist()

    @pytest.mark.parametrize(
        ("max_features", "used"), [("sqrt", 3), ("log2", 3), (0.5, 5), (0.01, 1), (10, 10), (None, 10)]
    )
    def test_max_features_resolves(self, max_features, used):
        from rarewood.tree.base import resolve_max_features

        assert resolve_max_features(max_features, 10) == used
        assert resolve_max_features("sqrt", 1) == resolve_max_features("log2", 1) == 1


class TestPruning:
    def test_pruned_trees_are_smaller_and_shrink_with_confidence(self, numbers):
        X, y = numbers
        sizes = [
            TreeClassifier("c45", pruning=pruning, confidence=confidence).fit(X, y).get_n_leaves()
            for pruning, confidence in ((None, 0.25), ("pessimistic", 0.25), ("pessimistic", 0.01))
        ]
        assert sizes[0] > sizes[1] >= sizes[2] >= 1


class TestStates:
    def test_not_fitted_is_said(self):
        tree = TreeClassifier()
        for ask in (tree.predict, tree.predict_proba, tree.predict_log_proba, tree.apply, tree.decision_path):
            with pytest.raises(NotFittedError):
                ask([[1.0]])
        for ask in (tree.get_depth, tree.get_n_leaves, lambda: tree.feature_importances_):
            with pytest.raises(NotFittedError):
                ask()

    @pytest.mark.parametrize("travel", [copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))])
    def test_copies_predict_the_same(self, mixed, travel):
        columns, y = mixed
        frame = as_pandas(columns)
        tree = TreeClassifier().fit(frame, y)
        other = travel(tree)
        np.testing.assert_array_equal(other.predict_proba(frame), tree.predict_proba(frame))
        np.testing.assert_array_equal(other.feature_importances_, tree.feature_importances_)
        assert same_tree(tree, other)

    def test_a_failed_fit_leaves_the_model_as_it_was(self, numbers):
        X, y = numbers
        tree = TreeClassifier().fit(X, y)
        before = tree.predict_proba(X)
        with pytest.raises(ValueError, match="max_depth"):
            tree.set_params(max_depth=0).fit(X, y)
        np.testing.assert_array_equal(tree.predict_proba(X), before)

    @pytest.mark.several_threads
    @pytest.mark.slow
    def test_ctrl_c_stops_a_long_fit(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(400_000, 60)), rng.integers(2, size=400_000)
        tree = TreeClassifier("entropy")
        assert seconds_until_stopped(lambda: tree.fit(X, y)) < LIMIT
        with pytest.raises(NotFittedError):
            tree.predict(X[:1])

    @pytest.mark.several_threads
    def test_other_threads_run_during_fit(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30_000, 20)), rng.integers(2, size=30_000)
        fit = threading.Thread(target=TreeClassifier("gini").fit, args=(X, y))
        fit.start()
        ticks = 0
        while fit.is_alive():
            time.sleep(0.001)
            ticks += 1
        assert ticks > 20
