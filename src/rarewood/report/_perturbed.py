"""Rows of a table with the cells of one column taken from other rows, and what a model makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarewood._tables import Rows, take_rows
from rarewood.metrics.areas import loss_with_interval
from rarewood.metrics.uncertainty import Estimate

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Scores = Callable[[Any], Floats]  # of the rare class, for a table of rows


def with_cells_of(X: Any, column: int, rows: Numbers, source: Any = None) -> Any:
    """A table whose cells in one column are those of other rows, of `source` or of the table itself: `rows` has a number for each."""
    source = X if source is None else source
    if isinstance(X, Rows):
        matrix = X.matrix.copy()
        matrix[:, column] = source.matrix[rows, column]
        return Rows(matrix, X.columns)
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        name = frame.columns[column]
        cells = nw.from_native(take_rows(source, rows), eager_only=True)[name]
        return frame.with_columns(cells.alias(name)).to_native()
    table, cells = (each.toarray() if sparse.issparse(each) else np.array(each) for each in (X, source))
    table[:, column] = cells[rows, column]
    return table


def losses_when_shuffled(
    scores: Scores,
    table: Any,
    is_rare: NDArray[np.bool_],
    columns: Sequence[int],
    *,
    repeats: int,
    rng: np.random.Generator,
) -> list[Estimate]:
    """How much the area under the ROC curve falls when the values of a column change places, for each of some columns.

    Rows whose score is NaN lend their values and count nowhere else.
    """
    whole = scores(table)
    scored = ~np.isnan(whole)

    def shuffled(column: int) -> Floats:
        return scores(with_cells_of(table, column, rng.permutation(len(is_rare))))[scored]

    return [
        loss_with_interval(whole[scored], [shuffled(column) for _ in range(repeats)], is_rare[scored])
        for column in columns
    ]


def some_of_both(is_rare: NDArray[np.bool_], most_rare: int, most_rest: int, rng: np.random.Generator) -> Numbers:
    """Rows of either class, no more than so many; in the order of the table."""
    kept = []
    for group, most in ((np.flatnonzero(is_rare), most_rare), (np.flatnonzero(~is_rare), most_rest)):
        kept.append(group if len(group) <= most else rng.choice(group, most, replace=False))
    return np.sort(np.concatenate(kept))
