"""Shares of rows and their uncertainty, for the packages above."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["wilson_interval"]


def wilson_interval(hits: Any, n: Any, z: float) -> tuple[Any, Any]:
    """Wilson's interval of a share, `hits` of `n` rows, which are more than none; `z` is the normal quantile of its level.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
    """
    centre = (hits + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(hits * (n - hits) / n + z**2 / 4)
    return centre - half, centre + half
