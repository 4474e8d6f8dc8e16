"""Single questions to one column that nearly settle the class for many of the rare rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PURE = 0.98  # of the rows that a question calls, so many are rare
LARGE = 0.6  # of the rare rows
_FEWEST_HITS = 10
_MOST_VALUES = 5  # of a nominal column in one question, each with some rows
_FEWEST_OF_VALUE = 5

Side = tuple[str, list[float], int, int]


@dataclass(frozen=True)
class PureCut:
    """A question: rows with a value on this side of a number, with one of these values, or without a value."""

    sign: str
    values: list[float]
    n_called: int
    n_hits: int

    def words(self, in_words: Callable[[float], str]) -> str:
        """What follows the name of the column."""
        if not self.values:
            return self.sign
        return f"{self.sign} {' or '.join(map(in_words, self.values))}"


def purest_cut(cells: NDArray[Any], rare: NDArray[np.bool_], *, nominal: bool) -> PureCut | None:
    """The question with the largest recall among those that are nearly pure; None if none has a large one."""
    missing = np.isnan(cells)
    sides: list[Side] = [("is missing", [], int(missing.sum()), int((missing & rare).sum()))]
    sides += [("has a value", [], int((~missing).sum()), int((~missing & rare).sum()))]
    sides += (_of_values if nominal else _of_numbers)(cells[~missing], rare[~missing])
    needed = max(_FEWEST_HITS, LARGE * int(rare.sum()))
    pure = [side for side in sides if side[3] >= needed and side[3] >= PURE * side[2]]
    return PureCut(*max(pure, key=lambda side: side[3])) if pure else None


def _of_numbers(values: NDArray[Any], rare: NDArray[np.bool_]) -> list[Side]:
    """The purest large question on either side."""
    levels, codes = np.unique(values, return_inverse=True)
    if len(levels) < 2:
        return []
    rows = np.bincount(codes)
    hits = np.bincount(codes, weights=rare).astype(np.int64)
    found: list[Side] = []
    for sign, step in (("<=", 1), (">=", -1)):
        called, right = np.cumsum(rows[::step])[:-1], np.cumsum(hits[::step])[:-1]
        pure = np.flatnonzero(right >= PURE * called)
        if len(pure):
            best = pure[np.argmax(right[pure])]
            found.append((sign, [float(levels[::step][best])], int(called[best]), int(right[best])))
    return found


def _of_values(values: NDArray[Any], rare: NDArray[np.bool_]) -> list[Side]:
    """The nearly pure values together, if they are few."""
    codes = values.astype(np.intp)
    if not len(codes):
        return []
    rows = np.bincount(codes)
    hits = np.bincount(codes, weights=rare, minlength=len(rows)).astype(np.int64)
    pure = np.flatnonzero((rows >= _FEWEST_OF_VALUE) & (hits >= PURE * rows))
    chosen = pure[np.argsort(-hits[pure], kind="stable")][:_MOST_VALUES]
    if not len(chosen) or len(chosen) == len(rows):
        return []
    return [("is", chosen.astype(float).tolist(), int(rows[chosen].sum()), int(hits[chosen].sum()))]
