"""Columns of Arrow types that data-frame libraries have no word for, as ones of types that hold the same values."""

from __future__ import annotations

import sys
from typing import Any

import narwhals.stable.v2 as nw

_WIDEST = 76  # digits of a decimal


def plain_series(series: nw.Series[Any]) -> nw.Series[Any]:
    """A series, of Arrow's where it held an Arrow type that narwhals or pandas cannot read; any other as it is."""
    arrow = sys.modules.get("pyarrow")
    if arrow is None:  # then nobody has made a column of its types
        return series
    native = series.to_native()
    dtype = getattr(native, "dtype", None)
    given = native.type if dtype is None else getattr(dtype, "pyarrow_dtype", None)  # of Arrow, or in pandas
    if given is None or not _is_odd(arrow, given):
        return series
    cells = native if series.implementation.is_pyarrow() else arrow.array(native)
    chunks = cells if hasattr(cells, "chunks") else arrow.chunked_array([cells])
    plain: nw.Series[Any] = nw.from_native(_plain(arrow, chunks), series_only=True)
    return plain.alias(series.name)


def type_in_words(series: nw.Series[Any]) -> str:
    """The type as the library that holds a series calls it."""
    native = series.to_native()
    return str(getattr(native, "dtype", None) or getattr(native, "type", None))


def _is_odd(arrow: Any, given: Any) -> bool:
    types = arrow.types
    return bool(
        isinstance(given, arrow.BaseExtensionType)
        or types.is_run_end_encoded(given)
        or (types.is_decimal(given) and given.scale < 0)
        or str(given) == "binary_view"
    )


def _plain(arrow: Any, cells: Any) -> Any:
    given = cells.type
    if not _is_odd(arrow, given):
        return cells
    if isinstance(given, arrow.BaseExtensionType):
        return _plain(arrow, _of_extension(arrow, cells))
    if arrow.types.is_decimal(given):
        digits = given.precision - given.scale
        whole = arrow.decimal128 if digits <= 38 else arrow.decimal256
        return cells.cast(whole(min(digits, _WIDEST), 0))
    if str(given) == "binary_view":  # which earlier versions of Arrow cast to nothing
        return arrow.chunked_array([arrow.array(cells.to_pylist(), arrow.large_binary())])
    return _plain(arrow, arrow.compute.run_end_decode(cells))


def _of_extension(arrow: Any, cells: Any) -> Any:
    """Identifiers as text and bytes that are truth values as such, as files of Arrow are read; others as they are stored."""
    stored = cells.cast(cells.type.storage_type)
    name = getattr(cells.type, "extension_name", "")
    if name == "arrow.uuid":
        return arrow.chunked_array([arrow.array(map(_text, cells.to_pylist()), arrow.string())])
    return stored.cast(arrow.bool_()) if name == "arrow.bool8" else stored


def _text(cell: Any) -> str | None:
    return None if cell is None else str(cell)
