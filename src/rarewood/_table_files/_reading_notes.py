"""What a user should know of how the cells of a file were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rarewood._table_files.labels import is_unlabelled
from rarewood._tables.date_texts import DateWriting
from rarewood._tables.kinds import Kind, writing_of
from rarewood._tables.notes import Note, NoteCode
from rarewood._tables.number_texts import NumberWriting

_TOTALS = ("total", "totals", "grand total", "sum", "summe", "gesamt", "subtotal", "average", "mean", "totale", "somme")


def notes_on_reading(kinds: Mapping[str, Kind], errors: Mapping[str, int], n_rows: int) -> Iterator[Note]:
    """Columns whose numbers or dates are written in a way that has to be told, and cells with errors of a spreadsheet."""
    for name, kind in kinds.items():
        writing = writing_of(kind)
        if isinstance(writing, NumberWriting):
            yield Note(NoteCode.NUMBERS, f"column {name!r} is read as numbers, {_of_numbers(writing)}", (name,))
        elif writing is not None:
            yield Note(NoteCode.MOMENTS, f"column {name!r} is read as dates, {_of_dates(writing)}", (name,))
    for name, count in errors.items():
        if count:
            yield Note(
                NoteCode.ERRORS,
                f"column {name!r} has errors of a spreadsheet, such as #VALUE!, in {count:,} of {n_rows:,} rows; they count as missing",
                (name,),
            )


def _of_numbers(writing: NumberWriting) -> str:
    read = f"{writing.in_words}: {writing.example!r} is {writing.number(writing.example):.12g}"
    if not writing.in_doubt:
        return read
    other = "--decimal ." if "." in writing.thousands else "--decimal ,"
    return f"{read}; if that is wrong, use {other}"


def _of_dates(writing: DateWriting) -> str:
    read = f"{writing.in_words}: {writing.example!r} is {writing.read(writing.example)}"
    if not writing.in_doubt:
        return read
    other = "dmy" if writing.order == "mdy" else "mdy"
    return f"{read}. No cell tells day and month apart; if it is the other way round, use --date-format {other}"


def note_on_footer(cells: Mapping[str, Any], label: str | None) -> Iterator[Note]:
    """The last row, if it has no label and looks like a total."""
    if label is None or isinstance(cells.get(label, []), (list, dict)) or not is_unlabelled(_bare(cells[label])):
        return
    word = next((cell for cell in map(_bare, cells.values()) if str(cell).strip(" :").lower() in _TOTALS), None)
    if word is not None:
        yield Note(NoteCode.FOOTER, f"the last row looks like a total ({word!r}) and is left out")


def _bare(cell: Any) -> Any:
    return cell.strip() if isinstance(cell, str) else cell
