"""The distinct values of a column, and which row has which."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
        numbers = {word: float(word) for word in known if isinstance(word, str)}
    except ValueError:
        numbers = {}
    if known and len(numbers) == len(known) and all(map(math.isfinite, numbers.values())):
        return sorted(known, key=lambda word: (numbers[word], word))
    return sorted(known)


def factorize(values: NDArray[Any] | list[Any], name: str | int) -> Factor:
    """Distinct values of numbers (sorted) or of objects (as they appear); None, NaN, NaT and pandas' NA are missing."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "biuf":
            return _factorize_numbers(values)
        values = values.tolist()
    positions: dict[Any, int] = {}
    try:
        codes = np.array([positions.setdefault(value, len(positions)) for value in values], dtype=np.intp)
    except TypeError as error:
        row = next(row for row, value in enumerate(values) if not isinstance(value, Hashable))
        raise TypeError(
            f"Column {name!r} holds values that cannot be categories: {error}; row {row} has {values[row]!r:.60}."
        ) from error
    missing = np.array([is_missing(level) for level in positions], dtype=bool)
    if not missing.any():
        return Factor(list(positions), codes)
    renumbered = np.where(missing, -1, np.cumsum(~missing) - 1)
    return Factor([level for level in positions if not is_missing(level)], renumbered[codes])


def _factorize_numbers(values: NDArray[Any]) -> Factor:
    levels, codes = np.unique(values, return_inverse=True)
    n_present = len(levels) - int(levels.dtype.kind == "f" and len(levels) > 0 and np.isnan(levels[-1]))
    return Factor(levels[:n_present].tolist(), np.where(codes < n_present, codes, -1).astype(np.intp))


def is_missing(value: Any) -> bool:
    """None, or a value unequal to itself (NaN, NaT), or one that will not say (pandas' NA)."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
