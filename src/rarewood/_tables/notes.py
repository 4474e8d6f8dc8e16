"""Notes for a user on the table that was read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NoteCode(StrEnum):
    """What a note is about."""

    DIALECT = "dialect"
    NUMBERS = "numbers as they are written"
    MOMENTS = "dates as they are written"
    ERRORS = "errors of a spreadsheet"
    FOOTER = "footer"
    UNLABELLED = "unlabelled"
    NOT_KNOWN = "labels not known"
    MERGED = "merged labels"
    ALIKE = "labels alike"
    FEW_ROWS = "few rows"
    NOT_RAREST = "not the rarest"
    COLUMN = "column"
    SENTINEL = "sentinel"
    DATES = "dates"
    REPEATED = "repeated rows"
    TOGETHER = "rows that may belong together"
    SUSPECT = "suspect"


@dataclass(frozen=True)
class Note:
    """Something to know about a table; `columns` are those it names, `remedy` is what a user of the command line can do."""

    code: NoteCode
    text: str
    columns: tuple[str, ...] = ()
    remedy: str = ""

    def __str__(self) -> str:
        return self.text + self.remedy
