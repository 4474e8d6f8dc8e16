"""The same forest three times: in memory, out of core, and on a cluster of two workers of which one is killed.

Needs the extras `data` and `dask`. Everything stays on this machine: the cluster listens on the loopback address only.
"""

import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
from dask.distributed import Client, LocalCluster

import rarewood as rw


def make_table(n_rows: int) -> pd.DataFrame:
    """Ten columns of numbers; two rows of a hundred are rare."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 10)), columns=[f"x{k}" for k in range(10)])
    score = frame["x0"] + frame["x1"] * frame["x2"] + rng.normal(size=n_rows) / 2
    frame["rare"] = (score > score.quantile(0.98)).astype(int)
    return frame


def kill_when_busy(client: Client) -> None:
    """Kill a worker as soon as the cluster has something to do."""
    victim = next(iter(client.run(os.getpid).values()))
    while not any(client.processing().values()):
        time.sleep(0.05)
    os.kill(victim, signal.SIGKILL)


def main(n_rows: int = 100_000) -> None:
    """Fit, kill, compare."""
    frame = make_table(n_rows)
    model = rw.HeDExClassifier(10, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        frame.to_parquet(path, row_group_size=n_rows // 5)
        models = {"in memory": model.fit(frame.drop(columns="rare"), frame["rare"])}
        models["out of core"] = rw.distributed.fit(model, path, "rare", memory="2GB")
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0")
        with cluster, Client(cluster) as client:
            killer = threading.Thread(target=kill_when_busy, args=(client,))
            killer.start()
            begin = time.perf_counter()
            models["with a worker killed"] = rw.distributed.fit(model, path, "rare", client=client)
            print(f"on the cluster: {time.perf_counter() - begin:.1f} s")
            killer.join()
        files = {}
        for number, (name, fitted) in enumerate(models.items()):
            rw.save(fitted, Path(folder) / f"{number}.rarewood")
            files[name] = (Path(folder) / f"{number}.rarewood").read_bytes()
    for name, content in files.items():
        print(f"{name:<22}{len(content):>10,} bytes, {'the same' if content == files['in memory'] else 'different'}")


if __name__ == "__main__":
    main()
