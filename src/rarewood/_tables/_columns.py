"""What is known of the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._nominal import nominal_columns, refuse
from rarewood._tables._reading import read_table
from rarewood._tables._sources import ArrayTable, Column, Table, float_type
from rarewood._tables.kinds import Categories, Kind, Numbers, described_kind, learn_kind
from rarewood._tables.rows import Rows
from rarewood._tables.suspicions import warn_of_odd_words

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_FEW_ROWS = 256
_ONE_BY_ONE = 16  # rows of which single cells are looked up faster than columns


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a training table: of what kind each is, what it is called, whether values were missing there.

    Columns read other tables that have them, too, as the float matrices that the core takes. Numeric columns keep their
    values, NaN for missing. A nominal column holds the position of the value among the categories of the training table, NaN
    for missing, and one past the last category for a value never seen.

    Parameters
    ----------
    kinds : tuple, one entry per column
        Numbers, dates and times, or categories with their list; see `rarewood._tables.kinds`.
    names : array of str, or None
        As scikit-learn has it: None where the table had no names, or some that are not text.
    has_missing : bool array, one entry per column
        Whether the training table has missing values there.
    """

    kinds: tuple[Kind, ...]
    names: NDArray[Any] | None
    has_missing: NDArray[np.bool_]

    @classmethod
    def learn(
        cls, table: Table | Rows, categorical_features: Any = "from_dtype", names: NDArray[Any] | None = None
    ) -> tuple[Columns, NDArray[Any]]:
        """The columns of a training table, and the table in their coding.

        `categorical_features` is "from_dtype" (columns of categories, words and truth values are nominal), a list of names or
        indices, a boolean mask, or None. Rows that are encoded keep their kinds, whatever it says.
        """
        if isinstance(table, Rows):
            known = Columns(table.columns.kinds, table.columns.names, np.zeros(len(table.columns), dtype=bool))
            known._look_for_missing(table.matrix, None)
            return known, table.matrix
        nominal = nominal_columns(table, categorical_features)
        if isinstance(categorical_features, str):  # nobody has said that these are categories
            warn_of_odd_words([column for column, is_nominal in zip(table.columns, nominal.tolist()) if is_nominal])
        kinds = tuple(
            learn_kind(column, is_nominal) for column, is_nominal in zip(table.columns, nominal.tolist(), strict=True)
        )
        columns = cls(kinds, names, np.zeros(len(kinds), dtype=bool))
        matrix, suspects = columns._write(table)
        columns._look_for_missing(matrix, suspects)
        return columns, matrix

    def _look_for_missing(self, matrix: NDArray[Any], suspects: list[int] | None) -> None:
        for index in _without_finite_sum(matrix) if suspects is None else suspects:
            self.has_missing[index] = np.isnan(matrix[:, index]).any()

    @classmethod
    def described(
        cls,
        categories: Sequence[NDArray[Any] | None],
        names: NDArray[Any] | None,
        has_missing: NDArray[np.bool_],
        words: Sequence[str | None] | None = None,
    ) -> Self:
        """From what a model file keeps; `words` name the kinds that are neither categories nor plain numbers."""
        return cls(tuple(map(described_kind, categories, words or [None] * len(categories))), names, has_missing)

    @cached_property
    def categories(self) -> list[NDArray[Any] | None]:
        """The categories of a nominal column as an array, None for a numeric column."""
        return [kind.categories for kind in self.kinds]

    @cached_property
    def n_categories(self) -> NDArray[np.int32]:
        """Categories per column, 0 for a numeric one. A nominal column without any value still counts one."""
        return np.array([kind.n_categories for kind in self.kinds], dtype=np.int32)

    @cached_property
    def nominal(self) -> NDArray[np.bool_]:
        """Which columns are nominal."""
        return self.n_categories > 0

    @cached_property
    def _is_plain(self) -> bool:
        """Whether an array of floats is its own encoding."""
        return all(isinstance(kind, Numbers) for kind in self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    def name(self, column: int) -> str:
        """What rules call a column."""
        return f"x{column}" if self.names is None else str(self.names[column])

    def put_on(self, model: Any) -> Any:
        """Give a model what it says about its columns; the model itself."""
        model.n_features_in_ = len(self)
        if self.names is not None:
            model.feature_names_in_ = self.names
        model._columns = self
        return model

    def read(self, owner: Any, X: Any) -> NDArray[Any]:
        """Check and encode a table of a caller's; `owner` has what `put_on` gives, and is named in errors."""
        if self._is_familiar(X):
            rows: NDArray[Any] = X
            if self._is_plain:
                return rows
            return self._coded_one_by_one(rows) if len(rows) <= _ONE_BY_ONE else self.encode(ArrayTable(rows))
        floats = self._floats_of_frame(X)
        if floats is not None:
            return floats
        if isinstance(X, Rows):
            return X.coded_by(self)
        return self.encode(read_table(owner, X, reset=False))

    def _coded_one_by_one(self, X: NDArray[Any]) -> NDArray[Any]:
        """A few rows of floats: what `encode` makes of them, cell by cell."""
        rows = X.tolist()
        for row in rows:
            for index, codes, unseen in self._codes:
                cell = row[index]
                if cell == cell:
                    row[index] = codes.get(cell, unseen)
        return np.array(rows, dtype=X.dtype)

    @cached_property
    def _codes(self) -> list[tuple[int, dict[Any, int], int]]:
        """Of each nominal column its place, the codes of its categories, and the code of all others."""
        kinds = [(index, kind) for index, kind in enumerate(self.kinds) if isinstance(kind, Categories)]
        return [(index, kind.codes, kind.n_categories) for index, kind in kinds]

    def _is_familiar(self, X: Any) -> bool:
        """A few float rows of the right width, without infinities or names to compare: as they are asked for one by one."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and 0 < X.shape[0] <= _FEW_ROWS
            and X.dtype in _FLOATS
            and X.shape[1] == len(self.kinds)
            and self.names is None
            and not np.isinf(X).any()
        )

    def _floats_of_frame(self, X: Any) -> NDArray[Any] | None:
        """A few rows of a pandas frame that has these names and nothing but finite or missing numbers, some of them floats."""
        if self.names is None or not self._is_plain or type(X).__module__.partition(".")[0] != "pandas":
            return None
        if getattr(X, "ndim", 0) != 2 or not 0 < len(X) <= _FEW_ROWS or X.columns.tolist() != self.names.tolist():
            return None
        try:
            matrix = X.to_numpy()
        except NotImplementedError:  # of Arrow types that pandas only names
            return None
        return matrix if matrix.dtype in _FLOATS and not np.isinf(matrix).any() else None

    def encode(self, table: Table) -> NDArray[Any]:
        """A table with these columns as a matrix."""
        return self._write(table)[0]

    def _write(self, table: Table) -> tuple[NDArray[Any], list[int] | None]:
        """The matrix and, where its cells had to be looked at, the columns that may have missing values."""
        matrix = table.matrix()
        if matrix is not None:
            return (matrix if self._is_plain else self._with_codes(matrix, table.columns)), None
        columns = table.columns
        refuse([column for column, kind in zip(columns, self.kinds) if not kind.can_read(column)])
        small = all(kind.fits_float32(column) for column, kind in zip(columns, self.kinds))
        matrix = np.empty(table.shape, dtype=float_type(small), order="F")
        for index, (column, kind) in enumerate(zip(columns, self.kinds)):
            matrix[:, index] = kind.read(column)
        suspects = _without_finite_sum(matrix)
        for index in suspects:
            _refuse_infinity(matrix[:, index], columns[index].name)
        return matrix, suspects

    def _with_codes(self, matrix: NDArray[Any], columns: Sequence[Column]) -> NDArray[Any]:
        """An array of numbers of which some are categories."""
        small = all(kind.fits_float32(column) for kind, column in zip(self.kinds, columns, strict=True))
        with np.errstate(over="ignore"):  # of cells that become codes
            matrix = matrix.astype(float_type(small), order="F")
        for index in np.flatnonzero(self.nominal).tolist():
            matrix[:, index] = self.kinds[index].read(columns[index])
        return matrix

    def widened(self, *tables: Table) -> Columns:
        """The same columns with the values that these tables add: their codes follow those of the categories known here."""
        of_columns = zip(*(table.columns for table in tables), strict=True)
        kinds = tuple(kind.widened(found) for kind, found in zip(self.kinds, of_columns, strict=True))
        return Columns(kinds, self.names, self.has_missing)

    def only(self, places: Sequence[int]) -> Columns:
        """The columns at these places."""
        names = None if self.names is None else self.names[list(places)]
        return Columns(tuple(self.kinds[place] for place in places), names, self.has_missing[list(places)])

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


def _without_finite_sum(matrix: NDArray[Any]) -> list[int]:
    """The columns that may have NaN or infinities. Others have none; of these, the cells decide: a sum may overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        found: list[int] = np.flatnonzero(~np.isfinite(matrix.sum(axis=0))).tolist()
    return found


def _refuse_infinity(cells: NDArray[Any], name: str | int) -> None:
    infinite = np.flatnonzero(np.isinf(cells))
    if len(infinite):
        raise ValueError(
            f"Column {name!r} of X contains infinity in row {infinite[0]}, or a value too large for {cells.dtype}; "
            "give a finite number, or NaN for missing."
        )
