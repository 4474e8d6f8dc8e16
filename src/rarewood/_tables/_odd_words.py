"""Columns of words that are probably something else."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from rarewood._tables._sources import Column
from rarewood._tables.cells import is_number
from rarewood._tables.moments import moments_in
from rarewood.exceptions import RarewoodWarning

MANY_ROWS = 50  # fewer may well differ by chance
NEARLY_ALL = 0.9
_MANY_WORDS = 20
_LOOKED_AT = 1000


def looks_like_an_identifier(n_values: int, n_rows: int) -> bool:
    """Whether a column of words has a value of its own in nearly every row that has one."""
    return n_rows >= MANY_ROWS and n_values > NEARLY_ALL * n_rows


def warn_of_odd_words(columns: Sequence[Column]) -> None:
    """Warn of columns that are nominal because they hold words: identifiers, numbers and dates that were read as text."""
    for column in columns:
        if column.type != "text":
            continue
        levels, n_rows = column.factor.levels, int(np.count_nonzero(column.factor.codes >= 0))
        what = _odd(levels, n_rows)
        if what:
            warnings.warn(f"Column {column.name!r} {what}", RarewoodWarning, stacklevel=6)


def _odd(levels: Sequence[object], n_rows: int) -> str | None:
    if len(levels) <= _MANY_WORDS:
        return None
    words = [level for level in levels[:_LOOKED_AT] if isinstance(level, str)]
    if words and all(is_number(word.strip().replace(",", ".", 1)) for word in words):
        return (
            f"holds numbers written as text, such as {words[0]!r}, and is read as {len(levels):,} categories; convert it to "
            "numbers (pandas: to_numeric, or decimal=',' in read_csv)."
        )
    if words and moments_in(words) is not None:
        return (
            f"holds dates or times written as text, such as {words[0]!r}, and is read as {len(levels):,} categories; convert it "
            "to dates (pandas: to_datetime)."
        )
    if looks_like_an_identifier(len(levels), n_rows):
        return (
            f"looks like an identifier: {len(levels):,} values in {n_rows:,} rows. A category that occurs in one row "
            "says nothing about other rows: leave the column out, unless its values recur in new rows."
        )
    return None
