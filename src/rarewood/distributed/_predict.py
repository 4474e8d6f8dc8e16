"""Predicting for data in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rarewood._tables.kinds import Categories
from rarewood.distributed.parts import ParquetPart, Part, parts_of
from rarewood.ensemble.base import BaseForest


def predict_proba(model: BaseForest, data: Any) -> Any:
    """Predict class probabilities lazily, part by part.

    Parameters
    ----------
    model : fitted forest
        A forest fitted with :func:`rarewood.distributed.fit` or in memory.
    data : paths of Parquet files, data frame, list of data frames, or Dask data frame
        A path, a glob, a folder, or a list of them; pandas, polars or pyarrow data frames, one per partition; or a Dask
        data frame. Columns that the model does not know are ignored.

    Returns
    -------
    iterator of ndarray, or Dask data frame
        One array of shape (rows, classes) per part, also for empty parts; for a Dask data frame, a lazy data frame with a
        column per class.

    Examples
    --------
    >>> import numpy as np, pandas as pd, rarewood as rw
    >>> frame = pd.DataFrame({"a": np.arange(40.0)})
    >>> model = rw.HeDExClassifier(5, random_state=0).fit(frame, np.arange(40) > 35)
    >>> [part.shape for part in rw.distributed.predict_proba(model, [frame[:30], frame[30:30], frame[30:]])]
    [(30, 2), (0, 2), (10, 2)]
    """
    check_is_fitted(model)
    if getattr(model, "feature_names_in_", None) is None:
        raise ValueError(
            "the model was fitted without column names; fit it to a data frame to predict for data in parts."
        )
    if type(data).__module__.startswith(("dask.", "dask_expr")):
        from rarewood.distributed._dask import lazy_probabilities

        return lazy_probabilities(model, data)
    return _of_parts(model, parts_of(data))


def _of_parts(model: BaseForest, parts: list[Part]) -> Iterator[NDArray[np.float64]]:
    known = _words_of(model)
    for part in parts:
        yield probabilities(model, part.read(known) if isinstance(part, ParquetPart) else part.read())


def _words_of(model: BaseForest) -> dict[str, frozenset[str]]:
    """By column, the words that are categories of the model, or of one of its problems where each reads tables for itself."""
    known: dict[str, frozenset[str]] = {}
    for each in [model] if hasattr(model, "_columns") else model.estimators_:
        columns = getattr(each, "_columns", None)  # which estimators of other libraries do not have
        for name, kind in zip(model.feature_names_in_.tolist(), columns.kinds if columns else (), strict=bool(columns)):
            if isinstance(kind, Categories):
                known[name] = known.get(name, frozenset()) | kind.written
    return known


def probabilities(model: BaseForest, frame: Any) -> NDArray[np.float64]:
    """Probabilities for a data frame, which may have no rows, and columns that the model does not know."""
    table = nw.from_native(frame, eager_only=True)
    names = columns_of(model, table.columns)
    if len(table) == 0:
        return np.empty((0, len(model.classes_)))
    return model.predict_proba(table.select(names).to_native())


def columns_of(model: BaseForest, given: Sequence[str]) -> list[str]:
    """The columns that the model was fitted to; raises if some of them are not given."""
    names = list(model.feature_names_in_)
    for name in names:
        if name not in given:
            raise ValueError(
                f"the data have no column {name!r}, which the model was fitted to; they have {list(given)[:20]}."
            )
    return names
