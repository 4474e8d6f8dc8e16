"""Some rows of whatever holds rows."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarewood._tables._columns import EncodedRows

Rows = NDArray[np.intp]

_MANY = 1000


def take_rows(container: Any, rows: Rows) -> Any:
    """The rows of those numbers, in that order, in a container of the same kind."""
    if isinstance(container, EncodedRows):
        return EncodedRows(_rows_of_columns(container.matrix, rows), container.columns)
    if isinstance(container, (list, tuple)):
        return [container[row] for row in rows]
    if sparse.issparse(container):
        return container.tocsr()[rows]
    known = nw.from_native(container, pass_through=True, allow_series=True)
    if isinstance(known, (nw.DataFrame, nw.Series)):
        return renumbered(known[rows.tolist()]).to_native()
    return np.asarray(container)[rows]


def _rows_of_columns(matrix: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """In the same order of columns and rows as the matrix has in memory, which is the fastest to read."""
    if not matrix.flags.f_contiguous or len(rows) < _MANY:
        return np.asarray(matrix[rows])
    taken = np.empty((len(rows), matrix.shape[1]), dtype=matrix.dtype, order="F")
    for column in range(matrix.shape[1]):
        np.take(matrix[:, column], rows, out=taken[:, column])
    return taken


def renumbered(known: Any) -> Any:
    """Rows numbered from 0, as in imbalanced-learn; pandas would keep the labels of the rows that were taken."""
    return nw.maybe_reset_index(known)
