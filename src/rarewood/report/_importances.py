"""The importance of each column to a model."""

from __future__ import annotations

from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rarewood._tables import take_rows
from rarewood.report._areas import area

_MOST_ROWS = 5000
_REPEATS = 3


class Importances(NamedTuple):
    """A number per column, and the sentence that says what it measures."""

    sizes: NDArray[np.float64]
    meaning: str


def importances(
    model: Any, inner: Any, X: Any, is_rare: NDArray[np.bool_], positive: int, random_state: int
) -> Importances:
    """The model's own importances; where it has none for these columns, what shuffling a column costs in ranking."""
    own = getattr(inner, "feature_importances_", None)
    n_columns = np.shape(X)[1]
    if own is not None and len(own) == n_columns:
        meaning = "Importance is the share of the column in the total gain of all splits, on the training rows."
        return Importances(np.asarray(own, dtype=np.float64), meaning)
    meaning = "Importance is how much the area under the ROC curve on these rows falls when the values of the column are shuffled."
    losses = _losses_when_shuffled(model, X, is_rare, positive, np.random.default_rng(random_state))
    return Importances(losses, meaning)


def _losses_when_shuffled(
    model: Any, X: Any, is_rare: NDArray[np.bool_], positive: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    rows = _some_rows(is_rare, rng)
    table, rare = take_rows(X, rows), is_rare[rows]

    def area_of(rows: Any) -> float:
        return area(np.asarray(model.predict_proba(rows), dtype=np.float64)[:, positive], rare)

    whole = area_of(table)
    losses = [
        [whole - area_of(_shuffled(table, column, rng.permutation(len(rows)))) for column in range(np.shape(X)[1])]
        for _ in range(_REPEATS)
    ]
    return np.asarray(np.mean(losses, axis=0))


def _some_rows(is_rare: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
    """All rows, or so many of either class that both keep their share, at least two."""
    if len(is_rare) <= _MOST_ROWS:
        return np.arange(len(is_rare))
    kept = []
    for group in (np.flatnonzero(is_rare), np.flatnonzero(~is_rare)):
        size = min(len(group), max(2, round(_MOST_ROWS * len(group) / len(is_rare))))
        kept.append(rng.choice(group, size, replace=False))
    return np.sort(np.concatenate(kept))


def _shuffled(X: Any, column: int, order: NDArray[np.intp]) -> Any:
    """A table with the values of one column in another order."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        name = frame.columns[column]
        return frame.with_columns(frame[name][order.tolist()].alias(name)).to_native()
    table = X.copy()
    table[:, column] = X[order, column]
    return table
