"""Lines through two columns: how they are drawn, what they divide, and what happens where none can be drawn."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from oracle.walk import stored_lines, walk
from rarewood import ForestClassifier, HeDExClassifier, HeDExhClassifier, TreeClassifier
from support.forests import inner_nodes
from support.strategies import DATA_KINDS, make_problem

UNLIKELY = 1e-3


def line_stumps(n, X, y, **parameters):
    """The line at the root of each of n trees that saw every row and drew one candidate."""
    model = ForestClassifier(n, splitter="hyperplane", n_cuts=1, max_features=1, max_depth=1, sampling="all")
    model.set_params(random_state=0, **parameters).fit(X, y)
    return [stored_lines(tree.tree_)[0] for tree in model.estimators_]


def corners(low_a, high_a, low_b, high_b):
    """A table of which every line through its inside leaves rows on both sides."""
    X = np.array([(a, b) for a in (low_a, high_a) for b in (low_b, high_b)], dtype=float)
    return X, np.array([0, 1, 1, 0])


class TestLines:
    @pytest.mark.parametrize("data", DATA_KINDS)
    def test_lines_pass_through_two_different_columns(self, data):
        problem = make_problem(data, n_rows=80)
        model = HeDExhClassifier(20, categorical_features=list(problem.nominal), random_state=0)
        model.fit(problem.X, problem.y)
        n_lines = 0
        for tree in (model.tree_ for model in model.estimators_):
            for node in inner_nodes(tree):
                if tree.split_kind(node) == "hyperplane":
                    a, b, weight_a, weight_b, offset = tree.hyperplane(node)
                    assert a != b
                    assert {a, b} <= set(range(problem.X.shape[1]))
                    assert (weight_a, weight_b) != (0, 0)
                    assert np.isfinite([weight_a, weight_b, offset]).all()
                    n_lines += 1
                else:
                    assert tree.hyperplane(node) is None
        assert n_lines > 20

    def test_lines_go_through_two_points_drawn_uniformly_from_the_box(self):
        """Slope and offset have the distribution that two points of a unit square give."""
        X, y = corners(-3, 5, 100, 102)
        lines = line_stumps(3000, X, y)
        drawn = [in_unit_square(line, lows=X.min(axis=0), widths=np.ptp(X, axis=0)) for line in lines]
        rng = np.random.default_rng(0)
        u, v = rng.random((3000, 2)), rng.random((3000, 2))
        d = v - u
        expected = [angle_and_distance(w, w @ p) for w, p in zip(np.column_stack([d[:, 1], -d[:, 0]]), u)]
        for mine, theirs in zip(np.transpose(drawn), np.transpose(expected)):
            assert stats.ks_2samp(mine, theirs).pvalue > UNLIKELY

    def test_lines_do_not_depend_on_the_rows_inside_the_box(self):
        X, y = corners(0, 1, 0, 1)
        inside = np.random.default_rng(0).uniform(0.4, 0.6, size=(30, 2))
        few, many = line_stumps(50, X, y), line_stumps(50, np.r_[X, inside], np.r_[y, np.arange(30) % 2])
        for one, other in zip(few, many):
            assert (one.features, one.weights, one.offset) == (other.features, other.weights, other.offset)

    def test_every_pair_of_columns_has_the_same_chance(self):
        rng = np.random.default_rng(0)
        X = np.column_stack([rng.normal(size=(60, 4)), np.ones(60)])
        lines = line_stumps(1800, X, np.arange(60) % 2)
        pairs = [tuple(sorted(line.features)) for line in lines]
        assert set(pairs) == set(combinations(range(4), 2))
        assert stats.chisquare(pd.Series(pairs).value_counts()).pvalue > UNLIKELY

    def test_a_line_follows_a_slanted_border_with_one_split(self):
        rng = np.random.default_rng(0)
        X = rng.random((400, 2))
        X = X[np.abs(X.sum(axis=1) - 1) > 0.15]
        y = (X.sum(axis=1) > 1).astype(int)
        slanted = TreeClassifier(splitter="hyperplane", n_cuts=3000, random_state=0).fit(X, y)
        assert slanted.get_n_leaves() == 2
        assert TreeClassifier().fit(X, y).get_n_leaves() > 3


def in_unit_square(line, lows, widths):
    """The line after its box became the unit square, as `angle_and_distance`."""
    a, b = line.features
    weights = np.array(line.weights) * widths[[a, b]]
    offset = line.offset - np.array(line.weights) @ lows[[a, b]]
    return angle_and_distance(weights if a < b else weights[::-1], offset)


def angle_and_distance(weights, offset):
    """Direction of a line, and its distance from the middle of the unit square; both do not ask which side is left."""
    return np.arctan2(weights[1], weights[0]) % np.pi, abs(offset - weights.sum() / 2) / np.hypot(*weights)


def normal(rng, n):
    return rng.normal(size=(n, 5))


AWKWARD_FLOATS = {
    "normal": normal,
    "grid": lambda rng, n: rng.integers(0, 6, size=(n, 5)),
    "far from zero": lambda rng, n: rng.integers(0, 50, size=(n, 5)) + 1e7,
    "long tails": lambda rng, n: np.exp(6 * normal(rng, n)),
    "scales": lambda rng, n: normal(rng, n) * [1e-30, 1e-5, 1.0, 1e10, 1e30],
    "next to overflow": lambda rng, n: normal(rng, n) * 1e37,
    "next to underflow": lambda rng, n: normal(rng, n) * 1e-38,
}


class TestCounting:
    @pytest.mark.parametrize("cells", AWKWARD_FLOATS.values(), ids=AWKWARD_FLOATS.keys())
    @pytest.mark.parametrize("n_classes", [2, 4])
    def test_floats_count_what_double_precision_counts(self, cells, n_classes):
        """Rows with weights are counted one by one, in the arithmetic of prediction; to halve all of them changes no score."""
        rng = np.random.default_rng(0)
        n = 5000  # more than a block
        X, y = cells(rng, n).astype(np.float32), (rng.random(n) ** 3 * n_classes).astype(int)
        model = HeDExhClassifier(2, n_cuts=11, max_features=3, max_depth=9, random_state=0)
        fast = [stored_lines(tree.tree_) for tree in model.fit(X, y).estimators_]
        slow = [stored_lines(tree.tree_) for tree in model.fit(X, y, sample_weight=np.full(n, 0.5)).estimators_]
        assert sum(map(len, fast)) > 20
        assert fast == slow


class TestCategories:
    TABLE = np.array([(c, x) for c in range(3) for x in (0.0, 1.0)])
    Y = np.array([0, 1, 1, 0, 0, 1])

    def places(self, **parameters):
        lines = line_stumps(1200, self.TABLE, self.Y, categorical_features=[0], **parameters)
        return [line.places[line.features.index(0)] for line in lines]

    def test_categories_stand_in_a_random_order(self):
        places = self.places()
        assert {tuple(sorted(place.values())) for place in places} == {(0, 1, 2)}
        counts = pd.Series([tuple(place[code] for code in range(3)) for place in places]).value_counts()
        assert len(counts) == 6
        assert stats.chisquare(counts).pvalue > UNLIKELY

    def test_numbers_have_no_places(self):
        for line in line_stumps(20, self.TABLE, self.Y, categorical_features=[0]):
            assert line.places[line.features.index(1)] is None

    def test_an_order_is_drawn_for_every_candidate(self):
        """With one order for all lines of a node, some category would never stand alone between the other two."""
        X = np.array([[c, 0.0] for c in (0, 1, 2)] * 4 + [[c, 1.0] for c in (0, 1, 2)] * 4)
        for odd in range(3):
            tree = TreeClassifier(splitter="hyperplane", n_cuts=200, categorical_features=[0], random_state=0)
            assert tree.fit(X, (X[:, 0] == odd).astype(int)).get_n_leaves() == 2

    def test_a_category_never_seen_goes_to_the_heavier_child(self):
        problem = make_problem("nominal", n_rows=60)
        model = HeDExhClassifier(50, max_depth=1, categorical_features=[0, 1], random_state=0).fit(problem.X, problem.y)
        for strange in ([99.0, 0.0], [0.0, 99.0], [99.0, 99.0]):
            for tree, end in zip(model.estimators_, model.apply([strange])[0]):
                weights = tree.tree_.weighted_n_node_samples
                assert weights[end] == weights[1:].max()

    def test_all_nominal_tables_are_cut_by_lines_too(self):
        problem = make_problem("nominal", n_rows=60)
        model = HeDExhClassifier(10, categorical_features=[0, 1], random_state=0).fit(problem.X, problem.y)
        assert {tree.tree_.split_kind(0) for tree in model.estimators_} == {"hyperplane"}


class TestMissing:
    def test_rows_that_lack_a_column_go_where_it_scores_better(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(200, 2)), rng.integers(2, size=200)
        X[y == 1, rng.integers(2, size=(y == 1).sum())] = np.nan
        tree = TreeClassifier(splitter="hyperplane", n_cuts=50, random_state=0).fit(X, y)
        assert tree.predict([[np.nan, 0.0], [0.0, np.nan], [np.nan, np.nan]]).tolist() == [1, 1, 1]

    def test_where_none_were_missing_they_go_to_the_heavier_child(self):
        X = np.random.default_rng(0).normal(size=(60, 3))
        model = HeDExhClassifier(30, max_depth=1, random_state=0).fit(X, np.arange(60) % 3 == 0)
        for tree, end in zip(model.estimators_, model.apply(np.full((1, 3), np.nan))[0]):
            assert tree.tree_.n_node_samples[end] >= 30


class TestFallback:
    """A node without a usable line is cut along one column; only a node that cannot be cut becomes a leaf."""

    def test_one_column_is_cut_along_its_axis(self):
        X, y = np.arange(20.0)[:, None], np.arange(20) % 3 == 0
        model = HeDExhClassifier(5, random_state=0).fit(X, y)
        assert model.score(X, y) == 1.0
        assert {tree.tree_.split_kind(0) for tree in model.estimators_} == {"numeric"}

    def test_one_column_that_varies_is_cut_along_its_axis(self):
        X = np.column_stack([np.ones(20), np.arange(20.0), np.full(20, 7.0)])
        y = np.arange(20) % 3 == 0
        tree = TreeClassifier(splitter="hyperplane", random_state=0).fit(X, y)
        assert tree.score(X, y) == 1.0
        assert set(tree.tree_.feature) == {-2, 1}

    def test_rows_on_a_line_are_divided(self):
        x = np.arange(30.0)
        y = np.arange(30) % 2
        assert (
            TreeClassifier(splitter="hyperplane", random_state=0).fit(np.column_stack([x, x]), y).get_n_leaves() == 30
        )

    def test_huge_numbers_are_divided(self):
        X = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]]) * 1e200
        y = [0, 0, 1, 1]
        tree = TreeClassifier(splitter="hyperplane", random_state=0).fit(X, y)
        assert tree.predict(X).tolist() == y

    def test_a_column_without_any_value_does_not_hide_the_others(self):
        X = np.column_stack([np.arange(20.0), np.full(20, np.nan), np.arange(20.0)[::-1] ** 2])
        y = np.arange(20) % 3 == 0
        for columns in ([0, 1], [1, 0], [0, 1, 2]):
            tree = TreeClassifier(splitter="hyperplane", random_state=0).fit(X[:, columns], y)
            assert tree.score(X[:, columns], y) == 1.0

    def test_a_column_that_varies_only_where_the_other_is_missing_is_used(self):
        a = np.r_[np.zeros(10), np.arange(10.0)]
        b = np.r_[np.arange(10.0), np.full(10, np.nan)]
        y = np.r_[np.zeros(10), np.arange(10) > 4]
        for X in (np.column_stack([a, b]), np.column_stack([b, a])):
            assert TreeClassifier(splitter="hyperplane", random_state=0).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("model", [HeDExClassifier, HeDExhClassifier])
@pytest.mark.parametrize("data", DATA_KINDS)
def test_every_split_leaves_rows_on_both_sides(model, data):
    problem = make_problem(data, n_classes=3, n_rows=60)
    forest = model(5, categorical_features=list(problem.nominal), random_state=0).fit(problem.X, problem.y)
    for tree in (fitted.tree_ for fitted in forest.estimators_):
        rows, _ = walk(tree, problem.X)
        assert min(len(rows_) for rows_ in rows) > 0
        assert tree.n_node_samples.tolist() == [len(rows_) for rows_ in rows]
