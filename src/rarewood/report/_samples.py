"""Samples of training rows, for methods whose fits must not take longer than everything else on a page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def some_rows(rare: NDArray[np.bool_], most: int, random_state: int) -> NDArray[np.intp]:
    """At most so many rows, ascending; of more, a sample that keeps the share of rare rows."""
    if len(rare) <= most:
        return np.arange(len(rare))
    rng = np.random.default_rng(random_state)
    kinds = [np.flatnonzero(rare), np.flatnonzero(~rare)]
    sizes = [max(2, round(most * len(kind) / len(rare))) for kind in kinds]
    return np.sort(np.concatenate([rng.choice(kind, size, replace=False) for kind, size in zip(kinds, sizes)]))
