"""Trees on so many rows of each class, drawn without replacement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rarewood import _core, criteria
from support.forests import assert_same_state

UNLIKELY = 1e-3
SPEC = [criteria.get("hellinger")._spec()]


def table(y, seed=0):
    X = np.random.default_rng(seed).normal(size=(len(y), 3))
    return X, _core.Dataset(X, np.zeros(3, dtype=np.int32), np.asarray(y, dtype=np.int32), int(np.max(y)) + 1)


def drawn(dataset, class_sizes, n_trees, weights=None, seed=3):
    plan = planned(class_sizes, n_trees, weights=weights, seed=seed)
    return np.array([_core.testing.times_drawn(dataset, plan, tree) for tree in range(n_trees)])


def planned(class_sizes, n_trees=5, **options):
    return _core.ForestPlan(
        SPEC, **{"seed": 3, "n_trees": n_trees, "sampling": "subsample", "class_sizes": class_sizes, **options}
    )


def grown(dataset, class_sizes, n_trees=5, n_threads=1, **options):
    return _core.grow_forests(dataset, [planned(class_sizes, n_trees, **options)], n_threads=n_threads)[0]


@st.composite
def subsamples(draw):
    """Labels, weights that may be zero, and sizes that are there to be drawn."""
    y = draw(st.lists(st.integers(0, 2), min_size=1, max_size=30))
    y = np.array([*y, draw(st.integers(0, 2))])
    weights = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.5]), min_size=len(y), max_size=len(y))))
    weights[0] = 1.0
    there = np.bincount(y[weights > 0], minlength=y.max() + 1)
    sizes = [draw(st.integers(0, int(n))) for n in there]
    sizes[y[0]] = max(1, sizes[y[0]])
    return y, weights, sizes


@given(subsamples(), st.integers(0, 1000))
def test_exactly_so_many_rows_of_each_class_and_none_twice(case, seed):
    y, weights, sizes = case
    _, dataset = table(y)
    for bag in drawn(dataset, sizes, 3, weights, seed):
        assert bag.max() <= 1
        assert bag[weights == 0].sum() == 0
        assert np.bincount(y, bag, len(sizes)).tolist() == sizes


@given(subsamples())
def test_trees_are_grown_on_the_rows_that_were_drawn(case):
    """A tree is the one grown on its rows alone: the rows left out might as well not be there."""
    y, weights, sizes = case
    X, dataset = table(y)
    forest = grown(dataset, sizes, weights=weights)
    for tree, bag in enumerate(drawn(dataset, sizes, 5, weights)):
        seen = bag > 0
        alone = _core.Dataset(X[seen], np.zeros(3, dtype=np.int32), y[seen].astype(np.int32), len(sizes))
        single = _core.grow_forests(alone, [_core.ForestPlan(SPEC, weights=weights[seen])])[0]
        assert_same_state(forest[tree], single[0])


def test_every_row_has_the_same_chance():
    y = np.repeat([0, 1], [40, 10])
    bags = drawn(table(y)[1], [12, 3], 2000)
    for label, size in ((0, 12), (1, 3)):
        times = bags[:, y == label].sum(axis=0)
        expected = np.full(len(times), 2000 * size / len(times))
        # Without replacement the counts vary less than chi squared allows by the factor of the rows left out.
        statistic = ((times - expected) ** 2 / expected).sum() / (1 - size / len(times))
        assert UNLIKELY < stats.chi2(len(times) - 1).sf(statistic) < 1 - UNLIKELY


def test_every_pair_of_rows_has_the_same_chance():
    bags = drawn(table(np.zeros(6, dtype=int))[1], [2], 3000)
    pairs = np.array([2 ** np.flatnonzero(bag) for bag in bags]).sum(axis=1)
    counts = np.unique(pairs, return_counts=True)[1]
    assert len(counts) == 15
    assert stats.chisquare(counts).pvalue > UNLIKELY


def test_the_first_trees_do_not_depend_on_later_ones_nor_on_threads():
    y = np.random.default_rng(0).integers(0, 3, size=300)
    _, dataset = table(y)
    few, many = grown(dataset, [20, 5, 30], 3), grown(dataset, [20, 5, 30], 9, n_threads=2)
    for tree in range(3):
        assert_same_state(few[tree], many[tree])
    assert_same_state(grown(dataset, [20, 5, 30], 6, first_tree=3)[0], many[3])


def test_classes_may_be_relabelled_first():
    y = np.random.default_rng(0).integers(0, 4, size=200)
    X, dataset = table(y)
    two = _core.Dataset(X, np.zeros(3, dtype=np.int32), (y == 3).astype(np.int32), 2)
    assert_same_state(grown(dataset, [40, 8], class_map=[0, 0, 0, 1]), grown(two, [40, 8]))
    np.testing.assert_array_equal(drawn(dataset.relabelled([0, 0, 0, 1]), [40, 8], 3), drawn(two, [40, 8], 3))


def test_out_of_bag_rows_are_those_not_drawn():
    y = np.random.default_rng(0).integers(0, 2, size=60)
    _, dataset = table(y)
    _, n_trees = grown(dataset, [10, 10]).out_of_bag(dataset, planned([10, 10]), 1.0)
    np.testing.assert_array_equal(n_trees, 5 - drawn(dataset, [10, 10], 5).sum(axis=0))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([3, 5], "asks for 5 rows of class 1, which has 4 of positive weight"),
        ([3], "there are 2 classes and 1 sizes"),
        ([0, 0], "no row of any class"),
    ],
)
def test_sizes_that_cannot_be_drawn_are_refused(sizes, words):
    y = np.repeat([0, 1], [10, 5])
    _, dataset = table(y)
    weights = np.r_[np.ones(14), 0.0]
    with pytest.raises(ValueError, match=words):
        grown(dataset, sizes, weights=weights)
    with pytest.raises(ValueError, match=words):
        drawn(dataset, sizes, 1, weights)


def test_sizes_and_subsampling_need_each_other():
    for sampling, sizes in (("subsample", None), ("bootstrap", [1, 1])):
        with pytest.raises(ValueError, match="need each other"):
            _core.ForestPlan(SPEC, sampling=sampling, class_sizes=sizes)
