"""What a user should know of how the cells of a file were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files._columns import Block
from rarewood._table_files.labels import is_unlabelled
from rarewood._tables.cells import ERRORS
from rarewood._tables.date_texts import DateWriting
from rarewood._tables.kinds import Kind, writing_of
from rarewood._tables.notes import Note, NoteCode, as_option
from rarewood._tables.number_texts import NumberWriting

_TOTALS = ("total", "totals", "grand total", "sum", "summe", "gesamt", "subtotal", "average", "mean", "totale", "somme")


def notes_on_reading(kinds: Mapping[str, Kind], errors: Mapping[str, int], n_rows: int) -> Iterator[Note]:
    """Columns whose numbers or dates are written in a way that has to be told, and cells with errors of a spreadsheet."""
    for name, kind in kinds.items():
        writing = writing_of(kind)
        if isinstance(writing, NumberWriting):
            yield _note_on_numbers(name, writing)
        elif writing is not None:
            yield _note_on_dates(name, writing)
    yield from notes_on_errors(errors, n_rows)


def notes_on_errors(errors: Mapping[str, int], n_rows: int) -> Iterator[Note]:
    """Columns with cells that are errors of a spreadsheet; `errors` counts them."""
    for name, count in errors.items():
        if count:
            yield Note(
                NoteCode.ERRORS,
                f"column {name!r} has errors of a spreadsheet, such as #VALUE!, in {count:,} of {n_rows:,} rows; they count as missing",
                (name,),
            )


def errors_in(cells: Any, missing: NDArray[np.bool_]) -> int:
    """How many cells of a column are errors of a spreadsheet: some of those that were read as `missing`, so no others are looked at.

    Cells that are typed already have none.
    """
    if not isinstance(cells, (list, tuple)) or not missing.any():
        return 0
    words = Counter(cell for cell in compress(cells, missing.tolist()) if isinstance(cell, str))
    return sum(count for word, count in words.items() if word.strip() in ERRORS)


def _note_on_numbers(name: str, writing: NumberWriting) -> Note:
    value = f"{writing.number(writing.example) + 0.0:.12g}"  # and not -0
    text = f"column {name!r} is read as numbers, {writing.in_words}: {writing.example!r} is {value}"
    if writing.without_percent:
        text += f". Some cells have no percent sign, such as {writing.without_percent!r}, and are read as points, too"
    other = "." if "." in writing.thousands else ","
    remedy = f"; if that is wrong, use --decimal {other}" if writing.in_doubt else ""
    return Note(NoteCode.NUMBERS, text, (name,), remedy)


def _note_on_dates(name: str, writing: DateWriting) -> Note:
    text = (
        f"column {name!r} is read as dates, {writing.in_words}: {writing.example!r} is {writing.read(writing.example)}"
    )
    if not writing.in_doubt:
        return Note(NoteCode.MOMENTS, text, (name,))
    other = "dmy" if writing.order == "mdy" else "mdy"
    remedy = f"; if it is the other way round, use --date-format {other}"
    return Note(NoteCode.MOMENTS, f"{text}. No cell tells day and month apart", (name,), remedy)


def notes_on_zeros(cells: Mapping[str, str]) -> Iterator[Note]:
    """Columns of numbers with a zero in front, which may be codes; of each, such a cell."""
    for name, text in cells.items():
        yield Note(
            NoteCode.ZEROS,
            f"column {name!r} is read as numbers, and has some with a zero in front, such as {text!r}",
            (name,),
            f"; if they are codes, use {as_option('--nominal', name)}",
        )


def note_on_footer(block: Block, label: str) -> Note | None:
    """The last row of a block, if it has no label and looks like a total."""
    cells = block.columns[label]
    last = cells[-1] if len(cells) else []
    if not is_unlabelled(last.strip() if isinstance(last, str) else last):
        return None
    word = _total_in(block.last_row)
    return (
        None if word is None else Note(NoteCode.FOOTER, f"the last row looks like a total ({word!r}) and is left out")
    )


def note_on_scored_footer(block: Block) -> Note | None:
    """The last row of a block to score, which has no label either way, if it looks like a total."""
    word = _total_in(block.last_row)
    return (
        None
        if word is None
        else Note(NoteCode.FOOTER, f"the last row looks like a total ({word!r}), and is scored like the others")
    )


def _total_in(cells: Iterable[Any]) -> str | None:
    words = (cell.strip() for cell in cells if isinstance(cell, str))
    return next((word for word in words if word.strip(" :").lower() in _TOTALS), None)
