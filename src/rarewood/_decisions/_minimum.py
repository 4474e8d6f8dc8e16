"""The minimum of a smooth function of a few numbers, which is a sum over many rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

_BLOCK = 2**16  # rows whose terms are held at a time

Loss = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]


def minimise(
    loss: Loss, start: NDArray[np.float64], bounds: Sequence[tuple[float, float]] | None = None
) -> NDArray[np.float64]:
    """Where `loss`, which gives its value and slope, is least.

    By truncated Newton steps: SciPy's L-BFGS-B solves its small systems on all threads of the linear algebra library, which then
    spin while the next loss is computed and can cost as much as a forest.
    """
    return np.asarray(minimize(loss, start, jac=True, method="TNC", bounds=bounds).x)


def sum_over_blocks(n_rows: int, terms: Callable[[slice], tuple[Any, ...]]) -> tuple[Any, ...]:
    """What `terms` gives for blocks of rows, added up: intermediate results of all rows would take several times the memory of the rows.

    Blocks depend on the number of rows alone, and so does the sum, whatever parts the rows come in.
    """
    found = [terms(slice(begin, begin + _BLOCK)) for begin in range(0, max(n_rows, 1), _BLOCK)]
    return found[0] if len(found) == 1 else tuple(sum(each) for each in zip(*found, strict=True))
