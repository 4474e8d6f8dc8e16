"""The columns of a user's table, whatever the table is made of.

A column is read in one of two ways: as `numbers()` (float, NaN = missing) or as a `factor()` (distinct values and one code
per row). `kind` says which one its dtype asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

Kind = Literal["number", "nominal", "text", "other"]

_FLOAT32_EXACT = ("bool", "int8", "int16", "uint8", "uint16", "float16", "float32")


@dataclass(frozen=True)
class Factor:
    """Distinct values of a column and, per row, the position of its value; -1 is missing."""

    levels: Sequence[Any]
    codes: NDArray[np.intp]
    declared: bool = False  # the dtype lists the levels, in an order to keep


class Column(Protocol):
    """What the encoder asks of a column."""

    @property
    def name(self) -> str | int: ...

    @property
    def kind(self) -> Kind: ...

    @property
    def dtype_name(self) -> str: ...

    @property
    def fits_float32(self) -> bool: ...

    def numbers(self) -> NDArray[Any]: ...

    def factor(self) -> Factor: ...


@dataclass(frozen=True)
class ArrayColumn:
    """A column of a NumPy array: numbers, or Python objects."""

    name: int
    values: NDArray[Any]

    @property
    def kind(self) -> Kind:
        if self.values.dtype.kind in "biuf":
            return "number"
        if self.values.dtype.kind in "US":
            return "text"
        return _kind_of_objects(self.values) if self.values.dtype == object else "other"

    @property
    def dtype_name(self) -> str:
        return "text" if self.kind == "text" else str(self.values.dtype)

    @property
    def fits_float32(self) -> bool:
        return self.values.dtype.name in _FLOAT32_EXACT

    def numbers(self) -> NDArray[Any]:
        return _numbers_of_objects(self.values) if self.values.dtype == object else self.values

    def factor(self) -> Factor:
        return factorize(self.values, self.name)


@dataclass(frozen=True)
class SeriesColumn:
    """A column of a data frame."""

    name: str
    series: nw.Series[Any]

    @property
    def kind(self) -> Kind:
        dtype = self.series.dtype
        if dtype.is_numeric() or dtype == nw.Boolean:
            return "number"
        if dtype in (nw.Categorical, nw.Enum):
            return "nominal"
        if dtype == nw.String:  # pandas calls a column of None so, too
            return "number" if self.series.is_null().all() else "text"
        # Types narwhals has no word for, such as a pandas sparse column, are judged by the array they turn into.
        return ArrayColumn(0, self.series.to_numpy()).kind if dtype in (nw.Object, nw.Unknown) else "other"

    @property
    def dtype_name(self) -> str:
        return str(self.series.dtype)

    @property
    def fits_float32(self) -> bool:
        return str(self.series.dtype).lower() in (*_FLOAT32_EXACT, "boolean")

    def numbers(self) -> NDArray[Any]:
        if self.series.dtype in (nw.Object, nw.Unknown):
            return ArrayColumn(0, self.series.to_numpy()).numbers()
        if self.series.dtype == nw.String:
            return np.full(len(self.series), np.nan)
        return self.series.cast(nw.Float32 if self.fits_float32 else nw.Float64).to_numpy()

    def factor(self) -> Factor:
        if self.kind == "nominal" and self.series.implementation.is_pandas_like():
            native = self.series.to_native()
            return Factor(native.cat.categories.tolist(), native.cat.codes.to_numpy().astype(np.intp), declared=True)
        if self.kind == "number":
            return factorize(self.series.to_numpy(), self.name)
        found = factorize(self.series.to_list(), self.name)
        # A polars Categorical shares one list of categories with every other; only an Enum has its own.
        return (
            _in_declared_order(found, self.series.dtype.categories) if isinstance(self.series.dtype, nw.Enum) else found
        )


class Table(Protocol):
    """What the encoder asks of a table."""

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
    """A two-dimensional NumPy array of numbers or objects."""

    array: NDArray[Any]
    names: None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.array.shape[0], self.array.shape[1]

    @property
    def columns(self) -> Sequence[Column]:
        return [ArrayColumn(index, values) for index, values in enumerate(self.array.T)]

    def matrix(self) -> NDArray[Any] | None:
        if self.array.dtype.kind not in "biuf":
            return None
        return self.array.astype(float_type(self.array.dtype.name in _FLOAT32_EXACT), copy=False)


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

    @property
    def columns(self) -> Sequence[Column]:
        return [SeriesColumn(name, self.frame[:, index]) for index, name in enumerate(self.frame.columns)]

    def matrix(self) -> None:
        return None


def float_type(fits_float32: bool) -> type[np.floating[Any]]:
    return np.float32 if fits_float32 else np.float64


def factorize(values: NDArray[Any] | list[Any], name: str | int) -> Factor:
    """Distinct values of numbers (sorted) or of objects (as they appear); None, NaN, NaT and pandas' NA are missing."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "biuf":
            return _factorize_numbers(values)
        values = values.tolist()
    positions: dict[Any, int] = {}
    try:
        codes = np.array([positions.setdefault(value, len(positions)) for value in values], dtype=np.intp)
    except TypeError as error:
        raise TypeError(f"Column {name!r} holds values that cannot be categories: {error}.") from error
    missing = np.array([is_missing(level) for level in positions], dtype=bool)
    if not missing.any():
        return Factor(list(positions), codes)
    renumbered = np.where(missing, -1, np.cumsum(~missing) - 1)
    return Factor([level for level in positions if not is_missing(level)], renumbered[codes])


def _factorize_numbers(values: NDArray[Any]) -> Factor:
    levels, codes = np.unique(values, return_inverse=True)
    n_present = len(levels) - int(levels.dtype.kind == "f" and len(levels) > 0 and np.isnan(levels[-1]))
    return Factor(levels[:n_present].tolist(), np.where(codes < n_present, codes, -1).astype(np.intp))


def _in_declared_order(found: Factor, categories: Sequence[Any]) -> Factor:
    places = {category: place for place, category in enumerate(categories)}
    renumber = np.array([*(places[level] for level in found.levels), -1], dtype=np.intp)
    return Factor(categories, renumber[found.codes], declared=True)


def is_missing(value: Any) -> bool:
    """None, or a value unequal to itself (NaN, NaT), or one that will not say (pandas' NA)."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _kind_of_objects(values: NDArray[Any]) -> Kind:
    return "text" if any(isinstance(value, (str, bytes)) for value in values) else "number"


def _numbers_of_objects(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.array([np.nan if is_missing(value) else float(value) for value in values], dtype=np.float64)
