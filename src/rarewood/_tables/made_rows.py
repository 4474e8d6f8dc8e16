"""Which rows of a table a sampler made: such rows must not judge a model, because they were made of rows that its trees know.

Our own samplers say so of the tables that they return. Other over-samplers append what they make, a run of rows of one class at the end of
the table. Rows made by interpolation, as SMOTE and its relatives do, lie on a straight line between two earlier rows of their class,
and rows drawn again equal one. Neither happens by chance to most rows of a run while it does not happen to the rows before.

Rows drawn again with some noise, as ROSE does, lie nearer to an earlier row of their class than the rows before the run lie to each other.
How near, tells only all of them together: so most rows of the run must be nearer than most of the rows before, and the run must be a good
part of them. Noise about as large as these distances hides what was made.
"""

from __future__ import annotations

import math
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
_FEWEST_BEFORE = 20  # rows before a run that noise has made
_LEAST_PART = 0.2  # of the rows before, for such a run; fewer change figures less
_NEARER = 0.8  # upper quartile of their distances over the lower one of the rows before
_NEARER_THAN_NEXT = 0.65  # their nearest over their next distance, in the middle, over that of the rows before
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
    begin = _begin_of_exact(rows, first)
    if begin is None:
        begin = _begin_of_near(rows, first)
    return None if begin is None else int(own[begin])


def _begin_of_exact(rows: _Rows, first: int) -> int | None:
    """Of a run from `first` on, where rows begin that repeat an earlier one or lie between two."""
    tail = _spread(max(first, len(rows) - 4 * _SAMPLE), len(rows))
    if rows.share(tail) < _MOST:
        return None
    # made rows stand behind all others: the first of eight of which most were made
    low, high = max(first, 2), len(rows) - _LEAST_RUN
    while low < high:
        middle = (low + high) // 2
        if rows.share(np.arange(middle, middle + _LEAST_RUN)) >= _MOST:
            high = middle
        else:
            low = middle + 1
    while low < len(rows) and not rows.share(np.array([low])):
        low += 1
    before = _spread(2, low)
    if low == len(rows) or len(before) < 3 or rows.share(before) > _CONTROL:
        return None
    return low


def _begin_of_near(rows: _Rows, first: int) -> int | None:
    """Of a run from `first` on, where rows begin that are earlier ones with some noise; right to a few rows.

    Distances to the nearest earlier row fall there all at once. They fall slowly everywhere, as rows become many, so that places are looked
    at in steps that grow. Where the fall is, rows are compared with those before it alone. The nearest of these must also be much nearer
    than the next: else the run is from where rows are dense.
    """
    least, most = max(first, _FEWEST_BEFORE), len(rows) - _LEAST_RUN
    if least > most or rows.n_numbers < _LEAST_COLUMNS:
        return None
    places = np.unique(np.geomspace(_FEWEST_BEFORE // 2, len(rows) - 1, 4 * _SAMPLE).astype(np.int64))
    distances = rows.nearest(places)[:, 0]
    at = _fall(np.log(np.maximum(distances, 1e-300)), int(np.searchsorted(places, least)))
    limit = math.sqrt(float(np.median(distances[max(at - _SAMPLE, 0) : at]) * np.median(distances[at : at + _SAMPLE])))
    around = _spread(
        max(places[max(at - 3, 0)], least), min(places[min(at + 2, len(places) - 1)], most) + 1, 8 * _SAMPLE
    )
    if not len(around):
        return None
    is_near = rows.nearest(around)[:, 0] < limit
    wrong = np.append(0, np.cumsum(is_near)) + np.append(np.cumsum(~is_near[::-1])[::-1], 0)
    begin = int(np.append(around, around[-1] + 1)[np.argmin(wrong)])
    if len(rows) - begin < _LEAST_PART * begin:
        return None
    before, made = (rows.nearest(_spread(*ends, 4 * _SAMPLE), begin) for ends in ((0, begin), (begin, len(rows))))
    are_nearer = np.quantile(made[:, 0], _MOST) < _NEARER * np.quantile(before[:, 0], _CONTROL)
    alone, next_to = (float(np.median(each[:, 0] / np.maximum(each[:, 1], 1e-300))) for each in (before, made))
    return begin if are_nearer and next_to < _NEARER_THAN_NEXT * alone else None


def _fall(values: NDArray[np.float64], least: int) -> int:
    """Where values fall most, from `least` on: what lies before has a larger mean than what follows, for its number."""
    n, sums = len(values), np.cumsum(values)
    at = np.arange(max(least, 1), n)
    gap = sums[at - 1] / at - (sums[-1] - sums[at - 1]) / (n - at)
    return int(at[np.argmax(gap * np.sqrt(at * (n - at)))])


def _spread(begin: int, end: int, most: int = _SAMPLE) -> NDArray[np.int64]:
    return np.unique(np.linspace(begin, end - 1, min(most, max(end - begin, 0))).astype(np.int64))


class _Rows:
    """The rows of one class, in their order."""

    def __init__(self, cells: NDArray[np.float64], n_categories: NDArray[Any]) -> None:
        self._cells = cells
        numbers = self._cells[:, n_categories == 0]
        numbers = numbers[:, ~np.isnan(numbers).any(axis=0)]
        spread = numbers.std(axis=0)
        self._numbers = numbers[:, spread > 0] / spread[spread > 0]

    def __len__(self) -> int:
        return len(self._cells)

    @property
    def n_numbers(self) -> int:
        """Columns of numbers that differ, and that no row lacks."""
        return int(self._numbers.shape[1])

    def nearest(self, places: NDArray[np.int64], end: int | None = None) -> NDArray[np.float64]:
        """How far each of these rows is from the nearest row before it and from the next; with an `end`, of all other rows before that."""
        found = np.empty((len(places), 2))
        for number, place in enumerate(places.tolist()):
            squares = ((self._numbers[: place if end is None else end] - self._numbers[place]) ** 2).sum(axis=1)
            if place < len(squares):
                squares[place] = np.inf
            found[number] = np.partition(squares, 1)[:2]
        return np.sqrt(found)

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
