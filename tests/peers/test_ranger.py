"""The Hellinger tree of R's ranger is our Hellinger tree.

ranger grows the same thing by other means: it scores every midpoint between two neighbouring values of a node by the
Hellinger distance of the two classes, unsquared as here, sends `x <= threshold` to the left and stops at one class, at one
row or when no feature varies. A single tree on all rows and all features is therefore comparable node by node.

Two things differ and neither is a difference of method. Candidates of equal score: ranger takes the first in the order in
which it draws the features, which `ranger_tree` makes the column order, our rule too; but it compares floating-point scores
exactly, so of two candidates whose scores are equal on paper rounding may pick the second, where we call anything within
1e-10 equal and take the first. And a midpoint may differ in its last bit.

So on some tables the trees have to be equal: same root, same number of leaves, same rows in every leaf. On others, where
rounding has decided a tie, they are followed from the root and may part only where both splits have the best score.
"""

import numpy as np
import pytest

import rarewood
from oracle.compiled import read_tree
from oracle.criteria import CRITERIA
from oracle.tree import TIE, Problem, leaves
from peers import folder, ranger_tree

pytestmark = pytest.mark.peer

SAME_SEEDS = [1, 4, 5, 6, 7]
TIED_SEEDS = [0, 2]
SAME_SETS = ["appendicitis", "breast-wdbc", "ecoli2", "glass-headlamps", "sonar"]
TIED_SETS = ["haberman", "pima", "yeast-2_vs_4"]


@pytest.fixture(autouse=True)
def _needs_ranger():
    reason = ranger_tree.missing()  # starts R, so not while tests are collected
    if reason:
        pytest.skip(reason)


def seeded(seed):
    """Continuous columns without a repeated value: one tells much about the rare class, one a little, one nothing."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(300) < 25).astype(int)
    return Problem(rng.normal(size=(300, 3)) + y[:, None] * [1.5, 0.7, 0.0], y, 2)


def from_folder(name):
    reason = folder.missing(name)
    if reason:
        pytest.skip(reason)
    table = folder.read_table(name)
    return Problem(table.X, table.y, 2)


def both_trees(problem):
    model = rarewood.TreeClassifier(criterion="hellinger").fit(problem.X, problem.y)
    return read_tree(model.tree_, problem), ranger_tree.grow(problem)


def assert_same_tree(ours, theirs):
    assert ours.rule.feature == theirs.rule.feature
    assert ours.rule.threshold == pytest.approx(theirs.rule.threshold, rel=1e-14)
    assert len(leaves(ours)) == len(leaves(theirs))
    assert partition(ours) == partition(theirs)


def partition(node):
    return {tuple(sorted(leaf.rows)) for leaf in leaves(node)}


def same_split(a, b):
    return a.rule.feature == b.rule.feature and all(
        np.array_equal(x.rows, y.rows) for x, y in zip(a.children, b.children, strict=True)
    )


def follow(problem, ours, theirs):
    """Asserts that the trees are the same from the root down to where candidates tie."""
    assert ours.is_leaf == theirs.is_leaf
    if ours.is_leaf:
        return
    if not same_split(ours, theirs):
        assert score(problem, ours) == pytest.approx(score(problem, theirs), abs=TIE)
        return
    for a, b in zip(ours.children, theirs.children, strict=True):
        follow(problem, a, b)


def score(problem, node):
    child = node.rule.assign(problem.X[node.rows])
    return CRITERIA["hellinger"](problem.table(node.rows, child, 2))


@pytest.mark.parametrize("seed", SAME_SEEDS)
def test_same_tree_on_continuous_data(seed):
    assert_same_tree(*both_trees(seeded(seed)))


@pytest.mark.parametrize("name", SAME_SETS)
def test_same_tree_on_real_data(name):
    assert_same_tree(*both_trees(from_folder(name)))


@pytest.mark.parametrize("source", [*TIED_SEEDS, *TIED_SETS])
def test_trees_part_only_where_candidates_tie(source):
    problem = from_folder(source) if isinstance(source, str) else seeded(source)
    ours, theirs = both_trees(problem)
    follow(problem, ours, theirs)
