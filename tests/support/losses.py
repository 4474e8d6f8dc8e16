"""Workers and drivers that die at a known moment.

All processes are forked from one that has imported what they need, so that starting one takes a moment.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

import dask
import numpy as np
from distributed import Client, LocalCluster, Worker
from distributed.utils import get_mp_context

import rarewood as rw
from rarewood.distributed import _growing, _worker

_PRELOADED = ["distributed", "pandas", "pyarrow.parquet", "rarewood.ensemble", "rarewood.distributed._worker"]


def quick_processes():
    """How processes are started; to be used where Dask starts some, too."""
    context = get_mp_context()
    context.set_forkserver_preload(_PRELOADED)
    return context


@contextmanager
def cluster(n_workers=2, nanny=True):
    """A client of workers that are processes; with a nanny, each that dies is replaced."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        context = quick_processes()
        workers = LocalCluster(
            n_workers=n_workers if nanny else 0,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        )
        with workers, Client(workers) as client:
            alone: list[BaseProcess] = []
            if not nanny:
                address = workers.scheduler_address
                alone = [context.Process(target=_run_worker, args=(address,), daemon=True) for _ in range(n_workers)]
            for process in alone:
                process.start()
            client.wait_for_workers(n_workers, timeout=60)
            yield client
            for process in alone:
                process.kill()
                process.join()


def _run_worker(address):
    async def run():
        async with Worker(address, nthreads=1, dashboard=False, silence_logs="CRITICAL") as worker:
            await worker.finished()

    asyncio.run(run())


def arm(client, name, flag):
    """The first of the workers to call a function of `_worker` dies instead, and leaves the file `flag`."""
    client.run(_make_fatal, name, str(flag))


def _make_fatal(name, flag):
    real = getattr(_worker, name)

    def fatal(*args, **options):
        with suppress(FileExistsError):
            Path(flag).touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)

    setattr(_worker, name, fatal)


def fit_and_die(moment, address, model, path, options):
    """A driver that dies in its second wave of trees, or half-way through writing them down."""
    grow_wave, savez, waves = _growing._grow_wave, np.savez, []

    def fatal_wave(job, engine, pace, first, end):
        waves.append(first)
        if moment == "growing" and len(waves) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return grow_wave(job, engine, pace, first, end)

    def fatal_savez(file, **arrays):
        savez(file, **arrays)
        if moment == "writing" and len(waves) == 2:
            file.truncate(file.tell() // 2)
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    _growing._grow_wave, np.savez = fatal_wave, fatal_savez
    if address is None:
        rw.distributed.fit(model, path, "y", memory="4GB", **options)
    else:
        with Client(address, set_as_default=False) as client:
            rw.distributed.fit(model, path, "y", client=client, **options)
