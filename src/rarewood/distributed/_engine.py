"""Engines, which put questions to the parts; the one for this process takes part after part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Dataset, LevelGrower, PartRows, Subtree, TableDraws, grow_gathered, sum_of_answers
from rarewood._tables.row_source import Numbers, RowFunction
from rarewood.distributed._job import Job, LoadedPart, load
from rarewood.distributed._out_of_bag import KEEP_IN_MEMORY, OutOfBagTask, PartSums, SumFiles, out_of_bag
from rarewood.distributed._packed import PackedParts
from rarewood.distributed._profile import ColumnRoles, PartProfile, Schema, profile_part
from rarewood.distributed._scratch import Group, Scratch, as_the_disk_allows, room_on_disk
from rarewood.distributed.parts import Part


@dataclass(frozen=True)
class Splits:
    """What moves the rows of parts: the splits since the last question, and all since the roots, for a part that was made again."""

    new: bytes
    all: Callable[[], bytes]

    @classmethod
    def of(cls, grower: LevelGrower) -> Splits:
        return cls(grower.new_splits(), grower.splits)


class Engine(Protocol):
    """The interface of whoever holds the parts to the growing of trees. Messages are bytes that the core makes and reads."""

    finish_rows: int  # a node of at most as many is better gathered than asked about
    in_this_process: bool

    def n_places(self) -> int:
        """The number of places that can gather rows at the same time."""

    def profile(self, roles: ColumnRoles) -> list[PartProfile]:
        """The profile of each part, in their order."""

    def begin(self, job: Job) -> None:
        """Start a forest: all questions until the next call are about it."""

    def ask(self, splits: Splits, questions: bytes) -> bytes:
        """The sum of the answers of all parts, whose rows have moved by `splits`."""

    def finish(self, splits: Splits, groups: Sequence[Group]) -> Iterator[list[Subtree]]:
        """The subtrees of each group of tasks, grown on rows gathered from all parts."""

    def out_of_bag(self, task: OutOfBagTask) -> list[list[PartSums]]:
        """Of each part, the sums that a task asks for; they are there until the engine is closed."""

    def cells(
        self, schema: Schema, numbers: Sequence[NDArray[np.int64]], columns: NDArray[np.int64] | None
    ) -> list[Numbers]:
        """Some rows of each part as a matrix, or some columns of them."""

    def map_rows(self, schema: Schema, function: RowFunction, columns: NDArray[np.int64] | None) -> list[NDArray[Any]]:
        """What a function makes of the rows of each part, or of some columns of them."""

    def close(self) -> None:
        """Free what was kept to save time."""


class LocalEngine:
    """Parts one after the other in this process.

    With `keep`, parts stay in memory once they are loaded; otherwise they stay in files in the form the core reads, only the lists of
    which row is in which node stay in memory, and gathered rows and out-of-bag sums wait in files, too.
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
        self._sums: SumFiles | None = None
        self._rows: dict[int, PartRows] = {}
        self.n_passes = 0

    def n_places(self) -> int:
        return 1

    def profile(self, roles: ColumnRoles) -> list[PartProfile]:
        self.n_passes += 1
        return [profile_part(part.read(), roles) for part in self._parts]

    def begin(self, job: Job) -> None:
        self._job = job
        self._draws = job.draws()
        self._rows.clear()

    def ask(self, splits: Splits, questions: bytes) -> bytes:
        total: bytes | None = None
        for table, rows in self._each():
            answers = rows.answer(table, splits.new, questions, self._n_threads)
            total = answers if total is None else sum_of_answers([total, answers])
        assert total is not None
        assert self._draws is not None
        self._draws.forget()  # parts have their rows now
        return total

    def finish(self, splits: Splits, groups: Sequence[Group]) -> Iterator[list[Subtree]]:
        assert self._job is not None
        plan, shape = self._job.plan, self._job.shape
        if self._keep:
            for group in groups:
                blocks = [rows.gather(table, splits.new, group.tasks) for table, rows in self._each()]
                yield grow_gathered(shape, plan, group.tasks, blocks, self._n_threads)
            return
        for some in as_the_disk_allows(groups, self._job.schema.row_bytes):
            with Scratch() as scratch:
                for table, rows in self._each():
                    for place, group in enumerate(some):
                        scratch.add(place, rows.gather(table, splits.new, group.tasks))
                for place, group in enumerate(some):
                    yield grow_gathered(shape, plan, group.tasks, scratch.take(place), self._n_threads)

    def out_of_bag(self, task: OutOfBagTask) -> list[list[PartSums]]:
        self.n_passes += -(-len(task.forest) // task.at_once)
        self._rows.clear()  # all trees are grown
        schema, keep = task.job.schema, KEEP_IN_MEMORY
        if not self._keep and task.n_bytes <= room_on_disk():
            self._sums = self._sums or SumFiles()
            keep = self._sums.keeper(task)
        numbers = range(len(self._parts))
        return out_of_bag(task, numbers, lambda number: self._part(schema, number), self._n_threads, keep)

    def cells(
        self, schema: Schema, numbers: Sequence[NDArray[np.int64]], columns: NDArray[np.int64] | None
    ) -> list[Numbers]:
        self.n_passes += 1
        return [part.cells(own, columns) for part, own in zip(self._all(schema), numbers, strict=True)]

    def map_rows(self, schema: Schema, function: RowFunction, columns: NDArray[np.int64] | None) -> list[NDArray[Any]]:
        self.n_passes += 1
        return [part.map_rows(function, columns) for part in self._all(schema)]

    def close(self) -> None:
        self._loaded.clear()
        self._rows.clear()
        if self._packed is not None:
            self._packed.close()
            self._packed = None
        if self._sums is not None:
            self._sums.close()
            self._sums = None

    def _all(self, schema: Schema) -> Iterator[LoadedPart]:
        return (self._part(schema, number) for number in range(len(self._parts)))

    def _each(self) -> Iterator[tuple[Dataset, PartRows]]:
        """Each part with the classes of the job, and its rows."""
        job, draws = self._job, self._draws
        assert job is not None
        assert draws is not None
        self.n_passes += 1
        for number in range(len(self._parts)):
            loaded = self._part(job.schema, number)
            if number not in self._rows:
                self._rows[number] = loaded.rows(job, number, draws)
            table = job.table(loaded.dataset)
            yield table, self._rows[number]
            del loaded, table  # before the next one comes

    def _part(self, schema: Schema, number: int) -> LoadedPart:
        if not self._keep:
            return self._packed_parts(schema).part(number, lambda: load(self._parts[number].read(), schema, number))
        if number not in self._loaded:
            self._loaded[number] = load(self._parts[number].read(), schema, number)
        return self._loaded[number]

    def _packed_parts(self, schema: Schema) -> PackedParts:
        if self._packed is None or self._packed.schema.name != schema.name:
            self._packed = PackedParts(schema)
        return self._packed
