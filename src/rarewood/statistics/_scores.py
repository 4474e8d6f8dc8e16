"""Reading scores, and when two of them are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._validation import Number, check_parameter, unmasked

_TIE = 1e-12  # relative; means of the same numbers in another order differ by less


def read_scores(scores: Any, names: Sequence[str] | None) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """A table of scores as float64 (data sets, methods), and the names of the methods.

    `scores` is a matrix, a data frame with a column per method, or a dictionary method -> scores.
    """
    found: Sequence[str] | None = None
    if isinstance(scores, Mapping):
        found = [str(name) for name in scores]
        scores = np.column_stack([as_numbers(column, f"scores[{name!r}]") for name, column in scores.items()])
    else:
        frame = nw.from_native(scores, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            found, scores = frame.columns, _frame_matrix(frame)
    matrix = as_numbers(scores, "scores", ndim=2)
    if matrix.shape[0] < 1 or matrix.shape[1] < 2:
        raise ValueError(
            f"scores has shape {matrix.shape}; give one row per data set and one column per method, at least 1 x 2."
        )
    labels = tuple(map(str, names if names is not None else found or range(1, matrix.shape[1] + 1)))
    if len(labels) != matrix.shape[1]:
        raise ValueError(f"names has {len(labels)} entries for {matrix.shape[1]} columns of scores.")
    _refuse_missing(matrix, labels)
    return matrix, labels


def _frame_matrix(frame: nw.DataFrame[Any]) -> NDArray[np.float64]:
    words = [column.name for column in frame.iter_columns() if not column.dtype.is_numeric()]
    if words:
        raise ValueError(
            f"these columns of scores are not numbers: {words}; leave out columns that are not the scores of a method."
        )
    return np.column_stack([column.to_numpy() for column in frame.iter_columns()]).astype(np.float64)


def _refuse_missing(matrix: NDArray[np.float64], names: Sequence[str]) -> None:
    if np.isfinite(matrix).all():
        return
    row, column = np.argwhere(~np.isfinite(matrix))[0]
    raise ValueError(
        f"the score of {names[column]!r} in row {row} is {matrix[row, column]}; ranks need every method on every "
        "data set: leave out the row or the method."
    )


def as_numbers(values: ArrayLike, name: str, ndim: int = 1) -> NDArray[np.float64]:
    """`values` as float64 of so many dimensions; None counts as NaN."""
    try:
        numbers = np.asarray(unmasked(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from error
    if numbers.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s'[: ndim > 1]}, got shape {numbers.shape}.")
    return numbers


def read_pair(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two equally long series of scores."""
    first, second = as_numbers(a, "a"), as_numbers(b, "b")
    if len(first) != len(second):
        raise ValueError(
            f"a has {len(first)} scores and b {len(second)}; they must be pairs of scores on the same folds or data "
            "sets."
        )
    return first, second


def differences(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first minus the second, exactly 0 where the two are tied."""
    gaps = a - b
    gaps[np.abs(gaps) <= _TIE * np.maximum(np.abs(a), np.abs(b))] = 0.0
    return gaps


def tied_made_equal(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """The values of one row, those that differ by rounding alone, relative to `scale`, replaced by the smallest of them."""
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    is_new = np.append(True, ~(np.diff(ascending) <= _TIE * scale))  # NaN is tied with nothing
    even = np.empty(len(values))
    even[order] = ascending[is_new][np.cumsum(is_new) - 1]
    return even


def check_level(level: float) -> None:
    """Refuse what is not a significance level."""
    check_parameter("level", level, Number(0.0, 1.0, open_low=True))
