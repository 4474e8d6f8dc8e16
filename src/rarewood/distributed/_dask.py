"""Parts on the workers of a Dask cluster.

A round is a set of plain tasks that follow from the parts and from messages alone. Each part has a worker that is its home, so that it is
loaded once; when a home is lost, its parts get others and the round is begun again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rarewood._core import Subtree
from rarewood._validation import import_optional
from rarewood.distributed import _worker
from rarewood.distributed._job import Job, UnseenSums, UnseenTask
from rarewood.distributed._predict import probabilities
from rarewood.distributed._profile import PartProfile, Reading
from rarewood.distributed._scratch import Group
from rarewood.distributed.parts import FramePart, parts_of

_FAN_IN = 8
_PATIENCE = 60.0  # seconds in which nothing happens
_GLANCE = 0.5  # seconds between looks at who is there
_DEATHS = 4  # of workers in one round, after which its parts are to blame


class WorkerLostError(Exception):
    """A home is gone: the round is to be begun again."""


class DaskEngine:
    """The engine on a `dask.distributed.Client`."""

    finish_rows = 4_000  # rows travel, so that fewer of them are worth another round

    def __init__(self, client: Any, data: Any) -> None:
        self._distributed = import_optional("distributed", "dask", "growing on a cluster")
        self._client = client
        self._parts = _parts_on(client, data)
        self._job: Job | None = None
        self._homes: dict[int, str] = {}  # part -> worker

    def profile(self, reading: Reading) -> list[PartProfile]:
        return _in_order(self._round(lambda: self._on_each(_worker.profile, reading)))

    def n_places(self) -> int:
        return max(1, sum(self._threads().values()))

    def begin(self, job: Job) -> None:
        self._job = job

    def ask(self, splits: bytes, questions: bytes) -> bytes:
        total: bytes = self._round(lambda: self._sum(self._on_each(_worker.answer, self._job, splits, questions)))[0]
        return total

    def finish(self, splits: bytes, groups: Sequence[Group]) -> Iterator[list[Subtree]]:
        at_once = 2 * max(1, sum(self._threads().values()))
        for first in range(0, len(groups), at_once):
            yield from self._finish_some(splits, groups[first : first + at_once])

    def add_unseen(self, task: UnseenTask, before: Sequence[UnseenSums]) -> list[UnseenSums]:
        return _in_order(self._round(lambda: self._on_each(_worker.add, task, list(before))))

    def close(self) -> None:
        if self._client.status == "running":
            self._client.run(_worker.keep_only, None, [], on_error="ignore")

    def _finish_some(self, splits: bytes, groups: Sequence[Group]) -> list[list[Subtree]]:
        return self._round(lambda: [self._finished(splits, group.tasks) for group in groups])

    def _finished(self, splits: bytes, tasks: bytes) -> Any:
        blocks = self._on_each(_worker.gather, self._job, splits, tasks)
        return self._client.submit(_worker.grow, self._job, tasks, blocks, pure=False)

    def _sum(self, futures: list[Any]) -> list[Any]:
        while len(futures) > 1:
            several = range(0, len(futures), _FAN_IN)
            futures = [self._client.submit(_worker.total, futures[i : i + _FAN_IN], pure=False) for i in several]
        return futures

    def _threads(self) -> dict[str, int]:
        threads: dict[str, int] = self._client.nthreads()
        return threads

    def _on_each(self, task: Callable[..., Any], *messages: Any) -> list[Any]:
        """One task per thread of each worker, for the parts that are at home there."""
        threads = self._threads()
        futures = []
        for home in sorted(set(self._homes.values())):
            numbers = [number for number, worker in self._homes.items() if worker == home]
            n_tasks = min(len(numbers), threads.get(home, 1))
            for some in (numbers[first::n_tasks] for first in range(n_tasks)):
                parts = [self._parts[number] for number in some]
                futures.append(self._client.submit(task, parts, some, *messages, workers=[home], pure=False))
        return futures

    def _round(self, begin: Callable[[], list[Any]]) -> list[Any]:
        """What the futures come to that `begin` submits, however many workers are lost on the way."""
        for _ in range(_DEATHS):
            futures: list[Any] = []
            try:
                self._place()
                futures = begin()
                return self._results(futures)
            except WorkerLostError:
                self._client.cancel(futures, force=True)
            except Exception as error:
                if self._client.status == "running":
                    raise
                raise RuntimeError(
                    "the connection to the scheduler of the cluster is lost, and the fit with it; with checkpoint=, a new fit goes "
                    "on from the trees that are done."
                ) from error
        lost = sorted(number for number, home in self._homes.items() if home not in self._threads())
        raise RuntimeError(
            f"{_DEATHS} times in a row a worker was lost while it worked on a round; the last held the partitions {lost[:10]}. "
            "Look into the logs of the workers: memory is the usual reason, and smaller partitions or more workers the usual cure."
        )

    def _place(self) -> None:
        """Give every part a home among the workers that live, in proportion to their threads."""
        threads = self._wait_for_workers()
        load = dict.fromkeys(threads, 0)
        homeless = []
        fair = -(-len(self._parts) // sum(threads.values()))
        for number in range(len(self._parts)):
            home = self._homes.get(number, "")
            if home in load and load[home] < fair * threads[home]:
                load[home] += 1
            else:
                homeless.append(number)
        for number in homeless:
            home = min(threads, key=lambda worker: (load[worker] / threads[worker], worker))
            self._homes[number] = home
            load[home] += 1
        if homeless:
            self._homes = dict(sorted(self._homes.items()))
            self._forget_moved(homeless)

    def _forget_moved(self, moved: Sequence[int]) -> None:
        table = None if self._job is None else self._job.schema.name
        for worker in set(self._homes.values()) if len(moved) < len(self._parts) else ():
            own = [number for number, home in self._homes.items() if home == worker]
            self._client.run(_worker.keep_only, table, own, workers=[worker], on_error="ignore")

    def _wait_for_workers(self) -> dict[str, int]:
        begin = time.monotonic()
        while not (threads := self._threads()):
            if time.monotonic() - begin > _PATIENCE:
                raise RuntimeError(f"the cluster has had no workers for {_PATIENCE:.0f} seconds; the fit gives up.")
            time.sleep(_GLANCE)
        return threads

    def _results(self, futures: list[Any]) -> list[Any]:
        """What they come to; `WorkerLostError` if a home is gone, an error if nothing happens for long."""
        quiet_since: float | None = None
        while True:
            try:
                with self._client.as_current():  # whether or not it is the default one
                    self._distributed.wait(futures, timeout=_GLANCE)
                # not gather, which would wait for ever for a result that was lost with its worker in this very moment
                return [future.result(timeout=_PATIENCE) for future in futures]
            except TimeoutError:
                pass
            except (self._distributed.KilledWorker, self._distributed.CancelledError) as error:
                raise WorkerLostError from error
            if not set(self._homes.values()) <= set(self._threads()):
                raise WorkerLostError
            if any(self._client.processing().values()):
                quiet_since = None
                continue
            quiet_since = quiet_since or time.monotonic()
            if time.monotonic() - quiet_since > _PATIENCE:
                raise RuntimeError(
                    f"the cluster has worked on nothing for {_PATIENCE:.0f} seconds though tasks are waiting; the fit gives up. "
                    "Its dashboard says what they wait for."
                )


def _in_order(found: Sequence[Sequence[tuple[int, Any]]]) -> list[Any]:
    """What tasks said of parts, in the order of the parts."""
    return [value for _, value in sorted((pair for pairs in found for pair in pairs), key=lambda pair: pair[0])]


def _parts_on(client: Any, data: Any) -> list[Any]:
    """Parts that tasks can take: files by their names, rows as futures that follow from a graph."""
    if hasattr(data, "to_delayed") and hasattr(data, "npartitions"):
        if not hasattr(data, "columns"):
            raise TypeError(
                "a Dask array has no column of labels; make a data frame of it with dask.dataframe.from_dask_array."
            )
        return list(client.compute(data.to_delayed()))
    return [client.submit(part.read, pure=False) if isinstance(part, FramePart) else part for part in parts_of(data)]


def lazy_probabilities(model: Any, data: Any) -> Any:
    """A Dask data frame with a column per class."""
    pandas = import_optional("pandas", "data", "Dask data frames")
    columns = [str(label) for label in model.classes_.tolist()]
    meta = pandas.DataFrame({name: pandas.Series(dtype="float64") for name in columns})

    def of_rows(frame: Any) -> Any:
        return pandas.DataFrame(probabilities(model, frame), columns=columns, index=frame.index)

    return data.map_partitions(of_rows, meta=meta)
