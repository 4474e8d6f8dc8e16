"""What parts of a table say of its columns, and the columns of the whole."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._columns import Columns
from rarewood._tables._factors import Factor
from rarewood._tables._nominal import nominal_columns
from rarewood._tables._sources import Column, Table
from rarewood._tables.kinds import Categories, Kind, Moments, Numbers, learn_kind


@dataclass(frozen=True)
class ColumnPart:
    """What some rows say of a column."""

    name: str | int
    kind: Kind
    is_listed: bool  # the type is one of categories, whatever cells there are
    is_void: bool  # without a value, so that it may be of any kind
    wide: bool  # numbers that float32 does not hold
    has_missing: bool
    checksum: int  # of the cells, in any order; those of parts add up


def describe_part(table: Table, categorical_features: Any) -> list[ColumnPart]:
    """What the rows of a table that has some say of its columns; infinities are refused."""
    nominal = nominal_columns(table, categorical_features)
    return [_describe(column, is_nominal) for column, is_nominal in zip(table.columns, nominal.tolist(), strict=True)]


def _describe(column: Column, nominal: bool) -> ColumnPart:
    kind = learn_kind(column, nominal)
    if isinstance(kind, Categories):
        factor = column.factor
        missing = factor.codes < 0
        checksum = _checksum_of_levels(factor)
        return ColumnPart(
            column.name, kind, column.type == "nominal", bool(missing.all()), False, bool(missing.any()), checksum
        )
    numbers = np.asarray(kind.read(column))
    missing = np.isnan(numbers)
    if np.isinf(numbers).any():
        raise ValueError(f"Column {column.name!r} contains infinity; give a finite number, or NaN for missing.")
    with np.errstate(over="ignore"):
        wide = numbers.dtype != np.float32 and bool((numbers.astype(np.float32) != numbers)[~missing].any())
    return ColumnPart(column.name, kind, False, bool(missing.all()), wide, bool(missing.any()), checksum_of(numbers))


def checksum_of(numbers: NDArray[Any]) -> int:
    """Cells as they are in memory, added up without regard to overflow; every missing one counts the same."""
    words = np.ascontiguousarray(numbers, dtype=np.float64).view(np.uint64)
    return int(np.where(np.isnan(numbers), np.uint64(1), words).sum(dtype=np.uint64))


def _checksum_of_levels(factor: Factor) -> int:
    times = np.bincount(factor.codes + 1, minlength=len(factor.levels) + 1).tolist()
    names = [1, *(zlib.crc32(repr(level).encode()) for level in factor.levels)]
    return int(sum(name * count for name, count in zip(names, times, strict=True)) % 2**64)


def merge_parts(parts: Sequence[Sequence[ColumnPart]], names: NDArray[Any] | None) -> tuple[Columns, list[bool]]:
    """The columns of all rows together, and which of them need float64."""
    kinds, wide, missing = [], [], []
    for of_column in zip(*parts, strict=True):
        kinds.append(_kind_of_all(of_column))
        wide.append(any(part.wide for part in of_column))
        missing.append(any(part.has_missing for part in of_column))
    return Columns(tuple(kinds), names, np.array(missing, dtype=bool)), wide


def _kind_of_all(parts: Sequence[ColumnPart]) -> Kind:
    """Parts without a value go along with the others, as long as there are others."""
    telling = [part for part in parts if not part.is_void or part.is_listed] or [
        part for part in parts if not isinstance(part.kind, Numbers)
    ]
    words = sorted({_word(part.kind) for part in telling})
    if len(words) > 1:
        raise ValueError(
            f"Column {parts[0].name!r} holds {words[0]} in some partitions and {words[1]} in others; give it the same dtype in "
            "all of them, or list it in categorical_features."
        )
    kinds = [part.kind for part in telling]
    if not telling or isinstance(kinds[0], Numbers):
        return Numbers()
    if isinstance(kinds[0], Moments):
        return next((kind for kind in kinds if kind.word != "date"), kinds[0])  # days are points in time, too
    return _united([part for part in telling if isinstance(part.kind, Categories)])


def _word(kind: Kind) -> str:
    if isinstance(kind, Categories):
        return "booleans" if _are_truth(kind) else "categories"
    if isinstance(kind, Moments):
        return {"date": "dates and times", "datetime": "dates and times"}.get(kind.word, f"{kind.word} values")
    return "numbers"


def _united(parts: Sequence[ColumnPart]) -> Kind:
    kinds = [part.kind for part in parts if isinstance(part.kind, Categories)]
    if _are_truth(kinds[0]):
        return kinds[0]
    values = dict.fromkeys(value for kind in kinds for value in kind.categories.tolist())
    return Categories.of(values, parts[0].name, is_listed=all(part.is_listed for part in parts))


def _are_truth(kind: Categories) -> bool:
    return kind.categories.dtype == bool
