"""The parts of a table: where they come from, and how one is read into memory."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rarewood._table_files.arrow import by_code, is_arrow_dictionary
from rarewood._table_files.parquet import KnownWords, opened_parquet
from rarewood._table_files.proportion import TIMES, Proportion

_LEAST_OF_ROW = 256  # bytes that a row of the part in hand takes where it is scored, by several leaf weights at a time


class Part(Protocol):
    """Some rows of a table. Can be read any number of times, and sent to other processes; the rows are the same every time."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    @property
    def size_in_bytes(self) -> int:
        """About what the rows take in memory."""

    def read(self) -> Any:
        """The rows as a data frame."""

    def names(self) -> list[str]:
        """The names of the columns."""

    def nominal(self, names: Sequence[str]) -> list[str]:
        """The columns among `names` that hold categories, words or truth values by their type."""

    def column(self, name: str) -> NDArray[Any]:
        """The cells of one column."""


@dataclass(frozen=True)
class FramePart:
    """A data frame that is in memory already."""

    frame: Any

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(nw.from_native(self.frame, eager_only=True))

    @property
    def size_in_bytes(self) -> int:
        """About what the rows take in memory."""
        return int(nw.from_native(self.frame, eager_only=True).estimated_size())

    def read(self) -> Any:
        """The rows as a data frame."""
        return self.frame

    def names(self) -> list[str]:
        """The names of the columns."""
        return list(nw.from_native(self.frame, eager_only=True).columns)

    def nominal(self, names: Sequence[str]) -> list[str]:
        """The columns among `names` that hold categories, words or truth values."""
        schema = nw.from_native(self.frame, eager_only=True).schema
        return [name for name in names if schema[name] in (nw.Categorical, nw.Enum, nw.String, nw.Boolean)]

    def column(self, name: str) -> NDArray[Any]:
        """The cells of one column."""
        return cells_of_series(nw.from_native(self.frame, eager_only=True)[name].to_native())


@dataclass(frozen=True)
class ParquetPart:
    """Some row groups of a Parquet file."""

    path: str
    row_groups: tuple[int, ...]
    n_rows: int
    size_in_bytes: int

    def with_next(self, part: ParquetPart) -> ParquetPart:
        """A part with the row groups of both, the other one being behind it in the same file."""
        groups = (*self.row_groups, *part.row_groups)
        return ParquetPart(self.path, groups, self.n_rows + part.n_rows, self.size_in_bytes + part.size_in_bytes)

    def read(self, known: KnownWords = MappingProxyType({})) -> Any:
        """The rows as a data frame, with words as everywhere in files; `known` are those that a model has, by column."""
        with opened_parquet(self.path, Path(self.path).name) as table:
            return table.groups(self.row_groups, known) if self.row_groups else table.empty()

    def names(self) -> list[str]:
        """The names of the columns."""
        return self._empty().names()

    def nominal(self, names: Sequence[str]) -> list[str]:
        """The columns among `names` that hold categories, words or truth values by their type."""
        return self._empty().nominal(names)

    def column(self, name: str) -> NDArray[Any]:
        """The cells of one column."""
        with opened_parquet(self.path, Path(self.path).name) as table:
            return cells_of_series(table.groups(self.row_groups, {}, [name]).column(0))

    def _empty(self) -> FramePart:
        with opened_parquet(self.path, Path(self.path).name) as table:
            return FramePart(table.empty())


def cells_of_series(series: Any) -> NDArray[Any]:
    """The cells of a column of a data frame; where Arrow has codes, rows share the values."""
    if is_arrow_dictionary(series):
        rows = series.combine_chunks()
        found = np.empty(len(rows), dtype=object)
        found[:] = by_code(rows.indices, rows.dictionary)
        return found
    return np.asarray(nw.from_native(series, series_only=True).to_numpy())


def parts_of(data: Any) -> list[Part]:
    """The parts of what a caller passed, from the footers of Parquet files, each read once.

    A part is a row group of a Parquet file or a data frame.
    """
    if _are_paths(data):
        return _parquet_parts([data] if isinstance(data, (str, Path)) else list(data))
    frames = list(data) if _is_list(data) else [data]
    if not frames:
        raise ValueError("data is an empty list; give at least one data frame or path.")
    for frame in frames:
        if not isinstance(nw.from_native(frame, pass_through=True), nw.DataFrame):
            raise TypeError(
                f"data of type {type(frame).__name__} is not accepted; give Parquet paths or globs, a pandas, polars or pyarrow "
                "data frame or a list of them (one per partition), or, with client=, a Dask data frame."
            )
    return [FramePart(frame) for frame in frames]


def check_proportion(parts: Sequence[Part]) -> None:
    """Raise where the rows of a Parquet file, which are to be in memory together, are out of proportion to the file."""
    taken: Counter[str] = Counter()
    for part in parts:
        if isinstance(part, ParquetPart):
            taken[part.path] += part.size_in_bytes
    for path, n_bytes in taken.items():
        may_take = Proportion.of(path, Path(path).name)
        if not may_take.allows(n_bytes):
            raise ValueError(
                f"{may_take.where} has {may_take.file_size:,} bytes, but its rows take {n_bytes // 10**6:,} MB in memory: more than "
                f"{TIMES:,} times its size. If you trust it, give memory=, which takes them part by part."
            )


def joined(parts: Sequence[Part], most_bytes: int) -> list[Part]:
    """Neighbouring row groups of a file as one part, as far as their sizes add up to at most `most_bytes`.

    A row takes at least `_LEAST_OF_ROW` bytes, whatever its columns take.
    """
    result: list[Part] = []
    for part in parts:
        last = result[-1] if result else None
        if isinstance(part, ParquetPart) and isinstance(last, ParquetPart) and last.path == part.path:
            both = last.with_next(part)
            if max(both.size_in_bytes, _LEAST_OF_ROW * both.n_rows) <= most_bytes:
                result[-1] = both
                continue
        result.append(part)
    return result


def _are_paths(data: Any) -> bool:
    items = data if _is_list(data) and data else [data]
    return all(isinstance(item, (str, Path)) for item in items)


def _is_list(data: Any) -> bool:
    return isinstance(data, (list, tuple))


def _parquet_parts(paths: Sequence[str | Path]) -> list[Part]:
    parts: list[Part] = []
    for path in _files(paths):
        with opened_parquet(path, Path(path).name) as table:
            meta = table.metadata
            for number in range(meta.num_row_groups):
                group = meta.row_group(number)
                parts.append(ParquetPart(path, (number,), group.num_rows, _bytes_in_memory(group)))
    if not parts:
        raise ValueError(f"the Parquet files have no rows: {[str(path) for path in paths]}.")
    return parts


def _bytes_in_memory(group: Any) -> int:
    """Eight bytes per cell, or what the file says it takes without compression if that is more."""
    return int(max(group.total_byte_size, group.num_rows * group.num_columns * 8))


def _files(paths: Sequence[str | Path]) -> list[str]:
    files: list[str] = []
    for path in map(str, paths):
        if Path(path).is_dir():
            found = sorted(map(str, Path(path).glob("*.parquet")))
        else:
            found = [path] if Path(path).exists() else sorted(glob.glob(path))  # noqa: PTH207
        if not found:
            raise FileNotFoundError(f"there is no Parquet file {path!r}.")
        files += found
    return files
