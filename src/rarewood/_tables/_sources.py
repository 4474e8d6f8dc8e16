"""The columns of a caller's table, whatever the table is made of.

A column is read in one of three ways: as `numbers()` (float, NaN = missing), as `seconds()` where it holds dates or times, or
as a `factor` (distinct values and one code per row), which is made once. `type` says which one its dtype asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rarewood._tables._factors import Factor, factorize
from rarewood._tables._objects import numbers_of_objects, strange_cell, type_of_objects
from rarewood._tables._odd_types import plain_series, type_in_words
from rarewood._tables.cells import are_exact
from rarewood._tables.moments import Moment, moment_of, seconds_of_objects
from rarewood._validation import is_missing

ColumnType = Literal["number", "boolean", "nominal", "text", "moment", "other"]

# What libraries raise for types that they know by name only.
_TROUBLE = (ValueError, TypeError, ArithmeticError, NotImplementedError, AttributeError)

_MOMENTS = (nw.Date, nw.Datetime, nw.Time, nw.Duration)
_MOMENT_OF: dict[Any, Moment] = {nw.Date: "date", nw.Time: "time", nw.Duration: "duration"}
FLOAT32_EXACT = ("bool", "int8", "int16", "uint8", "uint16", "float16", "float32")


class Column(Protocol):
    """What a kind of column asks of the cells it reads."""

    @property
    def name(self) -> str | int: ...

    @property
    def type(self) -> ColumnType: ...

    @property
    def dtype_name(self) -> str: ...

    @property
    def fits_float32(self) -> bool: ...

    @property
    def moment(self) -> Moment: ...

    def example(self) -> tuple[int, Any] | None: ...

    def numbers(self) -> NDArray[Any]: ...

    def seconds(self) -> NDArray[np.float64]: ...

    @property
    def factor(self) -> Factor: ...


@dataclass(frozen=True)
class ArrayColumn:
    """A column of a NumPy array: numbers, or Python objects."""

    name: str | int
    values: NDArray[Any]
    rows: Sequence[Any] | None = None
    """The nested lists that the array was made of: they hold whole numbers of any size."""

    @cached_property
    def type(self) -> ColumnType:
        if self.values.dtype.kind in "biuf":
            return "number"
        if self.values.dtype.kind in "US":
            return "text"
        if self.values.dtype.kind in "mM":
            return "moment"
        return type_of_objects(self.values) if self.values.dtype == object else "other"

    @property
    def dtype_name(self) -> str:
        return "text" if self.type == "text" else str(self.values.dtype)

    @property
    def fits_float32(self) -> bool:
        return self.values.dtype.name in FLOAT32_EXACT

    @cached_property
    def moment(self) -> Moment:
        return moment_of(self.values[:1].item() if self.values.dtype.kind in "mM" else _first(self.values))

    def example(self) -> tuple[int, Any] | None:
        """A row and its cell, to show what the column holds: the first that is no number, or the first that has a value."""
        return strange_cell(self.values.astype(object))

    def numbers(self) -> NDArray[Any]:
        return numbers_of_objects(self.values, self.name) if self.values.dtype == object else self.values

    def seconds(self) -> NDArray[np.float64]:
        if self.values.dtype.kind in "mM":
            return _seconds_of_array(self.values)
        return seconds_of_objects(self.values.tolist(), self.name)

    @cached_property
    def factor(self) -> Factor:
        if self.rows is not None and not are_exact(self.values):
            cells = np.array([row[self.name] for row in self.rows], dtype=object)
            return factorize(cells, self.name)
        return factorize(self.values, self.name)


@dataclass(frozen=True)
class SeriesColumn:
    """A column of a data frame."""

    name: str
    series: nw.Series[Any]

    @classmethod
    def of(cls, name: str, series: nw.Series[Any]) -> SeriesColumn:
        """A caller's column, of whatever type."""
        return cls(name, plain_series(series))

    @cached_property
    def dtype(self) -> nw.dtypes.DType:
        """Asked for again and again, and found anew by narwhals each time."""
        try:  # without a context: a single row waits for this
            return self.series.dtype
        except _TROUBLE as error:
            raise self._unreadable(error) from error

    @cached_property
    def type(self) -> ColumnType:
        dtype = self.dtype
        if dtype.is_numeric():
            return "number"
        if dtype == nw.Boolean:
            return "boolean"
        if dtype in (nw.Categorical, nw.Enum):
            return "nominal"
        if dtype in _MOMENTS:
            return "moment"
        if dtype == nw.String:  # pandas calls a column of None so, too
            with self._named():
                return "number" if self.series.is_null().all() else "text"
        # Types narwhals has no word for, such as a pandas sparse column, are judged by the array they turn into.
        return self._objects.type if dtype in (nw.Object, nw.Unknown, nw.Binary) else "other"

    @cached_property
    def _objects(self) -> ArrayColumn:
        with self._named():
            values = self.series.to_numpy()
        if values.ndim > 1:  # an array per cell
            values = np.fromiter(values.tolist(), dtype=object, count=len(values))
        return ArrayColumn(self.name, values if self.dtype != nw.Binary else values.astype(object))

    @property
    def dtype_name(self) -> str:
        try:
            known = self.series.dtype
        except _TROUBLE:
            return type_in_words(self.series)
        return type_in_words(self.series) if known == nw.Unknown else str(known)

    @cached_property
    def fits_float32(self) -> bool:
        if self.dtype in (nw.Object, nw.Unknown):
            return self._objects.fits_float32
        return str(self.dtype).lower() in (*FLOAT32_EXACT, "boolean")

    @cached_property
    def moment(self) -> Moment:
        dtype = self.dtype
        if isinstance(dtype, nw.Datetime):
            return "datetime" if dtype.time_zone is None else "datetime_utc"
        return _MOMENT_OF[type(dtype)] if dtype in _MOMENTS else self._objects.moment

    def example(self) -> tuple[int, Any] | None:
        if self.dtype in (nw.Object, nw.Unknown):
            return self._objects.example()
        present = np.flatnonzero(~self.series.is_null().to_numpy().astype(bool))
        if not len(present):
            return None
        row = int(present[0])
        cell = self.series[row]
        return row, cell.to_list() if hasattr(cell, "to_list") else cell  # polars keeps lists as columns

    def numbers(self) -> NDArray[Any]:
        if self.dtype in (nw.Object, nw.Unknown):
            return self._objects.numbers()
        if self.dtype == nw.String:
            return np.full(len(self.series), np.nan)
        wanted = nw.Float32 if self.fits_float32 else nw.Float64
        with self._named():
            if self.dtype in (nw.Int64, nw.UInt64):
                return _floats_of(self.series)
            if self.dtype == nw.Decimal:  # Arrow multiplies by 0.1, 0.01, ..., which rounds twice
                return self.series.cast(nw.String).cast(nw.Float64).to_numpy()
            return (self.series if self.dtype == wanted else self.series.cast(wanted)).to_numpy()

    def seconds(self) -> NDArray[np.float64]:
        dtype = self.dtype
        if dtype not in (nw.Date, nw.Datetime, nw.Duration):
            with self._named():
                cells = self.series.to_list()
            return seconds_of_objects(cells, self.name)
        with self._named():
            _check_ticks(self.series)
            if dtype == nw.Duration:  # libraries round parts of a microsecond each in its own way
                native = self.series.to_native()
                in_arrow = hasattr(getattr(native, "dtype", None), "pyarrow_dtype")  # pandas makes objects of these
                gap = np.timedelta64("NaT")
                return _seconds_of_array(
                    native.to_numpy("m8[us]", na_value=gap) if in_arrow else self.series.to_numpy()
                )
            return np.asarray(_floats_of(self.series.dt.timestamp("us")), dtype=np.float64) / 1e6

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors of the library that holds the column do not say which it is."""
        try:
            yield
        except _TROUBLE as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> ValueError:
        return ValueError(
            f"Column {self.name!r} of type {self.dtype_name} cannot be read: {error}. Convert it to numbers, text or dates, "
            "or leave it out."
        )

    @cached_property
    def factor(self) -> Factor:
        native = self.series.to_native()
        if self.type == "nominal" and hasattr(native, "cat") and self.series.implementation.is_pandas_like():
            return Factor(native.cat.categories.tolist(), native.cat.codes.to_numpy().astype(np.intp), declared=True)
        if self.type == "nominal" and self.series.implementation.is_pyarrow():
            return self._factor_of_codes(native)
        if self.type == "number":
            return self._factor_of_numbers()
        if self.type == "text":
            return self._factor_of_text()
        with self._named():
            cells = self.series.to_list()
        return factorize(cells, self.name)

    def _factor_of_numbers(self) -> Factor:
        """Whole numbers stay whole: with missing cells among them, NumPy would make floats of them."""
        dtype = self.dtype
        if dtype in (nw.Int128, nw.UInt128):  # NumPy has no such numbers
            return factorize(self.series.to_list(), self.name)
        if dtype.is_integer() and self.series.null_count():
            return factorize(self.series.drop_nulls().to_numpy(), self.name).in_rows(~self.series.is_null().to_numpy())
        return factorize(self.series.to_numpy(), self.name)

    def _factor_of_codes(self, native: Any) -> Factor:
        """Codes of Arrow: each value is made once, and only if some row has it, however long it is."""
        rows = native.combine_chunks()  # a chunk with one dictionary
        codes = rows.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        used, first = np.unique(codes[codes >= 0], return_index=True)
        order = used[np.argsort(first)]  # as they appear
        values = factorize(rows.dictionary.take(order).to_pylist(), self.name)
        of_code = np.full(len(rows.dictionary) + 1, -1, dtype=np.intp)
        of_code[order] = values.codes
        return Factor(values.levels, of_code[codes])

    def _factor_of_text(self) -> Factor:
        """Words of pandas it factorizes itself, several times as fast as a dictionary does."""
        if not self.series.implementation.is_pandas():
            return factorize(self.series.to_list(), self.name)
        native = self.series.to_native()
        try:
            codes, levels = native.factorize()
        except TypeError:  # cells that cannot be categories: factorize says which
            return factorize(native.tolist(), self.name)
        return Factor(levels.tolist(), np.asarray(codes, dtype=np.intp))


class Table(Protocol):
    """A caller's table."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def names(self) -> Sequence[str] | None: ...

    @property
    def columns(self) -> Sequence[Column]: ...

    def matrix(self) -> NDArray[Any] | None:
        """The whole table as float32 or float64, if that needs no work on single columns."""


