"""A balanced forest that gives up: a guess at how a published baseline was programmed.

The balanced forest of this package looks at further columns where those it drew are constant in a node. A plainer program makes
a leaf there. This twin does, in NumPy, to see how much of a difference from printed figures that explains.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

Node = float | tuple[int, float, "Node", "Node"]
"""The share of positive rows in a leaf, or column, threshold and children."""


class GivingUpForest(ClassifierMixin, BaseEstimator):
    """Two classes, numbers only: as many rows of either class per tree, Gini, `max_features` columns drawn once per node."""

    def __init__(self, n_estimators: int = 30, max_features: int = 2, random_state: Any = None) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees."""
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        if len(self.classes_) != 2:
            raise ValueError(f"the forest is for two classes, y has {len(self.classes_)}.")
        X = np.asarray(X, dtype=float)
        rng = check_random_state(self.random_state)
        groups = [np.flatnonzero(codes == label) for label in (0, 1)]
        bags = (np.concatenate([rng.choice(group, counts.min()) for group in groups]) for _ in range(self.n_estimators))
        self.trees_ = [self._grow(X[bag], codes[bag], rng) for bag in bags]
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Mean over the trees of the shares in their leaves."""
        X = np.asarray(X, dtype=float)
        shares = np.mean([_walk(tree, X) for tree in self.trees_], axis=0)
        return np.column_stack([1.0 - shares, shares])

    def predict(self, X: Any) -> NDArray[Any]:
        """The more probable class."""
        labels: NDArray[Any] = self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]
        return labels

    def _grow(self, X: NDArray[np.float64], y: NDArray[np.intp], rng: Any) -> Node:
        share = float(y.mean())
        drawn = rng.choice(X.shape[1], min(self.max_features, X.shape[1]), replace=False)
        found = [(*split, int(column)) for column in drawn if (split := _best_cut(X[:, column], y)) is not None]
        if share in (0.0, 1.0) or not found:
            return share
        _, threshold, column = min(found)
        left = X[:, column] <= threshold
        return column, threshold, self._grow(X[left], y[left], rng), self._grow(X[~left], y[~left], rng)


def _best_cut(values: NDArray[np.float64], y: NDArray[np.intp]) -> tuple[float, float] | None:
    """Impurity and threshold of the best cut, None if the column is constant."""
    order = np.argsort(values, kind="stable")
    values, y = values[order], y[order]
    differs = values[1:] > values[:-1]
    if not differs.any():
        return None
    n, before = len(y), np.arange(1, len(y))
    positive = np.cumsum(y)[:-1]
    left, right = positive / before, (y.sum() - positive) / (n - before)
    impurity = np.where(differs, before * left * (1 - left) + (n - before) * right * (1 - right), np.inf)
    best = int(np.argmin(impurity))
    return float(impurity[best]), float((values[best] + values[best + 1]) / 2)


def _walk(tree: Node, X: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.empty(len(X))
    pending: list[tuple[Node, NDArray[np.intp]]] = [(tree, np.arange(len(X)))]
    while pending:
        node, rows = pending.pop()
        if isinstance(node, float):
            shares[rows] = node
            continue
        column, threshold, low, high = node
        left = X[rows, column] <= threshold
        pending += [(low, rows[left]), (high, rows[~left])]
    return shares
