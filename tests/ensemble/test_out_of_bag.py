"""Scores of training rows by the trees that did not see them."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score

from rarewood import BalancedForestClassifier, BEATClassifier, ForestClassifier, HeDExClassifier
from rarewood.exceptions import RarewoodWarning
from support.forests import BAGGED, bags

X, Y = make_classification(n_samples=300, n_features=6, weights=[0.9], flip_y=0.1, random_state=0)


def slowly(forest, X, y, sample_weight=None):
    """Mean leaf probabilities over the trees whose bag lacks the row."""
    unseen = bags(forest, y, sample_weight) == 0
    by_tree = np.array([tree.predict_proba(X) for tree in forest.estimators_])
    with np.errstate(invalid="ignore"):
        return (by_tree * unseen[:, :, None]).sum(axis=0) / unseen.sum(axis=0)[:, None]


class TestDefinition:
    @pytest.mark.parametrize("splitter", ["best", "random", "hyperplane"])
    @pytest.mark.parametrize("sampling", BAGGED)
    def test_scores_are_means_over_the_trees_that_did_not_see_the_row(self, sampling, splitter):
        forest = ForestClassifier(60, sampling=sampling, splitter=splitter, oob_score=True, random_state=0).fit(X, Y)
        np.testing.assert_allclose(forest.oob_decision_function_, slowly(forest, X, Y), rtol=1e-12)
        np.testing.assert_allclose(forest.oob_decision_function_.sum(axis=1), 1.0)

    @pytest.mark.parametrize("model", [BEATClassifier, BalancedForestClassifier])
    def test_beat_and_balanced_forests_have_them_too(self, model):
        forest = model(60, oob_score=True, random_state=0).fit(X, Y)
        np.testing.assert_allclose(forest.oob_decision_function_, slowly(forest, X, Y), rtol=1e-12)

    def test_the_score_is_the_area_under_the_curve(self):
        forest = ForestClassifier(60, oob_score=True, random_state=0).fit(X, Y)
        assert forest.oob_score_ == pytest.approx(roc_auc_score(Y, forest.oob_decision_function_[:, 1]))

    def test_more_classes_are_weighted_by_their_frequency(self):
        y = np.where(X[:, 0] > 1.5, 2, Y)
        forest = ForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
        expected = roc_auc_score(y, forest.oob_decision_function_, multi_class="ovr", average="weighted")
        assert forest.oob_score_ == pytest.approx(expected)

    def test_nominal_columns_missing_values_and_labels_of_text(self):
        table = np.column_stack([X[:, 0], np.arange(300) % 4])
        table[::7, 0] = np.nan
        y = np.where(Y == 1, "rare", "common")
        for splitter in ("best", "random", "hyperplane"):
            forest = ForestClassifier(60, splitter=splitter, categorical_features=[1], oob_score=True, random_state=0)
            forest.fit(table, y)
            np.testing.assert_allclose(forest.oob_decision_function_, slowly(forest, table, y), rtol=1e-12)

    def test_weights_do_not_change_who_is_out_of_the_bag(self):
        weights = np.random.default_rng(0).integers(0, 4, size=300).astype(float)
        forest = ForestClassifier(60, oob_score=True, random_state=0).fit(X, Y, sample_weight=weights)
        np.testing.assert_allclose(forest.oob_decision_function_, slowly(forest, X, Y, weights), rtol=1e-12)

    def test_rows_of_weight_zero_are_scored_by_every_tree(self):
        weights = np.where(np.arange(300) < 20, 0.0, 1.0)
        forest = ForestClassifier(40, oob_score=True, random_state=0).fit(X, Y, sample_weight=weights)
        np.testing.assert_allclose(forest.oob_decision_function_[:20], forest.predict_proba(X[:20]), rtol=1e-12)


class TestGaps:
    def test_rows_that_every_tree_saw_have_none_and_are_counted_in_a_warning(self):
        forest = ForestClassifier(2, oob_score=True, random_state=0)
        with pytest.warns(RarewoodWarning, match=r"of 300 rows were seen by every tree") as caught:
            forest.fit(X, Y)
        seen = (bags(forest, Y) > 0).all(axis=0)
        assert str(caught[0].message).startswith(f"{seen.sum()} of 300")
        np.testing.assert_array_equal(np.isnan(forest.oob_decision_function_).all(axis=1), seen)
        known = ~seen
        assert forest.oob_score_ == pytest.approx(roc_auc_score(Y[known], forest.oob_decision_function_[known, 1]))

    def test_without_a_class_to_compare_the_score_is_undefined(self):
        forest = ForestClassifier(3, oob_score=True, random_state=0)
        with pytest.warns(RarewoodWarning, match="seen by every tree"):
            forest.fit([[0.0], [1.0]], ["only", "only"])
        assert np.isnan(forest.oob_score_)

    def test_where_every_tree_sees_every_row_there_is_nothing_to_score(self):
        with pytest.raises(ValueError, match=r"oob_score=True.*sampling='all'"):
            ForestClassifier(sampling="all", oob_score=True).fit(X, Y)
        assert "oob_score" not in HeDExClassifier().get_params()

    def test_without_asking_there_are_no_scores(self):
        assert not hasattr(ForestClassifier(5).fit(X, Y), "oob_score_")


def noise(seed, n_rows, n_rare):
    rng = np.random.default_rng([seed, n_rows])
    return rng.normal(size=(n_rows, 5)), (np.arange(n_rows) < n_rare).astype(int)


def scores_on_noise(score, sampling, n_seeds, n_rows, n_rare, n_trees):
    """Mean and standard error over tables on which nothing can be learned."""
    scores = []
    for seed in range(n_seeds):
        X, y = noise(seed, n_rows, n_rare)
        forest = ForestClassifier(n_trees, sampling=sampling, oob_score=True, random_state=seed).fit(X, y)
        scores.append(score(forest, X, y))
    return np.mean(scores), np.std(scores) / np.sqrt(n_seeds)


def pair_score(forest, X, y):
    """Area under the curve in which the rows of a pair are compared by the trees that saw neither of them."""
    unseen = (bags(forest, y) == 0).astype(float)
    score = np.array([tree.predict_proba(X)[:, 1] for tree in forest.estimators_]) * unseen
    rare = y == 1
    difference = score[:, rare].T @ unseen[:, ~rare] - unseen[:, rare].T @ score[:, ~rare]
    shared = unseen[:, rare].T @ unseen[:, ~rare] > 0
    wins = (difference > 1e-12) + 0.5 * (np.abs(difference) <= 1e-12)
    return wins[shared].mean()


@pytest.mark.parametrize("sampling", BAGGED)
class TestNoise:
    def test_the_score_is_one_half_within_its_error(self, sampling):
        """One row in twenty is rare."""
        mean, error = scores_on_noise(lambda forest, X, y: forest.oob_score_, sampling, 16, 2000, 100, n_trees=50)
        assert abs(mean - 0.5) < 3 * error
        assert error < 0.015

    def test_pairs_left_out_together_score_one_half_even_with_ten_rare_rows(self, sampling):
        mean, error = scores_on_noise(pair_score, sampling, 60, 200, 10, n_trees=60)
        assert abs(mean - 0.5) < 3 * error
        assert error < 0.02
