"""Monotone constraints: which way the probability of a class may go with each column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import MOST_LEAF_WEIGHT
from rarewood._tables import Columns
from rarewood._validation import did_you_mean

Signs = NDArray[np.int8]
"""One per column: 1 the probability may only rise with it, -1 only fall, 0 free."""

MOST_SMOOTHING = MOST_LEAF_WEIGHT / 2
"""Cases added to each of two classes of a leaf beyond which an order of leaves could be lost."""

_ACCEPTED = "one of -1, 0 and 1 for each column, or a dictionary from names of columns to these"


def read_signs(monotonic_cst: Any, columns: Columns, n_classes: int) -> Signs | None:
    """The constraints in the order of the columns; None where all are free."""
    if monotonic_cst is None:
        return None
    signs = (
        _of_names(monotonic_cst, columns) if isinstance(monotonic_cst, Mapping) else _in_order(monotonic_cst, columns)
    )
    if not signs.any():
        return None
    if n_classes > 2:
        raise ValueError(
            f"monotonic_cst is for two classes, but y has {n_classes}: where the probability of one class may only rise, that of the "
            "others together may only fall, which says nothing about each of them. Fit one class against the rest."
        )
    _refuse_nominal(signs, columns)
    return signs if n_classes == 2 else None


def constraints_on(model: Any, label: Any) -> tuple[list[str], list[str]]:
    """The names of the columns that a fitted model's probability of a class may only rise with, and of those that it may only fall with."""
    signs: Signs | None = getattr(model, "monotonic_cst_", None)
    if signs is None:
        return [], []
    rising, falling = (
        [model._columns.name(place) for place in np.flatnonzero(signs == sign).tolist()] for sign in (1, -1)
    )
    return (rising, falling) if label == class_meant(model) else (falling, rising)


def class_meant(model: Any) -> Any:
    """The class whose probability the constraints of a fitted model are about."""
    return getattr(model, "positive_", model.classes_[-1])


def _in_order(monotonic_cst: Any, columns: Columns) -> Signs:
    try:
        given = np.asarray(monotonic_cst)
        is_number = given.ndim == 1 and given.dtype.kind in "iuf"
    except ValueError:
        is_number = False
    if not is_number:
        raise TypeError(f"monotonic_cst={monotonic_cst!r:.100} is not accepted; give {_ACCEPTED}.")
    if len(given) != len(columns):
        raise ValueError(f"monotonic_cst has {len(given)} constraints, but X has {len(columns)} columns.")
    outside = given[~np.isin(given, (-1, 0, 1))]
    if len(outside):
        raise ValueError(f"monotonic_cst contains {outside[0].item()!r}; give {_ACCEPTED}.")
    return given.astype(np.int8)


def _of_names(monotonic_cst: Mapping[Any, Any], columns: Columns) -> Signs:
    if columns.names is None:
        raise ValueError(
            "monotonic_cst has names of columns, but X has none; pass a data frame, or give one constraint per column."
        )
    names = columns.names.tolist()
    for name, sign in monotonic_cst.items():
        if name not in names:
            raise ValueError(
                f"monotonic_cst names a column that X does not have: {name!r}{did_you_mean(str(name), names)}"
            )
        if isinstance(sign, (bool, np.bool_)) or sign not in (-1, 0, 1):
            raise ValueError(f"monotonic_cst has {sign!r} for column {name!r}; give -1, 0 or 1.")
    return np.array([monotonic_cst.get(name, 0) for name in names], dtype=np.int8)


def _refuse_nominal(signs: Signs, columns: Columns) -> None:
    nominal = [columns.name(place) for place in np.flatnonzero(columns.nominal & (signs != 0)).tolist()]
    if nominal:
        raise ValueError(
            f"monotonic_cst has constraints on columns of categories, which have no order: {nominal[:10]}; encode them as numbers in the "
            "order that is meant, or leave them free."
        )
