"""Arrays and matrices that become longer, in place: parts that are put together at the end would be there twice, and leave holes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROOM = 1.125


class Growing:
    """An array of any type."""

    def __init__(self, about: int = 0) -> None:
        """`about` so many cells will come: memory that is not used costs nothing, and an array that need not move no copy."""
        self._array: NDArray[Any] = np.empty(0)
        self._about = about
        self._n = 0

    def add(self, part: NDArray[Any]) -> None:
        """Append a part; all are of one type."""
        if not self._n:
            self._array = np.empty(self._about, dtype=part.dtype)
        n = self._n + len(part)
        if n > len(self._array):
            self._array.resize(max(n, int(len(self._array) * _ROOM)), refcheck=False)
        self._array[self._n : n] = part
        self._n = n

    def whole(self) -> NDArray[Any]:
        """The array; nothing can be added any more."""
        self._array.resize(self._n, refcheck=False)
        return self._array


class GrowingMatrix:
    """Columns of numbers one after the other, as trees read them.

    A column that nobody writes to costs no memory. Nobody may hold a part of the matrix before it is at its end.
    """

    def __init__(self, n_columns: int, about: int = 0) -> None:
        """`about` so many rows will come."""
        self._n_columns = n_columns
        self._room = about
        self._lengths = [0] * n_columns
        self._cells = np.empty(n_columns * about)

    def add(self, column: int, part: NDArray[Any]) -> None:
        """Append cells to a column."""
        first = self._lengths[column]
        if first + len(part) > self._room:
            self._make_room(max(first + len(part), int(self._room * _ROOM)))
        begin = column * self._room + first
        self._cells[begin : begin + len(part)] = part
        self._lengths[column] += len(part)

    def _make_room(self, room: int) -> None:
        """The last column moves first: none is written over."""
        self._cells.resize(self._n_columns * room, refcheck=False)
        for column in reversed(range(self._n_columns)):
            n = self._lengths[column]
            self._cells[column * room : column * room + n] = self._cells[column * self._room : column * self._room + n]
        self._room = room

    def end(self, rows: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """The matrix, of all rows or of some; nothing can be added any more. What columns without cells hold is not said."""
        n_rows = max(self._lengths, default=0)
        if rows is not None:
            n_rows = int(rows.sum())
        for column, n in enumerate(self._lengths):
            if n:
                self._cells[column * n_rows : (column + 1) * n_rows] = self._cells[
                    column * self._room : column * self._room + n
                ][slice(None) if rows is None else rows]
                self._lengths[column] = n_rows
        self._room = n_rows
        self._cells.resize(self._n_columns * n_rows, refcheck=False)
        return self._cells.reshape((n_rows, self._n_columns), order="F")


class MatrixColumn:
    """A column of a growing matrix."""

    def __init__(self, matrix: GrowingMatrix, place: int) -> None:
        self._matrix, self._place = matrix, place

    def add(self, part: NDArray[Any]) -> None:
        """Append a part."""
        self._matrix.add(self._place, part)
