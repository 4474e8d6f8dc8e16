"""Sheets of Excel workbooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO
from zipfile import BadZipFile

from rarewood._table_files._columns import Opened, check_names, chosen, columns_of_rows
from rarewood._validation import import_optional


def excel_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """The rows of a sheet, the first by default; its first row names the columns."""
    openpyxl = import_optional("openpyxl", "excel", "reading .xlsx")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except BadZipFile as error:
        raise ValueError(f"{where} begins like a zip archive or workbook, but is damaged or incomplete.") from error
    except Exception as error:  # it raises whatever its parsers do
        raise ValueError(f"{where} is a zip archive or a damaged workbook, not a valid .xlsx file: {error}.") from error
    sheet = book[chosen(table or book.sheetnames[0], book.sheetnames, where, "sheet")]
    rows = sheet.iter_rows(values_only=True)
    head = next(rows, ())
    names = ["" if name is None else str(name).strip() for name in head]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise ValueError(f"{where}: sheet {sheet.title!r} is empty; its first row should name the columns.")
    check_names(names, where)

    def filled() -> Iterator[Sequence[Any]]:
        for row in rows:
            cells = list(row[: len(names)]) + [None] * (len(names) - len(row))
            if any(cell is not None for cell in cells):
                yield cells

    return names, columns_of_rows(names, filled(), n_rows)
