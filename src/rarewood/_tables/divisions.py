"""Columns that say how rows belong together: moments of time, and groups."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import ArrayColumn, Column, SeriesColumn
from rarewood._tables.kinds import Kind, Moments, Numbers
from rarewood._tables.moments import moments_in, seconds_of_objects
from rarewood._validation import unmasked


def moments_of(values: Any, name: str) -> NDArray[np.float64]:
    """Numbers as they are, dates and times (or text that reads like them) as seconds; a missing one is an error."""
    found = moments_or_nan(values, name)
    _refuse_missing(np.isnan(found), name)
    return found


def moments_or_nan(values: Any, name: str = "") -> NDArray[np.float64]:
    """The same with NaN for what is missing."""
    column = column_of_cells(values, name)
    if column.type == "number":
        return np.asarray(column.numbers(), dtype=np.float64)
    if column.type == "moment":
        return column.seconds()
    if column.type == "text":
        levels = seconds_of_objects(column.factor.levels, name, _first_row(column))
        return np.append(levels, np.nan)[column.factor.codes]
    shown = column.example()
    has = "" if shown is None else f": row {shown[0]} has {shown[1]!r:.40}"
    raise ValueError(f"Column {name!r} should hold numbers, dates or times{has}.")


def kind_of_moments(values: Any, name: str = "") -> Kind:
    """What `moments_of` reads: numbers, or dates and times of one kind."""
    column = column_of_cells(values, name)
    if column.type == "text":
        return Moments(moments_in(column.factor.levels) or "datetime")
    return Moments.learn(column) if column.type == "moment" else Numbers()


def groups_of(values: Any, name: str) -> NDArray[np.intp]:
    """The number of each row's group; a missing one is an error."""
    codes = column_of_cells(values, name).factor.codes
    _refuse_missing(codes < 0, name)
    return codes


def column_of_cells(values: Any, name: str) -> Column:
    """A series or an array of cells as a column."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return SeriesColumn.of(name, series)
    array = np.asarray(unmasked(values))
    if array.ndim != 1:
        raise ValueError(f"Column {name!r} should have one value per row, got shape {array.shape}.")
    return ArrayColumn(name, array)


def _first_row(column: Column) -> Any:
    return lambda code: int(np.argmax(column.factor.codes == code))


def _refuse_missing(missing: NDArray[np.bool_], name: str) -> None:
    rows = np.flatnonzero(missing)
    if len(rows):
        raise ValueError(
            f"Column {name!r} has no value in {len(rows):,} of {len(missing):,} rows, the first of them row "
            f"{rows[0]}. Rows are split by this column, so fill in the values or leave those rows out."
        )
