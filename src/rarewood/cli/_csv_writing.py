"""Rows as lines of CSV files."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, BinaryIO

from rarewood._tables.cells import number_of


class CsvWriter:
    """Rows of cells as lines of text in a file of bytes; every cell can be read again as it was, line ends in it among them.

    With `safe`, a quote is in front of what a spreadsheet would compute.
    """

    def __init__(self, file: BinaryIO, delimiter: str = ",", safe: bool = False) -> None:
        self._file, self._safe = file, safe
        # A cell is quoted if it holds a character of the line end. So both are told, and one is written.
        self._waiting: list[str] = []
        self._lines = csv.writer(
            SimpleNamespace(write=self._waiting.append), delimiter=delimiter, lineterminator="\r\n"
        )

    def row(self, cells: Iterable[Any]) -> None:
        """One line."""
        self.rows([cells])

    def rows(self, rows: Iterable[Iterable[Any]]) -> None:
        """A line each, all of them written at once."""
        if self._safe:
            rows = (map(not_a_formula, row) for row in rows)
        self._lines.writerows(rows)
        text = "".join([f"{line[:-2]}\n" for line in self._waiting])
        self._waiting.clear()
        self._file.write(text.encode("utf-8", "backslashreplace"))


def not_a_formula(cell: Any) -> Any:
    """The cell, with a quote in front if a spreadsheet would compute it: =, +, -, @, of full width as well, and no number."""
    if not isinstance(cell, str) or cell.lstrip("\t\r\n ")[:1] not in tuple("=+-@\uff1d\uff0b\uff0d\uff20"):
        return cell
    try:
        number_of(cell)
    except ValueError:
        return "'" + cell
    return cell
