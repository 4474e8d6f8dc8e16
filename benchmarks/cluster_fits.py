"""One fit each, in a process of its own, for bench_cluster.py: out of core, or on two Dask workers. Prints what it measured as JSON.

python benchmarks/cluster_fits.py core rarewood FILE N_TREES MEMORY DEPTH   (depth 0: to the end)
python benchmarks/cluster_fits.py core xgboost FILE N_TREES DEPTH
python benchmarks/cluster_fits.py dask rarewood|xgboost|lightgbm FILE N_TREES N_PARTITIONS [files | empty | kill nanny|alone WHEN]

A worker is killed in round WHEN (rarewood) or after tree WHEN (the others); `alone` has no nanny, who would start another.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TARGET = "y"


def peak_bytes() -> int:
    """Of this process, since it was started."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def measured(fit: Callable[[], Any]) -> dict[str, Any]:
    wall = time.perf_counter()
    model = fit()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "wall": time.perf_counter() - wall,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": peak_bytes(),
        "model": fingerprint(model),
    }


def fingerprint(model: Any) -> str:
    """Of the trees."""
    if hasattr(model, "forest_"):
        return hashlib.sha256(b"".join(a.tobytes() for a in model.forest_.__getstate__().values())).hexdigest()
    if hasattr(model, "save_raw"):
        return hashlib.sha256(bytes(model.save_raw("json"))).hexdigest()
    return hashlib.sha256(model.booster_.model_to_string(num_iteration=-1).encode()).hexdigest()


def out_of_core(path: str, n_trees: int, memory: str, depth: int | None) -> Any:
    import rarewood as rw

    model = rw.HeDExClassifier(n_trees, random_state=0, max_depth=depth)
    return rw.distributed.fit(model, path, TARGET, memory=memory)


def external_memory(path: str, n_trees: int, **options: Any) -> Any:
    """XGBoost as its documentation says: an iterator over parts, quantised, with a cache on disk."""
    import pyarrow.parquet as pq
    import xgboost

    class Parts(xgboost.DataIter):
        def __init__(self, folder: str) -> None:
            self.file, self.place = pq.ParquetFile(path), 0
            super().__init__(cache_prefix=os.path.join(folder, "cache"))  # noqa: PTH118

        def reset(self) -> None:
            self.place = 0

        def next(self, input_data: Callable[..., Any]) -> bool:
            if self.place == self.file.num_row_groups:
                return False
            table = self.file.read_row_group(self.place)
            input_data(data=table.drop_columns(TARGET).to_pandas(), label=table[TARGET].to_numpy())
            self.place += 1
            return True

    with tempfile.TemporaryDirectory() as folder:
        matrix = xgboost.ExtMemQuantileDMatrix(Parts(folder), nthread=1)
        options = {"objective": "binary:logistic", "tree_method": "hist", "nthread": 1, **options}
        return xgboost.train(options, matrix, num_boost_round=n_trees)


class Death:
    """Of the first worker that comes so far: of rarewood's the one the driver chooses, the others kill themselves."""

    def __init__(self, when: int | None, folder: str) -> None:
        self.when, self.flag = when, Path(folder) / "dead"

    def come(self, so_far: int) -> None:
        if so_far == self.when:
            try:
                self.flag.touch(exist_ok=False)
            except FileExistsError:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    def __call__(self, env: Any) -> None:  # as LightGBM calls it after a tree
        self.come(env.iteration + 1)


def on_dask(library: str, frame: Any, n_trees: int, client: Any, death: Death) -> Any:
    if library == "rarewood":
        import rarewood as rw

        return rw.distributed.fit(rw.HeDExClassifier(n_trees, random_state=0), frame, TARGET, client=client)
    X, y = frame.drop(columns=TARGET), frame[TARGET]
    if library == "xgboost":
        import xgboost.dask

        class Dies(xgboost.callback.TrainingCallback):
            def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:  # noqa: ARG002
                death.come(epoch + 1)
                return False

        matrix = xgboost.dask.DaskDMatrix(client, X, y)
        options = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 8, "seed": 0}
        return xgboost.dask.train(client, options, matrix, num_boost_round=n_trees, callbacks=[Dies()])["booster"]
    import lightgbm

    model = lightgbm.DaskLGBMClassifier(client=client, n_estimators=n_trees, random_state=0, verbose=-1)
    return model.fit(X, y, callbacks=[death])


class Rounds:
    """How long each round of rarewood's took; kills a worker in one of them."""

    def __init__(self, death: Death, pid: int) -> None:
        from rarewood.distributed._dask import DaskEngine

        self.seconds: list[float] = []
        ask = DaskEngine.ask

        def timed(engine: Any, splits: Any, questions: bytes) -> bytes:
            if len(self.seconds) == death.when:
                os.kill(pid, signal.SIGKILL)
            begin = time.perf_counter()
            answer = ask(engine, splits, questions)
            self.seconds.append(time.perf_counter() - begin)
            return answer

        DaskEngine.ask = timed  # type: ignore[method-assign]


@contextmanager
def two_workers(nannies: bool) -> Iterator[Any]:
    """A client of two processes of one thread each."""
    from dask.distributed import Client, LocalCluster

    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": "CRITICAL"}
    with LocalCluster(n_workers=0, **options) as cluster, Client(cluster) as client:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--nthreads", "1"]
        command += ["--no-dashboard", "--nanny" if nannies else "--no-nanny"]
        workers = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in "12"]
        try:
            client.wait_for_workers(2, timeout=300)
            yield client
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait()


def warm_up(library: str, *, frames: bool) -> None:
    """Import what a worker needs, so that it is not timed."""
    import importlib

    names = {"rarewood": ["rarewood.distributed._worker"], "xgboost": ["xgboost.dask"], "lightgbm": ["lightgbm"]}
    for name in ["pyarrow.parquet", *(["dask.dataframe"] if frames else []), *names[library]]:
        importlib.import_module(name)


def cluster(library: str, path: str, n_trees: int, n_partitions: int, what: list[str]) -> dict[str, Any]:
    with two_workers(what[:2] != ["kill", "alone"]) as client, tempfile.TemporaryDirectory() as folder:
        client.run(warm_up, library, frames=what != ["files"])
        warm_up(library, frames=True)
        import dask.dataframe as dd

        death = Death(int(what[2]) if what[:1] == ["kill"] else None, folder)
        pid = next(iter(client.run(os.getpid).values()))
        rounds = Rounds(death, pid) if library == "rarewood" else None
        data = path
        if what != ["files"]:
            data = dd.read_parquet(path).repartition(npartitions=n_partitions)
        if what == ["empty"]:
            data = dd.concat([data, data[data[TARGET] > 1]])
        before = sent_bytes()
        found = measured(lambda: on_dask(library, data, n_trees, client, death))
        sent = sent_bytes() - before
        cpu = found["cpu"] + sum(client.run(time.process_time, on_error="ignore").values())
        peak = max(client.run(peak_bytes, on_error="ignore").values())
        found |= {"bytes": sent, "cpu": cpu, "worker_peak": peak}
        return found if rounds is None else found | {"rounds": rounds.seconds}


def sent_bytes() -> int:
    """Through the loopback device of the machine."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split()[1])
    return 0


def main() -> None:
    kind, library, path, n_trees, *rest = sys.argv[1:]
    if kind == "dask":
        found = cluster(library, path, int(n_trees), int(rest[0]), rest[1:])
    elif library == "rarewood":
        found = measured(lambda: out_of_core(path, int(n_trees), rest[0], int(rest[1]) or None))
    else:
        found = measured(lambda: external_memory(path, int(n_trees), max_depth=int(rest[0])))
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
