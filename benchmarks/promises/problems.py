"""Tables whose law is known, so that what a threshold gives on new rows can be told as precisely as one likes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SHARE = 0.05  # of the rare class, in the population; a table holds exactly that share
INFORMATIVE, NOISE = 4, 4  # columns
FRESH = 10_000  # new rows of each class
ISLANDS = np.array([[2.2, 0.0, 0.0, 0.0], [0.0, 2.2, 1.1, 0.0], [-1.1, 0.0, 2.2, 1.1]])

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """Common rows are normal around 0; rare ones around an island each, or all shifted alike."""

    name: str
    centres: Floats
    spread: float

    def draw(self, n_rare: int, n_common: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.intp]]:
        """Rows of both classes in random order, and which are rare."""
        X = rng.normal(size=(n_rare + n_common, INFORMATIVE + NOISE))
        own = self.centres[rng.integers(len(self.centres), size=n_rare)]
        X[:n_rare, :INFORMATIVE] = own + self.spread * X[:n_rare, :INFORMATIVE]
        order = rng.permutation(len(X))
        return X[order], (order < n_rare).astype(np.intp)

    def table(self, n_rare: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.intp]]:
        """A table to learn from."""
        return self.draw(n_rare, round(n_rare / SHARE) - n_rare, rng)


PROBLEMS = {
    each.name: each
    for each in (
        Problem("islands", ISLANDS, 0.6),
        Problem("shift", np.array([[1.4, 1.1, 0.8, 0.5]]), 1.0),
    )
}


@dataclass(frozen=True, eq=False)
class Truth:
    """What cuts give in the population: scores of fresh rows of either class, weighed by the share that the class has there."""

    rare: Floats
    common: Floats

    @classmethod
    def of(cls, score: object, problem: Problem, rng: np.random.Generator) -> Truth:
        """By a function from rows to scores."""
        X, rare = problem.draw(FRESH, FRESH, rng)
        scores = score(X)  # type: ignore[operator]
        return cls(np.sort(scores[rare == 1]), np.sort(scores[rare == 0]))

    def at(self, cut: float) -> dict[str, float]:
        """Precision, recall, F-measure and share of alarms of the rows at or above a cut; without alarms a precision of 1."""
        recall, false = (1.0 - np.searchsorted(each, cut) / len(each) for each in (self.rare, self.common))
        hits, alarms = SHARE * recall, SHARE * recall + (1 - SHARE) * false
        return {
            "precision": float(hits / alarms) if alarms > 0 else 1.0,
            "recall": float(recall),
            "f1": float(2 * hits / (alarms + SHARE)),
            "alerts": float(alarms),
        }

    def best_recall(self, precision: float) -> float:
        """The highest recall of any cut with so much precision."""
        recall = 1.0 - np.arange(len(self.rare)) / len(self.rare)
        false = 1.0 - np.searchsorted(self.common, self.rare) / len(self.common)
        hits = SHARE * recall
        holds = hits >= precision * (hits + (1 - SHARE) * false)
        return float(recall[holds].max(initial=0.0))
