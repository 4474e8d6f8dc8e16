"""Ctrl-C as a fit to data in parts enters one of its phases, in this process, out of core or on workers.

It ends soon, by KeyboardInterrupt; the model stays unfitted, no file is left, and a cluster has nothing more to do for it.
"""

import contextlib
import functools
import gc
import mmap
import os
import random
import signal
import struct
import tempfile
import threading
import time
from pathlib import Path

import pandas as pd
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import rarewood as rw
from fuzz._forked import Child
from fuzz._interrupts import LIMIT, summary_of_waits
from rarewood.distributed._dask import DaskEngine
from rarewood.distributed._engine import LocalEngine
from support.tables import noisy_numbers

PHASES = ("profile", "map_rows", "begin", "ask", "finish", "out_of_bag", "close")
PLACES = ("memory", "out of core", "workers")
MODELS = (
    rw.RareClassifier(30, random_state=0, column_effects=False),
    rw.HeDExClassifier(20, random_state=0),
    rw.ForestClassifier(20, random_state=0),
)
TIMES = struct.Struct("<dd")  # of Ctrl-C, and of the KeyboardInterrupt that follows
WAITED = []


@functools.cache
def ready():
    """A folder of four files."""
    folder = tempfile.TemporaryDirectory()
    X, y = noisy_numbers(24_000, 8)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(y=y)
    for number in range(4):
        frame[number::4].to_parquet(Path(folder.name) / f"{number}.parquet", row_group_size=3000)
    return folder


def press_in(engine, phase, entry, delay, times):
    """Send Ctrl-C a moment after the engine has begun a phase for the given time."""
    begin, left = getattr(engine, phase), [entry]

    def press():
        time.sleep(delay)
        TIMES.pack_into(times, 0, time.monotonic(), 0.0)
        os.kill(os.getpid(), signal.SIGINT)

    def watched(*arguments, **options):
        left[0] -= 1
        if left[0] == 0:
            threading.Thread(target=press, daemon=True).start()
        return begin(*arguments, **options)

    setattr(engine, phase, watched)


def fit(place, model, times):
    """Until it ends or is stopped; then look at what is left in this process."""
    options = {"memory": "1GB"} if place == "out of core" else {}
    with _workers() if place == "workers" else contextlib.nullcontext() as client:
        try:
            rw.distributed.fit(
                model, str(Path(ready().name) / "*.parquet"), "y", client=client, finish_rows=200, **options
            )
        except KeyboardInterrupt:
            TIMES.pack_into(times, 0, TIMES.unpack_from(times)[0], time.monotonic())
            with contextlib.suppress(NotFittedError):
                check_is_fitted(model)
                raise AssertionError("a fit that was stopped has changed its model") from None
            if client is not None:
                gc.collect()
                assert client.submit(int, 3, pure=False).result(timeout=20) == 3, "the workers do not answer any more"
            raise


@contextlib.contextmanager
def _workers():
    from distributed import Client, LocalCluster

    workers = LocalCluster(2, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs="CRITICAL")
    with workers, Client(workers) as client:
        yield client


def run(seed):
    """One place, one phase, one moment of it."""
    chance = random.Random(seed)
    place = chance.choice(PLACES) if chance.random() < 0.3 else chance.choice(PLACES[:2])
    phase, delay = chance.choice(PHASES), chance.choice((0.0, 0.003, 0.02, 0.1))
    model = chance.choice(MODELS if phase not in ("map_rows", "out_of_bag") else MODELS[:1])
    entry = chance.choice((1, 2, 4)) if phase in ("ask", "finish", "out_of_bag") else 1
    times = mmap.mmap(-1, TIMES.size)
    ready()
    with tempfile.TemporaryDirectory() as folder:

        def work():
            tempfile.tempdir = folder
            press_in(DaskEngine if place == "workers" else LocalEngine, phase, entry, delay, times)
            fit(place, model, times)

        how, _ = Child(work).result()
        assert how.startswith(("interrupted", "finished")), f"{place}, {phase}: {how}"
        left = [path.name for path in Path(folder).iterdir() if not path.name.startswith("dask")]
        assert not left, f"{place}, {phase} left {left}"
    pressed, stopped = TIMES.unpack_from(times)
    if stopped:
        WAITED.append(stopped - pressed)
        assert stopped - pressed < 10 * LIMIT, f"{place}, {phase}: {stopped - pressed:.1f} s"
        return f"{place}, {phase}"
    return f"{place}, {phase} not reached" if not pressed else f"{place} done as Ctrl-C came"


def summary():
    """How long it took from Ctrl-C to the end, and whether that is a failure."""
    return summary_of_waits(WAITED)
