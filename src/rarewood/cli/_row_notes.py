"""Notes on rows: copies of others, and rows that may belong together without being told so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import Rows
from rarewood._tables.notes import Note, NoteCode
from rarewood._tables.repeats import copies_in
from rarewood._validation import Labels

_FEWEST_VALUES = 30  # of a column that may name what rows belong to
_MOST_ROWS = 50.0  # of such a value, on average
_FEWEST_RARE = 5  # values with more than one rare row
_LEAST_SHARE, _LEAST_LIFT = 0.5, 5.0  # of rare rows among the others of a value that a rare row has


def notes_on_rows(rows: Rows, labels: Labels, is_rare: NDArray[np.bool_], *, is_grouped: bool) -> Iterator[Note]:
    """How many rows are copies of others; a column whose values may be groups, unless rows are divided by a column already."""
    copies = None if is_grouped else copies_in(rows.matrix, labels, None)
    if copies is not None and copies.n_repeated:
        yield Note(
            NoteCode.REPEATED,
            f"{copies.n_repeated:,} of {len(rows):,} rows equal another in all columns: trees, folds and rules never learn from one and "
            "are judged by the other",
        )
    if is_grouped:
        return
    for name, cells in zip(rows.names, rows.matrix.T, strict=True):
        if may_name_groups(cells, is_rare):
            yield Note(
                NoteCode.TOGETHER,
                f"rows with the same {name!r} are nearly always of the same class: if they belong together, such as all rows of a "
                f"customer, use --group {name}, or scores are too good",
                (name,),
            )
            return


def may_name_groups(cells: NDArray[np.floating], is_rare: NDArray[np.bool_]) -> bool:
    """Whether rare rows share many values of a column with hardly any others."""
    known = ~np.isnan(cells)
    values, of_row, sizes = np.unique(cells[known], return_inverse=True, return_counts=True)
    repeated = sizes > 1
    if (
        np.count_nonzero(repeated) < _FEWEST_VALUES
        or sizes[repeated].mean() > _MOST_ROWS
        or 2 * len(values) > known.sum()
    ):
        return False
    n_rare = np.bincount(of_row.ravel(), weights=is_rare[known], minlength=len(values))
    if np.count_nonzero(n_rare > 1) < _FEWEST_RARE:
        return False
    others, rare_others = (n_rare * (sizes - 1)).sum(), (n_rare * (n_rare - 1)).sum()
    share = rare_others / others
    return bool(share >= max(_LEAST_SHARE, min(0.95, _LEAST_LIFT * is_rare.mean())))
