"""Parts on the workers of a Dask cluster.

A round is a set of plain tasks that follow from the parts and from messages alone. Each part has a worker that is its home, so that it is
loaded once; when a home is lost, its parts get others and the round is begun again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Subtree
from rarewood._tables.row_source import Numbers, RowFunction
from rarewood._validation import import_optional
from rarewood.distributed import _placement, _worker
from rarewood.distributed._engine import Splits
from rarewood.distributed._job import Job
from rarewood.distributed._out_of_bag import OutOfBagTask, PartSums
from rarewood.distributed._placement import Placement
from rarewood.distributed._predict import columns_of, probabilities
from rarewood.distributed._profile import ColumnRoles, PartProfile, Schema
from rarewood.distributed._scratch import Group
from rarewood.distributed.parts import FramePart, parts_of

Result = TypeVar("Result")

_FAN_IN = 8
_DEATHS = 4  # of workers in one round, after which its parts are to blame


class WorkerLostError(Exception):
    """A home is gone: the round is to be begun again."""


class DaskEngine:
    """The engine on a `dask.distributed.Client`."""

    finish_rows = 4_000  # rows travel, so that fewer of them are worth another round
    in_this_process = False

    def __init__(self, client: Any, data: Any) -> None:
        self._distributed = import_optional("distributed", "dask", "growing on a cluster")
        self._client = client
        self._parts = _parts_on(client, data)
        self._job: Job | None = None
        self._placement = Placement(client, self._parts)

    def profile(self, roles: ColumnRoles) -> list[PartProfile]:
        return _in_order(self._round(lambda: self._on_each(_worker.profile, roles)))

    def n_places(self) -> int:
        return max(1, sum(self._placement.threads().values()))

    def begin(self, job: Job) -> None:
        self._job = job

    def ask(self, splits: Splits, questions: bytes) -> bytes:
        def round_with(some: bytes) -> list[bytes | None]:
            return self._round(lambda: self._sum(self._once(_worker.answer, self._job, some, questions)))

        return _unless_behind(round_with, splits)[0]

    def finish(self, splits: Splits, groups: Sequence[Group]) -> Iterator[list[Subtree]]:
        at_once = 2 * self.n_places()
        for first in range(0, len(groups), at_once):
            yield from self._finish_some(splits, groups[first : first + at_once])

    def out_of_bag(self, task: OutOfBagTask) -> list[list[PartSums]]:
        return _in_order(self._round(lambda: self._once(_worker.out_of_bag, task)))

    def cells(
        self, schema: Schema, numbers: Sequence[NDArray[np.int64]], columns: NDArray[np.int64] | None
    ) -> list[Numbers]:
        rows = dict(enumerate(numbers))
        return _in_order(self._round(lambda: self._on_each(_worker.cells, schema, rows, columns)))

    def map_rows(self, schema: Schema, function: RowFunction, columns: NDArray[np.int64] | None) -> list[NDArray[Any]]:
        return _in_order(self._round(lambda: self._on_each(_worker.map_rows, schema, function, columns)))

    def close(self) -> None:
        if self._client.status == "running":
            self._placement.forget(None, dict.fromkeys(self._placement.threads(), ()))

    def _finish_some(self, splits: Splits, groups: Sequence[Group]) -> list[list[Subtree]]:
        def round_with(some: bytes) -> list[list[Subtree] | None]:
            return self._round(lambda: [self._finished(some, group.tasks) for group in groups])

        return _unless_behind(round_with, splits)

    def _finished(self, splits: bytes, tasks: bytes) -> Any:
        blocks = self._once(_worker.gather, self._job, splits, tasks)
        return self._anywhere(_worker.grow, self._job, tasks, blocks)

    def _sum(self, futures: list[Any]) -> list[Any]:
        while len(futures) > 1:
            several = range(0, len(futures), _FAN_IN)
            futures = [self._anywhere(_worker.total, futures[i : i + _FAN_IN]) for i in several]
        return futures

    def _anywhere(self, task: Callable[..., Any], *messages: Any) -> Any:
        return self._client.submit(task, *messages, workers=self._placement.able, pure=False)

    def _once(self, task: Callable[..., Any], *messages: Any) -> list[Any]:
        """One task per worker, for all parts that are at home there, which divides the work among the worker's threads.

        A task costs the scheduler more than most questions cost a worker.
        """
        return [self._at(home, task, own, n_threads, *messages) for home, own, n_threads in self._homes()]

    def _on_each(self, task: Callable[..., Any], *messages: Any) -> list[Any]:
        """One task per thread of each worker, for work that has no threads of its own."""
        return [
            self._at(home, task, own[first::n_threads], *messages)
            for home, own, n_threads in self._homes()
            for first in range(min(len(own), n_threads))
        ]

    def _homes(self) -> list[tuple[str, list[int], int]]:
        """Workers, the parts that are at home there, and the number of threads."""
        threads, own = self._placement.threads(), dict[str, list[int]]()
        for number, home in self._placement.of.items():
            own.setdefault(home, []).append(number)
        return [(home, own[home], threads.get(home, 1)) for home in sorted(own)]

    def _at(self, home: str, task: Callable[..., Any], numbers: list[int], *messages: Any) -> Any:
        parts = [self._parts[number] for number in numbers]
        return self._client.submit(task, parts, numbers, *messages, workers=[home], pure=False)

    def _round(self, begin: Callable[[], list[Any]]) -> list[Any]:
        """The results of the futures that `begin` submits; the round is repeated if workers are lost on the way."""
        for _ in range(_DEATHS):
            futures: list[Any] = []
            try:
                self._placement.settle(self._job)
                futures = begin()
                return self._results(futures)
            except BaseException as error:
                if self._client.status == "running":
                    self._client.cancel(futures, force=True)
                    if not isinstance(error, WorkerLostError):
                        raise
                elif isinstance(error, Exception):
                    raise RuntimeError(
                        "the connection to the scheduler of the cluster was lost, so the fit has stopped; with "
                        "checkpoint=, a new fit continues from the trees that are finished."
                    ) from error
                else:
                    raise
        alive = self._placement.threads()
        lost = [number for number, home in self._placement.of.items() if home not in alive]
        raise RuntimeError(
            f"a worker was lost {_DEATHS} times in a row while it worked on a round; the last one held the partitions "
            f"{lost[:10]}. Look at the logs of the workers: the usual cause is lack of memory, and smaller partitions "
            "or more workers usually help."
        )

    def _results(self, futures: list[Any]) -> list[Any]:
        """The results of futures; raises `WorkerLostError` if a home is gone, and RuntimeError if nothing happens for long."""
        # Waited for by glances: Dask itself waits half a minute for a connection to a worker that is gone, and for ever for a result
        # that was lost with it.
        gathering = asyncio.run_coroutine_threadsafe(
            self._client.gather(futures, asynchronous=True), self._client.loop.asyncio_loop
        )
        quiet_since: float | None = None
        while True:
            wait([gathering], timeout=_placement.GLANCE)
            if gathering.done():
                try:
                    found: list[Any] = gathering.result()
                    return found
                except (self._distributed.KilledWorker, self._distributed.CancelledError, CancelledError) as error:
                    raise WorkerLostError from error
            if not self._placement.all_live():
                raise WorkerLostError
            if any(self._client.processing().values()):
                quiet_since = None
                continue
            quiet_since = quiet_since or time.monotonic()
            if time.monotonic() - quiet_since > _placement.PATIENCE:
                raise RuntimeError(
                    f"the cluster has not worked on anything for {_placement.PATIENCE:.0f} seconds although tasks are "
                    "waiting, so the fit gives up. The dashboard of the cluster shows what they are waiting for."
                )


def _unless_behind(round_with: Callable[[bytes], list[Result | None]], splits: Splits) -> list[Result]:
    """What a round says to the splits that are new, or to all of them if a part was made again since the last round."""
    found = round_with(splits.new)
    if any(each is None for each in found):
        found = round_with(splits.all())
    return [each for each in found if each is not None]


def _in_order(found: Sequence[Sequence[tuple[int, Any]]]) -> list[Any]:
    """The results of tasks on parts, in the order of the parts."""
    return [value for _, value in sorted((pair for pairs in found for pair in pairs), key=lambda pair: pair[0])]


def _parts_on(client: Any, data: Any) -> list[Any]:
    """Parts that tasks can take: files by their names, rows as futures that follow from a graph."""
    if hasattr(data, "to_delayed") and hasattr(data, "npartitions"):
        if not hasattr(data, "columns"):
            raise TypeError(
                "a Dask array has no column of labels; make it a data frame with dask.dataframe.from_dask_array."
            )
        return list(client.compute(data.to_delayed()))
    return [client.submit(part.read, pure=False) if isinstance(part, FramePart) else part for part in parts_of(data)]


def lazy_probabilities(model: Any, data: Any) -> Any:
    """A Dask data frame with a column per class."""
    pandas = import_optional("pandas", "data", "Dask data frames")
    columns_of(model, data.columns)
    columns = [str(label) for label in model.classes_.tolist()]
    meta = pandas.DataFrame({name: pandas.Series(dtype="float64") for name in columns})

    def of_rows(frame: Any) -> Any:
        return pandas.DataFrame(probabilities(model, frame), columns=columns, index=frame.index)

    return data.map_partitions(of_rows, meta=meta)
