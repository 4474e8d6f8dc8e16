"""Sizes, votes and thresholds of forests that lean, against the letter of the paper."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from oracle import bias as oracle
from oracle.walk import walk
from rarewood import ForestClassifier, _core, criteria
from rarewood._validation import Labels
from rarewood.ensemble.bias import (
    NEGATIVE,
    POSITIVE,
    cleaning_sizes,
    deal,
    positive_class,
    positive_votes,
    ranking_sizes,
    vote_bound,
)

COUNTS = st.integers(1, 500)
RATIOS = st.integers(5, 800).map(lambda hundredths: hundredths / 100)


class TestSizes:
    @given(COUNTS, COUNTS, RATIOS)
    def test_cleaning(self, n_positive, n_negative, ratio):
        assume(ratio > 1)
        sizes = cleaning_sizes(n_positive, n_negative, ratio)
        assert sizes == oracle.cleaning_sizes(n_positive, n_negative, ratio)
        negative, positive = sizes
        assert 1 <= positive <= n_positive
        assert 1 <= negative <= n_negative
        assert negative > positive or negative == positive == 1

    @given(COUNTS, COUNTS, RATIOS)
    def test_ranking(self, n_positive, n_negative, ratio):
        sizes = ranking_sizes(n_positive, n_negative, ratio)
        assert sizes == oracle.ranking_sizes(n_positive, n_negative, ratio)
        assert 1 <= sizes[1] <= n_positive
        assert 1 <= sizes[0] <= n_negative

    def test_by_hand(self):
        assert cleaning_sizes(100, 5000, 5.0) == (250, 50)
        assert cleaning_sizes(101, 5000, 5.0) == (255, 51)
        assert cleaning_sizes(100, 40, 5.0) == (40, 20)
        assert cleaning_sizes(1, 1, 5.0) == (1, 1)
        assert cleaning_sizes(100, 40, 1e308) == (40, 20)
        assert ranking_sizes(100, 40, 1e-308) == (40, 80)
        assert ranking_sizes(100, 5000, 5.0) == (16, 80)
        assert ranking_sizes(3, 5000, 5.0) == (1, 3)
        assert ranking_sizes(100, 5, 5.0) == (5, 80)
        assert ranking_sizes(100, 5000, 0.5) == (160, 80)


class TestThreshold:
    @given(st.integers(1, 100), st.integers(1, 200), st.data())
    @example(70, 10, None)
    @example(7, 100, None)
    @example(29, 100, None)
    def test_exactly_threshold_times_trees_is_neither_more_nor_fewer(self, percent, n_trees, data):
        threshold = percent / 100
        bound = vote_bound(threshold, n_trees)
        near = round(threshold * n_trees)
        counts = {near - 1, near, near + 1} | ({data.draw(st.integers(0, n_trees))} if data else set())
        for n_votes in counts:
            assert (n_votes > bound) == oracle.is_removed(n_votes, threshold, n_trees)
            assert (n_votes < bound) == oracle.is_eliminated(n_votes, threshold, n_trees)

    def test_products_that_floating_point_misses(self):
        assert 0.29 * 100 < 29
        assert 0.07 * 100 > 7
        assert (vote_bound(0.29, 100), vote_bound(0.07, 100)) == (29, 7)


class TestParts:
    @given(st.integers(1, 60), st.integers(2, 12), st.integers(0, 9))
    def test_every_row_is_in_one_part_and_parts_are_alike(self, n_rows, n_parts, seed):
        rows = 3 * np.arange(n_rows)
        parts = deal(rows, n_parts, np.random.RandomState(seed))
        assert len(parts) == min(n_parts, n_rows)
        assert sorted(np.concatenate(parts).tolist()) == rows.tolist()
        sizes = [len(part) for part in parts]
        assert 1 <= min(sizes) <= max(sizes) <= min(sizes) + 1

    def test_rows_are_shuffled(self):
        first, second = (deal(np.arange(100), 5, np.random.RandomState(seed)) for seed in (0, 1))
        assert any(one.tolist() != other.tolist() for one, other in zip(first, second))


class TestPositiveClass:
    labels = Labels(np.array(["a", "b", "c"]), np.array([0, 0, 0, 1, 1, 2, 2], dtype=np.int32))

    def test_the_smallest_and_of_equals_the_first(self):
        assert positive_class(None, self.labels, None) == 1

    def test_rows_of_weight_zero_do_not_count(self):
        assert positive_class(None, self.labels, np.array([1.0, 1, 1, 1, 1, 1, 0])) == 2
        assert positive_class(None, self.labels, np.array([1.0, 1, 1, 0, 0, 0, 0])) == 0

    def test_named(self):
        assert positive_class("c", self.labels, None) == 2

    @pytest.mark.parametrize("wrong", ["d", 0, ["a"], np.nan])
    def test_unknown(self, wrong):
        with pytest.raises(ValueError, match=r"positive=.*is not among the classes, which are \['a', 'b', 'c'\]"):
            positive_class(wrong, self.labels, None)


class TestVotes:
    @pytest.mark.parametrize("nominal", ["multiway", "subset"])
    @pytest.mark.parametrize("n_threads", [1, 2])
    def test_a_tree_votes_where_positive_rows_outweigh_the_others_in_the_leaf(self, nominal, n_threads):
        rng = np.random.default_rng(0)
        X = np.column_stack([rng.normal(size=400), rng.integers(6, size=400)]).round(1)
        y = (X[:, 0] + rng.normal(size=400) > 0.5).astype(int)
        X[rng.random(X.shape) < 0.1] = np.nan
        forest = ForestClassifier(
            12, criterion="gini", nominal=nominal, max_depth=4, categorical_features=[1], random_state=0
        ).fit(X, y)
        unseen = np.column_stack([X[:, 0], np.full(400, 6.0)])
        for table in (X, unseen, X[:3], np.empty((0, 2))):
            expected = np.zeros(len(table), dtype=int)
            for tree in range(12):
                counts = forest.forest_[tree].value
                _, ends = walk(forest.forest_[tree], table)
                expected += np.array([oracle.votes_positive(counts[end]) for end in ends], dtype=int)
            found = positive_votes(forest.forest_.voters(POSITIVE), table, n_threads)
            np.testing.assert_array_equal(found, expected)

    def test_a_tie_is_no_vote_for_either_class(self):
        X, y = np.zeros((4, 1)), np.array([0, 1, 0, 1])
        forest = ForestClassifier(3, sampling="all").fit(X, y).forest_
        for cls in (NEGATIVE, POSITIVE):
            assert positive_votes(forest.voters(cls), X, 1).tolist() == [0] * 4

    def test_weights_decide_a_vote(self):
        X, y = np.zeros((3, 1)), np.array([0, 0, 1])
        forest = ForestClassifier(3, sampling="all").fit(X, y, sample_weight=[1, 1, 2.5]).forest_
        assert positive_votes(forest.voters(POSITIVE), X, 1).tolist() == [3] * 3

    def test_more_classes_must_all_be_outweighed(self):
        X = np.array([[0.0]] * 7 + [[1.0]] * 5)
        y = np.array([0, 0, 1, 1, 1, 2, 2] + [0, 0, 1, 1, 2])
        forest = ForestClassifier(5, sampling="all").fit(X, y).forest_
        assert positive_votes(forest.voters(1), X, 1).tolist() == [5] * 7 + [0] * 5

    def test_a_class_that_is_not_there(self):
        forest = ForestClassifier(2).fit([[0.0], [1.0]], [0, 1]).forest_
        with pytest.raises(ValueError, match="there is no class 2 in a tree of 2 classes"):
            forest.voters(2)

    def test_voters_split_as_the_trees_they_were_made_of(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
        data = _core.Dataset(X, np.zeros(3, dtype=np.int32), y.astype(np.int32), 2)
        plan = _core.ForestPlan([criteria.get("gini")._spec()], n_trees=4, sampling="bootstrap")
        forest = _core.grow_forests(data, [plan])[0]
        voters = forest.voters(POSITIVE)
        np.testing.assert_array_equal(voters.apply(X), forest.apply(X))
        np.testing.assert_array_equal(voters.feature_importances, forest.feature_importances)
