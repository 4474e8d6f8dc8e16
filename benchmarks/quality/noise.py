"""How much of a difference on one test set is chance: both methods on the same rows, drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quality.measures import MEASURES

ROUNDS = 200


@dataclass(frozen=True)
class Answers:
    """What a method says of the test rows of two classes: the probability of the rare one, and its decisions."""

    p: NDArray[np.float64]
    decided: NDArray[np.int64]


def spread(y: NDArray[np.int64], ours: Answers, theirs: Answers, seed: int = 0) -> dict[str, float]:
    """Standard error of the difference in each measure, by the bootstrap within classes."""
    rng = np.random.default_rng(seed)
    measured = [_Weighted(y, ours), _Weighted(y, theirs)]
    differences = [[a - b for a, b in zip(*(m(w) for m in measured), strict=True)] for w in _draws(y, rng)]
    return dict(zip(MEASURES, np.std(differences, axis=0, ddof=1).tolist(), strict=True))


def _draws(y: NDArray[np.int64], rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """How often each row is drawn; every class keeps its size."""
    rows = [np.flatnonzero(y == c) for c in (0, 1)]
    for _ in range(ROUNDS):
        yield sum(np.bincount(rng.choice(r, len(r)), minlength=len(y)) for r in rows)


class _Weighted:
    """The measures of weighted rows, in the order of MEASURES; sorting is done once for all draws."""

    def __init__(self, y: NDArray[np.int64], answers: Answers) -> None:
        self._order = np.argsort(-answers.p, kind="stable")
        p = answers.p[self._order]
        self._ends = np.append(np.flatnonzero(np.diff(p)), len(p) - 1)  # the last row of each run of equal scores
        self._rare = y[self._order] == 1
        self._called = answers.decided[self._order] == 1
        certain = np.finfo(np.float64).eps
        self._loss = -np.log(np.clip(np.where(self._rare, p, 1.0 - p), certain, 1.0 - certain))

    def __call__(self, weights: NDArray[np.int64]) -> list[float]:
        w = weights[self._order].astype(np.float64)
        hits, alarms = (np.cumsum(np.where(side, w, 0.0))[self._ends] for side in (self._rare, ~self._rare))
        recall, steps = hits / hits[-1], np.diff(hits, prepend=0.0) / hits[-1]
        found = hits + alarms
        precision = np.divide(hits, found, out=np.ones_like(hits), where=found > 0)
        auc = np.trapezoid(np.append(0.0, recall), np.append(0.0, alarms / alarms[-1]))
        called_or_rare = w[self._called].sum() + w[self._rare].sum()
        f1 = 2.0 * w[self._called & self._rare].sum() / called_or_rare
        return [auc, steps @ precision, f1, np.average(self._loss, weights=w)]
