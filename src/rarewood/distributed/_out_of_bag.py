"""What trees say of rows that they did not see, part by part; the sums of many rows wait in files until they are read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, TableDraws
from rarewood.distributed._job import Job, LoadedPart
from rarewood.tree.base import OutOfBag, SeveralPseudoCounts


@dataclass(frozen=True)
class OutOfBagTask:
    """A forest of a job and the pseudo-counts of its leaves.

    Sums are asked for after so many trees as `ends` lists; the draws of `at_once` trees are known at a time.
    """

    job: Job
    forest: Forest
    pseudo_counts: SeveralPseudoCounts
    ends: tuple[int, ...]
    at_once: int

    @property
    def n_pseudo_counts(self) -> int:
        return len(self.pseudo_counts) if isinstance(self.pseudo_counts, list) else 1

    @property
    def width(self) -> int:
        """Sums of a row."""
        return self.n_pseudo_counts * self.job.n_classes

    @property
    def n_bytes(self) -> int:
        """All that is asked for."""
        return len(self.ends) * sum(self.job.schema.n_rows) * (8 * self.width + 4)


@dataclass(frozen=True)
class StoredSums:
    """The sums of a part in files: pseudo-counts x rows x classes, and numbers of trees."""

    sums_file: Path
    n_trees_file: Path

    @property
    def n_trees(self) -> NDArray[np.uint32]:
        return np.asarray(np.load(self.n_trees_file))

    def of(self, number: int, n_classes: int) -> OutOfBag:  # noqa: ARG002
        """Those by one of several pseudo-counts, in memory only as far as they are being read."""
        return OutOfBag(np.load(self.sums_file, mmap_mode="r")[number], self.n_trees)

    def means(self) -> NDArray[np.float64]:
        return self.whole().means()

    def whole(self) -> OutOfBag:
        by_row = np.load(self.sums_file).swapaxes(0, 1)
        n_rows, n_pseudo_counts, n_classes = by_row.shape  # no rows in an empty part
        return OutOfBag(np.ascontiguousarray(by_row).reshape(n_rows, n_pseudo_counts * n_classes), self.n_trees)


PartSums = OutOfBag | StoredSums
Keep = Callable[[int, int, OutOfBag], PartSums]
"""Keeps the sums of a part up to one of the ends of a task, in place of those that it kept before."""


class SumFiles:
    """A temporary folder for the sums of many tasks."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rarewood-", ignore_cleanup_errors=True)
        self._numbers = count()

    def keeper(self, task: OutOfBagTask) -> Keep:
        """For the sums of one task."""
        own = next(self._numbers)

        def keep(part: int, end: int, sums: OutOfBag) -> StoredSums:
            names = (f"{own}-{part}-{end}.{kind}.npy" for kind in ("sums", "trees"))
            stored = StoredSums(*(Path(self._folder.name) / name for name in names))
            by_pseudo_count = sums.sums.reshape(-1, task.n_pseudo_counts, task.job.n_classes).swapaxes(0, 1)
            try:
                np.save(stored.sums_file, by_pseudo_count)
                np.save(stored.n_trees_file, sums.n_trees)
            except OSError as error:
                raise OSError(
                    f"the temporary folder {tempfile.gettempdir()} has no room left for out-of-bag scores, which take about "
                    f"{task.n_bytes / 1e6:,.0f} MB for each family of trees; set TMPDIR to a folder with more."
                ) from error
            return stored

        return keep

    def close(self) -> None:
        self._folder.cleanup()


def _keep_in_memory(part: int, end: int, sums: OutOfBag) -> OutOfBag:  # noqa: ARG001
    return sums


KEEP_IN_MEMORY: Keep = _keep_in_memory


def out_of_bag(
    task: OutOfBagTask,
    numbers: Sequence[int],
    part_of: Callable[[int], LoadedPart],
    n_threads: int,
    keep: Keep = KEEP_IN_MEMORY,
) -> list[list[PartSums]]:
    """Of each of the parts `numbers`, the sums that a task asks for; rows are drawn again once for all of them."""
    n_rows = task.job.schema.n_rows
    sums: dict[int, PartSums] = {}  # of the parts that trees have been added up for
    found: list[list[PartSums]] = []
    for begin, end in pairwise((0, *task.ends)):
        for first in range(begin, end, task.at_once):
            some, draws = task.forest.part(first, min(first + task.at_once, end)), task.job.draws()
            for number in numbers:
                before = _whole(sums[number]) if number in sums else OutOfBag.none(n_rows[number], task.width)
                added = _add_out_of_bag(part_of(number), number, task, some, first, draws, before, n_threads)
                sums[number] = keep(number, end, added)
        found.append([sums.get(number, OutOfBag.none(n_rows[number], task.width)) for number in numbers])
    return [list(of_part) for of_part in zip(*found, strict=True)]


def _whole(sums: PartSums) -> OutOfBag:
    return sums if isinstance(sums, OutOfBag) else sums.whole()


def _add_out_of_bag(
    part: LoadedPart,
    number: int,
    task: OutOfBagTask,
    some: Forest,
    first: int,
    draws: TableDraws,
    before: OutOfBag,
    n_threads: int,
) -> OutOfBag:
    if len(before.n_trees) == 0:
        return before
    rows, table = part.rows(task.job, number, draws), task.job.table(part.dataset)
    return OutOfBag(*rows.out_of_bag(table, some, first, task.pseudo_counts, before.sums, before.n_trees, n_threads))


@dataclass(frozen=True)
class PartedScores:
    """The `OutOfBagScores` of rows in parts."""

    parts: Sequence[PartSums]
    which: tuple[int, int] | None = None  # pseudo-count, and the number of classes

    @property
    def n_trees(self) -> NDArray[np.uint32]:
        return np.concatenate([part.n_trees for part in self.parts])

    def of(self, number: int, n_classes: int) -> PartedScores:
        return replace(self, which=(number, n_classes))

    def means(self) -> NDArray[np.float64]:
        chosen: Any = self.parts if self.which is None else (part.of(*self.which) for part in self.parts)
        return np.concatenate([part.means() for part in chosen])
