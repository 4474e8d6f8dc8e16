"""Labels and numbers beside a table, whatever holds them: one array each, and an error where one is missing or masked."""

from __future__ import annotations

from decimal import InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d

from rarewood._validation._masks import unmasked

_TEXT = (str, np.str_)
_TRUTH = {bool, np.bool_}
_DOUBLE = 8  # bytes


def read_labels(y: Any, name: str = "y", *, warn: bool = False) -> NDArray[Any]:
    """One label per row, all of them numbers, truth values or text; a missing one is an error.

    `warn` of labels in a column, which are read like those in a row.
    """
    labels: NDArray[Any] = column_or_1d(_without_nullable_type(unmasked(y)), warn=warn)
    if labels.dtype.kind in "US" and isinstance(y, (list, tuple)) and not all(isinstance(each, _TEXT) for each in y):
        labels = np.fromiter(y, dtype=object, count=len(y))  # NumPy made text of the NaN or the numbers beside it
    if labels.dtype.kind == "f" and labels.dtype.itemsize > _DOUBLE:
        with np.errstate(over="ignore"):
            labels = labels.astype(np.float64)
    if labels.dtype == object and set(map(type, labels)) == {str}:  # nothing is missing or strange
        return labels
    _refuse_missing(labels, name)
    labels = _of_one_type(labels)
    _refuse_strange(labels, name)
    return labels


def read_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Finite numbers as float64, in one dimension or two."""
    try:
        with np.errstate(over="ignore"):  # what no float holds is infinite, and refused
            found: NDArray[np.float64] = check_array(
                unmasked(values), ensure_2d=False, dtype=np.float64, order="C", input_name=name
            )
    except (TypeError, ValueError, OverflowError) as error:
        if name in str(error):
            raise
        raise ValueError(f"{name} must be finite numbers, an array or a list of them: {error}") from error
    return found


def _without_nullable_type(y: Any) -> Any:
    """Truth values and whole numbers of pandas' nullable types as NumPy has them: scikit-learn would make floats of them."""
    plain = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if plain is None or plain.kind not in "biu" or not hasattr(y, "isna") or y.isna().any():
        return y
    return y.to_numpy(dtype=plain)


def _of_one_type(labels: NDArray[Any]) -> NDArray[Any]:
    """Python objects that are all truth values, or all numbers, as NumPy has them."""
    if labels.dtype != object:
        return labels
    types = set(map(type, labels))
    if types and (types <= _TRUTH or not any(issubclass(each, (str, *_TRUTH)) for each in types)):
        plain = np.array(labels.tolist())
        return plain if plain.dtype.kind in "biuf" and plain.shape == labels.shape else labels
    return labels


def _refuse_strange(labels: NDArray[Any], name: str) -> None:
    """Raise for labels that have no common order, and for those of which models and files know nothing."""
    if labels.dtype.kind in "biufU" or all(issubclass(each, str) for each in set(map(type, labels))):
        return
    first = {type(label): row for row, label in reversed(list(enumerate(labels)))}
    strange = [each for each in first if not issubclass(each, str)]
    if len(first) > 1:
        kinds = ", ".join(sorted(each.__name__ for each in first))
        raise TypeError(f"The labels in {name} mix types that have no common order: {kinds}. Convert them to one type.")
    row = first[strange[0]]
    raise TypeError(
        f"The labels in {name} are of type {strange[0].__name__}, row {row} has {labels[row]!r:.60}; a label is a whole number of up to 64 "
        "bits, text or a truth value. Convert them, for example with astype(str)."
    )


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
