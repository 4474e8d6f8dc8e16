"""How much a pattern says about the rare class: pure functions of two counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def growth_rate(rare: NDArray[Any], rest: NDArray[Any]) -> NDArray[np.float64]:
    """Rare rows per other row, equation 8 of Kang and Ramamohanarao: infinite without other rows, 0 without rare ones."""
    rates = np.where(rare > 0, np.inf, 0.0)
    np.divide(rare, rest, out=rates, where=rest > 0)
    return rates


def strength(rare: ArrayLike, rest: ArrayLike) -> NDArray[np.float64]:
    """Support times g / (g + 1) with g the growth rate, equation 7: rare^2 / (rare + rest), which covers an infinite g."""
    total = np.add(rare, rest, dtype=np.float64)
    return np.divide(np.square(rare, dtype=np.float64), total, out=np.zeros_like(total), where=total > 0)
