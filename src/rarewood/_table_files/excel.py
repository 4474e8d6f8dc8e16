"""Sheets of Excel workbooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile

from rarewood._table_files._columns import Opened, Request, check_names, chosen, columns_of_rows, note_on_header
from rarewood._table_files._header import LOOKED_AT, rows_above_header
from rarewood._tables.notes import Note, NoteCode
from rarewood._validation import import_optional

_LISTED = 10
_LAST_ROW = 2**20  # the last one that Excel knows; openpyxl counts up to any that a file names
_LARGE, _DENSEST = 2**26, 100  # bytes, and how often a workbook's text becomes them; 10 to 30 times is usual


def excel_blocks(file: BinaryIO, asked: Request) -> Opened:
    """The rows of a sheet, the first with a table by default; a row near its top names the columns."""
    where = asked.where
    openpyxl = import_optional("openpyxl", "excel", "reading .xlsx")
    _check_parts(file, where)
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:  # it raises whatever its parsers do
        raise ValueError(f"{where} is a zip archive or a damaged workbook, not a valid .xlsx file: {error}.") from error
    sheet, rows = _sheet(book, asked)
    first = list(islice(rows, LOOKED_AT))
    skip = rows_above_header(first) if asked.skip is None else asked.skip
    first, rows = first[skip:], islice(rows, max(0, skip - len(first)), None)
    head = first.pop(0) if first else next(rows, ())
    names = ["" if name is None else str(name).strip() for name in head]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise ValueError(f"{where}: sheet {sheet.title!r} is empty; its first row should name the columns.")
    note_on_header(asked, skip, "row", f"{where}, sheet {sheet.title!r}")
    begin = next(place for place, name in enumerate(names) if name)
    if any(cell is not None for row in first for cell in row[:begin]):
        begin = 0
    end, names = len(names), names[begin:]
    check_names(names, where)

    def filled() -> Iterator[Sequence[Any]]:
        for number, row in enumerate(chain(first, rows), start=skip + 2):
            if number > _LAST_ROW:
                raise ValueError(
                    f"{where}: sheet {sheet.title!r} names a row beyond {_LAST_ROW:,}, the last one of Excel."
                )
            cells = list(row[begin:end]) + [None] * (end - max(len(row), begin))
            if any(cell is not None for cell in cells):
                yield cells

    return Opened(
        names, columns_of_rows(names, filled(), asked.n_rows), sheet.title if len(book.sheetnames) > 1 else None
    )


def _check_parts(file: BinaryIO, where: str) -> None:
    """Raise for an archive that would fill memory: shared texts, and a single cell, are unpacked in whole."""
    try:
        parts = ZipFile(file).infolist()
    except BadZipFile as error:
        raise ValueError(f"{where} begins like a zip archive or workbook, but is damaged or incomplete.") from error
    for part in parts:
        if part.file_size > max(_LARGE, _DENSEST * part.compress_size):
            raise ValueError(
                f"{where}: its part {part.filename} becomes {part.file_size:,} bytes from {part.compress_size:,}, "
                "more than any table does; it is not read."
            )


def _sheet(book: Any, asked: Request) -> tuple[Any, Iterator[Sequence[Any]]]:
    """The sheet that is named, or the first that has a table, and its rows."""
    names = book.sheetnames
    if asked.table is not None:
        sheet = book[chosen(asked.table, names, asked.where, "sheet")]
        return sheet, sheet.iter_rows(values_only=True)
    found = next((name for name in names if _has_table(book[name])), names[0])
    if len(names) > 1:
        listed = ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")
        asked.note(
            Note(
                NoteCode.SHEETS,
                f"{asked.where} has {len(names)} sheets, {listed}; {found} is read",
                remedy=", --sheet reads another",
            )
        )
    return book[found], book[found].iter_rows(values_only=True)


def _has_table(sheet: Any) -> bool:
    """Whether two of its first rows have two cells or more."""
    if not hasattr(sheet, "iter_rows"):  # a sheet of a chart
        return False
    rows = islice(sheet.iter_rows(values_only=True), LOOKED_AT)
    return sum(sum(cell is not None for cell in row) > 1 for row in rows) > 1
