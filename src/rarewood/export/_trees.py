"""Trees of the core as arrays of a file, and what a file's trees must be to stand behind a table.

The core itself checks that every index of a tree stays inside its arrays and that walks end. Here follows what it cannot know:
which columns are nominal and how many categories each has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, Tree
from rarewood.exceptions import ModelFileError
from rarewood.export._values import Reader, Writer

Grown = TypeVar("Grown", Tree, Forest)
Arrays = dict[str, NDArray[Any]]

# How the core packs a node: the column, whether missing values go left, the kind of split.
_COLUMN_BITS = 27
_NUMERIC, _SUBSET, _MULTIWAY = 1, 2, 3
_NO_MAP = 2**32 - 1


def write_trees(writer: Writer, trees: Tree | Forest) -> dict[str, int]:
    """The arrays of a tree or forest by name."""
    return {name: writer.add(array) for name, array in trees.__getstate__().items()}


def read_trees(
    reader: Reader, kind: type[Grown], told: object, n_categories: NDArray[np.int32], n_classes: int
) -> Grown:
    """A tree or forest for a table with these columns (0 categories: a column of numbers) and so many classes."""
    if not isinstance(told, dict):
        raise ModelFileError("the file has no trees where some should be.")
    arrays = {name: reader.contents.take(number) for name, number in told.items()}
    shape = arrays.get("shape")
    if shape is None or shape.tolist() != [len(n_categories), n_classes]:
        raise ModelFileError("the trees have another number of columns or classes than the model.")
    grown = kind.__new__(kind)
    try:
        grown.__setstate__(arrays)
    except ValueError as error:
        raise ModelFileError(f"the trees are damaged: {error}.") from error
    _check_columns(arrays, n_categories)
    return grown


def _check_columns(arrays: Arrays, n_categories: NDArray[np.int32]) -> None:
    """Raise unless splits and columns are of one kind, and categories are among those of their column."""
    column = arrays["node_packed"] & np.uint32(2**_COLUMN_BITS - 1)  # the core has checked that it exists
    for side in ("a", "b"):
        _require(bool(np.isfinite(arrays[f"plane_weight_{side}"]).all()), "a line has a weight that is no number")
    if not n_categories.any():  # nor can a split have categories then: the core has looked for its list
        _require(len(arrays["list_begin"]) == 0, "there are lists of categories and no nominal columns")
        return
    split = arrays["node_packed"] >> np.uint32(_COLUMN_BITS + 1)
    nominal = n_categories[column] > 0
    _require(not nominal[split == _NUMERIC].any(), "a column of categories is split by a number")
    by_category = np.flatnonzero((split == _SUBSET) | (split == _MULTIWAY))
    _require(bool(nominal[by_category].all()), "a column of numbers is split by categories")
    first_list = _starts(arrays["n_lists"])
    of_nodes = _Uses(
        arrays["node_threshold"][by_category].astype(np.int64) + _per_item(first_list, arrays["n_nodes"])[by_category],
        column[by_category].astype(np.int64),
    )
    maps = [_maps_of(arrays, side, first_list, n_categories) for side in ("a", "b")]
    _check_lists(arrays, of_nodes, maps, n_categories)


@dataclass(frozen=True)
class _Uses:
    """Which category lists, numbered through all trees, are used for which columns."""

    lists: NDArray[np.int64]
    columns: NDArray[np.int64]


def _maps_of(arrays: Arrays, side: str, first_list: NDArray[np.int64], n_categories: NDArray[np.int32]) -> _Uses:
    """The lists that place the categories of one column of each hyperplane."""
    column = arrays[f"plane_feature_{side}"].astype(np.int64)  # the core has checked that it exists
    place = arrays[f"plane_map_{side}"].astype(np.int64)
    has_map = place != _NO_MAP
    _require(bool(np.array_equal(has_map, n_categories[column] > 0)), "a line treats a column as what it is not")
    return _Uses((place + _per_item(first_list, arrays["n_planes"]))[has_map], column[has_map])


def _check_lists(arrays: Arrays, of_nodes: _Uses, maps: list[_Uses], n_categories: NDArray[np.int32]) -> None:
    """Every list is used once, lies behind the one before, ascends, and holds categories that its column has."""
    begin, size = arrays["list_begin"].astype(np.int64), arrays["list_size"].astype(np.int64)
    used = np.concatenate([of_nodes.lists, *(uses.lists for uses in maps)])
    _require(bool((np.bincount(used, minlength=len(begin)) <= 1).all()), "two nodes share a list of categories")
    parts = np.ones(len(begin), dtype=np.int64)
    for uses in maps:
        parts[uses.lists] = 2  # codes, and a place for each
    end = begin + parts * size
    begins_tree = np.zeros(len(begin), dtype=bool)
    first_list = _starts(arrays["n_lists"])
    begins_tree[first_list[first_list < len(begin)]] = True
    _require(bool(((begin[1:] >= end[:-1]) | begins_tree[1:]).all()), "lists of categories overlap")

    limit = np.zeros(len(begin), dtype=np.int64)
    for uses in (of_nodes, *maps):
        limit[uses.lists] = n_categories[uses.columns]
    limit[np.setdiff1d(np.arange(len(begin)), used)] = _NO_MAP
    # Lists do not overlap, so this is no longer than the pools.
    pool_begin = begin + _per_item(_starts(arrays["n_categories"]), arrays["n_lists"])
    inside = np.arange(int(size.sum())) - _per_item(_starts(size), size)
    codes = arrays["category_pool"][_per_item(pool_begin, size) + inside].astype(np.int64)
    _require(bool((codes < _per_item(limit, size)).all()), "a split names a category that its column does not have")
    _require(bool(((np.diff(codes) > 0) | (inside[1:] == 0)).all()), "the categories of a split are not in order")


def _starts(sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Where each of several segments begins that lie one behind the other."""
    return np.asarray(np.cumsum(sizes) - sizes)


def _per_item(values: NDArray[np.int64], sizes: NDArray[Any]) -> NDArray[np.int64]:
    """One value per segment, repeated for its items."""
    return np.repeat(values, sizes)


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ModelFileError(f"the trees are damaged: {otherwise}.")
