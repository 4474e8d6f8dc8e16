"""Workers and drivers that die at a known moment.

All processes are forked from one that has imported what they need, so that starting one takes a moment.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import dask
import numpy as np
from distributed import Client, LocalCluster, Worker, wait
from distributed.utils import get_mp_context

import rarewood as rw
from rarewood.distributed import _waves, _worker
from support.clusters import client_of

_PRELOADED = ["distributed", "pandas", "pyarrow.parquet", "rarewood.ensemble", "rarewood.distributed._worker"]


def quick_processes():
    """How processes are started; to be used where Dask starts some, too."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        context = get_mp_context()
    context.set_forkserver_preload(_PRELOADED)
    return context


@contextmanager
def started_quickly():
    """Workers that Dask starts meanwhile."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        quick_processes()
        yield


@contextmanager
def cluster(n_nannies=0):
    """A client of workers that are processes: some with nannies, who replace those that die, others by `top_up`."""
    with started_quickly():
        workers = LocalCluster(
            n_workers=n_nannies,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        )
        with client_of(workers) as client:
            yield client


@contextmanager
def top_up(client, n_workers):
    """As many workers, of whom nobody takes care."""
    alone = []
    try:
        for _ in range(n_workers - len(client.nthreads())):
            alone.append(quick_processes().Process(target=_run_worker, args=(client.scheduler.address,), daemon=True))
            alone[-1].start()
        client.wait_for_workers(n_workers, timeout=300)
        yield
    finally:
        for process in alone:
            process.kill()
            process.join()
        while client.nthreads():  # until the scheduler knows
            time.sleep(0.05)


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


def kill_holder(client, futures):
    """Kill a worker that holds what one of some futures has come to."""
    pids = client.run(os.getpid)
    with client.as_current():
        wait(futures)
    holder = client.who_has(futures)[futures[0].key][0]
    os.kill(pids[holder], signal.SIGKILL)


def fit_and_die(moment, address, model, path, options):
    """A driver that dies in its second wave of trees, or half-way through writing them down."""
    tempfile.tempdir = str(options["checkpoint"].parent)  # what it leaves behind is cleaned up with the test
    grow_wave, savez, waves = _waves._grow_wave, np.savez, []

    def fatal_wave(job, engine, schedule, first, end):
        waves.append(first)
        if moment == "growing" and len(waves) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return grow_wave(job, engine, schedule, first, end)

    def fatal_savez(file, **arrays):
        savez(file, **arrays)
        if moment == "writing" and len(waves) == 2:
            file.truncate(file.tell() // 2)
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    _waves._grow_wave, np.savez = fatal_wave, fatal_savez
    if address is None:
        rw.distributed.fit(model, path, "y", memory="4GB", **options)
    else:
        with Client(address, set_as_default=False) as client:
            rw.distributed.fit(model, path, "y", client=client, **options)
