"""C4.5 as Weka's J48 has it: error estimates, pruned and unpruned trees.

J48 -M 2 is `criterion="c45"`, `nominal="multiway"`, `min_samples_split=4` (J48 leaves a node of fewer than twice -M cases
alone), and with `pruning="pessimistic"`, `confidence=0.25` it is J48 -C 0.25 -S, pruned without subtree raising. On tables
without missing values the trees must have the same leaves: as many, with the same cases and training errors in each.

What J48 does besides, and how it is met here:

- it gives a nominal split a branch, and a leaf, for every category the column has anywhere; we make one for every
  category of the node. Its empty leaves are not counted.
- it collapses even an unpruned tree (-U): a subtree that makes as many training errors as a leaf would becomes one. We do
  not, since C4.4 must not; the test collapses our tree before it compares. Pruning takes such subtrees away anyway, so
  pruned trees are compared as they are.
- it prints as threshold the largest training value not above the midpoint; we keep the midpoint. Same training rows.
- it takes two values less than 1e-5 apart for one. glass measures a refractive index in steps of 1e-5, so there the two
  differ; in steps of 1 they agree.
- it calls gain ratios within 1e-6 equal, we those within 1e-10, and it averages the gain over nominal columns of gain 0
  too. Neither has decided anything on these sets.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import rarewood
from oracle.compiled import read_tree
from oracle.pruning import extra_errors
from oracle.tree import Problem, all_nodes, leaves
from peers import folder, weka_j48
from rarewood import _core

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(weka_j48.missing() is not None, reason=weka_j48.missing() or ""),
]

NUMERIC_SETS = ["dermatology-358", "ecoli", "glass-headlamps", "haberman", "pima", "yeast"]
NOMINAL_SETS = ["car", "flare", "zoo"]
MIXED_SETS = ["australian", "automobile", "lymphography"]
SETS = NUMERIC_SETS + NOMINAL_SETS + MIXED_SETS


def read(name):
    reason = folder.missing(name)
    if reason:
        pytest.skip(reason)
    table = folder.read_table(name)
    assert not np.isnan(table.X).any()
    return table


def our_tree(table, *, pruned):
    model = rarewood.TreeClassifier(
        criterion="c45",
        nominal="multiway",
        categorical_features=table.nominal,
        min_samples_split=4,
        pruning="pessimistic" if pruned else None,
        confidence=0.25,
    )
    model.fit(table.X, table.y)
    return read_tree(model.tree_, Problem(table.X, table.y, len(table.classes), tuple(table.nominal)))


def errors(node):
    return node.counts.sum() - node.counts.max()


def collapsed(node):
    """J48's collapse: a leaf instead of a subtree that makes no fewer errors on the training rows."""
    if node.is_leaf:
        return node
    node = replace(node, children=[collapsed(child) for child in node.children])
    if sum(map(errors, leaves(node))) >= errors(node) - 1e-3:
        return replace(node, rule=None, children=[])
    return node


def assert_same_leaves(ours, theirs):
    assert len(leaves(ours)) == theirs.n_leaves
    assert len(all_nodes(ours)) == theirs.n_nodes
    assert Counter((leaf.counts.sum(), errors(leaf)) for leaf in leaves(ours)) == Counter(
        (leaf.cases, leaf.errors) for leaf in theirs.leaves
    )


@pytest.mark.parametrize("name", SETS)
def test_pruned_tree(name):
    table = read(name)
    assert_same_leaves(our_tree(table, pruned=True), weka_j48.j48(table, pruned=True))


@pytest.mark.parametrize("name", SETS)
def test_unpruned_tree_after_collapsing(name):
    table = read(name)
    assert_same_leaves(collapsed(our_tree(table, pruned=False)), weka_j48.j48(table, pruned=False))


def test_values_closer_than_weka_can_tell():
    table = read("glass")
    theirs = weka_j48.j48(table, pruned=True)
    ours = our_tree(table, pruned=True)
    assert len(leaves(ours)) == pytest.approx(theirs.n_leaves, abs=4)

    X = table.X.copy()
    X[:, table.columns.index("RI")] = np.round(1e5 * table.X[:, table.columns.index("RI")])
    rescaled = replace(table, X=X)
    assert_same_leaves(our_tree(rescaled, pruned=True), weka_j48.j48(rescaled, pruned=True))
    assert len(leaves(our_tree(rescaled, pruned=True))) == len(leaves(ours))


@pytest.mark.skipif(weka_j48.missing(compiler=True) is not None, reason=weka_j48.missing(compiler=True) or "")
def test_extra_errors():
    """`Stats.addErrs` takes the confidence in single precision, so these confidences are powers of two."""
    points = [
        (cases, wrong, confidence)
        for confidence in (0.5, 0.25, 0.125, 0.0625)
        for cases in (1, 2, 3, 6, 7.5, 16, 100, 1000.25, 1e6)
        for wrong in (0, 0.25, 0.999, 1, 1.5, 2, 5, 40, cases - 0.5, cases - 0.25, cases)
        if 0 <= wrong <= cases
    ]
    theirs = weka_j48.add_errs(points)
    np.testing.assert_allclose([extra_errors(*point) for point in points], theirs, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(
        [_core.testing.pessimistic_extra_errors(*point) for point in points], theirs, rtol=1e-12, atol=1e-9
    )
