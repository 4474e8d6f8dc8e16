"""Sheets of Excel workbooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, BinaryIO
from xml.parsers.expat import ParserCreate
from zipfile import BadZipFile, ZipFile

from rarewood._table_files._columns import Opened, Request, check_names, chosen, columns_of_rows, note_on_header
from rarewood._table_files._header import LOOKED_AT, rows_above_header
from rarewood._tables.notes import Note, NoteCode
from rarewood._validation import import_optional

_LISTED = 10
_LAST_ROW = 2**20  # the last one that Excel knows; openpyxl counts up to any that a file names
_LARGE, _DENSEST = 2**26, 100  # bytes, and how often a workbook's text becomes them; 10 to 30 times is usual
_SMALL, _MOST_AT_ONCE = (
    2**22,
    2**20,
)  # bytes of a part that cannot do harm; elements and attributes, ten times those of the widest row
_CHUNK = 2**16


def excel_blocks(file: BinaryIO, asked: Request) -> Opened:
    """The rows of a sheet, the first with a table by default; a row near its top names the columns."""
    where = asked.where
    openpyxl = import_optional("openpyxl", "excel", "reading .xlsx")
    _check_parts(file, where)
    with _told(where):
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    sheet = _sheet(book, asked)
    rows = _rows(sheet, where)
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


@contextmanager
def _told(where: str) -> Iterator[None]:
    """Whatever openpyxl and the parsers below it raise for a damaged workbook, as one error that names the file."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if isinstance(error, LookupError) else str(error)
        raise ValueError(
            f"{where} is a zip archive or a damaged workbook, not a valid .xlsx file: {what or type(error).__name__}."
        ) from error


def _rows(sheet: Any, where: str) -> Iterator[Sequence[Any]]:
    with _told(where):
        rows = sheet.iter_rows(values_only=True)
    while True:
        with _told(where):
            row = next(rows, None)
        if row is None:
            return
        yield row


def _check_parts(file: BinaryIO, where: str) -> None:
    """Raise for an archive that would fill memory: shared texts, and a single cell, are unpacked in whole."""
    try:
        archive = ZipFile(file)
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise ValueError(f"{where} begins like a zip archive or workbook, but is damaged or incomplete.") from error
    for part in archive.infolist():
        if part.file_size > max(_LARGE, _DENSEST * part.compress_size):
            raise ValueError(
                f"{where}: its part {part.filename} becomes {part.file_size:,} bytes from {part.compress_size:,}, "
                "more than any table does; it is not read."
            )
        if part.file_size > _SMALL:
            with _told(where), archive.open(part) as text:
                most = _most_at_once(text)
            if most > _MOST_AT_ONCE:
                raise ValueError(
                    f"{where}: its part {part.filename} has more than {_MOST_AT_ONCE:,} elements in one row, or outside of rows, more than "
                    "any table has; it is not read."
                )


def _most_at_once(text: Any) -> int:
    """Elements and attributes that are in memory at the same time: openpyxl forgets what is in a row, or in a shared text, behind it."""
    depth = around = outside = inside = most = 0

    def begin(name: str, attributes: list[str]) -> None:
        nonlocal depth, around, outside, inside
        depth += 1
        if around:
            inside += 1 + len(attributes) // 2
        elif name.rpartition(":")[2] in ("row", "si"):
            around, inside = depth, 0
        else:
            outside += 1 + len(attributes) // 2

    def end(_name: str) -> None:
        nonlocal depth, around, most
        if around == depth:
            around, most = 0, max(most, inside)
        depth -= 1

    parser = ParserCreate()
    parser.ordered_attributes = True
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    while (some := text.read(_CHUNK)) and outside + max(most, inside) <= _MOST_AT_ONCE:
        parser.Parse(some)
    return outside + max(most, inside)


def _sheet(book: Any, asked: Request) -> Any:
    """The sheet that is named, or the first that has a table."""
    names = book.sheetnames
    if asked.table is not None:
        return book[chosen(asked.table, names, asked.where, "sheet")]
    if not names:
        raise ValueError(f"{asked.where} has no sheets.")
    found = next((name for name in names if _has_table(book[name], asked.where)), names[0])
    if len(names) > 1:
        listed = ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")
        asked.note(
            Note(
                NoteCode.SHEETS,
                f"{asked.where} has {len(names)} sheets, {listed}; {found} is read",
                remedy=", --sheet reads another",
            )
        )
    return book[found]


def _has_table(sheet: Any, where: str) -> bool:
    """Whether two of its first rows have two cells or more."""
    if not hasattr(sheet, "iter_rows"):  # a sheet of a chart
        return False
    rows = islice(_rows(sheet, where), LOOKED_AT)
    return sum(sum(cell is not None for cell in row) > 1 for row in rows) > 1
