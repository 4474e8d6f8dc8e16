"""Notes on columns: identifiers taken for information, numbers taken for categories, columns without information."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import Rows
from rarewood._tables.cells import is_number
from rarewood._tables.kinds import Categories, Kind, Numbers
from rarewood._tables.suspicions import NOTED, counts_rows, is_identifier
from rarewood.cli._notes import Note, NoteCode
from rarewood.cli._schema import InputSchema


def notes_on_columns(rows: Rows, schema: InputSchema, nominal: Sequence[str]) -> Iterator[Note]:
    """What looks odd; a column that a user calls `nominal` may have as many categories as it likes."""
    for name, kind, cells in zip(schema.names, rows.columns.kinds, rows.matrix.T, strict=True):
        what = _oddity(cells, kind, name not in nominal)
        if what is not None:
            yield Note(NoteCode.COLUMN, f"column {name!r} {what}", (name,))


def note_on_dates(schema: InputSchema) -> Iterator[Note]:
    """A random split tests on the past what will be used on the future."""
    dates = [name for name, kind in schema.kinds.items() if kind.word in ("date", "datetime")]
    if dates:
        yield Note(
            NoteCode.DATES,
            f"column {dates[0]!r} holds dates: if new rows will be later ones, --time {dates[0]} tests the model on the latest rows",
            (dates[0],),
        )


def _oddity(cells: NDArray[np.floating], kind: Kind, is_guessed: bool) -> str | None:
    if not isinstance(kind, Categories):
        return _oddity_of_numbers(cells, kind)
    n_values, n_rows = int((np.bincount(cells[~np.isnan(cells)].astype(np.intp)) > 0).sum()), len(cells)
    if n_values < 2:
        return "is constant" if n_values else "is empty"
    if is_guessed and n_values > NOTED.more_values_than:
        texts = kind.categories.tolist()
        unread = [text for text in texts if not is_number(text)]
        if unread and n_values < 2 * sum(is_number(text.replace(",", "")) for text in texts):
            return (
                f"was read as categories because of cells such as {unread[0]!r}: write numbers with a point and no commas, "
                "and leave missing cells empty"
            )
        if is_identifier(n_values, n_rows, NOTED):
            return f"has {n_values:,} categories in {n_rows:,} rows: use --id if it identifies rows, --drop otherwise"
    return None


def _oddity_of_numbers(cells: NDArray[np.floating], kind: Kind) -> str | None:
    present = cells[~np.isnan(cells)]
    if not len(present):
        return "is empty"
    if (present == present[0]).all():
        return "is constant"
    if isinstance(kind, Numbers) and counts_rows(cells):
        return "numbers the rows: use --id if it identifies rows, --drop otherwise"
    return None
