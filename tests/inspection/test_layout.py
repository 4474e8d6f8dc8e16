"""The tidy layout: parents over their children, no overlap, no wasted width."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood.inspection._layout import tidy_centres

GAP = 2.0


@st.composite
def trees(draw):
    """Children lists of a random tree, parents first, and a width per node."""
    children, queue, next_node = {}, [0], 1
    for node in queue:
        n = draw(st.sampled_from([0, 0, 2, 2, 3, 5])) if next_node < 30 else 0
        children[node] = range(next_node, next_node + n)
        queue.extend(children[node])
        next_node += n
    widths = draw(st.lists(st.floats(1, 50), min_size=next_node, max_size=next_node))
    return children, dict(enumerate(widths))


def levels_of(children):
    levels = {0: 0}
    for node, below in children.items():
        levels.update(dict.fromkeys(below, levels[node] + 1))
    return levels


@given(trees())
def test_boxes_of_a_level_keep_their_order_and_distance(tree):
    children, widths = tree
    centres, levels = tidy_centres(children, widths, GAP), levels_of(children)
    for level in set(levels.values()):
        row = [node for node in children if levels[node] == level]
        for left, right in pairwise(row):
            free = centres[right] - centres[left] - (widths[left] + widths[right]) / 2
            assert free >= GAP - 1e-9


@given(trees())
def test_parents_stand_over_the_middle_of_their_children(tree):
    children, widths = tree
    centres = tidy_centres(children, widths, GAP)
    for node, below in children.items():
        if below:
            assert centres[node] == pytest.approx((centres[below[0]] + centres[below[-1]]) / 2, abs=1e-9)


def test_siblings_are_as_close_as_allowed():
    centres = tidy_centres({0: [1, 2], 1: [], 2: []}, {0: 1.0, 1: 10.0, 2: 4.0}, GAP)
    assert centres[2] - centres[1] == 9.0
    assert centres[0] == 0.0


def test_a_shallow_subtree_slides_under_a_deep_one():
    """Outlines are compared level by level: a lone leaf may stand beside the root of a wide subtree."""
    children = {0: [1, 2], 1: [3, 4], 2: [], 3: [], 4: []}
    centres = tidy_centres(children, dict.fromkeys(children, 10.0), GAP)
    assert centres[2] - centres[1] == 12.0


def test_deep_trees_need_no_recursion():
    depth = 1500
    children = {}
    for level in range(depth):
        children[2 * level] = [2 * level + 1, 2 * level + 2]
        children[2 * level + 1] = []
    children[2 * depth] = []
    ordered = dict(sorted(children.items()))
    centres = tidy_centres(ordered, dict.fromkeys(ordered, 1.0), GAP)
    assert np.isfinite(list(centres.values())).all()
