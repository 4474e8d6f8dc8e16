"""Which columns are nominal."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import Column, Table

_NOMINAL = ("nominal", "text", "boolean")
_ACCEPTED = "'from_dtype', a list of column names, a list of column indices, a boolean mask or None"


def nominal_columns(table: Table, categorical_features: Any) -> NDArray[np.bool_]:
    """A boolean mask over the columns; raises unless the others are numbers."""
    mask = _declared(table, categorical_features)
    if table.matrix() is None:
        numeric = [column for column, nominal in zip(table.columns, mask.tolist(), strict=True) if not nominal]
        refuse([column for column in numeric if column.type not in ("number", "boolean", "moment")])
    return mask


def _declared(table: Table, categorical_features: Any) -> NDArray[np.bool_]:
    n_columns = table.shape[1]
    if categorical_features is None:
        return np.zeros(n_columns, dtype=bool)
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(f"categorical_features={categorical_features!r} is not accepted; give {_ACCEPTED}.")
        if table.matrix() is not None:  # an array of numbers; asking its columns would only cost time
            return np.zeros(n_columns, dtype=bool)
        return np.array([column.type in _NOMINAL for column in table.columns], dtype=bool)
    return _mask_from_list(_as_list(categorical_features), table)


def _as_list(categorical_features: Any) -> list[Any]:
    try:
        return list(categorical_features)
    except TypeError:
        raise TypeError(f"categorical_features={categorical_features!r} is not accepted; give {_ACCEPTED}.") from None


def _mask_from_list(chosen: list[Any], table: Table) -> NDArray[np.bool_]:
    n_columns = table.shape[1]
    mask = np.zeros(n_columns, dtype=bool)
    if not chosen:
        return mask
    if all(isinstance(item, (bool, np.bool_)) for item in chosen):
        if len(chosen) != n_columns:
            raise ValueError(
                f"categorical_features is a boolean mask of length {len(chosen)}, but X has {n_columns} columns."
            )
        return np.array(chosen, dtype=bool)
    if all(isinstance(item, str) for item in chosen):
        mask[_positions(chosen, table.names)] = True
        return mask
    if not all(isinstance(item, Integral) and not isinstance(item, (bool, np.bool_)) for item in chosen):
        kinds = ", ".join(sorted({type(item).__name__ for item in chosen}))
        raise TypeError(f"categorical_features has elements of type {kinds}; give {_ACCEPTED}.")
    outside = [item for item in chosen if not 0 <= item < n_columns]
    if outside:
        raise ValueError(f"categorical_features has indices {outside}, but the columns of X are 0 to {n_columns - 1}.")
    mask[chosen] = True
    return mask


def _positions(chosen: list[str], names: Sequence[str] | None) -> list[int]:
    if names is None:
        raise ValueError(
            "categorical_features has column names, but X has none; pass a data frame, or give column indices."
        )
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise ValueError(
            f"categorical_features names columns that X does not have: {unknown}; X has {list(names[:20])}."
        )
    return [names.index(name) for name in chosen]


def refuse(columns: list[Column]) -> None:
    """Name the columns that are neither numbers nor declared nominal, a cell of each, and say what to do."""
    if not columns:
        return
    named = ", ".join(map(_described, columns[:10]))
    more = f" and {len(columns) - 10} more" if len(columns) > 10 else ""
    if all(column.type == "other" for column in columns):
        raise ValueError(
            f"These columns of X hold neither numbers nor words: {named}{more}. A cell can hold one number, word, "
            "boolean, date or time: convert the columns, split each into several, or leave them out."
        )
    names = [column.name for column in columns]
    raise ValueError(
        f"These columns of X are not numbers: {named}{more}. If they hold categories, give them a categorical dtype "
        "(pandas: astype('category'), polars: pl.Categorical or pl.Enum) or list them: "
        f"categorical_features={names!r}. Otherwise convert them to numbers first."
    )


def _described(column: Column) -> str:
    found = column.example()
    cell = "" if found is None else f", row {found[0]} has {found[1]!r:.40}"
    return f"{column.name!r} ({column.dtype_name}{cell})"
