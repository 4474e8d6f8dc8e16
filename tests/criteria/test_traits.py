"""What the search takes for granted about a criterion is true of its scores."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle.criteria import bipartitions
from rarewood import criteria
from rarewood._core import criterion_traits
from support.count_tables import CRITERIA, scores_of

TIE = 1e-10
counts = st.integers(0, 30).map(float)


def traits(criterion):
    return criterion_traits(criterion._spec())


def having(trait, value=True, n_classes=2):
    """The criteria with a trait that are defined for a number of classes."""
    return [c for c in CRITERIA if bool(traits(c)[trait]) == value and n_classes <= (c.max_classes or n_classes)]


def vectors(n, elements=counts):
    return st.lists(elements, min_size=n, max_size=n).map(np.array)


@st.composite
def categories(draw, max_categories=7, n_classes=2):
    """Class counts per category, (categories, classes); every category and at least two classes occur."""
    n = draw(st.integers(2, max_categories))
    table = np.array(draw(st.lists(vectors(n_classes), min_size=n, max_size=n)))
    assume(np.all(table.sum(axis=1) > 0) and np.count_nonzero(table.sum(axis=0)) > 1)
    return table


def prefixes(order):
    return np.array([np.isin(np.arange(len(order)), order[:i]) for i in range(1, len(order))])


def best_score(criterion, table, groups):
    return scores_of(criterion, groups @ table, table.sum(axis=0)).max()


def share_of(group, table):
    return table[:, group].sum(axis=1) / table.sum(axis=1)


@given(st.integers(2, 5), st.integers(2, 30), st.data())
def test_a_cut_inside_a_run_of_one_class_never_beats_the_ends_of_the_run(n_classes, run, data):
    before, after = data.draw(vectors(n_classes)), data.draw(vectors(n_classes))
    cls = data.draw(st.integers(0, n_classes - 1))
    left = before + np.arange(run + 1)[:, None] * np.eye(n_classes)[cls]
    parent = left[-1] + after
    assume(np.count_nonzero(parent) > 1)
    for criterion in having("run_ends_suffice", n_classes=n_classes):
        scores = scores_of(criterion, left, parent)
        assert scores[1:-1].max() <= max(scores[0], scores[-1]) + TIE, criterion


@given(categories())
def test_best_subset_of_categories_is_a_prefix_in_order_of_a_class_share(table):
    order = np.argsort(share_of([0], table), kind="stable")
    for criterion in having("prefix_subset_is_best"):
        best = best_score(criterion, table, bipartitions(len(table)))
        assert best <= best_score(criterion, table, prefixes(order)) + TIE, criterion


@given(categories(max_categories=6, n_classes=4))
def test_best_subset_of_categories_is_a_prefix_in_order_of_the_share_of_some_group_of_classes(table):
    orders = [np.argsort(share_of(group, table), kind="stable") for group in bipartitions(4)]
    for criterion in having("sort_by_class_bipartitions", n_classes=4):
        found = max(best_score(criterion, table, prefixes(order)) for order in orders)
        assert best_score(criterion, table, bipartitions(len(table))) <= found + TIE, criterion


@given(categories(max_categories=6, n_classes=4))
def test_orders_by_single_classes_suffice_for_hellinger_one_vs_rest(table):
    orders = [np.argsort(share_of([cls], table), kind="stable") for cls in range(4)]
    criterion = criteria.HellingerOVA()
    found = max(best_score(criterion, table, prefixes(order)) for order in orders)
    assert best_score(criterion, table, bipartitions(len(table))) <= found + TIE


def test_class_confidence_needs_all_bipartitions():
    table = np.array([[1.0, 20.0], [1.0, 10.0], [3.0, 0.0], [3.0, 30.0]])
    order = np.argsort(share_of([0], table))
    gini = criteria.CCPGini()
    assert not traits(gini)["prefix_subset_is_best"]
    assert best_score(gini, table, bipartitions(4)) > 1.05 * best_score(gini, table, prefixes(order))


@given(vectors(2, st.integers(1, 100).map(float)))
def test_no_split_scores_zero(parent):
    for criterion in having("no_split_scores_zero"):
        assert criteria.score(criterion, [parent]) == pytest.approx(0, abs=1e-12), criterion


@pytest.mark.parametrize("criterion", having("no_split_scores_zero", False), ids=repr)
def test_no_split_scores_something_else(criterion):
    assert abs(criteria.score(criterion, [[90, 10]])) > 0.01


def test_only_c45_asks_for_quinlans_selection_and_only_class_confidence_for_the_tie_break():
    chosen = {trait: {c.name for c in CRITERIA if traits(c)[trait]} for trait in traits(criteria.Gini())}
    assert chosen["quinlan_selection"] == {"c45"}
    assert chosen["hellinger_breaks_ties"] == {"ccp_entropy", "ccp_gini"}


def test_bipartitions_are_listed_once_each():
    rows = [tuple(np.flatnonzero(row)) for row in bipartitions(4)]
    expected = {s for size in range(1, 4) for s in combinations(range(4), size) if 0 in s}
    assert set(rows) == expected
    assert len(rows) == len(expected)
