"""Screening must never drop a winner: the bound of a table is at least its score, for every criterion that has one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood._core import testing
from support.count_tables import CRITERIA

SCREENED = {"hellinger", "entropy", "gini", "gain_ratio", "c45", "alpha"}
MOST = 2**24 - 1  # whole numbers that float32 tells apart


def bounds_and_scores(criterion, left, parent, class_weights=None):
    """Both for splits of one node, by the paths that a search uses; None without a bound."""
    left = np.ascontiguousarray(left, dtype=np.float64)
    parent = np.ascontiguousarray(parent, dtype=np.float64)
    bounds = testing.bound_candidates(criterion._spec(), left, parent, class_weights)
    if bounds is None:
        return None
    weights = np.ones(len(parent)) if class_weights is None else class_weights
    right = np.maximum(parent * weights - left * weights, 0)
    right[right <= 1e-10 * parent * weights] = 0  # as candidates are completed
    return bounds.astype(np.float64), testing.score_candidates(criterion._spec(), left * weights, right)


def assert_bounded(criterion, left, parent, class_weights=None):
    found = bounds_and_scores(criterion, left, parent, class_weights)
    if found is None:
        return False
    bounds, scores = found
    assert not np.isnan(bounds).any()
    short = bounds < scores
    assert not short.any(), (criterion, np.asarray(left)[short][:1], parent, bounds[short][:1], scores[short][:1])
    return True


def fitting(n_classes):
    return [c for c in CRITERIA if c.max_classes is None or n_classes <= c.max_classes]


@st.composite
def nodes(draw):
    """(left, parent, class weights): counts of one size or of all, equal splits, pure children, classes that tie or nearly do."""
    n_classes = draw(st.integers(2, 16))
    count = st.one_of(st.integers(0, 3), st.integers(0, 40), st.integers(0, 5000), st.integers(0, MOST // n_classes))
    parent = np.array(draw(st.lists(count, min_size=n_classes, max_size=n_classes)))
    if draw(st.booleans()):  # one class many times the others
        parent[draw(st.integers(0, n_classes - 1))] = MOST - parent.sum() if parent.sum() < MOST // 2 else 1
    left = []
    for _ in range(draw(st.integers(1, 9))):
        kind = draw(st.sampled_from(["any", "share", "ends"]))
        if kind == "any":
            left.append([draw(st.integers(0, int(n))) for n in parent])
        elif kind == "share":  # about the same share of every class
            share = draw(st.fractions(0, 1, max_denominator=50))
            nudges = draw(st.lists(st.integers(-1, 1), min_size=n_classes, max_size=n_classes))
            left.append([min(max(int(n * share) + d, 0), int(n)) for n, d in zip(parent, nudges, strict=True)])
        else:
            left.append([draw(st.sampled_from([0, min(1, int(n)), int(n)])) for n in parent])
    weights = None
    if draw(st.booleans()):
        weight = st.one_of(st.floats(1e-3, 1e3), st.just(1.0), st.just(1 / 3))
        weights = np.array(draw(st.lists(weight, min_size=n_classes, max_size=n_classes)))
    return np.array(left), parent, weights


@given(nodes())
def test_bound_is_at_least_the_score(node):
    left, parent, weights = node
    for criterion in fitting(len(parent)):
        assert_bounded(criterion, left, parent, weights)


@pytest.mark.parametrize("n_classes", [2, 3, 5, 8, 12, 16])
def test_on_many_random_tables(n_classes):
    rng = np.random.default_rng(n_classes)
    names = set()
    for _ in range(60):
        largest = int(10.0 ** rng.uniform(0, 6))
        parent = rng.integers(0, largest + 1, size=n_classes)
        parent[:2] += 1
        share = rng.beta(0.5, 0.5, size=(300, 1)) if rng.random() < 0.5 else rng.random((300, n_classes))
        left = rng.binomial(parent, np.broadcast_to(share, (300, n_classes)))
        weights = None if rng.random() < 0.5 else rng.uniform(0.1, 10, n_classes)
        names |= {c.name for c in fitting(n_classes) if assert_bounded(c, left, parent, weights)}
    assert names == SCREENED - ({"hellinger", "gini"} if n_classes == 2 else set())


def ladder_of_ratios(n_classes, size):
    """Classes whose shares differ by so little that float32 takes some for equal."""
    parent = np.full(n_classes, size)
    return np.array([[size // 2 + step * j for j in range(n_classes)] for step in (-3, -1, 0, 1, 2)]), parent


@pytest.mark.parametrize("size", [100, 10_000, 1_000_000])
@pytest.mark.parametrize("n_classes", [3, 8, 16])
def test_where_classes_nearly_tie(n_classes, size):
    left, parent = ladder_of_ratios(n_classes, size)
    for criterion in fitting(n_classes):
        assert_bounded(criterion, left, parent)
        assert_bounded(criterion, left, parent, np.linspace(0.3, 3, n_classes))


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c.name in SCREENED], ids=repr)
def test_bounds_are_close_enough_to_be_of_use(criterion):
    """Not promised, but without it nothing would ever be left out: on plain tables most bounds are near their scores."""
    rng = np.random.default_rng(0)
    n_classes = 2 if criterion.max_classes == 2 else 5
    parent = rng.integers(50, 500, size=n_classes)
    left = rng.binomial(parent, rng.random((400, 1)) * np.linspace(0.3, 1, n_classes))
    found = bounds_and_scores(criterion, left, parent)
    if found is None:
        assert criterion.name == "alpha"
        assert abs(criterion.alpha - 1) <= 0.05
        return
    bounds, scores = found
    assert np.median(bounds - scores) < 2e-3 * (1 + np.median(scores))


def test_no_bound_where_float32_would_not_do():
    entropy = next(c for c in CRITERIA if c.name == "entropy")._spec()
    assert testing.bound_candidates(entropy, np.array([[1.0, 2.0]]), np.array([2.0, 3.0])) is not None
    assert testing.bound_candidates(entropy, np.array([[1.0, 2.0]]), np.array([2.0, 2.0**24])) is None
    assert (
        testing.bound_candidates(entropy, np.array([[1.0, 2.0]]), np.array([2.0, 3.0]), np.array([1.0, 1e-12])) is None
    )
    assert testing.bound_candidates(entropy, np.array([[1.0, 0.0]]), np.array([2.0, 0.0])) is None
