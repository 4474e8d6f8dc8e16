"""Where the random splitter cuts: uniformly between the extremes, whatever lies between them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from oracle.walk import walk
from rarewood import ForestClassifier, TreeClassifier
from support.forests import inner_nodes, roots

UNLIKELY = 1e-3  # seeds are fixed, so a test passes always or never; this is how often a right one would have failed


def stumps(n, X, y, **parameters):
    """Trees of one split that sees every row and one random candidate per column."""
    model = ForestClassifier(n, splitter="random", n_cuts=1, max_features=None, max_depth=1, sampling="all")
    return model.set_params(random_state=0, **parameters).fit(X, y)


class TestNumbers:
    CROWDED = np.r_[-3.0, np.full(50, -2.9), np.linspace(-2.9, -2.8, 48), 7.0].reshape(-1, 1)
    EVEN = np.linspace(-3.0, 7.0, 100).reshape(-1, 1)
    Y = np.arange(100) % 2

    @pytest.mark.parametrize("values", [CROWDED, EVEN], ids=["crowded", "even"])
    def test_cuts_are_uniform_between_the_extremes(self, values):
        cuts = roots(stumps(3000, values, self.Y), "threshold")
        assert stats.kstest(cuts, stats.uniform(-3, 10).cdf).pvalue > UNLIKELY

    def test_cuts_of_single_trees_are_uniform_over_seeds(self):
        tree = TreeClassifier(splitter="random", n_cuts=1, max_depth=1)
        cuts = [tree.set_params(random_state=seed).fit(self.CROWDED, self.Y).tree_.threshold[0] for seed in range(500)]
        assert stats.kstest(cuts, stats.uniform(-3, 10).cdf).pvalue > UNLIKELY

    def test_cuts_do_not_depend_on_the_values_between(self):
        crowded, even = stumps(200, self.CROWDED, self.Y), stumps(200, self.EVEN, self.Y)
        np.testing.assert_array_equal(roots(crowded, "threshold"), roots(even, "threshold"))

    def test_cuts_do_not_depend_on_the_labels(self):
        straight, exchanged = stumps(200, self.EVEN, self.Y), stumps(200, self.EVEN, 1 - self.Y)
        np.testing.assert_array_equal(roots(straight, "threshold"), roots(exchanged, "threshold"))

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_cuts_below_the_root_are_uniform_in_their_node(self, dtype):
        rng = np.random.default_rng(0)
        X = rng.lognormal(sigma=2, size=(300, 1)).astype(dtype)
        forest = stumps(30, X, rng.integers(2, size=300), max_depth=None)
        places = [place for tree in forest.estimators_ for place in cuts_in_their_range(tree.tree_, X)]
        assert len(places) > 2000
        assert stats.kstest(places, "uniform").pvalue > UNLIKELY

    def test_both_sides_keep_a_row_however_close_the_values(self):
        for high in (np.nextafter(1.0, 2.0), np.nextafter(np.float32(1), np.float32(2)).astype(np.float64)):
            cuts = roots(stumps(50, [[1.0], [high]], [0, 1]), "threshold")
            assert cuts.min() >= 1.0
            assert cuts.max() < high

    def test_the_widest_range_does_not_overflow(self):
        widest = np.finfo(np.float64).max
        cuts = roots(stumps(1000, [[-widest], [widest]], [0, 1]), "threshold")
        assert stats.kstest(cuts / widest, stats.uniform(-1, 2).cdf).pvalue > UNLIKELY

    def test_missing_values_take_no_part_in_the_range(self):
        X = np.r_[self.EVEN, np.full((50, 1), np.nan)]
        y = np.r_[self.Y, np.ones(50, dtype=int)]
        model = stumps(1000, X, y)
        assert stats.kstest(roots(model, "threshold"), stats.uniform(-3, 10).cdf).pvalue > UNLIKELY

    def test_one_value_and_missing_ones_are_kept_apart(self):
        X = [[5.0], [5.0], [np.nan], [np.nan]]
        forest = stumps(5, X, [0, 0, 1, 1])
        assert set(roots(forest, "threshold")) == {np.inf}
        assert forest.predict([[5.0], [np.nan], [-9.0]]).tolist() == [0, 1, 0]


def cuts_in_their_range(tree, X):
    """Each cut as the share of the way from the smallest to the largest value of its node."""
    rows, _ = walk(tree, X)
    thresholds = tree.threshold
    for node in inner_nodes(tree):
        low, high = X[rows[node], 0].min(), X[rows[node], 0].max()
        if high - low > 1e-4 * high:  # rounding is coarse where neighbours are close
            yield (thresholds[node] - low) / (high - low)


class TestColumns:
    def test_columns_are_drawn_with_equal_chances_among_those_that_vary(self):
        rng = np.random.default_rng(0)
        X = np.column_stack([rng.normal(size=(50, 4)), np.ones(50), np.full(50, np.nan)])
        y = np.arange(50) % 2
        for splitter in ("random", "best"):
            chosen = roots(stumps(2000, X, y, max_features=1, splitter=splitter), "feature")
            assert set(chosen) == {0, 1, 2, 3}
            assert stats.chisquare(np.bincount(chosen)).pvalue > UNLIKELY

    def test_columns_of_a_node_are_drawn_without_replacement(self):
        """Whenever the one perfect column is among the two drawn of three it wins: two times of three."""
        rng = np.random.default_rng(0)
        y = np.arange(60) % 2
        X = np.column_stack([y, rng.normal(size=(60, 2))])
        for splitter in ("random", "best"):
            chosen = roots(stumps(3000, X, y, max_features=2, splitter=splitter), "feature")
            assert stats.binomtest(int((chosen == 0).sum()), 3000, 2 / 3).pvalue > UNLIKELY


class TestCategories:
    SIZES = (3, 5, 10, 20)
    CODES = np.repeat(np.arange(4), SIZES)
    Y = np.arange(38) % 2

    def listed(self, forest):
        return [frozenset(tree.tree_.categories(0).tolist()) for tree in forest.estimators_]

    def test_every_division_of_the_categories_has_the_same_chance(self):
        forest = stumps(3500, self.CODES[:, None], self.Y, categorical_features=[0])
        counts = pd.Series(self.listed(forest)).value_counts()
        assert len(counts) == 7
        assert stats.chisquare(counts).pvalue > UNLIKELY

    def test_missing_values_are_one_more_category(self):
        codes = np.where(self.CODES == 1, np.nan, self.CODES)
        forest = stumps(3500, codes[:, None], self.Y, categorical_features=[0])
        sides = zip(self.listed(forest), roots(forest, "missing_go_to_left").tolist())
        counts = pd.Series(list(sides)).value_counts()
        assert len(counts) == 7
        assert stats.chisquare(counts).pvalue > UNLIKELY

    def test_the_lighter_side_is_listed(self):
        forest = stumps(200, self.CODES[:, None], self.Y, categorical_features=[0])
        for listed in self.listed(forest):
            assert sum(self.SIZES[code] for code in listed) <= 19

    def test_categories_without_rows_join_either_side_half_of_the_time(self):
        column = np.array(list("abcdef"))[np.r_[self.CODES, 4, 5]]  # the last two rows are known and never drawn
        model = ForestClassifier(2000, splitter="random", n_cuts=1, max_features=None, max_depth=1, sampling="all")
        weights = np.r_[np.ones(38), 0.0, 0.0]
        forest = model.set_params(random_state=0).fit(pd.DataFrame({"c": column}), np.r_[self.Y, 0, 1], weights)
        listed = self.listed(forest)
        counts = pd.Series([listed_ & {4, 5} for listed_ in listed]).value_counts()
        assert len(counts) == 4
        assert stats.chisquare(counts).pvalue > UNLIKELY

    def test_categories_that_left_the_branch_join_either_side_too(self):
        """Node below the root: the categories on the other side of the root's split are absent there."""
        forest = stumps(500, self.CODES[:, None], self.Y, max_depth=2, categorical_features=[0])
        went_left = []
        for tree in (model.tree_ for model in forest.estimators_):
            root, child = set(tree.categories(0).tolist()), int(tree.children_right[0])
            if tree.split_kind(child) == "subset":
                went_left += [code in tree.categories(child) for code in root]
        assert stats.binomtest(sum(went_left), len(went_left)).pvalue > UNLIKELY

    def test_a_category_never_seen_goes_to_the_heavier_child(self):
        forest = stumps(100, self.CODES[:, None], self.Y, categorical_features=[0])
        ends = forest.apply([[77.0]])[0]
        for model, end in zip(forest.estimators_, ends):
            weights = model.tree_.weighted_n_node_samples
            assert weights[end] == weights[1:].max()

    def test_heavier_is_a_matter_of_class_weights_too(self):
        y = (self.CODES == 3).astype(int)
        forest = stumps(100, self.CODES[:, None], y, categorical_features=[0], class_weight={1: 0.01})
        for model, end in zip(forest.estimators_, forest.apply([[77.0]])[0]):
            weights = model.tree_.weighted_n_node_samples
            assert weights[end] == weights[1:].max()

    def test_among_very_many_categories_the_absent_ones_follow_the_heavier_side(self):
        codes = np.r_[np.zeros(3), np.ones(9), np.arange(2, 5002)]
        y = np.r_[np.zeros(3, dtype=int), np.ones(9, dtype=int), np.zeros(5000, dtype=int)]
        weights = np.r_[np.ones(12), np.zeros(5000)]
        tree = TreeClassifier(splitter="random", categorical_features=[0], random_state=0)
        tree.fit(codes[:, None], y, sample_weight=weights)
        assert tree.tree_.categories(0).tolist() == [0]
        assert tree.predict([[0.0], [1.0], [4000.0]]).tolist() == [0, 1, 1]

    def test_two_categories_split_in_the_only_way(self):
        forest = stumps(50, [[0], [0], [1]], [0, 0, 1], categorical_features=[0])
        assert set(self.listed(forest)) == {frozenset({1})}
