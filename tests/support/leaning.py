"""What tests of cleaning and ranking share: a table, an impatient user, naive trees on the rows that the core drew."""

import numpy as np
from sklearn.utils import check_random_state

from oracle.quinlan import choose_by_quinlan
from oracle.tree import Settings
from rarewood import _core
from rarewood.tree.base import draw_seed

C45 = Settings(None, select=choose_by_quinlan, nominal="multiway", min_samples_split=4)


def overlapping(n=300, seed=0):
    """Two clouds that touch; one row in six is rare."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 6 == 0).astype(int)
    return rng.normal(size=(n, 3)) + 1.5 * y[:, np.newaxis], y


def binary(problem, positive):
    """The same problem with class 1 for the positive class and 0 for all others."""
    return type(problem)(problem.X, (problem.y == positive).astype(int), 2, problem.nominal)


class Draws:
    """The rows that the trees of an estimator with this seed saw, as far as the labels alone decide it."""

    def __init__(self, y, random_state):
        self.rng = check_random_state(random_state)
        self.data = _core.Dataset(np.zeros((len(y), 1)), np.zeros(1, dtype=np.int32), y.astype(np.int32), 2)
        self.y = y

    def next_seed(self):
        return draw_seed(self.rng)

    def rows(self, seed, tree, sizes, withheld=()):
        weights = np.ones(len(self.y))
        weights[list(withheld)] = 0.0
        plan = _core.ForestPlan(
            [_core.CriterionSpec("gini")],
            seed=seed,
            first_tree=tree,
            sampling="subsample",
            class_sizes=list(sizes),
            weights=weights,
        )
        return np.flatnonzero(_core.testing.times_drawn(self.data, plan, 0))
