"""How much leaves are smoothed, by what rows that trees left out say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import Learned, is_sure_gain, learn_mixture, log_likelihoods
from rarewood._validation import Labels, Weights
from rarewood.tree.base import OutOfBagScores

LEAF_WEIGHTS = (1.0, 4.0, 16.0, 64.0)
"""Cases, divided among the classes by their shares, that may be added to every leaf."""


@dataclass(frozen=True)
class _Means(Sequence[NDArray[np.float64]]):
    """Mean probabilities of rows by each forest, made when they are asked for: those of all forests take much memory."""

    scores: Sequence[OutOfBagScores]

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, forest: Any) -> Any:
        return self.scores[forest].means()


Means = Sequence[NDArray[np.float64]]


def best_mixture(
    scores: Sequence[Sequence[OutOfBagScores]],
    labels: Labels,
    weights: Weights,
    complete: Callable[[Learned, Means], Learned],
) -> tuple[float, Learned, Means]:
    """The weight of the class shares in leaves, the mixture that is learned with it, and what halves of the forests say.

    `scores` are those of each forest by each leaf weight, of all trees and of half of them. The weight rises as long as rows left out
    surely become more likely by a plain mixture. Then it is compared with the smallest once more, with shares of the forests and
    with effects of columns, which `complete` adds to a mixture: effects can do what smooth leaves do, and more.
    """
    codes, classes, n_classes = labels.codes, labels.classes, labels.n_classes

    def means(which: int, number: int) -> Means:
        return _Means([of_forest[which].of(number, n_classes) for of_forest in scores])

    def plain(number: int) -> Learned:
        return learn_mixture(means(0, number), codes, classes, weights, equal=True)

    def whole(number: int) -> Learned:
        return complete(learn_mixture(means(0, number), codes, classes, weights), means(-1, number))

    best, chosen = 0, whole(0)
    if chosen.calibration is not None:
        before = log_likelihoods(plain(0), codes, weights)
        for number in range(1, len(LEAF_WEIGHTS)):
            after = log_likelihoods(plain(number), codes, weights)
            if not is_sure_gain(after - before):
                break
            best, before = number, after
    if best:
        smoother = whole(best)
        if is_sure_gain(log_likelihoods(smoother, codes, weights) - log_likelihoods(chosen, codes, weights)):
            chosen = smoother
        else:
            best = 0
    return LEAF_WEIGHTS[best], chosen, means(-1, best)
