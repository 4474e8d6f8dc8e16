"""One fit each, in a process of its own, for bench_cluster.py: out of core, or on two Dask workers. Prints what it measured as JSON.

python benchmarks/cluster_fits.py core ours FILE N_TREES MEMORY          python benchmarks/cluster_fits.py core xgboost FILE N_TREES
python benchmarks/cluster_fits.py dask ours|xgboost|lightgbm FILE N_TREES N_PARTITIONS [kill SECONDS | empty]
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
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


def out_of_core(path: str, n_trees: int, memory: str) -> Any:
    import rarewood as rw

    return rw.distributed.fit(rw.HeDExClassifier(n_trees, random_state=0), path, TARGET, memory=memory)


def external_memory(path: str, n_trees: int) -> Any:
    """As its documentation says: an iterator over parts, quantised, with a cache on disk."""
    import tempfile

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
        options = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 8, "nthread": 1}
        return xgboost.train(options, matrix, num_boost_round=n_trees)


def on_dask(library: str, path: str, n_trees: int, n_partitions: int, client: Any, empty: bool) -> Any:
    import dask.dataframe as dd

    frame = dd.read_parquet(path).repartition(npartitions=n_partitions)
    if empty:
        frame = dd.concat([frame, frame[frame[TARGET] > 1]])
    if library == "ours":
        import rarewood as rw

        return rw.distributed.fit(rw.HeDExClassifier(n_trees, random_state=0), frame, TARGET, client=client)
    X, y = frame.drop(columns=TARGET), frame[TARGET]
    if library == "xgboost":
        import xgboost.dask

        matrix = xgboost.dask.DaskDMatrix(client, X, y)
        options = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 8, "seed": 0}
        return xgboost.dask.train(client, options, matrix, num_boost_round=n_trees)["booster"]
    import lightgbm

    model = lightgbm.DaskLGBMClassifier(client=client, n_estimators=n_trees, random_state=0, verbose=-1)
    return model.fit(X, y)


def cluster(library: str, path: str, n_trees: int, n_partitions: int, what: list[str]) -> dict[str, Any]:
    from dask.distributed import Client, LocalCluster

    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": "CRITICAL"}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as workers, Client(workers) as client:
        pids = list(client.run(os.getpid).values())
        if what[:1] == ["kill"]:
            threading.Timer(float(what[1]), os.kill, (pids[0], signal.SIGKILL)).start()
        before = sent_bytes()
        found = measured(lambda: on_dask(library, path, n_trees, n_partitions, client, what == ["empty"]))
        sent = sent_bytes() - before
        cpu = found["cpu"] + sum(client.run(time.process_time, on_error="ignore").values())
        peak = max(client.run(peak_bytes, on_error="ignore").values())
        return found | {"bytes": sent, "cpu": cpu, "worker_peak": peak}


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
    elif library == "ours":
        found = measured(lambda: out_of_core(path, int(n_trees), rest[0]))
    else:
        found = measured(lambda: external_memory(path, int(n_trees)))
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
