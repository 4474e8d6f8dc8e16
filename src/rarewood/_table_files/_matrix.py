"""Matrices that grow in place; concatenating blocks at the end would hold each column twice, and leave holes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADROOM = 1.125


class GrowingMatrix:
    """Columns one after the other, as trees read them; nobody may hold a part of the matrix before it is at its end."""

    def __init__(self, n_columns: int, about: int = 0, dtype: Any = np.float64) -> None:
        """`about` so many rows will come: memory that is not used costs nothing, and a matrix that need not move no copy."""
        self._n_columns = n_columns
        self._room = about
        self._lengths = [0] * n_columns
        self._cells = np.empty(n_columns * about, dtype=dtype)

    def add(self, column: int, part: NDArray[Any]) -> None:
        """Append cells to a column."""
        first = self._lengths[column]
        if first + len(part) > self._room:
            self._make_room(max(first + len(part), int(self._room * _HEADROOM)))
        begin = column * self._room + first
        self._cells[begin : begin + len(part)] = part
        self._lengths[column] += len(part)

    def column(self, column: int) -> NDArray[Any]:
        """The cells of a column so far, to look at before anything is added."""
        return self._cells[column * self._room : column * self._room + self._lengths[column]]

    def _make_room(self, room: int) -> None:
        """Move the columns apart, the last one first, so that none is written over."""
        self._cells.resize(self._n_columns * room, refcheck=False)
        for column in reversed(range(self._n_columns)):
            n = self._lengths[column]
            self._cells[column * room : column * room + n] = self._cells[column * self._room : column * self._room + n]
        self._room = room

    def end(self, rows: NDArray[np.bool_] | None = None) -> NDArray[Any]:
        """The matrix, of all rows or of some; nothing can be added any more."""
        n_rows = max(self._lengths, default=0) if rows is None else int(rows.sum())
        for column, n in enumerate(self._lengths):
            cells = self._cells[column * self._room : column * self._room + n]
            self._cells[column * n_rows : (column + 1) * n_rows] = cells if rows is None else cells[rows]
        self._room = n_rows
        self._lengths = [n_rows] * self._n_columns
        self._cells.resize(self._n_columns * n_rows, refcheck=False)
        return self._cells.reshape((n_rows, self._n_columns), order="F")
