"""Class-bias cleaning and ranking written plainly with scikit-learn's trees: the same parts, sizes, votes and thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

Trees = list[DecisionTreeClassifier]


def grow(X: NDArray, negative: NDArray, positive: NDArray, sizes: tuple[int, int], trees: int, seed: int) -> Trees:
    """Trees on samples without replacement; entropy is the nearest that scikit-learn has to C4.5."""
    rng = np.random.default_rng(seed)
    forest = []
    for _ in range(trees):
        rows = np.concatenate(
            [rng.choice(negative, sizes[0], replace=False), rng.choice(positive, sizes[1], replace=False)]
        )
        y = np.repeat([0, 1], sizes)
        tree = DecisionTreeClassifier(
            criterion="entropy", max_features="sqrt", min_samples_split=4, random_state=int(rng.integers(2**31))
        )
        forest.append(tree.fit(X[rows], y))
    return forest


def votes(forest: Trees, X: NDArray, n_jobs: int = 1) -> NDArray:
    each = Parallel(n_jobs, prefer="threads")(delayed(tree.predict)(X) for tree in forest)
    return np.sum(each, axis=0)


@dataclass
class PlainCleaner:
    """Removes negative rows that more than half of the trees call positive."""

    n_subsets: int = 10
    n_estimators: int = 50
    ratio: float = 5.0
    n_jobs: int = 1

    def fit_resample(self, X: NDArray, y: NDArray) -> tuple[NDArray, NDArray]:
        positive = np.flatnonzero(y == 1)
        parts = np.array_split(np.random.default_rng(0).permutation(np.flatnonzero(y == 0)), self.n_subsets)
        judged = Parallel(self.n_jobs)(delayed(self._judge)(X, parts, i, positive) for i in range(self.n_subsets))
        removed = np.concatenate([part[bad] for part, bad in zip(parts, judged, strict=True)])
        self.sample_indices_ = np.setdiff1d(np.arange(len(y)), removed)
        return X[self.sample_indices_], y[self.sample_indices_]

    def _judge(self, X: NDArray, parts: list[NDArray], i: int, positive: NDArray) -> NDArray:
        others = np.concatenate(parts[:i] + parts[i + 1 :])
        n_positive = math.ceil(len(positive) / 2)
        sizes = (min(len(others), math.floor(self.ratio * n_positive)), n_positive)
        return votes(grow(X, others, positive, sizes, self.n_estimators, i), X[parts[i]]) > self.n_estimators / 2


@dataclass
class PlainRanking:
    """Adds up positive votes over forests; rows with fewer than half of the votes of one drop out."""

    n_iterations: int = 5
    n_estimators: int = 50
    ratio: float = 5.0
    clean: bool = True
    n_jobs: int = 1
    forests_: list[Trees] = field(default_factory=list)

    def fit(self, X: NDArray, y: NDArray) -> PlainRanking:
        if self.clean:
            X, y = PlainCleaner(n_estimators=self.n_estimators, n_jobs=self.n_jobs).fit_resample(X, y)
        negative, positive = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
        n_positive = math.ceil(0.8 * len(positive))
        sizes = (max(1, math.floor(n_positive / self.ratio)), n_positive)
        self.forests_ = Parallel(self.n_jobs)(
            delayed(grow)(X, negative, positive, sizes, self.n_estimators, 1000 + i) for i in range(self.n_iterations)
        )
        return self

    def score_samples(self, X: NDArray) -> NDArray:
        score, alive = np.zeros(len(X)), np.arange(len(X))
        for forest in self.forests_:
            count = votes(forest, X[alive], self.n_jobs)
            score[alive] += count
            alive = alive[count >= self.n_estimators / 2]
        return score
