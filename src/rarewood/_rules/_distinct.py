"""A few patterns that find different rows, out of many that repeat each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def different(finds: NDArray[np.bool_], most: int, new_share: float = 0.5) -> NDArray[np.intp]:
    """The patterns to keep, at most `most`: those with at least a share of rare rows that no pattern kept before finds.

    `finds` has a row per rare row and a column per pattern, the strongest first.
    """
    taken = np.zeros(len(finds), dtype=bool)
    kept: list[int] = []
    for number, rows in enumerate(finds.T):
        if len(kept) == most:
            break
        n_rows = np.count_nonzero(rows)
        if n_rows and np.count_nonzero(rows & ~taken) >= new_share * n_rows:
            kept.append(number)
            taken |= rows
    return np.array(kept, dtype=np.intp)
