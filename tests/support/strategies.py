"""Training tables for tests: seeded generators by kind of data, and Hypothesis strategies that shrink to small ones.

Both give an `oracle.tree.Problem`: nominal columns hold codes 0 .. m-1 of which every one occurs in a row of positive
weight, NaN is a missing value, every class number below `n_classes` occurs.
"""

import numpy as np
from hypothesis import strategies as st

from oracle.tree import Problem

DATA_KINDS = ("continuous", "ties", "missing", "nominal", "mixed", "rare")
WEIGHT_KINDS = ("none", "integer", "fractional", "class", "both")


def make_problem(data, weights="none", n_classes=2, seed=0, n_rows=None):
    """A table whose columns say something, but not everything, about an imbalanced class."""
    rng = np.random.default_rng([seed, DATA_KINDS.index(data), n_classes])
    n_rows = n_rows or (120 if data == "rare" else 20 + 4 * n_classes)
    y = rare_classes(rng, n_rows, n_classes) if data == "rare" else imbalanced_classes(rng, n_rows, n_classes)
    columns, nominal = COLUMNS[data](rng, y)
    sample_weight, class_weight = make_weights(rng, weights, y, n_classes)
    return tidy(np.column_stack(columns), y, n_classes, nominal, sample_weight, class_weight)


def few_rows_among_many_values(n_classes, seed, split_off=False, missing=False):
    """A node of 60 rows, most of one class, in a column of 1500 distinct values: the core searches it in its own way.

    The other rows have weight 0, or with `split_off` they are of one class and column 0 tells them apart at the root.
    """
    rng = np.random.default_rng([seed, n_classes, split_off, missing])
    n_rows, n_kept = 1500, 60
    kept = np.arange(n_rows) < n_kept
    y = np.zeros(n_rows, dtype=int)
    y[kept] = rare_classes(rng, n_kept, n_classes)
    x = rng.permutation(continuous(rng, y))
    if missing:
        x = with_missing(rng, x, y)
    columns = [kept.astype(float), x] if split_off else [x, few_levels(rng, y)]
    weights = None if split_off else rng.integers(1, 4, size=n_rows) * kept.astype(float)
    return tidy(np.column_stack(columns), y, n_classes, (), weights)


def imbalanced_classes(rng, n_rows, n_classes):
    """Class j is about 0.7 times as frequent as class j - 1; numbers are shuffled so that the rare one is anywhere."""
    shares = 0.7 ** rng.permutation(n_classes)
    y = rng.choice(n_classes, size=n_rows, p=shares / shares.sum())
    y[:n_classes] = np.arange(n_classes)
    return rng.permutation(y)


def rare_classes(rng, n_rows, n_classes):
    """Three rows of every class but one, which takes all the others."""
    common = rng.integers(n_classes)
    y = np.full(n_rows, common)
    y[: 3 * n_classes] = np.repeat(np.arange(n_classes), 3)
    return rng.permutation(y)


def continuous(rng, y):
    return rng.normal(size=len(y)) + 0.7 * y


def few_levels(rng, y):
    return np.round(continuous(rng, y))


def category(rng, y, n_categories=6):
    drift = y * (rng.random(len(y)) < 0.4)
    return ((rng.integers(n_categories, size=len(y)) + drift) % n_categories).astype(float)


def with_missing(rng, x, y):
    """Missing more often in some classes than in others, so that it is worth a side of its own."""
    return np.where(rng.random(len(x)) < 0.1 + 0.3 * (y % 2), np.nan, x)


COLUMNS = {
    "continuous": lambda rng, y: ([continuous(rng, y) for _ in range(3)], ()),
    "ties": lambda rng, y: ([few_levels(rng, y) for _ in range(3)], ()),
    "missing": lambda rng, y: (
        [with_missing(rng, continuous(rng, y), y), few_levels(rng, y), with_missing(rng, few_levels(rng, y), y)],
        (),
    ),
    "nominal": lambda rng, y: ([category(rng, y), category(rng, y, 3)], (0, 1)),
    "mixed": lambda rng, y: (
        [with_missing(rng, category(rng, y, 5), y), continuous(rng, y), category(rng, y, 4)],
        (0, 2),
    ),
    "rare": lambda rng, y: ([continuous(rng, y), few_levels(rng, y)], ()),
}


def make_weights(rng, kind, y, n_classes):
    sample_weight = class_weight = None
    if kind == "integer":
        sample_weight = rng.integers(0, 4, size=len(y)).astype(float)
    if kind in ("fractional", "both"):
        sample_weight = rng.uniform(0.1, 3.0, size=len(y))
        sample_weight[rng.random(len(y)) < 0.1] = 0.0
    if kind in ("class", "both"):
        class_weight = rng.uniform(0.3, 5.0, size=n_classes)
    return keep_every_class(sample_weight, y), class_weight


def keep_every_class(sample_weight, y):
    """Weight 1 for the first row of every class: a class of rows of weight 0 is another test's subject."""
    if sample_weight is not None:
        sample_weight[np.unique(y, return_index=True)[1]] = 1.0
    return sample_weight


def tidy(X, y, n_classes, nominal, sample_weight=None, class_weight=None):
    """Renumbers the categories so that every code occurs in a row of positive weight; others become missing."""
    X = X.copy()
    kept = np.ones(len(y), dtype=bool) if sample_weight is None else sample_weight > 0
    for j in nominal:
        codes = np.unique(X[kept & ~np.isnan(X[:, j]), j])
        known = np.isin(X[:, j], codes)
        X[~known, j] = np.nan
        X[known, j] = np.searchsorted(codes, X[known, j])
    return Problem(X, y, n_classes, tuple(nominal), sample_weight, class_weight)


def new_rows(problem, n_rows=40, seed=0):
    """Rows a fitted tree may be asked about: near the training rows, with missing values and unseen categories."""
    rng = np.random.default_rng(seed)
    X = problem.X[rng.integers(len(problem.X), size=n_rows)] + 0.3 * rng.normal(size=(n_rows, problem.X.shape[1]))
    for j in problem.nominal:
        X[:, j] = rng.integers(0, 9, size=n_rows)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


@st.composite
def problems(draw, max_rows=14, max_classes=4, nominal=True):
    """Small tables of few distinct values: ties, constant columns and repeated rows are the rule.

    Weights are multiples of 1/4 so that equal sums are exactly equal.
    """
    n_rows = draw(st.integers(2, max_rows))
    y = draw(st.lists(st.integers(0, max_classes - 1), min_size=n_rows, max_size=n_rows))
    classes, y = np.unique(y, return_inverse=True)
    cell = st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan])
    column = st.lists(cell, min_size=n_rows, max_size=n_rows)
    columns = draw(st.lists(column, min_size=1, max_size=3))
    is_nominal = draw(st.lists(st.booleans(), min_size=len(columns), max_size=len(columns))) if nominal else []
    row_weight = st.sampled_from([1.0, 2.0, 0.0]) | st.sampled_from([0.25, 1.75])
    sample_weight = draw(st.none() | st.lists(row_weight, min_size=n_rows, max_size=n_rows))
    if sample_weight is not None:
        sample_weight = keep_every_class(np.array(sample_weight), y)
    class_weight = draw(st.none() | st.just(np.array([1.0, 5.0, 0.75, 2.5])[: len(classes)]))
    return tidy(np.array(columns).T, y, len(classes), np.flatnonzero(is_nominal).tolist(), sample_weight, class_weight)
