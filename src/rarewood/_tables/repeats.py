"""Rows that are copies of others: equal in all columns, and not because few different rows are possible.

Copies of a row must not judge what it has taught: a table of noise in which every row comes four times would be learned by heart, and
the scores of "unseen" rows would be perfect. On a table of a few discrete columns equal rows are natural, and new rows will equal them,
too: there each row stands for itself.

What tells the two apart are pairs of rows that are equal but for one column. Where rows are equal by coincidence, there are at least
as many of these, in several columns; copies have hardly any. One column may be an exception: a table of an amount and categories has many
rows with the same categories. In a table of a single column that varies, copies cannot be told, and rows stand for themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.groups import RowGroups
from rarewood._tables.row_source import MatrixRows, RowSource
from rarewood._validation import Labels, Weights, rarest_class

Hashes: TypeAlias = NDArray[np.uint64]

_MOST_NEAR = 0.5  # near pairs per pair of equal rows, the column with most of them apart, for copies
_LEAST_LIFT = 3.0  # how much more often than by chance rows that agree elsewhere agree in that column, too
_MOST_TIMES = 20  # that the average row may be there: beyond, the table is a list of cells
_LARGE = 0.05  # part of the rows, not all of them rare: a value that comes again, such as a row of zeros
_GAMMA = np.uint64(0x9E3779B97F4A7C15)


def find_copies(
    total: Hashes,
    of_column: Callable[[int], Hashes],
    n_columns: int,
    labels: Labels,
    weights: Weights,
    rare: int | None = None,
) -> RowGroups | None:
    """Groups of rows that are copies of each other; None where there are none. Rows of weight 0 teach nothing, so they stand alone.

    `total` is the sum of the hashes of a row's cells, so that a row without a column is known by a difference.
    """
    if weights is not None and not np.all(weights):
        teaches = weights > 0
        found = find_copies(
            total[teaches],
            lambda column: of_column(column)[teaches],
            n_columns,
            Labels(labels.classes, labels.codes[teaches]),
            None,
        )
        if found is None:
            return None
        group = np.arange(len(total)) + found.n_groups
        group[teaches] = found.numbers
        return RowGroups.of(group, labels, weights, rare, found.n_repeated)
    _, group, sizes = np.unique(total, return_inverse=True, return_counts=True)
    if len(sizes) == len(total) or not are_copies(total, of_column, n_columns):
        return None
    group, alone = group.ravel(), np.arange(len(total)) + len(sizes)
    rarest = rarest_class(np.bincount(labels.codes, minlength=labels.n_classes))
    n_rare = np.bincount(group, weights=labels.codes == rarest, minlength=len(sizes))
    comes_again = (sizes > _LARGE * len(total)) & (sizes > _MOST_TIMES) & (n_rare < sizes)
    n_repeated = int(sizes[(sizes > 1) & ~comes_again].sum())
    if n_repeated == 0:
        return None
    return RowGroups.of(np.where(comes_again[group], alone, group), labels, weights, rare, n_repeated)


def are_copies(total: Hashes, of_column: Callable[[int], Hashes], n_columns: int) -> bool:
    """Whether equal rows are copies, rather than equal because few different rows are possible."""
    n_rows, n_distinct, equal = len(total), len(np.unique(total)), _pairs(total)
    if equal == 0 or n_distinct == 1 or n_rows > _MOST_TIMES * n_distinct:
        return False
    near, most, lift = 0.0, 0.0, np.inf
    for column in range(n_columns):
        cells = of_column(column)
        but_one = _pairs(total - cells)
        near += but_one - equal
        if but_one - equal > most:
            most, lift = but_one - equal, equal * n_rows * (n_rows - 1) / 2.0 / (but_one * _pairs(cells))
        if near - most > _MOST_NEAR * equal:
            return False
    return most <= _MOST_NEAR * equal or lift >= _LEAST_LIFT


def cell_hashes(column: NDArray[np.floating], number: int) -> Hashes:
    """A number for each cell of column `number`; equal cells have the same, all missing ones too, and 0 and -0."""
    cells = column.astype(np.float64) + 0.0
    cells[np.isnan(cells)] = np.nan
    with np.errstate(over="ignore"):
        return _mixed(cells.view(np.uint64) ^ _mixed(np.full(1, number + 1, dtype=np.uint64) * _GAMMA))


def row_hashes(matrix: NDArray[np.floating]) -> Hashes:
    """The sum over the cells of each row."""
    total = np.zeros(len(matrix), dtype=np.uint64)
    for number, column in enumerate(matrix.T):
        total += cell_hashes(column, number)
    return total


def _mixed(z: Hashes) -> Hashes:
    """The finaliser of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _pairs(hashes: Hashes) -> float:
    """How many pairs are equal."""
    counts = np.unique(hashes, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1.0) / 2.0).sum())


def copies_in(
    matrix: NDArray[np.floating], labels: Labels, weights: Weights, rare: int | None = None
) -> RowGroups | None:
    """Groups of copies among the rows of a matrix; None where there are none. `rare` is that of `RowGroups.of`."""
    return copies_from(MatrixRows(matrix), matrix.shape[1], labels, weights, rare)


def copies_from(
    source: RowSource, n_columns: int, labels: Labels, weights: Weights, rare: int | None = None
) -> RowGroups | None:
    """The same, wherever the rows are; columns are looked at only where rows are equal."""

    def of_column(number: int) -> Hashes:
        return source.map_rows(partial(_hash_column, number=number), np.array([number]))

    return find_copies(source.map_rows(row_hashes), of_column, n_columns, labels, weights, rare)


def _hash_column(cells: NDArray[np.floating], number: int) -> Hashes:
    return cell_hashes(cells[:, 0], number)
