"""Notes on rows: copies of others, and rows that may belong together without being told so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import Rows
from rarewood._tables.notes import Note, NoteCode, as_option
from rarewood._tables.repeats import copies_in
from rarewood._tables.suspicions import rare_together
from rarewood._validation import Labels
from rarewood._wording import share_in_words


def notes_on_rows(rows: Rows, labels: Labels, is_rare: NDArray[np.bool_], *, is_grouped: bool) -> Iterator[Note]:
    """How many rows are copies of others; a column whose values may be groups, unless rows are divided by a column already."""
    if len(rows.columns) > len(rows):
        yield Note(
            NoteCode.WIDE,
            f"{len(rows.columns):,} columns for {len(rows):,} rows: chance makes some of them look useful, and scores vary with the seed",
            remedy="; more trees help, such as -s n_estimators=1000, and so do fewer columns",
        )
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
        share = rare_together(cells, is_rare)
        if share is not None:
            yield Note(
                NoteCode.TOGETHER,
                f"{share:.0%} of the rows with the same {name!r} as a rare row are rare, and {share_in_words(float(is_rare.mean()))} of "
                f"all rows: if they belong together, such as all rows of a customer, use {as_option('--group', name)}, or scores are too "
                "good",
                (name,),
            )
            return
