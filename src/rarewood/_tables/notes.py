"""Notes for a user on the table that was read."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum

from rarewood._terminal import shown


class NoteCode(StrEnum):
    """What a note is about."""

    DIALECT = "dialect"
    HEADER = "header below the top"
    SHEETS = "several sheets"
    ODD = "cells that do not fit"
    ZEROS = "leading zeros"
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
    WIDE = "more columns than rows"
    SUSPECT = "suspect"


OF_FILE = (NoteCode.DIALECT, NoteCode.HEADER, NoteCode.SHEETS)
"""Notes whose texts name the file."""


# Numbers are for good: one that is no longer used is not given to anything else. docs/notes.md has a paragraph on each.
_NUMBERS = {
    # how a table was read
    NoteCode.DIALECT: 101,
    NoteCode.NUMBERS: 102,
    NoteCode.MOMENTS: 103,
    NoteCode.ERRORS: 104,
    NoteCode.FOOTER: 105,
    NoteCode.SENTINEL: 106,
    NoteCode.COLUMN: 107,
    NoteCode.DATES: 108,
    NoteCode.HEADER: 109,
    NoteCode.SHEETS: 110,
    NoteCode.ODD: 111,
    NoteCode.ZEROS: 112,
    # labels
    NoteCode.UNLABELLED: 121,
    NoteCode.NOT_KNOWN: 122,
    NoteCode.MERGED: 123,
    NoteCode.ALIKE: 124,
    NoteCode.FEW_ROWS: 125,
    NoteCode.NOT_RAREST: 126,
    # rows
    NoteCode.REPEATED: 141,
    NoteCode.TOGETHER: 142,
    NoteCode.WIDE: 143,
    # what looks wrong: kinds of problems that checks of the data find
    NoteCode.SUSPECT: 200,
    "leak": 201,
    "identifiers": 202,
    "few rare rows": 203,
    "shared rows": 204,
    "duplicates": 205,
    "contradictions": 206,
    "constant": 207,
    "same columns": 208,
    "missing": 209,
    "newly missing": 210,
    "unseen categories": 211,
    "words": 212,
    "labels": 213,
    "trained on": 214,
}


def note_number(kind: str) -> str:
    """The number of a note or of a kind of problem, under which docs/notes.md explains it."""
    return f"RW{_NUMBERS[kind]}"


def as_option(option: str, value: str) -> str:
    """An option of the command line with a value that a shell may take apart, such as the name of a column with spaces."""
    return f"{option} {shlex.quote(value)}"


@dataclass(frozen=True)
class Note:
    """Something to know about a table; `columns` are those it names, `remedy` is what a user of the command line can do.

    A suspect note may say which kind of problem it tells of.
    """

    code: NoteCode
    text: str
    columns: tuple[str, ...] = ()
    remedy: str = ""
    problem: str = ""

    @property
    def number(self) -> str:
        """The number under which docs/notes.md explains it."""
        return note_number(self.problem or self.code)

    @shown
    def __str__(self) -> str:
        return self.text + self.remedy
