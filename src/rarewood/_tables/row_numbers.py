"""How rows are numbered, wherever people read a number: in messages, notes, predictions, reviews and reports.

Rows of a file are numbered from 1: row 1 is the first below the names of the columns, whatever stands above these. Rows keep their numbers
when others are left out, because they have no label, say. Rows of a table in memory are numbered from 0, as arrays and frames number them.
Where a line of a text file is meant, with everything above and inside the table, the word is "line".
"""

from __future__ import annotations

from typing import Any

FIRST_OF_FILE = 1


def row_in_file(place: Any) -> Any:
    """The number of a row, or of an array of rows, that so many rows of the file come before."""
    return place + FIRST_OF_FILE
