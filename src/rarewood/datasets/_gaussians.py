"""Four clouds of points on the corners of a square."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rarewood._validation import SEED, Integer, Number, check_parameter

__all__ = ["make_four_gaussians"]

_CORNERS = np.array(
    [[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]]
)  # upper left, upper right, lower right, lower left


def make_four_gaussians(
    sizes: Sequence[int] = (10_000, 100, 10_000, 100), *, distance: float = 2.0, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Generate four Gaussian classes on the corners of a square, two of them rare.

    Hoens et al. use it to show how more classes affect the Hellinger distance: each edge of the square is an imbalanced problem
    of two classes that a single cut solves optimally, but a good cut for one edge runs through the classes of the opposite
    edge.

    Parameters
    ----------
    sizes : sequence of 4 int, default=(10000, 100, 10000, 100)
        Rows of the classes 0 to 3, clockwise from the upper left corner.
    distance : float, default=2.0
        Length of an edge, in standard deviations of a cloud.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_rows, 2)
        Points, the rows of the classes mixed.
    y : ndarray of int of shape (n_rows,)
        Classes.

    References
    ----------
    T. R. Hoens, Q. Qian, N. V. Chawla and Z.-H. Zhou, "Building decision trees for the multi-class imbalance problem",
    PAKDD 2012.

    Examples
    --------
    >>> from rarewood.datasets import make_four_gaussians
    >>> X, y = make_four_gaussians(random_state=0)
    >>> X.shape, [int((y == c).sum()) for c in range(4)]
    ((20200, 2), [10000, 100, 10000, 100])

    The upper edge alone is a problem of two classes, one in a hundred of them rare:

    >>> upper = y <= 1
    >>> X[upper].shape
    (10100, 2)
    """
    check_parameter("distance", distance, Number(0.0))
    check_parameter("random_state", random_state, *SEED)
    if len(sizes) != len(_CORNERS):
        raise ValueError(f"sizes={sizes!r} has {len(sizes)} entries; give the number of rows of each of the 4 classes.")
    for size in sizes:
        check_parameter("sizes", size, Integer(0))
    rng = check_random_state(random_state)
    y = np.repeat(np.arange(len(_CORNERS)), sizes)
    X = distance * _CORNERS[y] + rng.normal(size=(len(y), 2))
    order = rng.permutation(len(y))
    return X[order], y[order].astype(np.int64)
