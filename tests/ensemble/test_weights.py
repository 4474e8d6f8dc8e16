"""Weights of rows multiply draws, weights of classes scale counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification

from rarewood import (
    ForestClassifier,
    HeDExClassifier,
    HeDExhClassifier,
    OneVsAllClassifier,
    RareClassifier,
    TreeClassifier,
)
from support.forests import BAGGED, FORESTS, assert_same_state, bags, roots

X, Y = make_classification(n_samples=200, n_features=5, weights=[0.85], flip_y=0.1, random_state=0)
INTEGERS = np.random.default_rng(0).integers(0, 4, size=200).astype(float)


class TestSampleWeights:
    @pytest.mark.parametrize("sampling", BAGGED)
    @pytest.mark.parametrize("weights", [INTEGERS, INTEGERS + 0.5], ids=["integer", "fractional"])
    def test_they_multiply_the_times_a_row_was_drawn(self, sampling, weights):
        forest = ForestClassifier(15, sampling=sampling, random_state=0).fit(X, Y, sample_weight=weights)
        drawn = bags(forest, Y, weights)
        if weights is not INTEGERS:  # shares, so scaled to a mean of 1
            weights = weights / weights.mean()
        for bag, counts in zip(drawn, roots(forest, "value")):
            np.testing.assert_allclose(counts, np.bincount(Y, bag * weights))
        cases = drawn @ weights if weights is INTEGERS else (drawn > 0).sum(axis=1)
        np.testing.assert_array_equal(roots(forest, "n_node_samples"), cases)

    @pytest.mark.parametrize("model", [HeDExClassifier, HeDExhClassifier])
    def test_where_every_tree_sees_every_row_integers_are_repetitions(self, model):
        forest = model(8, min_samples_leaf=3, min_samples_split=8, random_state=0)
        weighted = clone(forest).fit(X, Y, sample_weight=INTEGERS)
        repeats = INTEGERS.astype(int)
        repeated = clone(forest).fit(np.repeat(X, repeats, axis=0), np.repeat(Y, repeats))
        assert_same_state(weighted.forest_, repeated.forest_)

    @pytest.mark.parametrize("model", FORESTS)
    def test_ones_are_no_weights(self, model):
        one, other = (model(5, random_state=0).fit(X, Y, sample_weight=weights) for weights in (None, np.ones(200)))
        assert_same_state(one.forest_, other.forest_)

    @pytest.mark.parametrize("model", FORESTS)
    def test_their_unit_does_not_matter_to_raw_leaves(self, model):
        one, other = (
            model(8, smoothing=0.0, random_state=0).fit(X, Y, sample_weight=scale * INTEGERS) for scale in (1, 4)
        )
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X))

    @pytest.mark.parametrize(
        "model",
        [
            TreeClassifier(smoothing=1.0, min_samples_leaf=3, random_state=0),
            ForestClassifier(5, smoothing=1.0, calibration="beta", random_state=0),
            RareClassifier(9, random_state=0),
            RareClassifier(9, threshold="alerts=20", class_weight="balanced", random_state=0),
            OneVsAllClassifier(TreeClassifier(smoothing=1.0, random_state=0)),
        ],
        ids=lambda model: type(model).__name__,
    )
    @pytest.mark.filterwarnings("ignore::rarewood.exceptions.RarewoodWarning")
    @settings(max_examples=8, deadline=None)
    @given(exponent=st.integers(-60, 60), seed=st.integers(0, 3))
    def test_a_factor_on_shares_changes_nothing(self, model, exponent, seed):
        """Weights that sum to 1 made RareClassifier call nothing: smoothing and penalties are so many rows."""
        shares = np.random.default_rng(seed).exponential(size=200) + 0.01
        one, other = (clone(model).fit(X, Y, sample_weight=scale * shares) for scale in (1.0, 2.0**exponent))
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        np.testing.assert_array_equal(one.predict(X), other.predict(X))

    @pytest.mark.parametrize("factor", [0.01, 1 / 200, 1.5])
    def test_equal_shares_are_no_weights(self, factor):
        one, other = (
            RareClassifier(9, random_state=0).fit(X, Y, sample_weight=weights)
            for weights in (None, np.full(200, factor))
        )
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        assert one.decision_threshold_ == other.decision_threshold_

    @pytest.mark.parametrize("weights", [np.zeros(200), -INTEGERS, np.ones(199), np.full(200, np.nan)])
    def test_useless_ones_are_refused(self, weights):
        with pytest.raises(ValueError, match="sample_weight"):
            HeDExClassifier(3).fit(X, Y, sample_weight=weights)


class TestClassWeights:
    @pytest.mark.parametrize("splitter", ["best", "random", "hyperplane"])
    def test_they_equal_weights_of_the_rows_of_the_class(self, splitter):
        forest = ForestClassifier(8, criterion="gini", splitter=splitter, random_state=0)
        by_class = clone(forest).set_params(class_weight={1: 5.0}).fit(X, Y)
        by_row = clone(forest).fit(X, Y, sample_weight=np.where(Y == 1, 5.0, 1.0))
        np.testing.assert_allclose(by_class.predict_proba(X), by_row.predict_proba(X))

    def test_balanced_lets_every_class_weigh_the_same(self):
        for model in (HeDExClassifier, HeDExhClassifier):
            forest = model(3, class_weight="balanced", random_state=0).fit(X, Y)
            for counts in roots(forest, "value"):
                np.testing.assert_allclose(counts, [100, 100])

    @pytest.mark.parametrize("model", FORESTS)
    def test_they_leave_cases_alone(self, model):
        plain, weighted = (
            model(5, class_weight=weight, min_samples_leaf=8, random_state=0).fit(X, Y)
            for weight in (None, {0: 0.01, 1: 7.5})
        )
        np.testing.assert_array_equal(roots(plain, "n_node_samples"), roots(weighted, "n_node_samples"))
        for tree in (tree.tree_ for tree in weighted.estimators_):
            assert tree.n_node_samples[tree.children_left == -1].min() >= 8

    @pytest.mark.parametrize("model", FORESTS)
    def test_a_heavier_class_is_predicted_more_often(self, model):
        shares = [
            (model(20, class_weight={1: weight}, min_samples_leaf=10, random_state=0).fit(X, Y).predict(X) == 1).mean()
            for weight in (0.1, 1.0, 20.0)
        ]
        assert shares[0] < shares[2]
        assert shares == sorted(shares)

    def test_a_class_that_is_not_there_is_an_error(self):
        with pytest.raises(ValueError, match="class_weight"):
            HeDExClassifier(3, class_weight={9: 1.0}).fit(X, Y)
