"""What every source of data sets hands over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._terminal import shown
from rarewood._validation import import_optional, rarest_label


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table, its labels, and where they come from.

    Parameters
    ----------
    name : str
        What :func:`load` calls it.
    X : pandas.DataFrame or ndarray of shape (n_rows, n_columns)
        Numbers and nominal columns (dtype category), NaN where a value is missing. An array only where pandas is not
        installed and no column is nominal.
    y : ndarray of shape (n_rows,)
        The label of each row.
    rare : object
        The label to find: the one the source names, or else the least frequent.
    target : str
        Name of the column that held the labels.
    source : str
        Where the table was read.
    citation : str
        What to cite, if the source says so.
    note : str
        What to know before using it.

    See Also
    --------
    load : A data set by its name.

    Examples
    --------
    >>> from rarewood.datasets import load
    >>> data = load("sklearn:breast_cancer")
    >>> data
    Dataset('sklearn:breast_cancer', 569 rows, 30 columns, 2 classes, rare 'malignant': 212 rows)
    >>> data.class_counts
    {'benign': 357, 'malignant': 212}
    """

    name: str
    X: Any
    y: NDArray[Any]
    rare: Any
    target: str = "class"
    source: str = ""
    citation: str = ""
    note: str = ""

    @property
    def class_counts(self) -> dict[Any, int]:
        """Number of rows of each class, most frequent first; ties in the order of the labels."""
        labels, counts = np.unique(self.y, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return {labels[i].item() if isinstance(labels[i], np.generic) else labels[i]: int(counts[i]) for i in order}

    @property
    def frame(self) -> Any:
        """The whole table as a data frame, labels last."""
        pandas = import_optional("pandas", "data", "a data frame")
        frame = self.X.copy() if hasattr(self.X, "columns") else pandas.DataFrame(self.X)
        frame[self.target] = self.y
        return frame

    @property
    def nominal(self) -> list[str]:
        """Names of the nominal columns."""
        if not hasattr(self.X, "columns"):
            return []
        return [str(name) for name, dtype in self.X.dtypes.items() if dtype == "category"]

    @shown
    def __repr__(self) -> str:
        counts = self.class_counts
        rows, columns = self.X.shape
        return (
            f"Dataset({self.name!r}, {rows} rows, {columns} columns, {len(counts)} classes, "
            f"rare {self.rare!r}: {counts[self.rare]} rows)"
        )


def check_rare(rare: Any, y: NDArray[Any], where: str) -> Any:
    """`rare` if rows carry it, the rarest label if it is None."""
    if rare is None:
        return rarest_label(y)
    known = np.unique(y).tolist()
    if rare not in known:
        raise ValueError(f"{where}: no row has the label rare={rare!r}. The labels are {', '.join(map(repr, known))}.")
    return rare
