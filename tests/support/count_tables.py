"""Hypothesis strategies for count tables, and the criteria to try on them."""

import numpy as np
from hypothesis import strategies as st

from rarewood import criteria
from rarewood._core import testing
from rarewood.criteria import AlphaDivergence

small_counts = st.integers(0, 40).map(float)
large_counts = st.integers(0, 10**9).map(float)
fractions = st.floats(1e-3, 1e3)
any_counts = st.one_of(small_counts, large_counts, fractions, st.floats(1e-6, 1e-3))
zero = st.just(0.0)

# Every criterion of the registry, and the alpha divergence all over its parameters.
CRITERIA = [cls() for cls in criteria.REGISTRY.values()] + [
    AlphaDivergence(alpha, reference)
    for reference in ("marginal", "uniform", "flipped")
    for alpha in (0.01, 0.25, 0.5, 0.9, 0.96, 1.0, 1.03, 1.4, 2.0)
    if reference != "flipped" or alpha < 1
]


@st.composite
def tables(draw, min_children=1, max_children=6, min_classes=2, max_classes=10):
    """Counts of one kind or of all kinds mixed, with many zeros: empty children and absent classes are not rare."""
    shape = draw(st.tuples(st.integers(min_children, max_children), st.integers(min_classes, max_classes)))
    cell = draw(st.sampled_from([small_counts, large_counts, fractions, any_counts])) | zero
    size = shape[0] * shape[1]
    return np.array(draw(st.lists(cell, min_size=size, max_size=size))).reshape(shape)


def criteria_for(table):
    """The criteria that are defined for the number of classes of a table."""
    n_classes = np.shape(table)[1]
    return [c for c in CRITERIA if c.max_classes is None or n_classes <= c.max_classes]


def scores_of(criterion, left, parent):
    """Scores of the splits of a node that send `left` (candidates, classes) to one side, by the path that splitters use."""
    left = np.ascontiguousarray(left, dtype=np.float64)
    return testing.score_candidates(criterion._spec(), left, np.ascontiguousarray(parent - left))
