"""Tasks that run on the workers of a cluster: plain functions of parts and messages.

Which parts a worker has loaded, and which of their rows are in which node, is kept between tasks only to save time; whatever is not there
is made again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import PartRows, Subtree, TableDraws, grow_gathered, sum_of_answers
from rarewood._tables.row_source import Numbers, RowFunction
from rarewood.distributed import _out_of_bag
from rarewood.distributed._job import Job, LoadedPart, load
from rarewood.distributed._out_of_bag import OutOfBagTask, PartSums
from rarewood.distributed._profile import ColumnRoles, PartProfile, Schema, profile_part
from rarewood.distributed.parts import ParquetPart


@dataclass
class _CachedPart:
    """A loaded part, and the nodes of the growing forest that its rows are in."""

    loaded: LoadedPart
    job: str = ""
    rows: PartRows | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def rows_of(self, job: Job, number: int) -> PartRows:
        if self.rows is None or self.job != job.name:
            self.job, self.rows = job.name, self.loaded.rows(job, number, _draws_of(job))
        return self.rows


_cache: dict[tuple[str, int], _CachedPart] = {}  # by table and number
_draws: dict[str, TableDraws] = {}  # by job, the latest only
_guard = threading.Lock()


def keep_only(table: str | None, numbers: Sequence[int]) -> None:
    """Forget all parts but these of this table."""
    with _guard:
        _draws.clear()
        for name, number in list(_cache):
            if name != table or number not in numbers:
                del _cache[name, number]


def _draws_of(job: Job) -> TableDraws:
    with _guard:
        if job.name not in _draws:
            _draws.clear()
            _draws[job.name] = job.draws()
        return _draws[job.name]


def prepare(parts: Sequence[Any], numbers: Sequence[int], job: Job | None) -> None:
    """Load these parts before they are asked about; that libraries are imported first goes without saying."""
    if job is not None:
        _parts(parts, numbers, job.schema)


def profile(parts: Sequence[Any], numbers: Sequence[int], roles: ColumnRoles) -> list[tuple[int, PartProfile]]:
    return [(number, profile_part(_frame(part), roles)) for number, part in zip(numbers, parts, strict=True)]


def answer(
    parts: Sequence[Any], numbers: Sequence[int], n_threads: int, job: Job, splits: bytes, questions: bytes
) -> bytes | None:
    """The sum of what these parts answer; None if one of them misses splits that come before these."""
    answers = []
    for number, cached in _parts(parts, numbers, job.schema, n_threads):
        with cached.lock:
            rows, table = cached.rows_of(job, number), job.table(cached.loaded.dataset)
            if rows.is_behind(splits):
                return None
            answers.append(rows.answer(table, splits, questions, n_threads))
        answers = [sum_of_answers(answers)]
    _draws_of(job).forget()  # parts have their rows now
    return answers[0]


def gather(
    parts: Sequence[Any], numbers: Sequence[int], n_threads: int, job: Job, splits: bytes, tasks: bytes
) -> list[tuple[int, bytes]] | None:
    """The rows of the nodes of tasks, part by part; None if one of them misses splits that come before these."""
    blocks = []
    for number, cached in _parts(parts, numbers, job.schema, n_threads):
        with cached.lock:
            rows, table = cached.rows_of(job, number), job.table(cached.loaded.dataset)
            if rows.is_behind(splits):
                return None
            blocks.append((number, rows.gather(table, splits, tasks)))
    return blocks


def out_of_bag(
    parts: Sequence[Any], numbers: Sequence[int], n_threads: int, task: OutOfBagTask
) -> list[tuple[int, list[PartSums]]]:
    """The sums of these parts that a task asks for."""
    here = dict(_parts(parts, numbers, task.job.schema, n_threads))
    sums = _out_of_bag.out_of_bag(task, numbers, lambda number: here[number].loaded, n_threads)
    return list(zip(numbers, sums, strict=True))


def cells(
    parts: Sequence[Any],
    numbers: Sequence[int],
    schema: Schema,
    rows: Mapping[int, NDArray[np.int64]],
    columns: NDArray[np.int64] | None,
) -> list[tuple[int, Numbers]]:
    """Some rows of these parts as matrices, or some columns of them."""
    return [(number, cached.loaded.cells(rows[number], columns)) for number, cached in _parts(parts, numbers, schema)]


def map_rows(
    parts: Sequence[Any],
    numbers: Sequence[int],
    schema: Schema,
    function: RowFunction,
    columns: NDArray[np.int64] | None,
) -> list[tuple[int, NDArray[Any]]]:
    """What a function makes of the rows of these parts, or of some columns of them."""
    return [(number, cached.loaded.map_rows(function, columns)) for number, cached in _parts(parts, numbers, schema)]


def total(answers: Sequence[bytes | None]) -> bytes | None:
    known = [each for each in answers if each is not None]
    return sum_of_answers(known) if len(known) == len(answers) else None


def grow(job: Job, tasks: bytes, gathered: Sequence[list[tuple[int, bytes]] | None]) -> list[Subtree] | None:
    known = [blocks for blocks in gathered if blocks is not None]
    if len(known) < len(gathered):
        return None
    in_order = sorted((pair for blocks in known for pair in blocks), key=lambda pair: pair[0])
    return grow_gathered(job.shape, job.plan, tasks, [block for _, block in in_order])


def _parts(
    parts: Sequence[Any], numbers: Sequence[int], schema: Schema, n_threads: int = 1
) -> list[tuple[int, _CachedPart]]:
    """These parts with their numbers, loaded side by side where they are not here yet."""
    if n_threads == 1 or all((schema.name, number) in _cache for number in numbers):
        return [(number, _part(schema, number, part)) for number, part in zip(numbers, parts, strict=True)]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(zip(numbers, pool.map(partial(_part, schema), numbers, parts), strict=True))


def _part(schema: Schema, number: int, part: Any) -> _CachedPart:
    key = (schema.name, number)
    with _guard:
        cached = _cache.get(key)
    if cached is None:
        loaded = load(_frame(part), schema, number)
        with _guard:
            cached = _cache.setdefault(key, _CachedPart(loaded))
    return cached


def _frame(part: Any) -> Any:
    """The rows of a file, or those that are at hand."""
    return part.read() if isinstance(part, ParquetPart) else part
