"""The tables a report is about, as numbers and category codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._tables import Columns, Rows, Table, read_table

Matrix = NDArray[Any]


@dataclass(frozen=True)
class ReportTables:
    """Test rows and, if there are any, training rows in one coding: NaN is missing, nominal columns hold codes.

    A category that the columns do not know has a code of its own behind theirs; `wider` are the columns with these.
    """

    names: list[str]
    columns: Columns
    wider: Columns
    test: Matrix
    train: Matrix | None

    @property
    def nominal(self) -> NDArray[np.bool_]:
        """True for each nominal column."""
        return self.columns.nominal

    @property
    def n_categories(self) -> NDArray[np.int32]:
        """The number of categories per column that the model, or the training rows, know."""
        return self.columns.n_categories

    @property
    def n_codes(self) -> NDArray[np.int32]:
        """The number of categories per column, with those that only these rows have."""
        return self.wider.n_categories

    def in_words(self, column: int, value: float) -> str:
        """The text of a value: the name of a category, a date, or a number with four significant digits."""
        decimals = 3 - math.floor(math.log10(abs(value))) if value and math.isfinite(value) else 0
        return self.wider.kinds[column].in_words(value, min(max(decimals, 0), 12))

    def are_of(self, model: Any) -> bool:
        """Whether the rows are as the model would encode them; others read tables in a way of their own."""
        return getattr(model, "_columns", None) is self.columns

    @property
    def test_rows(self) -> Rows:
        """The test rows in the coding of `columns`."""
        return Rows(self.test, self.columns)

    @property
    def train_rows(self) -> Rows | None:
        """The training rows in the coding of `columns`, so that trees can be grown on them: other categories become missing."""
        if self.train is None:
            return None
        unknown = [column for column in np.flatnonzero(self.n_codes > self.n_categories) if self.nominal[column]]
        if not unknown:
            return Rows(self.train, self.columns)
        matrix = self.train.copy()
        for column in unknown:
            matrix[matrix[:, column] >= self.n_categories[column], column] = np.nan
        return Rows(matrix, self.columns)


def read_tables(model: Any, X: Any, train: Any, feature_names: Sequence[str] | None) -> ReportTables:
    """Read both tables, each once: in the coding of the model if it is one of ours.

    For other models text and whatever else is not a number counts as nominal. Rows without a model are taken as they are.
    """
    if isinstance(X, Rows) and model is None and train is None:
        return ReportTables(X.names, X.columns, X.columns, X.matrix, None)
    known: Columns | None = getattr(model, "_columns", None)
    if train is not None and np.shape(train)[1:] != np.shape(X)[1:]:
        raise ValueError(
            f"the training rows have {np.shape(train)[1]} columns, the rows of the report {np.shape(X)[1]}; pass the same columns."
        )
    tables = [_read(model if known is not None else None, each) for each in (train, X) if each is not None]
    test = tables[-1]
    names = _names(model, test, feature_names)
    if known is None:
        known, first = Columns.learn(
            tables[0], [column.type not in ("number", "moment") for column in tables[0].columns]
        )
        wider = known.widened(test)
        matrices = [first, *(wider.encode(table) for table in tables[1:])]
    else:
        wider = known.widened(*tables)
        matrices = [wider.encode(table) for table in tables]
    return ReportTables(names, known, wider, matrices[-1], None if train is None else matrices[0])


def _read(model: Any, X: Any) -> Table:
    """Read a table as the model reads it, or on its own terms if there is no such model."""
    return read_table(BaseEstimator(), X, reset=True) if model is None else read_table(model, X, reset=False)


def _names(model: Any, table: Table, feature_names: Sequence[str] | None) -> list[str]:
    if feature_names is not None:
        names = [str(name) for name in feature_names]
        if len(names) != table.shape[1]:
            raise ValueError(f"feature_names has {len(names)} names, but X has {table.shape[1]} columns.")
        return names
    named = table.names if table.names is not None else getattr(model, "feature_names_in_", None)
    return [f"x{i}" for i in range(table.shape[1])] if named is None else [str(name) for name in named]
