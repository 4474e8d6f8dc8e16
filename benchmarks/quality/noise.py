"""How much of a difference on one test set is chance: both methods on the same rows, drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from quality.measures import MEASURES, RareMeasures

ROUNDS = 200


def spread(y: NDArray[np.int64], ours: RareMeasures, theirs: RareMeasures, seed: int = 0) -> dict[str, float]:
    """Standard error of the difference in each measure, by the bootstrap within classes."""
    rounds = [(ours(weights), theirs(weights)) for weights in _draws(y, np.random.default_rng(seed))]
    return {name: float(np.std([a[name] - b[name] for a, b in rounds], ddof=1)) for name in MEASURES}


def _draws(y: NDArray[np.int64], rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """How often each row is drawn; every class keeps its size."""
    rows = [np.flatnonzero(y == c) for c in (0, 1)]
    for _ in range(ROUNDS):
        yield sum(np.bincount(rng.choice(r, len(r)), minlength=len(y)) for r in rows)
