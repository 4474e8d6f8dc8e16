"""Who asks the parts: one process, part after part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from rarewood._core import PartRows, Subtree, grow_gathered, sum_of_answers
from rarewood.distributed._job import Job, LoadedPart, load
from rarewood.distributed._parts import Part
from rarewood.distributed._profile import PartProfile, Reading, profile_part


class Engine(Protocol):
    """What growing asks of whoever holds the parts. All messages are bytes of the core's."""

    def profile(self, reading: Reading) -> list[PartProfile]:
        """What each part says of the whole, in the order of the parts."""

    def begin(self, job: Job) -> None:
        """The questions that follow are about this forest."""

    def ask(self, splits: bytes, questions: bytes) -> bytes:
        """The sum of the answers of all parts, whose rows have moved by `splits` since the roots."""

    def finish(self, splits: bytes, groups: Sequence[bytes]) -> Iterator[list[Subtree]]:
        """The subtrees of each group of tasks, grown on rows gathered from all parts."""

    def close(self) -> None:
        """Free what was kept to save time."""


class LocalEngine:
    """Parts one after the other in this process.

    With `keep`, parts stay in memory once they are loaded; otherwise each pass loads them again, and only the lists of which
    row is in which node stay.
    """

    def __init__(self, parts: Sequence[Part], *, keep: bool, n_threads: int) -> None:
        self._parts = parts
        self._keep = keep
        self._n_threads = n_threads
        self._job: Job | None = None
        self._loaded: dict[int, LoadedPart] = {}
        self._rows: dict[int, PartRows] = {}
        self.n_passes = 0

    def profile(self, reading: Reading) -> list[PartProfile]:
        self.n_passes += 1
        return [profile_part(part.read(), reading) for part in self._parts]

    def begin(self, job: Job) -> None:
        self._job = job
        self._loaded.clear()
        self._rows.clear()

    def ask(self, splits: bytes, questions: bytes) -> bytes:
        total: bytes | None = None
        for loaded, rows in self._each():
            answers = rows.answer(loaded.dataset, splits, questions, self._n_threads)
            total = answers if total is None else sum_of_answers([total, answers])
        assert total is not None
        return total

    def finish(self, splits: bytes, groups: Sequence[bytes]) -> Iterator[list[Subtree]]:
        assert self._job is not None
        plan, shape = self._job.plan(), self._job.schema.shape
        for tasks in groups:
            blocks = [rows.gather(loaded.dataset, splits, tasks) for loaded, rows in self._each()]
            yield grow_gathered(shape, plan, tasks, blocks, self._n_threads)

    def close(self) -> None:
        self._loaded.clear()
        self._rows.clear()

    def _each(self) -> Iterator[tuple[LoadedPart, PartRows]]:
        job = self._job
        assert job is not None
        self.n_passes += 1
        for number, part in enumerate(self._parts):
            loaded = self._loaded.get(number)
            if loaded is None:
                loaded = load(part.read(), job.schema, number)
                if self._keep:
                    self._loaded[number] = loaded
            if number not in self._rows:
                self._rows[number] = loaded.rows(job, number)
            yield loaded, self._rows[number]
