"""Engines, which put questions to the parts; the one for this process takes part after part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from rarewood._core import PartRows, Subtree, TableDraws, grow_gathered, sum_of_answers
from rarewood._tables.repeats import Hashes
from rarewood.distributed._job import (
    Job,
    LoadedPart,
    MatrixPart,
    OutOfBagTask,
    add_out_of_bag,
    hashes_of,
    load,
    load_matrix,
)
from rarewood.distributed._packed import PackedParts
from rarewood.distributed._profile import ColumnRoles, PartProfile, Schema, profile_part
from rarewood.distributed._scratch import Group, Scratch, as_the_disk_allows
from rarewood.distributed.parts import Part
from rarewood.tree.base import OutOfBag


class Engine(Protocol):
    """The interface of whoever holds the parts to the growing of trees. Messages are bytes that the core makes and reads."""

    finish_rows: int  # a node of at most as many is better gathered than asked about
    in_this_process: bool

    def n_places(self) -> int:
        """The number of places that can gather rows at the same time."""

    def profile(self, roles: ColumnRoles) -> list[PartProfile]:
        """The profile of each part, in their order."""

    def hashes(self, schema: Schema, column: int | None) -> list[Hashes]:
        """Of the rows of each part, or of their cells in one column."""

    def begin(self, job: Job) -> None:
        """Start a forest: all questions until the next call are about it."""

    def ask(self, splits: bytes, questions: bytes) -> bytes:
        """The sum of the answers of all parts, whose rows have moved by `splits` since the roots."""

    def finish(self, splits: bytes, groups: Sequence[Group]) -> Iterator[list[Subtree]]:
        """The subtrees of each group of tasks, grown on rows gathered from all parts."""

    def add_out_of_bag(self, task: OutOfBagTask, before: Sequence[OutOfBag]) -> list[OutOfBag]:
        """The out-of-bag sums of each part with what the trees of a task add to them."""

    def close(self) -> None:
        """Free what was kept to save time."""


class LocalEngine:
    """Parts one after the other in this process.

    With `keep`, parts stay in memory once they are loaded; otherwise they stay in files in the form the core reads, only the lists of
    which row is in which node stay in memory, and gathered rows wait in files, too.
    """

    finish_rows = 20_000  # a round is a pass over all parts
    in_this_process = True

    def __init__(self, parts: Sequence[Part], *, keep: bool, n_threads: int) -> None:
        self._parts = parts
        self._keep = keep
        self._n_threads = n_threads
        self._job: Job | None = None
        self._draws: TableDraws | None = None
        self._loaded: dict[int, LoadedPart] = {}
        self._packed: PackedParts | None = None
        self._rows: dict[int, PartRows] = {}
        self.n_passes = 0

    def n_places(self) -> int:
        return 1

    def profile(self, roles: ColumnRoles) -> list[PartProfile]:
        self.n_passes += 1
        return [profile_part(part.read(), roles) for part in self._parts]

    def hashes(self, schema: Schema, column: int | None) -> list[Hashes]:
        self.n_passes += 1
        return [hashes_of(self._matrix(schema, number), column) for number in range(len(self._parts))]

    def begin(self, job: Job) -> None:
        self._job = job
        self._draws = job.draws()
        self._rows.clear()

    def ask(self, splits: bytes, questions: bytes) -> bytes:
        total: bytes | None = None
        for loaded, rows in self._each():
            answers = rows.answer(loaded.dataset, splits, questions, self._n_threads)
            total = answers if total is None else sum_of_answers([total, answers])
        assert total is not None
        assert self._draws is not None
        self._draws.forget()  # parts have their rows now
        return total

    def finish(self, splits: bytes, groups: Sequence[Group]) -> Iterator[list[Subtree]]:
        assert self._job is not None
        plan, shape = self._job.plan, self._job.schema.shape
        if self._keep:
            for group in groups:
                blocks = [rows.gather(loaded.dataset, splits, group.tasks) for loaded, rows in self._each()]
                yield grow_gathered(shape, plan, group.tasks, blocks, self._n_threads)
            return
        for some in as_the_disk_allows(groups, self._job.schema.row_bytes):
            with Scratch() as scratch:
                for loaded, rows in self._each():
                    for place, group in enumerate(some):
                        scratch.add(place, rows.gather(loaded.dataset, splits, group.tasks))
                for place, group in enumerate(some):
                    yield grow_gathered(shape, plan, group.tasks, scratch.take(place), self._n_threads)

    def add_out_of_bag(self, task: OutOfBagTask, before: Sequence[OutOfBag]) -> list[OutOfBag]:
        self.n_passes += 1
        draws = task.job.draws()
        return [
            add_out_of_bag(self._matrix(task.job.schema, number), number, task, draws, sums, self._n_threads)
            for number, sums in enumerate(before)
        ]

    def close(self) -> None:
        self._loaded.clear()
        self._rows.clear()
        if self._packed is not None:
            self._packed.close()
            self._packed = None

    def _each(self) -> Iterator[tuple[LoadedPart, PartRows]]:
        job, draws = self._job, self._draws
        assert job is not None
        assert draws is not None
        self.n_passes += 1
        for number in range(len(self._parts)):
            loaded = self._part(job.schema, number)
            if number not in self._rows:
                self._rows[number] = loaded.rows(job, number, draws)
            yield loaded, self._rows[number]
            del loaded  # before the next one comes

    def _part(self, schema: Schema, number: int) -> LoadedPart:
        if not self._keep:
            return self._packed_parts(schema).columns(number, lambda: load(self._parts[number].read(), schema, number))
        if number not in self._loaded:
            self._loaded[number] = load(self._parts[number].read(), schema, number)
        return self._loaded[number]

    def _matrix(self, schema: Schema, number: int) -> MatrixPart:
        def load_from_part() -> MatrixPart:
            return load_matrix(self._parts[number].read(), schema, number)

        return load_from_part() if self._keep else self._packed_parts(schema).matrix(number, load_from_part)

    def _packed_parts(self, schema: Schema) -> PackedParts:
        if self._packed is None or self._packed.schema.name != schema.name:
            self._packed = PackedParts(schema)
        return self._packed
