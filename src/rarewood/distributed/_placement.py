"""The placement of parts on the workers of a cluster.

A worker that is new must import its libraries and load its parts first, which takes longer than many rounds. It does so while the others
work, and gets its parts when it has them; only if nobody else is there is it waited for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from typing import Any

from rarewood.distributed import _worker
from rarewood.distributed._job import Job

PATIENCE = 60.0  # seconds in which nothing happens
GLANCE = 0.05  # seconds between looks at who is there


class Placement:
    """The worker that is the home of each part."""

    def __init__(self, client: Any, parts: Sequence[Any]) -> None:
        self._client = client
        self._parts = parts
        self._welcomes: dict[str, Any] = {}  # worker -> a future that is done when it can work
        self.of: dict[int, str] = {}  # part -> worker
        self.able: list[str] = []  # workers, with parts or without

    def threads(self) -> dict[str, int]:
        """The number of threads of each worker that is alive."""
        threads: dict[str, int] = self._client.nthreads()
        return threads

    def all_live(self) -> bool:
        return set(self.of.values()) <= set(self.threads())

    def settle(self, job: Job | None) -> None:
        """Give every part a home among the workers that live and can work."""
        threads = self._wait_for_workers()
        self._welcome(threads, job)
        settled = set(self.of.values())
        able = {worker: n for worker, n in threads.items() if worker in settled or self._welcomes[worker].done()}
        able = able or threads
        before, self.of, self.able = self.of, spread(self.of, len(self._parts), able), list(able)
        if before and before != self.of:
            self._forget_moved(job)

    def _welcome(self, threads: Mapping[str, int], job: Job | None) -> None:
        self._welcomes = {worker: future for worker, future in self._welcomes.items() if worker in threads}
        future_homes = spread(self.of, len(self._parts), threads)
        for worker in threads:
            if worker not in self._welcomes:
                own = [number for number, home in future_homes.items() if home == worker] if self.of and job else []
                parts = [self._parts[number] for number in own]
                self._welcomes[worker] = self._client.submit(
                    _worker.prepare, parts, own, job, workers=[worker], pure=False
                )

    def forget(self, table: str | None, but: Mapping[str, Sequence[int]]) -> None:
        """Let workers forget all parts they have loaded but these of a table.

        A worker that is just leaving is waited for as long as the scheduler lists it; Dask itself would wait half a minute more.
        """
        loop = self._client.loop.asyncio_loop
        waiting = {
            worker: asyncio.run_coroutine_threadsafe(
                self._client.run(
                    _worker.keep_only, table, list(own), workers=[worker], on_error="ignore", asynchronous=True
                ),
                loop,
            )
            for worker, own in but.items()
        }
        while waiting:
            wait(waiting.values(), timeout=GLANCE)
            alive = self.threads()
            waiting = {worker: run for worker, run in waiting.items() if worker in alive and not run.done()}

    def _forget_moved(self, job: Job | None) -> None:
        own: dict[str, list[int]] = {}
        for number, home in self.of.items():
            own.setdefault(home, []).append(number)
        self.forget(None if job is None else job.schema.name, own)

    def _wait_for_workers(self) -> dict[str, int]:
        begin = time.monotonic()
        while not (threads := self.threads()):
            if time.monotonic() - begin > PATIENCE:
                raise RuntimeError(f"the cluster has had no workers for {PATIENCE:.0f} seconds, so the fit gives up.")
            time.sleep(GLANCE)
        return threads


def spread(homes: Mapping[int, str], n_parts: int, threads: Mapping[str, int]) -> dict[int, str]:
    """A home for each part, in proportion to the threads of workers; parts stay where they are if that is fair."""
    load = dict.fromkeys(threads, 0)
    fair = -(-n_parts // sum(threads.values()))
    found: dict[int, str] = {}
    for number in range(n_parts):
        home = homes.get(number, "")
        if home in load and load[home] < fair * threads[home]:
            found[number] = home
            load[home] += 1
    for number in range(n_parts):
        if number not in found:
            found[number] = min(threads, key=lambda worker: (load[worker] / threads[worker], worker))
            load[found[number]] += 1
    return dict(sorted(found.items()))
