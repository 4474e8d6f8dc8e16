"""BEAT's alphas, and that each tree splits by its own."""

import numpy as np
import pytest
from scipy import stats

from rarewood import BEATClassifier, TreeClassifier
from rarewood.criteria import AlphaDivergence
from support.forests import assert_same_state, bags

UNLIKELY = 1e-3
X = np.random.default_rng(0).normal(size=(80, 3))
Y = (X[:, 0] + np.random.default_rng(1).normal(size=80) > 1).astype(int)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 3), (3, 1), (0.5, 0.5)])
def test_half_of_alpha_follows_the_beta_distribution(a, b):
    beat = BEATClassifier(2000, a=a, b=b, max_depth=1, random_state=0).fit(X, Y)
    assert beat.alphas_.shape == (2000,)
    halves = beat.alphas_ / 2
    assert stats.kstest(halves, stats.beta(a, b).cdf).pvalue > UNLIKELY
    error = stats.beta(a, b).std() / np.sqrt(2000)
    assert abs(halves.mean() - a / (a + b)) < 4 * error


def test_alphas_stay_inside_their_range_where_rounding_reaches_its_ends():
    for a, b in ((1e-2, 5.0), (5.0, 1e-2)):
        alphas = BEATClassifier(500, a=a, b=b, max_depth=1, random_state=0).fit(X, Y).alphas_
        assert alphas.min() > 0
        assert alphas.max() < 2


@pytest.mark.parametrize("reference", ["marginal", "uniform"])
def test_every_tree_splits_by_its_own_alpha(reference):
    """The tree that its bag and its alpha give, grown alone."""
    beat = BEATClassifier(12, reference=reference, random_state=0).fit(X, Y)
    for tree, alpha, bag in zip(beat.estimators_, beat.alphas_.tolist(), bags(beat, Y)):
        alone = TreeClassifier(AlphaDivergence(alpha, reference), smoothing=0.0).fit(X, Y, sample_weight=bag)
        assert tree.criterion == AlphaDivergence(alpha, reference)
        assert_same_state(tree.tree_, alone.tree_)


def test_leaves_give_raw_frequencies():
    beat = BEATClassifier(1, random_state=0).fit(X, Y)
    assert set(beat.predict_proba(X).ravel()) == {0.0, 1.0}


def test_alphas_of_a_smaller_forest_are_the_first_of_a_larger():
    small, large = (BEATClassifier(n, a=2, b=3, random_state=5).fit(X, Y) for n in (20, 50))
    np.testing.assert_array_equal(large.alphas_[:20], small.alphas_)


def test_a_forest_grown_on_keeps_the_alphas_of_its_first_trees():
    beat = BEATClassifier(10, warm_start=True, random_state=0).fit(X, Y)
    first = beat.alphas_.copy()
    beat.set_params(n_estimators=30, a=50.0, b=1.0).fit(X, Y)
    np.testing.assert_array_equal(beat.alphas_[:10], first)
    assert beat.alphas_[10:].min() > 1.5
    assert [tree.criterion.alpha for tree in beat.estimators_] == beat.alphas_.tolist()


@pytest.mark.parametrize("parameters", [{"a": 0.0}, {"b": -1.0}, {"reference": "flipped"}])
def test_parameters_outside_the_paper_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        BEATClassifier(**parameters).fit(X, Y)
