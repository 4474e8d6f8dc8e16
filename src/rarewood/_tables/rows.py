"""Rows of a table in the coding of its columns, alone or with labels; and some rows of whatever holds rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarewood._validation import Labels, import_optional, unmasked

if TYPE_CHECKING:
    from rarewood._tables._columns import Columns

RowNumbers = NDArray[np.intp]

_MANY = 1000


@dataclass(frozen=True, eq=False)
class Rows:
    """A matrix in the coding of its columns: whatever takes a caller's table takes these rows in its place.

    Codes past the last category stand for values that the columns do not know; they may differ.
    """

    matrix: NDArray[Any]
    columns: Columns

    @classmethod
    def of(cls, model: Any, X: Any) -> Rows:
        """A caller's table in the coding of a fitted model."""
        columns: Columns = model._columns
        return X if isinstance(X, Rows) and X.columns is columns else cls(columns.read(model, X), columns)

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape[0], self.matrix.shape[1]

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def names(self) -> list[str]:
        """What the columns are called."""
        return [self.columns.name(index) for index in range(len(self.columns))]

    def frame(self) -> Any:
        """A pandas data frame with the values that the cells stand for; numbers are views of the matrix, to look at only."""
        pandas = import_optional("pandas", "data", "tables from files")
        of_columns = zip(self.names, self.columns.kinds, self.matrix.T, strict=True)
        return pandas.DataFrame({name: kind.values(cells) for name, kind, cells in of_columns}, copy=False)

    def keep_columns(self, names: Sequence[str]) -> Rows:
        """These columns alone, in the memory of the matrix, so that no cell is there twice: the rows must not be used any more."""
        places = [place for place, name in enumerate(self.names) if name in names]
        for new, place in enumerate(places):
            if new != place:
                self.matrix[:, new] = self.matrix[:, place]
        return Rows(self.matrix[:, : len(places)], self.columns.only(places))

    def coded_by(self, columns: Columns) -> NDArray[Any]:
        """The matrix; raises unless it was made for these columns."""
        if self.columns is not columns:
            raise ValueError(
                "these rows were encoded for the columns of another model; encode them again for this one."
            )
        return self.matrix


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows with the class of each, the label of the class to be found, and the weight of each row.

    `positive` is one of `labels.classes`, or None where no class is wanted more than the others. Without `weights`, all rows
    count the same.
    """

    rows: Rows
    labels: Labels
    positive: Any = None
    weights: NDArray[np.float64] | None = None

    @property
    def matrix(self) -> NDArray[Any]:
        """The cells of the rows."""
        return self.rows.matrix

    @property
    def columns(self) -> Columns:
        """What is known of the columns of the rows."""
        return self.rows.columns

    @property
    def y(self) -> NDArray[Any]:
        """The label of each row."""
        return np.asarray(self.labels.classes[self.labels.codes])

    @property
    def is_rare(self) -> NDArray[np.bool_]:
        """Which rows belong to the class to be found."""
        return np.asarray((self.labels.classes == self.positive)[self.labels.codes])

    def __len__(self) -> int:
        return len(self.labels.codes)

    def take(self, numbers: RowNumbers) -> LabelledRows:
        """The rows of those numbers, in that order; classes without a row are kept."""
        labels = Labels(self.labels.classes, self.labels.codes[numbers])
        weights = None if self.weights is None else self.weights[numbers]
        return LabelledRows(take_rows(self.rows, numbers), labels, self.positive, weights)


def take_rows(container: Any, numbers: RowNumbers) -> Any:
    """The rows of those numbers, in that order, in a container of the same kind."""
    if isinstance(container, Rows):
        return Rows(_take(container.matrix, numbers), container.columns)
    if isinstance(container, (list, tuple)):
        return [container[row] for row in numbers]
    if sparse.issparse(container):
        return container.tocsr()[numbers]
    known = nw.from_native(container, pass_through=True, allow_series=True)
    if isinstance(known, (nw.DataFrame, nw.Series)):
        return renumbered(known[numbers.tolist()]).to_native()
    return np.asarray(unmasked(container))[numbers]


def _take(matrix: NDArray[Any], numbers: RowNumbers) -> NDArray[Any]:
    """Rows of a matrix, in the order in memory that the matrix has, which is the fastest to read."""
    if not matrix.flags.f_contiguous or len(numbers) < _MANY:
        return np.asarray(matrix[numbers])
    taken = np.empty((len(numbers), matrix.shape[1]), dtype=matrix.dtype, order="F")
    for column in range(matrix.shape[1]):
        np.take(matrix[:, column], numbers, out=taken[:, column])
    return taken


def renumbered(frame: Any) -> Any:
    """A frame whose rows are numbered from 0, as in imbalanced-learn; pandas would keep the labels of the rows taken."""
    return nw.maybe_reset_index(frame)
