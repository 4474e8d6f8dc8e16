"""The user's table to one float matrix with nominal columns as category codes.

`read_table` accepts NumPy arrays, nested lists and every data frame narwhals knows; `TableEncoder` learns which columns are
nominal and their categories, then writes matrices. Plain numeric arrays pass through without a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import validate_data

from rarewood._validation._columns import ArrayTable, Column, Factor, FrameTable, Table, float_type
from rarewood._validation._nominal import nominal_columns, sorted_levels

_FLOAT32_INTEGERS = 2**24  # every whole number up to here is a float32
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_FEW_ROWS = 256


def read_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """See `X` as a table; set (`reset`) or check the estimator's feature names and count as scikit-learn does.

    Sparse matrices, lazy frames, complex numbers, infinities and tables without rows or columns are refused.
    """
    if not reset and _is_familiar(estimator, X):
        return ArrayTable(X)
    frame = X if isinstance(X, np.ndarray) else nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("X is a lazy frame; call its collect() method and pass the result.")
    if isinstance(frame, nw.DataFrame):
        _check_size(estimator, frame.shape)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return FrameTable(frame)
    array = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.array(X, dtype=object)  # NumPy made strings of the numbers beside them
    return ArrayTable(array)


def _is_familiar(estimator: Any, X: Any) -> bool:
    """A few float rows of the fitted width, without infinities or names to compare: as they are asked for one by one."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and 0 < X.shape[0] <= _FEW_ROWS
        and X.dtype in _FLOATS
        and X.shape[1] == getattr(estimator, "n_features_in_", None)
        and not hasattr(estimator, "feature_names_in_")
        and not np.isinf(X).any()
    )


def _check_size(estimator: object, shape: tuple[int, int]) -> None:
    for count, unit in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {unit}(s) (shape={shape}) while a minimum of 1 is required by {type(estimator).__name__}."
            )


class TableEncoder:
    """Writes tables as the float matrices that the core reads.

    Numeric columns keep their values, NaN for missing. A nominal column holds the position of the value among the
    categories of the training table, NaN for missing, and one past the last category for a value never seen.

    Parameters
    ----------
    categorical_features : "from_dtype", list of names or indices, boolean mask, or None
        Which columns are nominal. "from_dtype" takes those of a categorical dtype.

    Attributes
    ----------
    categories : list, one entry per column
        The categories of a nominal column as an array, None for a numeric column.
    has_missing : bool array, one entry per column
        Whether the training table has missing values there.
    """

    categories: list[NDArray[Any] | None]
    has_missing: NDArray[np.bool_]

    def __init__(self, categorical_features: Any = "from_dtype") -> None:
        self.categorical_features = categorical_features

    @property
    def n_categories(self) -> NDArray[np.int32]:
        """Categories per column, 0 for a numeric one. A nominal column without any value still counts one."""
        counts = [0 if levels is None else max(1, len(levels)) for levels in self.categories]
        return np.array(counts, dtype=np.int32)

    def fit_transform(self, table: Table) -> NDArray[Any]:
        """Learn the columns of the training table and encode it."""
        columns = table.columns
        nominal = np.flatnonzero(nominal_columns(table, self.categorical_features)).tolist()
        factors = {index: columns[index].factor() for index in nominal}
        self.categories = [None] * len(columns)
        for index, factor in factors.items():
            self.categories[index] = _as_array(sorted_levels(factor, columns[index].name))
        self._number_categories()
        matrix = self._write(table, factors)
        with np.errstate(over="ignore", invalid="ignore"):
            self.has_missing = np.isnan(matrix.sum(axis=0))
        return matrix

    def transform(self, table: Table) -> NDArray[Any]:
        """Encode another table with the same columns."""
        return self._write(table, {})

    def _write(self, table: Table, factors: dict[int, Factor]) -> NDArray[Any]:
        matrix = table.matrix()
        if matrix is not None and not self._codes:
            return matrix
        columns = table.columns
        matrix = np.empty(table.shape, dtype=self._dtype(columns), order="F")
        unusable: list[Column] = []
        for index, column in enumerate(columns):
            if index in self._codes:
                matrix[:, index] = self._encode(index, factors.get(index) or column.factor())
            elif column.kind == "number":
                matrix[:, index] = column.numbers()
            else:
                unusable.append(column)
        _refuse(unusable)
        assert_all_finite(matrix, allow_nan=True, input_name="X")
        return matrix

    def _encode(self, index: int, factor: Factor) -> NDArray[np.float64]:
        known = self._codes[index]
        unseen = max(1, len(known))
        values = [*(known.get(level, unseen) for level in factor.levels), np.nan]
        return np.array(values, dtype=np.float64)[factor.codes]  # code -1, missing, is the last

    def _dtype(self, columns: Sequence[Column]) -> type[np.floating[Any]]:
        small = all(column.fits_float32 for index, column in enumerate(columns) if index not in self._codes)
        return float_type(small and int(self.n_categories.max()) < _FLOAT32_INTEGERS)

    def _number_categories(self) -> None:
        """Per nominal column, the code of each category; rebuilt rather than pickled."""
        self._codes: dict[int, dict[Any, int]] = {
            index: {level: code for code, level in enumerate(levels.tolist())}
            for index, levels in enumerate(self.categories)
            if levels is not None
        }

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_codes"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._number_categories()


def _as_array(levels: list[Any]) -> NDArray[Any]:
    if levels and all(isinstance(level, (int, float)) for level in levels):
        return np.array(levels)
    return np.fromiter(levels, dtype=object, count=len(levels))


def _refuse(columns: list[Column]) -> None:
    """Name the columns that are neither numbers nor declared nominal, and say what to do."""
    if not columns:
        return
    named = ", ".join(f"{column.name!r} ({column.dtype_name})" for column in columns[:10])
    more = f" and {len(columns) - 10} more" if len(columns) > 10 else ""
    names = [column.name for column in columns[:10]]
    raise ValueError(
        f"These columns of X are not numbers: {named}{more}. If they are nominal, give them a categorical dtype "
        f"(pandas: astype('category'), polars: pl.Categorical or pl.Enum) or list them: "
        f"categorical_features={names!r}. Otherwise convert them to numbers first."
    )