@dataclass(frozen=True)
class ArrayTable:
    """A two-dimensional NumPy array of numbers or objects, made of nested lists or not."""

    array: NDArray[Any]
    rows: Sequence[Any] | None = None
    names: None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.array.shape[0], self.array.shape[1]

    @cached_property
    def columns(self) -> Sequence[Column]:
        return [ArrayColumn(index, values, self.rows) for index, values in enumerate(self.array.T)]

    def matrix(self) -> NDArray[Any] | None:
        if self.array.dtype.kind not in "biuf":
            return None
        return self.array.astype(float_type(self.array.dtype.name in FLOAT32_EXACT), copy=False)


@dataclass(frozen=True)
class FrameTable:
    """A data frame."""

    frame: nw.DataFrame[Any]

    @property
    def shape(self) -> tuple[int, int]:
        return self.frame.shape

    @property
    def names(self) -> Sequence[str]:
        return self.frame.columns

    @cached_property
    def columns(self) -> Sequence[Column]:
        return [SeriesColumn.of(name, self.frame[:, index]) for index, name in enumerate(self.frame.columns)]

    def matrix(self) -> None:
        return None


def _check_ticks(moments: nw.Series[Any]) -> None:
    """Raise where a number of microseconds would be larger than 64 bits hold: Arrow and polars would go on with what is left of it."""
    per_tick = {"s": 1_000_000, "ms": 1000}.get(getattr(moments.dtype, "time_unit", "us"), 1)
    if per_tick == 1:
        return
    ticks = moments.drop_nulls().cast(nw.Int64)
    if len(ticks):
        low, high = int(ticks.min()), int(ticks.max())
        if min(low, -high) * per_tick < -(2**63):
            raise OverflowError("a date or a length of time is out of range; the farthest is about 290,000 years away.")


def _floats_of(whole: nw.Series[Any]) -> NDArray[np.float64]:
    """Whole numbers as floats, NaN where missing. Arrow would refuse those that no float is equal to; NumPy rounds."""
    if not whole.null_count():
        return np.asarray(whole.to_numpy()).astype(np.float64)
    present = ~whole.is_null().to_numpy().astype(bool)
    found = np.full(len(whole), np.nan)
    found[present] = whole.drop_nulls().to_numpy()
    return found


def float_type(fits_float32: bool) -> type[np.floating[Any]]:
    return np.float32 if fits_float32 else np.float64


def _first(values: NDArray[Any]) -> Any:
    return next((value for value in values if not is_missing(value)), None)


def _seconds_of_array(values: NDArray[Any]) -> NDArray[np.float64]:
    ticks = values.astype("M8[us]" if values.dtype.kind == "M" else "m8[us]")
    return np.where(np.isnat(ticks), np.nan, ticks.astype(np.int64) / 1e6)
