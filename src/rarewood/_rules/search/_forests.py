"""Forests of shallow trees that rules are read from. The only module here that knows how a forest is grown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rarewood._core import CriterionSpec, Dataset, Forest, ForestPlan, grow_forests
from rarewood._tables import LabelledRows

Flags = NDArray[np.bool_]

N_HALVES = 10
TREES_PER_HALF = 5
DEPTH = 5
_SPLITTERS = ("random", "best")


@dataclass(frozen=True)
class HalfForest:
    """Trees grown on one half of the rows of a search; `in_bag` marks that half among all rows of the table."""

    in_bag: Flags
    forest: Forest


def grow(
    table: LabelledRows,
    searches: Sequence[Flags],
    seed: int,
    n_threads: int,
    unit: NDArray[np.intp] | None = None,
) -> list[list[HalfForest]]:
    """For each search, given by its rows, forests on halves of them: complementary pairs, the same share of rare rows.

    Rows of one `unit`, by default each alone, are in the same half.
    """
    random = np.random.default_rng(seed)
    is_rare = table.is_rare
    unit = np.arange(len(is_rare)) if unit is None else unit
    halves = [[half for _ in range(N_HALVES // 2) for half in _pair(is_rare, rows, random, unit)] for rows in searches]
    seeds = random.integers(2**62, size=(len(searches), N_HALVES)).tolist()
    n_columns = table.matrix.shape[1]
    dataset = Dataset(table.matrix, table.columns.n_categories, is_rare.astype(np.int32), 2)
    plans = [
        _plan(half, _SPLITTERS[number // 2 % 2], n_columns, seed)  # a pair has one splitter, the next pair the other
        for pairs, row in zip(halves, seeds, strict=True)
        for number, (half, seed) in enumerate(zip(pairs, row, strict=True))
    ]
    forests = iter(grow_forests(dataset, plans, n_threads=n_threads))
    return [[HalfForest(half, next(forests)) for half in pairs] for pairs in halves]


def _plan(half: Flags, splitter: str, n_columns: int, seed: int) -> ForestPlan:
    return ForestPlan(
        [CriterionSpec("hellinger")] * TREES_PER_HALF,
        n_trees=TREES_PER_HALF,
        sampling="all",
        splitter=splitter,
        n_cuts=10,
        max_features=math.isqrt(n_columns) or 1,
        max_depth=DEPTH,
        min_samples_leaf=2,
        weights=half.astype(np.float64),
        seed=seed,
    )


def _pair(is_rare: Flags, rows: Flags, random: np.random.Generator, unit: NDArray[np.intp]) -> tuple[Flags, Flags]:
    some = np.flatnonzero(rows)
    one, place, holds = units_of(is_rare, some, unit)
    if len(one) == 1:
        return _pair(
            is_rare, rows, random, np.arange(len(is_rare))
        )  # nothing to tell apart, so nothing to keep together
    chosen = np.zeros(len(one), dtype=bool)
    for kind in (holds, ~holds):
        shuffled = random.permutation(np.flatnonzero(kind))
        chosen[shuffled[: (len(shuffled) + int(random.integers(2))) // 2]] = True
    if chosen.all() or not chosen.any():  # so few units that one half would be empty
        chosen[random.integers(len(chosen))] ^= True
    first = np.zeros(len(rows), dtype=bool)
    first[some] = chosen[place]
    return first, rows & ~first


def units_of(
    is_rare: Flags, rows: NDArray[np.intp], unit: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Flags]:
    """The units of some rows, in the order of their first rows: a row of each, the unit of each row, and which hold a rare one."""
    _, first, place = np.unique(unit[rows], return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.argsort(order)[place.ravel()]
    holds = np.bincount(place, weights=is_rare[rows], minlength=len(order)) > 0
    return rows[first[order]], place, holds
