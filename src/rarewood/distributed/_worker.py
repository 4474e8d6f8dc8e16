"""Tasks that run on the workers of a cluster: plain functions of parts and messages.

Which parts a worker has loaded, and which of their rows are in which node, is kept between tasks only to save time; whatever is not there
is made again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rarewood._core import PartRows, Subtree, TableDraws, grow_gathered, sum_of_answers
from rarewood._tables.repeats import Hashes
from rarewood.distributed._job import Job, LoadedPart, OutOfBagTask, add_out_of_bag, hashes_of, load, load_matrix
from rarewood.distributed._profile import ColumnRoles, PartProfile, Schema, profile_part
from rarewood.distributed.parts import ParquetPart
from rarewood.tree.base import OutOfBag


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
    for number, part in zip(numbers, parts, strict=True):
        assert job is not None
        _part(job, number, part)


def profile(parts: Sequence[Any], numbers: Sequence[int], roles: ColumnRoles) -> list[tuple[int, PartProfile]]:
    return [(number, profile_part(_frame(part), roles)) for number, part in zip(numbers, parts, strict=True)]


def hashes(
    parts: Sequence[Any], numbers: Sequence[int], schema: Schema, column: int | None
) -> list[tuple[int, Hashes]]:
    """Of the rows of these parts, or of their cells in one column."""
    return [
        (number, hashes_of(load_matrix(_frame(part), schema, number), column))
        for number, part in zip(numbers, parts, strict=True)
    ]


def answer(parts: Sequence[Any], numbers: Sequence[int], job: Job, splits: bytes, questions: bytes) -> bytes:
    """The sum of what these parts answer."""
    answers = []
    for number, part in zip(numbers, parts, strict=True):
        cached = _part(job, number, part)
        with cached.lock:
            answers.append(cached.rows_of(job, number).answer(cached.loaded.dataset, splits, questions))
        answers = [sum_of_answers(answers)]
    _draws_of(job).forget()  # parts have their rows now
    return answers[0]


def gather(
    parts: Sequence[Any], numbers: Sequence[int], job: Job, splits: bytes, tasks: bytes
) -> list[tuple[int, bytes]]:
    """The rows of the nodes of tasks, part by part."""
    blocks = []
    for number, part in zip(numbers, parts, strict=True):
        cached = _part(job, number, part)
        with cached.lock:
            blocks.append((number, cached.rows_of(job, number).gather(cached.loaded.dataset, splits, tasks)))
    return blocks


def add(
    parts: Sequence[Any], numbers: Sequence[int], task: OutOfBagTask, before: Sequence[OutOfBag]
) -> list[tuple[int, OutOfBag]]:
    """The sums of these parts with what the trees of a task add to them."""
    draws = task.job.draws()
    sums = []
    for number, part in zip(numbers, parts, strict=True):
        rows = load_matrix(_frame(part), task.job.schema, number)
        sums.append((number, add_out_of_bag(rows, number, task, draws, before[number], n_threads=1)))
    return sums


def total(answers: Sequence[bytes]) -> bytes:
    return sum_of_answers(list(answers))


def grow(job: Job, tasks: bytes, gathered: Sequence[Sequence[tuple[int, bytes]]]) -> list[Subtree]:
    in_order = sorted(((number, block) for blocks in gathered for number, block in blocks), key=lambda pair: pair[0])
    return grow_gathered(job.schema.shape, job.plan, tasks, [block for _, block in in_order])


def _part(job: Job, number: int, part: Any) -> _CachedPart:
    key = (job.schema.name, number)
    with _guard:
        cached = _cache.get(key)
    if cached is None:
        loaded = load(_frame(part), job.schema, number)
        with _guard:
            cached = _cache.setdefault(key, _CachedPart(loaded))
    return cached


def _frame(part: Any) -> Any:
    """The rows of a file, or those that are at hand."""
    return part.read() if isinstance(part, ParquetPart) else part
