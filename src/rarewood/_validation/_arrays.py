"""Labels and numbers beside a table, whatever holds them: one array each, and an error where one is missing or masked."""

from __future__ import annotations

from decimal import InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d

from rarewood._validation._masks import unmasked


def read_labels(y: Any, name: str = "y", *, warn: bool = False) -> NDArray[Any]:
    """One label per row; a missing one is an error. `warn` of labels in a column, which are read like those in a row."""
    labels: NDArray[Any] = column_or_1d(_without_nullable_type(unmasked(y)), warn=warn)
    _refuse_missing(labels, name)
    return labels


def read_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Finite numbers as float64, in one dimension or two."""
    found: NDArray[np.float64] = check_array(
        unmasked(values), ensure_2d=False, dtype=np.float64, order="C", input_name=name
    )
    return found


def _without_nullable_type(y: Any) -> Any:
    """Truth values and whole numbers of pandas' nullable types as NumPy has them: scikit-learn would make floats of them."""
    plain = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if plain is None or plain.kind not in "biu" or not hasattr(y, "isna") or y.isna().any():
        return y
    return y.to_numpy(dtype=plain)


def _refuse_missing(labels: NDArray[Any], name: str) -> None:
    if labels.dtype.kind == "f":
        missing = np.flatnonzero(np.isnan(labels))
    elif labels.dtype.kind in "mM":
        missing = np.flatnonzero(np.isnat(labels))
    elif labels.dtype == object:
        missing = np.flatnonzero([is_missing(label) for label in labels])
    else:
        return
    if len(missing):
        others = f" and in {len(missing) - 1:,} other rows" if len(missing) > 1 else ""
        raise ValueError(f"Input {name} contains NaN: row {missing[0]}{others} has no label. Leave such rows out.")


def is_missing(value: Any) -> bool:
    """None, or a value unequal to itself (NaN, NaT), or one that will not say (pandas' NA, a decimal that signals NaN)."""
    try:
        return value is None or bool(value != value)
    except InvalidOperation:
        return True
    except (TypeError, ValueError):  # an array says several things
        return type(value).__name__ == "NAType"
