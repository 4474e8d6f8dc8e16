"""The minimum of a smooth function of a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Loss = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]


def minimise(
    loss: Loss, start: NDArray[np.float64], bounds: Sequence[tuple[float, float]] | None = None
) -> NDArray[np.float64]:
    """Where `loss`, which gives its value and slope, is least.

    By truncated Newton steps: SciPy's L-BFGS-B solves its small systems on all threads of the linear algebra library, which then
    spin while the next loss is computed and can cost as much as a forest.
    """
    return np.asarray(minimize(loss, start, jac=True, method="TNC", bounds=bounds).x)
