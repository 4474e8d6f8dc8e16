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
            yield _note_on_numbers(name, writing)
        elif writing is not None:
            yield _note_on_dates(name, writing)
    for name, count in errors.items():
        if count:
            yield Note(
                NoteCode.ERRORS,
                f"column {name!r} has errors of a spreadsheet, such as #VALUE!, in {count:,} of {n_rows:,} rows; they count as missing",
                (name,),
            )


def _note_on_numbers(name: str, writing: NumberWriting) -> Note:
    value = f"{writing.number(writing.example):.12g}"
    text = f"column {name!r} is read as numbers, {writing.in_words}: {writing.example!r} is {value}"
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
            f"; if they are codes, use --nominal {name}",
        )


def note_on_footer(cells: Mapping[str, Any], label: str | None) -> Iterator[Note]:
    """The last row, if it has no label and looks like a total."""
    if label is None or isinstance(cells.get(label, []), (list, dict)) or not is_unlabelled(_bare(cells[label])):
        return
    word = next((cell for cell in map(_bare, cells.values()) if str(cell).strip(" :").lower() in _TOTALS), None)
    if word is not None:
        yield Note(NoteCode.FOOTER, f"the last row looks like a total ({word!r}) and is left out")


def _bare(cell: Any) -> Any:
    return cell.strip() if isinstance(cell, str) else cell
