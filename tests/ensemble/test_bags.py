"""Which rows a tree sees."""

import itertools

import numpy as np
import pytest
from scipy import stats

from rarewood import BalancedForestClassifier, BEATClassifier, ForestClassifier, HeDExClassifier, HeDExhClassifier
from support.forests import BAGGED, bags, roots

UNLIKELY = 1e-3
SIZES = np.array([170, 25, 5])
Y = np.random.default_rng(0).permutation(np.repeat(np.arange(3), SIZES))
X = np.random.default_rng(1).normal(size=(200, 3))


def grown(sampling, n_trees=30, sample_weight=None, **parameters):
    forest = ForestClassifier(n_trees, sampling=sampling, max_depth=2, random_state=0, **parameters)
    return forest.fit(X, Y, sample_weight=sample_weight)


def class_sizes(bag):
    return np.bincount(Y, bag, 3).astype(int).tolist()


@pytest.mark.parametrize("model", [HeDExClassifier, HeDExhClassifier])
def test_every_tree_of_hedex_sees_every_row(model):
    forest = model(20, random_state=0).fit(X, Y)
    assert set(roots(forest, "n_node_samples")) == {200}
    assert {tuple(counts) for counts in roots(forest, "value").tolist()} == {tuple(SIZES.tolist())}
    assert (bags(forest, Y) == 1).all()


def test_balanced_bags_hold_equally_many_draws_of_every_class():
    forests = grown("balanced"), BalancedForestClassifier(30, random_state=0).fit(X, Y)
    for forest in forests:
        assert {tuple(class_sizes(bag)) for bag in bags(forest, Y)} == {(5, 5, 5)}
        assert set(roots(forest, "n_node_samples")) == {15}
        assert {tuple(counts) for counts in roots(forest, "value").tolist()} == {(5, 5, 5)}


def test_stratified_bags_keep_the_size_of_every_class():
    forest = grown("stratified")
    assert {tuple(class_sizes(bag)) for bag in bags(forest, Y)} == {tuple(SIZES.tolist())}
    assert {tuple(counts) for counts in roots(forest, "value").tolist()} == {tuple(SIZES.tolist())}


def test_bootstrap_bags_hold_as_many_draws_as_there_are_rows():
    for forest in (grown("bootstrap"), BEATClassifier(random_state=0).fit(X, Y)):
        assert set(bags(forest, Y).sum(axis=1)) == {200}
        assert set(roots(forest, "n_node_samples")) == {200}
        assert len({tuple(counts) for counts in roots(forest, "value").tolist()}) > 10


@pytest.mark.parametrize("sampling", ["all", *BAGGED])
def test_trees_are_grown_on_the_rows_that_were_drawn(sampling):
    forest = grown(sampling)
    for bag, counts in zip(bags(forest, Y), roots(forest, "value")):
        assert counts.tolist() == class_sizes(bag)


@pytest.mark.parametrize("sampling", BAGGED)
def test_a_tree_knows_only_its_bag(sampling):
    """Fully grown trees on distinct rows give every row that they saw its own label."""
    forest = ForestClassifier(10, sampling=sampling, splitter="random", smoothing=0, random_state=0).fit(X, Y)
    for bag, tree in zip(bags(forest, Y), forest.estimators_):
        seen = bag > 0
        assert tree.score(X[seen], Y[seen]) == 1.0
        assert tree.score(X[~seen], Y[~seen]) < 1.0
        leaves = tree.tree_.children_left == -1
        assert tree.tree_.n_node_samples[leaves].sum() == bag.sum()


@pytest.mark.parametrize("sampling", BAGGED)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_leaf_counts_how_often_its_rows_were_drawn(sampling, weighted):
    """Also where few rows are drawn of many, and some of them again and again."""
    weights = np.random.default_rng(2).integers(0, 4, size=200).astype(float) if weighted else None
    forest = grown(sampling, sample_weight=weights)
    drawn = bags(forest, Y, weights)
    if sampling == "balanced":
        assert drawn.max() > 1
        assert 4 * drawn[0].sum() <= 200
    for bag, tree in zip(drawn, forest.estimators_):
        leaf = tree.tree_.apply(X)
        for node in set(leaf.tolist()):
            inside = (leaf == node) * bag * (1.0 if weights is None else weights)
            assert tree.tree_.value[node].tolist() == np.bincount(Y, inside, 3).tolist()


@pytest.mark.parametrize(
    ("sampling", "draws"), [("bootstrap", [200] * 3), ("stratified", SIZES), ("balanced", [5] * 3)]
)
def test_rows_have_equal_chances_at_every_draw(sampling, draws):
    """How often a row of a class is drawn follows the binomial distribution."""
    drawn = bags(grown(sampling, 600), Y)
    for label in range(3):
        among = 200 if sampling == "bootstrap" else SIZES[label]
        times = drawn[:, label == Y].ravel()
        chances = stats.binom(draws[label], 1 / among).pmf([0, 1])
        expected = np.r_[chances, 1 - chances.sum()] * len(times)
        assert stats.chisquare(np.bincount(np.minimum(times, 2)), expected).pvalue > UNLIKELY


def test_rows_of_one_tree_say_nothing_about_those_of_the_next():
    drawn = bags(grown("bootstrap", 400), Y).astype(float)
    lagged = [np.corrcoef(one, other)[0, 1] for one, other in itertools.pairwise(drawn)]
    assert abs(np.mean(lagged)) < 4 / np.sqrt(200 * 400)


@pytest.mark.parametrize("sampling", BAGGED)
def test_rows_of_weight_zero_are_never_drawn(sampling):
    weights = np.where((np.arange(200) % 4 == 0) & (Y != 2), 0.0, 1.0)
    forest = grown(sampling, sample_weight=weights)
    drawn = bags(forest, Y, weights)
    assert drawn[:, weights == 0].sum() == 0
    present = np.bincount(Y[weights > 0])
    size = {"bootstrap": present.sum(), "stratified": present.sum(), "balanced": 15}[sampling]
    assert set(drawn.sum(axis=1)) == {size}
    assert set(roots(forest, "n_node_samples")) == {size}


@pytest.mark.parametrize("sampling", ["stratified", "balanced"])
def test_a_class_of_weight_zero_is_as_if_absent(sampling):
    weights = np.where(Y == 2, 0.0, 1.0)
    forest = grown(sampling, sample_weight=weights)
    sizes = {"stratified": [170, 25, 0], "balanced": [25, 25, 0]}[sampling]
    assert {tuple(counts) for counts in roots(forest, "value").tolist()} == {tuple(sizes)}
    assert forest.classes_.tolist() == [0, 1, 2]


def test_a_class_of_one_row_is_in_every_stratified_and_balanced_bag():
    y = np.r_[0, np.ones(40, dtype=int)]
    for sampling in ("stratified", "balanced"):
        forest = ForestClassifier(20, sampling=sampling, random_state=0).fit(X[:41], y)
        assert set(bags(forest, y)[:, 0]) == {1}


def test_a_class_that_a_bootstrap_lost_has_no_probability_in_that_tree():
    y = np.r_[0, np.ones(40, dtype=int)]
    forest = BEATClassifier(40, random_state=0).fit(X[:41], y)
    lost = bags(forest, y)[:, 0] == 0
    assert 5 < lost.sum() < 25
    for tree, without in zip(forest.estimators_, lost):
        assert tree.predict_proba(X[:1]).tolist() == ([[0.0, 1.0]] if without else [[1.0, 0.0]])
