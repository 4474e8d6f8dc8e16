"""The distinct values of a column, and which row has which."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.cells import number_of
from rarewood._validation import is_missing


@dataclass(frozen=True)
class Factor:
    """Distinct values of a column and, per row, the position of its value; -1 is missing."""

    levels: Sequence[Any]
    codes: NDArray[np.intp]
    declared: bool = False  # the dtype lists the levels, which may be more than the rows have

    def used(self) -> list[Any]:
        """The levels that some row has."""
        if not self.declared:
            return list(self.levels)
        counts = np.bincount(self.codes + 1, minlength=len(self.levels) + 1)[1:].tolist()
        return [level for level, count in zip(self.levels, counts, strict=True) if count]

    def in_rows(self, present: NDArray[np.bool_]) -> Factor:
        """The same for more rows: those that are not `present` are missing."""
        codes = np.full(len(present), -1, dtype=np.intp)
        codes[present] = self.codes
        return Factor(self.levels, codes, self.declared)


def in_order(levels: Iterable[Any]) -> list[Any]:
    """Categories in the one order that they have everywhere: ascending, and words that all are numbers by what they stand for.

    What a dtype, a file or the first rows have in front plays no role. TypeError if the values have no common order.
    """
    known = list(levels)
    try:
        numbers = {word: number_of(word) for word in known if isinstance(word, str)}
    except ValueError:
        numbers = {}
    if known and len(numbers) == len(known) and all(map(math.isfinite, numbers.values())):
        return sorted(known, key=lambda word: (numbers[word], word))
    return sorted(known)


def factorize(values: NDArray[Any] | list[Any], name: str | int) -> Factor:
    """Distinct values of numbers (sorted) or of objects (as they appear); None, NaN, NaT and pandas' NA are missing."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return _factorize_numbers(values)
    cells: list[Any] = values.tolist() if isinstance(values, np.ndarray) else values
    try:
        positions, codes = _numbered(cells)
    except TypeError as error:
        positions, codes = _numbered(_with_hashes(cells, name, error))
    missing = np.array([is_missing(level) for level in positions], dtype=bool)
    if not missing.any():
        return Factor(list(positions), codes)
    renumbered = np.where(missing, -1, np.cumsum(~missing) - 1)
    return Factor([level for level in positions if not is_missing(level)], renumbered[codes])


def _numbered(values: Sequence[Any]) -> tuple[dict[Any, int], NDArray[np.intp]]:
    """The place of each value among the different ones, and the places of all."""
    positions: dict[Any, int] = {}
    codes = np.array([positions.setdefault(value, len(positions)) for value in values], dtype=np.intp)
    return positions, codes


def _with_hashes(values: Sequence[Any], name: str | int, error: TypeError) -> list[Any]:
    """The same without missing cells that have no hash, as a decimal that signals NaN; an error where another cell has none."""
    found = [None if is_missing(value) else value for value in values]
    row = next((row for row, value in enumerate(found) if not _has_hash(value)), None)
    if row is not None:
        raise TypeError(
            f"Column {name!r} holds values that cannot be categories: row {row} has the {type(found[row]).__name__} {found[row]!r:.60}. "
            "A cell can hold one number, word, boolean, date or time: split the column into several, or leave it out."
        ) from error
    return found


def _has_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _factorize_numbers(values: NDArray[Any]) -> Factor:
    levels, codes = np.unique(values, return_inverse=True)
    n_present = len(levels) - int(levels.dtype.kind == "f" and len(levels) > 0 and np.isnan(levels[-1]))
    return Factor(levels[:n_present].tolist(), np.where(codes < n_present, codes, -1).astype(np.intp))
