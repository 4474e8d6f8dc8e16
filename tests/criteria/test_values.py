"""Every criterion against its naive twin, and against numbers from the literature."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle import criteria as oracle
from rarewood import criteria
from rarewood.criteria import AlphaDivergence, Hellinger
from rarewood.exceptions import RarewoodWarning
from support.count_tables import CRITERIA, criteria_for, scores_of, tables


def twin_of(criterion):
    twin = oracle.CRITERIA[criterion.name]
    if isinstance(criterion, AlphaDivergence):
        return partial(twin, alpha=criterion.alpha, reference=criterion.reference)
    return twin


def tolerance(criterion, table):
    """1e-12; a gain divided by a tiny split information is known only so much less precisely."""
    if criterion.name in ("gain_ratio", "c45"):
        return 1e-12 / max(min(oracle.split_information(table), 1.0), 1e-300)
    return 1e-12


def assert_close(criterion, table, score):
    assert np.isfinite(score), criterion
    expected = twin_of(criterion)(table)
    np.testing.assert_allclose(score, expected, rtol=1e-12, atol=tolerance(criterion, table), err_msg=repr(criterion))


# ---------------------------------------------------------------------------------------------------------- the naive twin


@given(tables() | tables(max_classes=2))
def test_scores_are_the_naive_twins(table):
    assume(table.sum() > 0)
    for criterion in criteria_for(table):
        assert_close(criterion, table, criteria.score(criterion, table))


@given(tables(min_children=2, max_children=2) | tables(min_children=2, max_children=2, max_classes=2), st.data())
def test_scores_of_a_batch_are_the_naive_twins(table, data):
    assume(table.sum() > 0)
    kept = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3))
    left, parent = np.outer(kept, table[0]), table.sum(axis=0)
    for criterion in criteria_for(table):
        for row, score in zip(left, scores_of(criterion, left, parent)):
            assert_close(criterion, np.array([row, parent - row]), score)


@given(tables(min_children=2, max_children=2, min_classes=3, max_classes=10))
def test_best_bipartition_of_the_classes_is_a_prefix_in_order_of_left_fractions(table):
    """The twin tries all bipartitions, the core k - 1 of them: docs/decisions/0001-multiclass-hellinger.md."""
    assert_close(Hellinger(), table, criteria.score("hellinger", table))


@pytest.mark.parametrize(("n_children", "n_classes"), [(2, 13), (2, 16), (3, 11), (3, 12)])
def test_hellinger_of_many_classes(n_children, n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(5):
        table = rng.integers(0, 9, size=(n_children, n_classes)).astype(float)
        assert_close(Hellinger(), table, criteria.score("hellinger", table))


def test_hellinger_of_more_classes_than_can_be_enumerated_warns():
    table = np.random.default_rng(0).integers(1, 9, size=(3, 13)).astype(float)
    with pytest.warns(
        RarewoodWarning, match="at most 12 classes; with 13 classes present, it sets one class against the rest"
    ):
        score = criteria.score("hellinger", table)
    assert score == criteria.score("hellinger_ova", table)
    assert_close(Hellinger(), table, score)


@pytest.mark.parametrize("name", criteria.names())
def test_empty_table_scores_zero(name):
    assert criteria.score(name, [[0, 0], [0, 0]]) == 0


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
@pytest.mark.parametrize("table", [[[7, 0], [3, 0]], [[0, 0.3], [0, 0.1]], [[5], [2]]])
def test_single_class_scores_zero_or_what_dcsm_says(criterion, table):
    expected = -np.e if criterion.name == "dcsm" else 0
    assert criteria.score(criterion, table) == pytest.approx(expected, abs=1e-15)


# ---------------------------------------------------------------------------------------------------------- known numbers

OUTLOOK = [[2, 3], [4, 0], [3, 2]]  # Quinlan's weather data: play, do not play
HUMIDITY = [[3, 4], [6, 1]]
WINDY = [[6, 2], [3, 3]]
EXCLUSIVE = [[40, 0, 0, 10], [0, 20, 10, 0]]  # the two splits in the introduction of Akash et al., 2019
MIXED = [[40, 0, 5, 5], [0, 20, 5, 5]]


@pytest.mark.parametrize(
    ("name", "table", "value", "digits"),
    [
        ("entropy", OUTLOOK, 0.247, 3),
        ("entropy", HUMIDITY, 0.152, 3),
        ("entropy", WINDY, 0.048, 3),
        ("gain_ratio", OUTLOOK, 0.156, 3),
        ("gain_ratio", HUMIDITY, 0.152, 3),
        ("gain_ratio", WINDY, 0.049, 3),
        ("hellinger_ova", EXCLUSIVE, 1.0879, 4),
        ("hellinger_ova", MIXED, 1.0879, 4),
        ("hellinger", EXCLUSIVE, 1.4142, 4),
        ("hellinger", MIXED, 1.0879, 4),
        ("ihd", [[50, 0], [0, 50]], 0.2929, 4),
        ("ihdw", [[50, 0], [0, 50]], 0.2929, 4),
        ("gini", [[50, 0], [0, 50]], 0.5, 15),
        ("dkm", [[50, 0], [0, 50]], 0.5, 15),
        ("entropy", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], 2.0, 15),
    ],
)
def test_published_and_hand_computed_values(name, table, value, digits):
    assert round(criteria.score(name, table), digits) == value


def test_ihdw_prefers_the_pure_child_where_ihd_does_not():
    """Table 1 of Akash et al., 2019: by iHDw two cuts tie at the root and both have a pure child, unlike iHD's."""
    f1 = np.array([26, 44, 34, 42, 32, 24, 40, 36, 22, 28, 38, 30])
    f2 = np.array([12, 20, 16, 22, 28, 24, 26, 32, 30, 18, 34, 14])
    rare = np.array(list("BBBBABBBAAAB")) == "A"
    cuts = [(name, cut, x < cut) for name, x in (("f1", f1), ("f2", f2)) for cut in range(x.min() + 1, x.max(), 2)]
    left = np.array([[np.sum(goes_left & rare), np.sum(goes_left & ~rare)] for _, _, goes_left in cuts])

    def winners(criterion):
        scores = scores_of(criterion, left, np.array([4.0, 8.0]))
        return {cuts[i][:2] for i in np.flatnonzero(scores > scores.max() - 1e-10)}

    assert winners(criteria.IHDw()) == {("f1", 39), ("f2", 17)}
    assert winners(criteria.IHD()) == {("f2", 27)}
