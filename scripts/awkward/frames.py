"""Awkward tables as Python has them."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from awkward.common import N, kinds_in_words, line_of, plain


def _with(**columns: Any) -> Any:
    return plain().drop(columns="label").assign(**columns)


def _cells(value: Any, at: int = 3) -> pd.Series[Any]:
    cells: list[Any] = [float(i) for i in range(N)]
    cells[at] = value
    return pd.Series(cells, dtype=object)


def _arrow(**columns: Any) -> pa.Table:
    table = pa.Table.from_pandas(plain().drop(columns="label"), preserve_index=False)
    for name, cells in columns.items():
        table = table.append_column(name, cells)
    return table


def frames() -> dict[str, Callable[[], Any]]:
    """Tables as Python has them."""
    X = plain().drop(columns="label")
    return {
        "pandas, words and dates": lambda: X,
        "pandas, object columns": lambda: X.astype({"town": object, "day": object}),
        "pandas, nullable types": X.convert_dtypes,
        "pandas, Arrow-backed": lambda: X.convert_dtypes(dtype_backend="pyarrow"),
        "pandas, category dtype": lambda: X.astype({"town": "category"}),
        "polars": lambda: pl.from_pandas(X),
        "polars, lazy": lambda: pl.from_pandas(X).lazy(),
        "pyarrow": lambda: pa.Table.from_pandas(X, preserve_index=False),
        "polars, categories and an enumeration": lambda: pl.from_pandas(X).with_columns(
            pl.col("town").cast(pl.Categorical), place=pl.col("town").cast(pl.Enum(["Köln", "Bern", "Aix"]))
        ),
        "polars, decimals, a column of nothing": lambda: pl.from_pandas(X).with_columns(
            price=pl.lit(Decimal("1.25")), nothing=pl.lit(None)
        ),
        "polars, lists in cells": lambda: pl.from_pandas(X).with_columns(tags=pl.lit([1, 2])),
        "polars, structures in cells": lambda: pl.from_pandas(X).with_columns(tags=pl.struct("town")),
        "pyarrow, dictionaries and long text": lambda: _arrow(
            place=_arrow()["town"].dictionary_encode(), long=_arrow()["town"].cast(pa.large_string())
        ),
        "pyarrow, decimals and times": lambda: _arrow(
            price=pa.array([Decimal("1.25")] * N), when=pa.array([dt.time(i % 24) for i in range(N)])
        ),
        "pyarrow, lists in cells": lambda: _arrow(tags=pa.array([[1, 2]] * N)),
        "pandas, sparse columns": lambda: _with(price=pd.arrays.SparseArray(np.arange(N) % 5 == 0, dtype=float)),
        "pandas, intervals": lambda: _with(band=pd.cut(np.arange(N), 3)),
        "truth values": lambda: _with(flag=np.arange(N) % 2 == 0),
        "truth values with gaps, as objects": lambda: _with(flag=[None, *[True, False] * (N // 2)][:N]),
        "identifiers": lambda: _with(payment=[f"P{i}" for i in range(N)]),
        "numbers written as text": lambda: _with(price=[f"{i},50" for i in range(N)]),
        "dates written as text": lambda: _with(when=[f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(N)]),
        "days as date objects": lambda: _with(when=[dt.date(2024, 1, 1 + i % 28) for i in range(N)]),
        "times of day": lambda: _with(when=[dt.time(i % 24) for i in range(N)]),
        "durations": lambda: _with(wait=pd.to_timedelta(np.arange(N), unit="min")),
        "points in time with a zone": lambda: X.assign(day=X["day"].dt.tz_localize("Europe/Berlin")),
        "periods": lambda: X.assign(day=X["day"].dt.to_period("M")),
        "decimals": lambda: _with(price=[Decimal(i) / 8 for i in range(N)]),
        "an infinite decimal": lambda: _with(price=_cells(Decimal("Infinity"))),
        "an infinity": lambda: _with(price=_cells(np.inf).astype(float)),
        "an infinity in an array": lambda: np.where(np.arange(N * 2).reshape(N, 2) == 7, np.inf, 1.0),
        "a list in a cell": lambda: _with(tags=_cells([1, 2])),
        "a dictionary in a cell": lambda: _with(tags=_cells({"a": 1})),
        "words among numbers": lambda: _with(price=_cells("unknown")),
        "a whole number beyond all floats": lambda: _with(price=_cells(10**400)),
        "complex numbers": lambda: np.ones((N, 2)) * 1j,
        "a name that comes twice": lambda: pd.concat([X, X[["amount"]]], axis=1),
        "a column without values": lambda: _with(empty=None),
        "a column with one value": lambda: _with(same=1),
        "nested lists with words": lambda: [[float(i), "ab"[i % 2]] for i in range(N)],
        "nested lists of unequal length": lambda: [[1.0, 2.0]] * (N - 1) + [[1.0]],
        "a sparse matrix": lambda: sparse.csr_array(np.random.default_rng(0).random((N, 20)).round(0)),
        "a sparse matrix too large when written out": lambda: sparse.csr_matrix((N, 10**12)),
        "no rows": lambda: X.iloc[:0],
        "one dimension": lambda: np.arange(float(N)),
    }


def ask_python(table: Any) -> str:
    """What `TreeClassifier().fit` does with a table."""
    import rarewood as rw

    y = plain()["label"].to_numpy()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            tree = rw.TreeClassifier().fit(
                table, y[: getattr(table, "shape", [len(y)])[0]] if not hasattr(table, "lazy") else y
            )
        except (TypeError, ValueError) as error:
            return f"refused: {line_of(error)}"
    notes = [f"; warns: {line_of(each.message)}" for each in caught]
    return f"read as {kinds_in_words([kind.word for kind in tree._columns.kinds])}{''.join(notes)}"
