"""Rows that must stay together though nobody said so: copies, and rows that share the value of a nominal column that names groups.

A household, a device or a card that slips in as a category has a few rows each, and new rows bring new ones. What is learned from one row
of a household must not judge another: trees that know a value score its other rows as no row of a new value is scored.

Rows that were drawn one by one are judged rightly as they are, however many values come once: a row that is left out meets a new value as
often as a new row does (I. J. Good, "The population frequencies of species", 1953). So only the way in which values come tells: rows drawn
one by one make counts of a mixture of Poisson laws, which differ by chance at least. Where groups were drawn, a few rows each, the
counts are more even than that.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._tables._columns import Columns
from rarewood._tables._reading import read_table
from rarewood._tables.groups import RowGroups
from rarewood._tables.repeats import copies_from
from rarewood._tables.row_source import MatrixRows, Numbers, RowSource
from rarewood._tables.rows import Rows
from rarewood._validation import Labels, Weights

_FEWEST_VALUES = 20
_MOST_OTHERS = 10.0  # rows that share the value of a row, on average: beyond, new rows may well have known values
_LARGE, _MOST_TIMES = 0.05, 20  # part of the rows, and rows, of a value that names nothing, such as "unknown"
_SURE = 3.0  # standard errors


def rows_together(
    source: RowSource, columns: Columns, labels: Labels, weights: Weights, rare: int | None = None
) -> RowGroups | None:
    """Groups of rows, wherever these are; None where each stands alone. `rare` is that of `RowGroups.of`.

    A group is made of copies or, with a `column`, of the rows of a value in it: of several such columns, the one with most pairs of rows.
    """
    copies = copies_from(source, len(columns), labels, weights, rare)
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
