"""What a caller passed, seen as a table: NumPy arrays, nested lists and every data frame narwhals knows."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import validate_data

from rarewood._tables._sources import ArrayTable, FrameTable, Table


def read_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """See `X` as a table; set (`reset`) or check the estimator's feature names and count as scikit-learn does.

    Sparse matrices, lazy frames, complex numbers, infinities and tables without rows or columns are refused.
    """
    frame = X if isinstance(X, np.ndarray) else nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("X is a lazy frame; call its collect() method and pass the result.")
    if isinstance(frame, nw.DataFrame):
        _check_size(estimator, frame.shape)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return FrameTable(frame)
    with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn adds all cells up, which may overflow both ways
        array = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.array(X, dtype=object)  # NumPy made strings of the numbers beside them
    return ArrayTable(array, X if isinstance(X, (list, tuple)) else None)


def _check_size(estimator: object, shape: tuple[int, int]) -> None:
    for count, unit in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {unit}(s) (shape={shape}) while a minimum of 1 is required by {type(estimator).__name__}."
            )
