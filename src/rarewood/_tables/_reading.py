"""What a caller passed, seen as a table: NumPy arrays, nested lists, sparse matrices and every data frame narwhals knows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from rarewood._tables._sources import ArrayTable, FrameTable, Table
from rarewood._tables._sparse import as_dense
from rarewood._validation import unmasked

_DOUBLE = 8  # bytes


def read_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """See `X` as a table; set (`reset`) or check the estimator's feature names and count as scikit-learn does.

    Lazy frames, complex numbers, infinities, names that come twice and tables without rows or columns are refused; so are sparse
    matrices that are too large when written out, or whose estimator does not say that it takes them.
    """
    if sparse.issparse(X) and get_tags(estimator).input_tags.sparse:
        X = as_dense(X)
    X = unmasked(X)
    check_names(X)
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.dtype.itemsize > _DOUBLE:
        with np.errstate(over="ignore"):  # what no double holds is infinite, and refused
            X = X.astype(np.float64)
    frame = X if isinstance(X, np.ndarray) else nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("X is a lazy frame; call its collect() method and pass the result.")
    if isinstance(frame, nw.DataFrame):
        _check_size(estimator, frame.shape)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return FrameTable(frame)
    try:
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # scikit-learn adds all cells up, which may overflow both ways
            array = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    except ValueError as error:
        raise _located(X, error) from error
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.array(X, dtype=object)  # NumPy made strings of the numbers beside them
    return ArrayTable(array, X if isinstance(X, (list, tuple)) else None)


def check_names(X: Any) -> None:
    """Raise where two columns of a data frame have one name, which pandas and pyarrow allow."""
    if not ((hasattr(X, "iloc") and hasattr(X, "columns")) or hasattr(X, "column_names")):
        return
    given = getattr(X, "column_names", None) or X.columns  # of pyarrow, whose `columns` are the cells
    names = [str(name) for name in given]
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        places = [place for place, name in enumerate(names) if name == twice]
        raise ValueError(
            f"X has more than one column named {twice!r} (positions {', '.join(map(str, places))}); give each a different name."
        )


def _check_size(estimator: object, shape: tuple[int, int]) -> None:
    for count, unit in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {unit}(s) (shape={shape}) while a minimum of 1 is required by {type(estimator).__name__}."
            )


def _located(X: Any, error: ValueError) -> ValueError:
    """The same error with the cell or row that causes it, if that can be found."""
    if "infinity" in str(error):
        array = np.asarray(X)
        infinite = np.argwhere(np.isinf(array)).tolist() if array.dtype.kind == "f" and array.ndim == 2 else []
        if infinite:
            row, column = infinite[0]
            return ValueError(
                f"Column {column} of X contains infinity in row {row}, or a value too large for {array.dtype}; give a finite "
                "number, or NaN for missing."
            )
    if str(error).startswith("Complex data not supported"):
        return ValueError(
            "Complex data not supported: X holds complex numbers; give real and imaginary parts as two columns."
        )
    if isinstance(X, (list, tuple)) and "inhomogeneous" in str(error):
        return _uneven(X) or error
    return error


def _uneven(rows: Any) -> ValueError | None:
    """Where nested lists are no table."""
    for row, cells in enumerate(rows):
        if not isinstance(cells, (list, tuple)) or len(cells) != len(rows[0]):
            has = f"{len(cells)} cells" if isinstance(cells, (list, tuple)) else repr(cells)[:40]
            return ValueError(
                f"Row {row} of X has {has}, but row 0 has {len(rows[0])} cells; all rows need the same number."
            )
        for column, cell in enumerate(cells):
            if hasattr(cell, "__len__") and not isinstance(cell, (str, bytes)):
                return ValueError(
                    f"Column {column} of X holds a {type(cell).__name__} in row {row}: {cell!r:.60}; a cell can hold one number or word."
                )
    return None
