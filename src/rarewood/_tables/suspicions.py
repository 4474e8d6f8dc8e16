"""Columns that probably identify rows, or hold words that are something else: the one place that decides so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import Column
from rarewood._tables.cells import MISSING, is_number
from rarewood._tables.date_texts import find_dates
from rarewood._tables.kinds import Kind, writing_of
from rarewood._tables.number_texts import MarkHints, NumberWriting, find_writing
from rarewood._tables.rows import Rows
from rarewood._warnings import warn

_LOOKED_AT = 1000
_SENTINELS = frozenset(sign * number for sign in (1.0, -1.0) for number in (99.0, 999.0, 9999.0, 99999.0, 999999.0))
_FEWEST_BESIDE = 5  # different numbers, before one of them is called far away

_FEWEST_VALUES = 30  # of a column that may name what rows belong to
_MOST_ROWS = 50.0  # of such a value, on average
_FEWEST_RARE = 5  # values with more than one rare row
_LEAST_SHARE, _LEAST_LIFT = 0.3, 4.0  # of rare rows among the others of a value that a rare row has


@dataclass(frozen=True)
class IdentifierRule:
    """From when on a column counts as an identifier.

    It needs `least_rows`, more different values than `more_values_than`, and more of them than this share of the rows, or at least
    that many if `least_share` is the share of all rows.
    """

    least_rows: int
    more_values_than: int
    least_share: float


# A warning in the middle of a program must not be wrong; a note beside a table may be; a suspect column can be left out.
WARNED = IdentifierRule(least_rows=50, more_values_than=20, least_share=0.9)
NOTED = IdentifierRule(least_rows=0, more_values_than=20, least_share=0.5)
SUSPECT = IdentifierRule(least_rows=60, more_values_than=0, least_share=1.0)


def is_identifier(n_values: int, n_rows: int, rule: IdentifierRule) -> bool:
    """Whether a column with so many different values in so many rows has a value of its own in nearly every row."""
    many = n_values > rule.least_share * n_rows or n_values == n_rows
    return many and n_rows >= rule.least_rows and n_values > rule.more_values_than


class Suspicion(StrEnum):
    """What a column is that tells nothing of new rows."""

    EMPTY = "empty"
    CONSTANT = "constant"
    COUNTER = "counter"
    IDENTIFIER = "identifier"


def column_suspicions(rows: Rows, rule: IdentifierRule) -> dict[int, Suspicion]:
    """The columns that tell nothing, by their places: without a value, with one and no gap, or with one for nearly each row.

    Numbers are identifiers only if they are whole; dates, amounts of money, shares and numbers with marks between thousands never are.
    """
    found = {}
    for place, (kind, cells) in enumerate(zip(rows.columns.kinds, rows.matrix.T, strict=True)):
        suspicion = _suspicion(cells, kind, rule)
        if suspicion is not None:
            found[place] = suspicion
    return found


def _suspicion(cells: NDArray[Any], kind: Kind, rule: IdentifierRule) -> Suspicion | None:
    present = cells[~np.isnan(cells)]
    if not len(present):
        return Suspicion.EMPTY
    if (present == present[0]).all():
        return Suspicion.CONSTANT if len(present) == len(cells) else None
    if kind.word != "nominal":
        writing = writing_of(kind)
        if kind.word != "number" or (isinstance(writing, NumberWriting) and (writing.signs or writing.thousands)):
            return None
        if counts_rows(cells):
            return Suspicion.COUNTER
        if not (present == np.floor(present)).all():
            return None
    n_values = len(np.unique(present))
    return Suspicion.IDENTIFIER if is_identifier(n_values, len(cells), rule) else None


def sentinel_in(cells: NDArray[Any]) -> float | None:
    """A number such as -999 that stands for a missing value: repeated, at an end, and far away from all other numbers."""
    levels, counts = np.unique(cells[~np.isnan(cells)], return_counts=True)
    if len(levels) < _FEWEST_BESIDE:
        return None
    others = float(levels[-2] - levels[1]) or 1.0
    for end, beside in ((0, 1), (-1, -2)):
        is_far = abs(levels[end] - levels[beside]) > others
        if float(levels[end]) in _SENTINELS and counts[end] > 1 and is_far:
            return float(levels[end])
    return None


def counts_rows(cells: NDArray[Any]) -> bool:
    """Whether each number is by one larger than the one before it."""
    return len(cells) > 2 and bool((np.diff(cells) == 1).all())


def rare_together(cells: NDArray[np.floating], is_rare: NDArray[np.bool_]) -> float | None:
    """How many of the rows that share a value of a column with a rare row are rare, too: a share far above that of all rows.

    None if it is not, or the column cannot name what rows belong to: measurements cannot, nor can columns of few or of frequent values.
    """
    known = ~np.isnan(cells)
    values, of_row, sizes = np.unique(cells[known], return_inverse=True, return_counts=True)
    repeated = sizes > 1
    if (
        np.count_nonzero(repeated) < _FEWEST_VALUES
        or sizes[repeated].mean() > _MOST_ROWS
        or 2 * len(values) > known.sum()
        or (values != np.floor(values)).any()
    ):
        return None
    n_rare = np.bincount(of_row.ravel(), weights=is_rare[known], minlength=len(values))
    if np.count_nonzero(n_rare > 1) < _FEWEST_RARE:
        return None
    others, rare_others = (n_rare * (sizes - 1)).sum(), (n_rare * (n_rare - 1)).sum()
    share = float(rare_others / others)
    return share if share >= max(_LEAST_SHARE, min(0.95, _LEAST_LIFT * is_rare.mean())) else None


def warn_of_odd_words(columns: Sequence[Column]) -> None:
    """Warn of columns that are nominal because they hold words: identifiers, numbers and dates that were read as text."""
    for column in columns:
        if column.type != "text":
            continue
        levels, n_rows = column.factor.levels, int(np.count_nonzero(column.factor.codes >= 0))
        what = _odd(levels, n_rows)
        if what:
            warn(f"Column {column.name!r} {what}")


def _odd(levels: Sequence[object], n_rows: int) -> str | None:
    if len(levels) <= WARNED.more_values_than:
        return None
    words = [level for level in levels[:_LOOKED_AT] if isinstance(level, str)]
    stripped = [word.strip() for word in words if word.strip() not in MISSING]
    if stripped and (all(map(is_number, stripped)) or find_writing(stripped, MarkHints()) is not None):
        return (
            f"holds numbers written as text, such as {words[0]!r}, and is read as {len(levels):,} categories; convert it to "
            "numbers (pandas: to_numeric, or decimal=',' in read_csv)."
        )
    if stripped and find_dates(stripped) is not None:
        return (
            f"holds dates or times written as text, such as {words[0]!r}, and is read as {len(levels):,} categories; convert it "
            "to dates (pandas: to_datetime)."
        )
    if is_identifier(len(levels), n_rows, WARNED):
        return (
            f"looks like an identifier: {len(levels):,} values in {n_rows:,} rows. A category that occurs in one row "
            "says nothing about other rows: leave the column out, unless its values recur in new rows."
        )
    return None
