"""When a gain of rows that were left out is believed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def is_sure_gain(gains: NDArray[np.float64]) -> bool:
    """Whether the sum of what rows gain in log-likelihood is above its standard error."""
    return bool(gains.sum() > np.sqrt(len(gains)) * gains.std())
