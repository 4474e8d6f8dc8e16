"""Rows that must stay together though nobody said so: copies, and rows that share the value of a nominal column that names groups.

A household, a device or a card that slips in as a category has a few rows each, and new rows bring new ones. What is learned from one row
of a household must not judge another: trees that know a value score its other rows as no row of a new value is scored.

Rows that were drawn one by one are judged rightly as they are, however many values come once: a row that is left out meets a new value as
often as a new row does (I. J. Good, "The population frequencies of species", 1953). So only the way in which values come tells: rows drawn
one by one make counts of a mixture of Poisson laws, which differ by chance at least. Where groups were drawn, a few rows each, the
counts are more even than that.

Copies may differ in a column that differs in nearly every row, such as a row number or a time. It tells nothing, and hides that they are
copies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._tables._columns import Columns
from rarewood._tables._reading import read_table
from rarewood._tables.groups import RowGroups
from rarewood._tables.repeats import Hashes, cell_hashes, copies_from, find_copies
from rarewood._tables.row_source import MatrixRows, Numbers, RowSource
from rarewood._tables.rows import Rows
from rarewood._validation import Labels, Weights

_FEWEST_VALUES = 20
_MOST_OTHERS = 10.0  # rows that share the value of a row, on average: beyond, new rows may well have known values
_LARGE, _MOST_TIMES = 0.05, 20  # part of the rows, and rows, of a value that names nothing, such as "unknown"
_SURE = 3.0  # standard errors
_FEWEST_COLUMNS = 3  # of which one may differ
_NEARLY_ALL = 0.9  # rows, for values that differ in nearly every row
_SAMPLE = 1000  # rows that tell at once that they do not
_FEWEST_COPIES = 0.05  # part of the rows: fewer change no figure


def rows_together(
    source: RowSource, columns: Columns, labels: Labels, weights: Weights, rare: int | None = None
) -> RowGroups | None:
    """Groups of rows, wherever these are; None where each stands alone. `rare` is that of `RowGroups.of`.

    A group is made of copies or, with a `column`, of the rows of a value in it: of several such columns, the one with most pairs of rows.
    """
    copies = copies_from(source, len(columns), labels, weights, rare)
    if copies is None:
        copies = _copies_but_for_one(source, len(columns), labels, weights, rare)
    group = np.arange(len(labels.codes)) if copies is None else copies.numbers.astype(np.intp)
    counted = np.zeros(len(group), dtype=bool)
    counted[np.unique(group, return_index=True)[1]] = True  # a copy is no other row
    if weights is not None:
        counted &= weights > 0
    best, found = 0.0, None
    for column in _candidates(columns, len(group)):
        codes = _codes(source, column)
        sizes = np.bincount(codes[counted & (codes >= 0)])
        names = (sizes <= _MOST_TIMES) | (sizes <= _LARGE * np.count_nonzero(counted))
        pairs = _moment(sizes[names], 2)
        if pairs > best and are_groups(sizes[names]):
            named = np.append(names, np.zeros(codes.max() + 2 - len(names), dtype=bool))[codes]  # the last is for -1
            best, found = pairs, (column, np.where(named, len(group) + codes, group))
    if found is None:
        return copies
    return replace(RowGroups.of(found[1], labels, weights, rare), column=found[0])


def together_of(X: Any, y: NDArray[Any]) -> tuple[RowGroups, Columns] | None:
    """The groups among the rows of a caller's table, and its columns; None where each row stands alone.

    A table that trees do not read is none of ours: its rows are taken one by one.
    """
    classes, codes = np.unique(y, return_inverse=True)
    try:
        if isinstance(X, Rows):
            columns, matrix = X.columns, X.matrix
        else:
            reader = _Reader()
            table = read_table(reader, X, reset=True)
            columns, matrix = Columns.learn(table, "from_dtype", getattr(reader, "feature_names_in_", None))
    except (TypeError, ValueError):
        return None
    found = rows_together(MatrixRows(matrix), columns, Labels(classes, codes.reshape(-1).astype(np.int32)), None)
    return None if found is None else (found, columns)


class _Reader(BaseEstimator):
    """A stand-in for an estimator, on which reading a table leaves the names of its columns."""


def _copies_but_for_one(
    source: RowSource, n_columns: int, labels: Labels, weights: Weights, rare: int | None
) -> RowGroups | None:
    """Groups of rows that are equal in all columns but one, whose values differ in nearly every row.

    Two sums of hashes, of every other column, tell at once that there are none: whatever column it is, one of the sums is without it.
    """
    if n_columns < _FEWEST_COLUMNS:
        return None
    n_rows = len(labels.codes)
    some = source.rows(np.arange(0, n_rows, max(n_rows // _SAMPLE, 1)))
    differ = [column for column, cells in enumerate(some.T) if len(np.unique(cells)) >= _NEARLY_ALL * len(some)]
    if not differ:
        return None
    sums = source.map_rows(_two_sums)
    total = sums[:, 0] + sums[:, 1]

    def of_column(number: int) -> Hashes:
        return source.map_rows(partial(_hash_first, number=number), np.array([number]))

    def has_copies(hashes: Hashes) -> bool:
        return len(np.unique(hashes)) <= (1.0 - _FEWEST_COPIES) * n_rows

    for side in (0, 1):
        candidates = [column for column in differ if column % 2 == side]
        if not candidates or not has_copies(sums[:, 1 - side]):
            continue
        for left_out in candidates:
            cells = of_column(left_out)
            if has_copies(total - cells) and len(np.unique(cells)) >= _NEARLY_ALL * n_rows:
                others = np.delete(np.arange(n_columns), left_out).tolist()
                found = find_copies(
                    total - cells, partial(_of_another, of_column, others), n_columns - 1, labels, weights, rare
                )
                if found is not None:
                    return replace(found, column=left_out)
    return None


def _two_sums(matrix: NDArray[np.floating[Any]]) -> Hashes:
    """Of each row, those of the hashes of its even and of its odd columns."""
    sums = np.zeros((len(matrix), 2), dtype=np.uint64)
    for number, column in enumerate(matrix.T):
        sums[:, number % 2] += cell_hashes(column, number)
    return sums


def _of_another(of_column: Callable[[int], Hashes], numbers: list[int], place: int) -> Hashes:
    return of_column(numbers[place])


def _hash_first(cells: NDArray[np.floating[Any]], number: int) -> Hashes:
    return cell_hashes(cells[:, 0], number)


def are_groups(sizes: NDArray[np.integer[Any]]) -> bool:
    """Whether values with so many rows each come more evenly than rows drawn one by one would have them.

    With m_j, the sum over values of n (n - 1) ... (n - j + 1), a mixture of Poisson laws has m_1 m_3 >= m_2^2 (Cauchy and Schwarz), however
    many of its values never came. The standard error is that of the most even mixture, a single Poisson law.
    """
    m1, m2, m3 = (_moment(sizes, order) for order in (1, 2, 3))
    others = m2 / m1 if m1 else 0.0
    if np.count_nonzero(sizes) < _FEWEST_VALUES or not 0.0 < others <= _MOST_OTHERS:
        return False
    error = math.sqrt(2.0 * m1 * others**2 * (3.0 + others))
    return m2 * others - m3 >= _SURE * error


def _moment(sizes: NDArray[np.integer[Any]], order: int) -> float:
    product = np.ones(len(sizes))
    for step in range(order):
        product *= sizes - step
    return float(product.sum())


def _candidates(columns: Columns, n_rows: int) -> list[int]:
    """Nominal columns with enough categories, so that others cost nothing; half of the cells may be missing."""
    n_values = columns.n_categories
    return np.flatnonzero((n_values >= _FEWEST_VALUES) & (2 * (_MOST_OTHERS + 1) * n_values >= n_rows)).tolist()


def _codes(source: RowSource, column: int) -> NDArray[np.intp]:
    """Of each row, -1 where the cell is missing."""
    cells = source.map_rows(_first, np.array([column]))
    return np.where(np.isnan(cells), -1, cells).astype(np.intp)


def _first(cells: NDArray[Any]) -> Numbers:
    return np.asarray(cells[:, 0], dtype=np.float64)
