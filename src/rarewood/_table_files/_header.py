"""Where the names of the columns are: below a title and empty rows, in some exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rarewood._tables.cells import is_number
from rarewood._tables.date_texts import find_dates

LOOKED_AT = 50
"""Rows at the beginning that say how wide a table is."""

_MOST_ABOVE = 20


def rows_above_header(rows: Sequence[Sequence[Any]]) -> int:
    """How many of the first rows of a file are above the names of its columns; 0 where that is not certain.

    Above are empty rows and those with less than half as many cells as the table. The names are different words, one for each
    column.
    """
    extents = [_extent(row) for row in rows]
    usual = Counter(extent for extent in extents[len(extents) // 3 :] if extent)
    width = max(usual, key=lambda extent: (usual[extent], extent), default=0)
    if width < 2:
        return 0
    for number, row in enumerate(rows[:_MOST_ABOVE]):
        n_filled = sum(not _is_empty(cell) for cell in row)
        if n_filled > 1 and 2 * n_filled >= width:
            return number if number and extents[number] >= width and _are_names(row, n_filled) else 0
    return 0


def _are_names(row: Sequence[Any], n_filled: int) -> bool:
    texts = [str(cell).strip() for cell in row if not _is_empty(cell)]
    return (
        n_filled == _extent(row) - _leading(row)
        and len(set(texts)) == n_filled
        and not any(is_number(text) or find_dates([text]) for text in texts)
    )


def _extent(row: Sequence[Any]) -> int:
    """Cells up to the last that is not empty."""
    return next((place for place in range(len(row), 0, -1) if not _is_empty(row[place - 1])), 0)


def _leading(row: Sequence[Any]) -> int:
    return next((place for place, cell in enumerate(row) if not _is_empty(cell)), 0)


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())
