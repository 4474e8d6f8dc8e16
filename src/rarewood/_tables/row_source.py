"""Rows that are asked for by number, wherever they are: in memory, in files, on other machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]
RowFunction: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]
"""Of a block of rows; what it makes of all of them, joined, must not depend on how they are divided into blocks."""


class RowSource(Protocol):
    """Rows in the coding of their columns."""

    def rows(self, numbers: NDArray[np.int64], columns: NDArray[np.int64] | None = None) -> Numbers:
        """Some rows as a matrix, or some columns of them; as many as memory holds."""

    def map_rows(self, function: RowFunction, columns: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """What a function makes of all rows, or of some columns of them, block by block; joined."""


@dataclass(frozen=True, eq=False)
class MatrixRows:
    """The rows of a matrix."""

    matrix: NDArray[Any]

    def rows(self, numbers: NDArray[np.int64], columns: NDArray[np.int64] | None = None) -> Numbers:
        """Copied, as float64, whatever the matrix is: rows in parts come like that, too."""
        some = self.matrix[numbers] if columns is None else self.matrix[np.ix_(numbers, columns)]
        return np.ascontiguousarray(some, dtype=np.float64)

    def map_rows(self, function: RowFunction, columns: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """All rows are one block."""
        return function(self.matrix if columns is None else self.matrix[:, columns])
