"""Relations between criteria, and what may be done to a table without changing its score."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rarewood._core import criterion_traits
from rarewood.criteria import AlphaDivergence
from rarewood.criteria import score as score_of
from support.count_tables import CRITERIA, criteria_for, tables

# Every row of one class is counted ten times and these scores stay.
UNCHANGED_BY_REPLICATION = {"hellinger", "hellinger_ova"}


def close(value):
    return pytest.approx(value, rel=1e-11, abs=1e-11)


def shares(table):
    return table.sum(axis=0) / table.sum()


def two_class_tables():
    return tables(min_children=2, max_classes=2).filter(lambda table: np.all(table.sum(axis=0) > 0))


# ------------------------------------------------------------------------------------------------- relations of criteria


@given(tables())
def test_alpha_one_half_is_four_times_ihd(table):
    assert score_of(AlphaDivergence(0.5), table) == close(4 * score_of("ihd", table))


@given(tables())
def test_alpha_one_is_the_information_gain_in_nats(table):
    assert score_of(AlphaDivergence(1.0), table) == close(np.log(2) * score_of("entropy", table))


@given(tables())
def test_alpha_near_one_is_near_the_information_gain(table):
    for alpha in (1 - 1e-9, 1 + 1e-9):
        assert score_of(AlphaDivergence(alpha), table) == pytest.approx(score_of(AlphaDivergence(1.0), table), abs=1e-6)


@given(tables())
def test_alpha_two_from_uniform_ranks_as_gini(table):
    assume(np.count_nonzero(table.sum(axis=0)) > 1)
    n_classes = table.shape[1]
    expected = n_classes / 2 * (score_of("gini", table) + np.sum(shares(table) ** 2) - 1 / n_classes)
    assert score_of(AlphaDivergence(2.0, "uniform"), table) == close(expected)


@given(two_class_tables())
def test_dkm_is_the_squared_hellinger_distance_times_a_factor_of_the_node(table):
    factor = np.sqrt(np.prod(shares(table))) / 2
    assert score_of("dkm", table) == close(factor * score_of("hellinger", table) ** 2)


@given(two_class_tables())
def test_alpha_one_half_flipped_ranks_as_dkm(table):
    constant = 4 - 8 * np.sqrt(np.prod(shares(table)))
    assert score_of(AlphaDivergence(0.5, "flipped"), table) == close(8 * score_of("dkm", table) + constant)


@given(tables(max_classes=3))
def test_one_vs_rest_is_every_bipartition_of_up_to_three_classes(table):
    assert score_of("hellinger_ova", table) == close(score_of("hellinger", table))


@given(tables(min_classes=4))
def test_one_vs_rest_is_at_most_the_best_bipartition(table):
    assert score_of("hellinger_ova", table) <= score_of("hellinger", table) + 1e-12


@given(tables())
def test_c45_scores_a_single_split_by_gain_ratio(table):
    assert score_of("c45", table) == score_of("gain_ratio", table)


# ----------------------------------------------------------------------------------------------------- extremes and ranges


@pytest.mark.parametrize("name", ["ihd", "ihdw"])
@pytest.mark.parametrize("left", [1, 10, 33, 50])
def test_inter_node_distance_of_children_that_share_no_class(name, left):
    r = left / 100
    assert score_of(name, [[left, 0], [0, 100 - left]]) == close(1 - r**1.5 - (1 - r) ** 1.5)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=6), st.lists(st.integers(0, 9), min_size=2, max_size=5))
def test_children_like_the_parent_score_as_no_split(parent, sizes):
    assume(np.count_nonzero(parent) > 1 and sum(sizes) > 0)
    table = np.outer(sizes, parent)
    for criterion in criteria_for(table):
        if criterion.name != "dcsm":
            assert score_of(criterion, table) == close(score_of(criterion, table.sum(axis=0, keepdims=True)))


@given(tables())
def test_scores_stay_in_their_ranges(table):
    n_classes = table.shape[1]
    ceilings = {
        "gini": 1,
        "entropy": np.log2(n_classes),
        "hellinger": 2**0.5,
        "hellinger_ova": 2**0.5,
        "ihd": 1,
        "ihdw": 1,
    }
    for criterion in criteria_for(table):
        score = score_of(criterion, table)
        if criterion.name == "dcsm":
            assert score <= 0
        elif not (criterion.name.startswith("ccp") and n_classes > 2):
            assert -1e-9 <= score <= ceilings.get(criterion.name, np.inf) + 1e-9


# ------------------------------------------------------------------------------------------------------------- invariances


@given(tables(min_children=2), st.randoms(use_true_random=False))
def test_order_of_children_does_not_matter(table, random):
    order = random.sample(range(len(table)), len(table))
    for criterion in criteria_for(table):
        if criterion.name not in ("gain_ratio", "c45"):  # a tiny split information magnifies rounding
            assert score_of(criterion, table[order]) == close(score_of(criterion, table))


@given(tables(), st.randoms(use_true_random=False))
def test_order_of_classes_does_not_matter(table, random):
    order = random.sample(range(table.shape[1]), table.shape[1])
    for criterion in criteria_for(table):
        if criterion.name not in ("gain_ratio", "c45"):
            assert score_of(criterion, table[:, order]) == close(score_of(criterion, table))


@given(tables(max_classes=2))
def test_empty_children_do_not_matter(table):
    assume(table.sum() > 0)
    padded = np.vstack([table, np.zeros(table.shape[1])])
    for criterion in criteria_for(table):
        assert score_of(criterion, padded) == close(score_of(criterion, table))


@given(tables())
def test_absent_classes_do_not_matter(table):
    assume(table.sum() > 0)
    padded = np.column_stack([table, np.zeros(len(table))])
    for criterion in criteria_for(padded):
        if not (isinstance(criterion, AlphaDivergence) and criterion.reference == "uniform"):  # 1/K changes
            assert score_of(criterion, padded) == close(score_of(criterion, table))


@given(tables(), st.integers(0, 4))
def test_absent_classes_do_not_matter_by_a_bit_where_the_trait_says_so(table, n_more):
    """Branches are grown among the classes that reach them, with the same trees."""
    assume(table.sum() > 0 and table.shape[1] > 2)
    for criterion in criteria_for(table):
        if criterion_traits(criterion._spec())["absent_classes_do_not_matter"]:
            for place in range(table.shape[1] + 1):
                padded = np.insert(table, [place] * n_more, 0.0, axis=1)
                assert score_of(criterion, padded) == score_of(criterion, table), criterion


@given(tables(), st.sampled_from([0.125, 3.0, 1e4]))
def test_counting_every_row_several_times_does_not_matter(table, times):
    for criterion in criteria_for(table):
        if criterion.name not in ("gain_ratio", "c45"):
            assert score_of(criterion, table * times) == close(score_of(criterion, table))


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
def test_replicating_a_class_changes_all_but_the_hellinger_distance(criterion):
    table = np.array([[90.0, 3.0], [10.0, 7.0]])
    unchanged = score_of(criterion, table) == close(score_of(criterion, table * [1, 10]))
    assert unchanged == (criterion.name in UNCHANGED_BY_REPLICATION)


@given(two_class_tables(), st.integers(2, 1000))
def test_hellinger_distance_does_not_see_the_size_of_a_class(table, times):
    for name in sorted(UNCHANGED_BY_REPLICATION):
        assert score_of(name, table * [1, times]) == close(score_of(name, table))
