"""Which rows of a table a sampler made: such rows must not judge a model, because they were made of rows that its trees know.

Our own samplers say so of the tables that they return. Other over-samplers append what they make, a run of rows of one class at the end of
the table. Rows made by interpolation, as SMOTE and its relatives do, lie on a straight line between two earlier rows of their class,
and rows drawn again equal one. Neither happens by chance to most rows of a run while it does not happen to the rows before.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.row_source import RowSource

_LEAST_RUN = 8  # rows of one class at the end of a table; shorter runs are not looked at
_LARGEST = 1.5  # times as many rows as all others together
_SAMPLE = 24  # rows of the run, and as many before it, that are looked at
_MOST = 0.75  # share of the rows that must have been made
_CONTROL = 0.25  # share of the rows before that may look so
_NEAREST = 250  # earlier rows of the class between which a row may lie
_LEAST_COLUMNS = 3  # of numbers that differ, for a line to say anything
_STRAIGHT = 1e-8  # 1 + cosine of the angle at a row between two others; rounding to float32 makes about 1e-12

_appended: dict[int, tuple[weakref.ref[Any], int]] = {}


def remember_made(table: Any, n_original: int) -> None:
    """Say that the rows of a table from `n_original` on were made; forgotten with the table."""
    key = id(table)
    try:
        _appended[key] = (weakref.ref(table, lambda _: _appended.pop(key, None)), n_original)
    except TypeError:  # lists have no references that do not keep them
        return


def made_rows(
    given: Any, source: RowSource, n_categories: NDArray[Any], codes: NDArray[Any]
) -> NDArray[np.bool_] | None:
    """Which rows of a table, `given` and as a source, a sampler made; None if none."""
    known = _appended.get(id(given))
    if known is not None and known[0]() is given:
        return _from(known[1], len(codes))
    first = len(codes)
    while first >= _LEAST_RUN:
        begin = _begin_of_made(source, n_categories, codes[:first])
        if begin is None:
            break
        first = begin
    return None if first == len(codes) else _from(first, len(codes))


def _from(first: int, n_rows: int) -> NDArray[np.bool_] | None:
    return np.arange(n_rows) >= first if first < n_rows else None


def _begin_of_made(source: RowSource, n_categories: NDArray[Any], codes: NDArray[Any]) -> int | None:
    """Where the rows of one class begin that were made and stand at the end; None if there are none."""
    others = np.flatnonzero(codes != codes[-1])
    start = int(others[-1]) + 1 if len(others) else 0
    if len(codes) - start < _LEAST_RUN:
        return None
    own = np.flatnonzero(codes == codes[-1])
    if len(own) > _LARGEST * (len(codes) - len(own)):  # no sampler adds to the class that has most rows
        return None
    rows = _Rows(source.rows(own), n_categories)
    first = int(np.searchsorted(own, start))  # in own, of the run
    tail = _spread(max(first, len(own) - 4 * _SAMPLE), len(own))
    if rows.share(tail) < _MOST:
        return None
    # made rows stand behind all others: the first of eight of which most were made
    low, high = max(first, 2), len(own) - _LEAST_RUN
    while low < high:
        middle = (low + high) // 2
        if rows.share(np.arange(middle, middle + _LEAST_RUN)) >= _MOST:
            high = middle
        else:
            low = middle + 1
    while low < len(own) and not rows.share(np.array([low])):
        low += 1
    before = _spread(2, low)
    if low == len(own) or len(before) < 3 or rows.share(before) > _CONTROL:
        return None
    return int(own[low])


def _spread(begin: int, end: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(begin, end - 1, min(_SAMPLE, max(end - begin, 0))).astype(np.int64))


class _Rows:
    """The rows of one class, in their order."""

    def __init__(self, cells: NDArray[np.float64], n_categories: NDArray[Any]) -> None:
        self._cells = cells
        numbers = self._cells[:, n_categories == 0]
        numbers = numbers[:, ~np.isnan(numbers).any(axis=0)]
        spread = numbers.std(axis=0)
        self._numbers = numbers[:, spread > 0] / spread[spread > 0]

    def share(self, places: NDArray[np.int64]) -> float:
        """Of these rows, how many repeat an earlier row or lie between two."""
        return float(np.mean([self._is_made(int(place)) for place in places])) if len(places) else 0.0

    def _is_made(self, place: int) -> bool:
        cells, before = self._cells[place], self._cells[:place]
        if ((before == cells) | (np.isnan(before) & np.isnan(cells))).all(axis=1).any():
            return True
        steps = self._numbers[:place] - self._numbers[place]
        if steps.shape[1] < _LEAST_COLUMNS:
            return False
        length = np.sqrt((steps**2).sum(axis=1))
        nearest = np.argsort(length, kind="stable")[:_NEAREST]
        steps, length = steps[nearest], length[nearest]
        differ = (np.abs(steps) > 1e-9).sum(axis=1) >= _LEAST_COLUMNS
        ways = steps[differ] / length[differ, np.newaxis]
        return len(ways) > 1 and bool((ways @ ways.T).min() < _STRAIGHT - 1.0)
