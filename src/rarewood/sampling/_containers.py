"""Rows in the containers they came in: NumPy arrays, nested lists, data frames and series.

Columns are never converted. A cell that repeats a value of the table is copied from a row that has it, so every dtype, every
category and every way to write "missing" survives; only new numbers are written, and cast to the type of their column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rarewood._tables import renumbered
from rarewood._tables.moments import moments_like

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class NewColumn:
    """Cells of new rows for one column.

    Where `row` is at least 0 the cell is that of the given row; elsewhere it is a new number, the next of `numbers`.
    """

    row: Rows
    numbers: NDArray[np.float64]

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """True for each cell that holds a new number."""
        return self.row < 0


def append_rows(container: Any, columns: Sequence[NewColumn]) -> Any:
    """The container followed by new rows."""
    known = nw.from_native(container, pass_through=True)
    if isinstance(known, nw.DataFrame):
        return _append_to_frame(known, columns)
    array = np.asarray(container)
    new = np.empty((len(columns[0].row), len(columns)), dtype=array.dtype)
    for index, column in enumerate(columns):
        new[:, index] = array[column.row, index]
        new[column.is_new, index] = _cells_like(array[:, index], column.numbers)
    if isinstance(container, (list, tuple)):
        return [*container, *new.tolist()]
    return np.concatenate([array, new])


def _cells_like(cells: NDArray[Any], numbers: NDArray[np.float64]) -> Any:
    """Numbers as an array of cells would hold them; those of dates and times are seconds."""
    if cells.dtype.kind in "mM":
        return np.round(numbers * 1e6).astype(np.int64).view(f"{cells.dtype.kind}8[us]").astype(cells.dtype)
    if cells.dtype != object:
        return numbers
    found = np.empty(len(numbers), dtype=object)
    found[:] = moments_like(cells.tolist(), numbers.tolist())
    return found


def _append_to_frame(frame: nw.DataFrame[Any], columns: Sequence[NewColumn]) -> Any:
    series = [_new_cells(frame[:, index], column) for index, column in enumerate(columns)]
    if not frame.implementation.is_pandas_like():
        return nw.concat([frame, _frame_of(series)]).to_native()
    native = frame.to_native()
    pandas = frame.implementation.to_native_namespace()
    new = pandas.concat([each.to_native() for each in series], axis=1)
    new.columns = native.columns
    return pandas.concat([native, new], ignore_index=True)


def _frame_of(series: list[nw.Series[Any]]) -> nw.DataFrame[Any]:
    return series[0].to_frame().with_columns(*series[1:])


def _new_cells(column: nw.Series[Any], new: NewColumn) -> nw.Series[Any]:
    copied: nw.Series[Any] = renumbered(column[np.where(new.is_new, 0, new.row).tolist()])
    if not new.is_new.any():
        return copied
    numbers = np.zeros(len(new.row))
    numbers[new.is_new] = new.numbers
    written = _series_like(column, numbers)
    if new.is_new.all():
        return written
    is_new = nw.new_series(column.name, new.is_new, backend=column.implementation)
    return written.zip_with(is_new, copied)


def _series_like(column: nw.Series[Any], numbers: NDArray[np.float64]) -> nw.Series[Any]:
    """Numbers in the type of a column; those of dates and times are seconds."""
    if column.dtype in (nw.Date, nw.Datetime, nw.Duration):
        ticks = np.round(numbers * 1e6).astype(np.int64)
        moments = ticks.view("m8[us]" if column.dtype == nw.Duration else "M8[us]")
        return _moments_like(column, moments)
    if (
        column.implementation.is_pandas_like()
    ):  # narwhals has one word for int64 and Int64, for a dense and a sparse column
        pandas = column.implementation.to_native_namespace()
        native = column.to_native()
        cells = _cells_like(native.to_numpy(), numbers) if native.dtype == object else numbers
        return nw.from_native(pandas.Series(cells, name=native.name).astype(native.dtype), series_only=True)
    if column.dtype == nw.Time:
        times = moments_like(column.to_list(), numbers.tolist())
        made = nw.new_series(column.name, times, backend=column.implementation)
        if column.implementation.is_pyarrow():  # has times in several units, for which narwhals has one word
            cast = made.to_native().cast(column.to_native().type)
            known: nw.Series[Any] = nw.from_native(cast, series_only=True)
            return known.alias(column.name)
        return made.cast(column.dtype)
    return nw.new_series(column.name, numbers, backend=column.implementation).cast(column.dtype)


def _moments_like(column: nw.Series[Any], moments: NDArray[Any]) -> nw.Series[Any]:
    """Points in time (UTC) or durations in the type of a column."""
    new = nw.new_series(column.name, moments, backend=column.implementation)
    zone = getattr(column.dtype, "time_zone", None)
    if zone is not None:
        new = new.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return new.cast(column.dtype)
