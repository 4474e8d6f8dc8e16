"""The columns of the tables a report is about, as numbers and category codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._validation import Table, TableEncoder, read_table

Matrix = NDArray[Any]


@dataclass(frozen=True)
class Columns:
    """Test rows and, if there are any, training rows in one coding: NaN is missing, nominal columns hold codes.

    A category that the training rows lack has the code `n_categories` of its column.
    """

    names: list[str]
    nominal: NDArray[np.bool_]
    n_categories: NDArray[np.int32]
    test: Matrix
    train: Matrix | None


def read_columns(model: Any, X: Any, train: Any, feature_names: Sequence[str] | None) -> Columns:
    """Read both tables; text and whatever else is not a number counts as nominal, as do the nominal columns of the model."""
    test = read_table(BaseEstimator(), X, reset=True)
    known = test if train is None else read_table(BaseEstimator(), train, reset=True)
    if known.shape[1] != test.shape[1]:
        raise ValueError(
            f"the training rows have {known.shape[1]} columns, the rows of the report {test.shape[1]}; pass the same columns."
        )
    encoder = TableEncoder(_nominal(model, known))
    matrix = encoder.fit_transform(known)
    return Columns(
        _names(model, test, feature_names),
        np.array([levels is not None for levels in encoder.categories]),
        encoder.n_categories,
        matrix if train is None else encoder.transform(test),
        None if train is None else matrix,
    )


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a data frame or of an array, as the same kind of table."""
    frame = nw.from_native(X, pass_through=True)
    return frame[rows.tolist()].to_native() if isinstance(frame, nw.DataFrame) else np.asarray(X)[rows]


def _nominal(model: Any, table: Table) -> list[bool]:
    encoder = getattr(model, "_encoder", None)
    declared = [False] * table.shape[1] if encoder is None else [levels is not None for levels in encoder.categories]
    if len(declared) != table.shape[1]:
        declared = [False] * table.shape[1]
    return [nominal or column.kind != "number" for nominal, column in zip(declared, table.columns)]


def _names(model: Any, table: Table, feature_names: Sequence[str] | None) -> list[str]:
    if feature_names is not None:
        names = [str(name) for name in feature_names]
        if len(names) != table.shape[1]:
            raise ValueError(f"feature_names has {len(names)} names, but X has {table.shape[1]} columns.")
        return names
    named = table.names if table.names is not None else getattr(model, "feature_names_in_", None)
    return [f"x{i}" for i in range(table.shape[1])] if named is None else [str(name) for name in named]
