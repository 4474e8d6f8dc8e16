"""The data sets of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets

from rarewood._tables import check_names, take_rows
from rarewood._validation import did_you_mean, read_labels, unmasked
from rarewood.evaluation._fingerprint import fingerprint
from rarewood.evaluation.divisions import Division
from rarewood.metrics import rarest_label


@dataclass(frozen=True, eq=False)
class LabelledData:
    """One data set: a table, its labels, all its classes sorted, which of them is rare, and what chance must not divide.

    `groups` are those that a data set brings along for splitters of scikit-learn; `division` is what the caller asks for.
    """

    name: str
    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    rare: Any
    groups: Any = None
    division: Division | None = None

    @property
    def n_rows(self) -> int:
        return len(self.y)

    def rows(self, indices: NDArray[np.intp]) -> Any:
        """Some rows of X, in a container of the same kind."""
        return take_rows(self.X, indices)

    def describe(self) -> dict[str, Any]:
        """The description of the data set that a record file keeps."""
        sizes = [int((self.y == label).sum()) for label in self.classes]
        return {
            "fingerprint": fingerprint(self.X, self.y, repr(self.rare)),
            "n_rows": self.n_rows,
            "n_columns": int(self.X.shape[1]),
            "classes": {str(label): size for label, size in zip(self.classes.tolist(), sizes)},
            "rare": str(self.rare),
        }


def read_datasets(datasets: Any, groups: Any = None, time: Any = None, delay: Any = None) -> list[LabelledData]:
    """A dictionary name -> (X, y), or objects with `X` and `y`, as tables; `groups`, `time` and `delay` as in `compare`."""
    if not isinstance(datasets, Mapping):
        datasets = _by_name(datasets)
    if not datasets:
        raise ValueError("datasets is empty; give a dictionary from names to (X, y).")
    for given, parameter in ((groups, "groups"), (time, "time")):
        unknown = [name for name in given if name not in datasets] if isinstance(given, Mapping) else []
        if unknown:
            raise ValueError(f"{parameter} names a data set that is not compared: {unknown[0]!r}.")
    return [_read(str(name), data, _of(groups, name), _of(time, name), delay) for name, data in datasets.items()]


def _of(given: Any, name: Any) -> Any:
    return given.get(name) if isinstance(given, Mapping) else given


def _by_name(datasets: Any) -> dict[str, Any]:
    """A list of objects that have a name."""
    try:
        return {data.name: data for data in datasets}
    except (AttributeError, TypeError) as error:
        raise TypeError(
            f"datasets must be a dictionary from names to (X, y), got {type(datasets).__name__}; a list works if "
            "every item has the attributes name, X and y."
        ) from error


def _read(name: str, data: Any, groups: Any, time: Any, delay: Any) -> LabelledData:
    X, y, rare, own_groups = _parts(name, data)
    X = _as_table(name, X)
    try:
        labels = read_labels(y)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        classes = np.unique(labels)
        X, division = _divided(X, groups, time, delay)
    except (TypeError, ValueError) as error:
        raise ValueError(f"data set {name!r}: {error}") from error
    if len(labels) != X.shape[0]:
        raise ValueError(f"data set {name!r}: X has {X.shape[0]} rows and y {len(labels)} labels.")
    if len(classes) < 2:
        raise ValueError(f"data set {name!r}: y has a single class, {classes.tolist()}; a comparison needs two.")
    if rare is None:
        rare = rarest_label(labels)
    elif not np.any(classes == rare):
        raise ValueError(f"data set {name!r}: the rare class {rare!r} is not in y; the classes are {classes.tolist()}.")
    if division is not None and division.groups is not None:
        own_groups = division.groups
    return LabelledData(name, X, labels, classes, rare, own_groups, division)


def _divided(X: Any, groups: Any, time: Any, delay: Any) -> tuple[Any, Division | None]:
    """The table without the columns that divide it, which are not learned from."""
    names = [given for given in (time, groups) if isinstance(given, str)]
    cells = [_column(X, given) if isinstance(given, str) else given for given in (time, groups)]
    called = [_name_of(given) or word for given, word in ((time, "time"), (groups, "groups"))]
    for given, word in zip(cells, called, strict=True):
        if given is not None and len(given) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows and {word} {len(given)} values.")
    division = Division.read(cells[0], cells[1], called[0], called[1], delay)
    if names:
        X = nw.from_native(X, eager_only=True).drop(list(dict.fromkeys(names))).to_native()
        if not X.shape[1]:
            raise ValueError(f"X has no column to train on except {' and '.join(map(repr, names))}.")
    return X, division


def _name_of(given: Any) -> str:
    return given if isinstance(given, str) else str(getattr(given, "name", None) or "")


def _column(X: Any, name: str) -> Any:
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"X has no column {name!r}, because it is an array without column names; give an array with one value per "
            "row instead."
        )
    if name not in frame.columns:
        raise ValueError(
            f"X has no column {name!r}{did_you_mean(name, frame.columns)} It has {', '.join(frame.columns[:10])}."
        )
    return frame[name].to_native()


def _parts(name: str, data: Any) -> tuple[Any, Any, Any, Any]:
    """X, y, the rare label and groups; the last two may be None."""
    for x_name, y_name in (("X", "y"), ("data", "target")):
        if hasattr(data, x_name) and hasattr(data, y_name):
            rare, groups = getattr(data, "rare", None), getattr(data, "groups", None)
            return getattr(data, x_name), getattr(data, y_name), rare, groups
    if isinstance(data, (tuple, list)) and len(data) in (2, 3):
        X, y, *rare = data
        return X, y, rare[0] if rare else None, None
    raise TypeError(
        f"data set {name!r} is {type(data).__name__}; give (X, y), (X, y, rare label), or an object with X and y, "
        "or data and target."
    )


def _as_table(name: str, X: Any) -> Any:
    try:
        check_names(X)
    except ValueError as error:
        raise ValueError(f"data set {name!r}: {error}") from error
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"data set {name!r}: X is a lazy frame; call its collect() method and pass the result.")
    if sparse.issparse(X):
        return X.tocsr()
    table = X if isinstance(frame, nw.DataFrame) else np.asarray(unmasked(X))
    if len(table.shape) != 2 or 0 in table.shape:
        raise ValueError(f"data set {name!r}: X has shape {table.shape}; give rows and columns, at least one of each.")
    return table
