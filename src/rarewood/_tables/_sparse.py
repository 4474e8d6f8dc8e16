"""Sparse matrices, written out as the dense tables that trees read."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import FLOAT32_EXACT, float_type

_CELLS_AT_ONCE = 2**22
_SHARE = 0.5  # of the memory of the machine


def as_dense(matrix: Any) -> NDArray[Any]:
    """The matrix with its zeros, made some rows at a time; refused if it would take more than half of the memory."""
    dtype = np.dtype(float_type(matrix.dtype.name in FLOAT32_EXACT))
    n_rows, n_columns = matrix.shape
    size, memory = n_rows * n_columns * dtype.itemsize, memory_size()
    if memory is not None and size > _SHARE * memory:
        raise ValueError(
            f"X is sparse; as the dense table that trees need, it would take {size / 1e9:,.1f} GB ({n_rows:,} rows x "
            f"{n_columns:,} columns of {dtype.itemsize} bytes), more than half of the {memory / 1e9:,.1f} GB of this "
            "machine. First select columns (SelectKBest) or combine them (TruncatedSVD)."
        )
    dense = np.empty((n_rows, n_columns), dtype=dtype)
    if matrix.dtype.kind == "c":
        raise ValueError("Complex data not supported: X is a sparse matrix of complex numbers.")
    rows = matrix.tocsr()
    step = max(1, _CELLS_AT_ONCE // max(1, n_columns))
    for begin in range(0, n_rows, step):
        dense[begin : begin + step] = rows[begin : begin + step].toarray()
    return dense


def memory_size() -> int | None:
    """Bytes of memory that this machine has, None where it does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
