"""What one gets for more rows: time, memory, size of the model, average precision on fresh rows; beside XGBoost and LightGBM.

python benchmarks/large_tables.py write FOLDER N_ROWS
python benchmarks/large_tables.py rare-LEAF|hedex-LEAF|xgboost|lightgbm FOLDER N_ROWS N_TREES [MEMORY]

The table has 30 columns of float32 and one rare row in a hundred, by a smooth sum, a product and a rule. Each fit runs in a process of
its own and prints a line of JSON; rare-20 has leaves of at least 20 rows. XGBoost reads parts from a cache on disk, as its documentation
says; LightGBM has the table in memory.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cluster_fits import TARGET, external_memory

COLUMNS, AT_ONCE = 30, 100_000


def rows(n_rows: int, seed: int) -> pa.Table:
    """Normal columns; log-odds that are partly smooth."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, COLUMNS)).astype(np.float32)
    smooth = 0.8 * X[:, 0] + 0.5 * np.sin(2 * X[:, 1]) + 0.4 * X[:, 2] ** 2 + 0.3 * X[:, 3:8].sum(axis=1)
    rule = 3.0 * ((X[:, 8] > 1.2) & (X[:, 9] < -0.5))
    log_odds = -6.3 + smooth + X[:, 10] * X[:, 11] + rule
    y = (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-log_odds))).astype(np.int64)
    return pa.table({**{f"x{k}": X[:, k] for k in range(COLUMNS)}, TARGET: y})


def write(folder: Path, n_rows: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(folder / f"{n_rows}.parquet", rows(1, 0).schema, compression="none") as writer:
        for first in range(0, n_rows, AT_ONCE):
            writer.write_table(rows(min(AT_ONCE, n_rows - first), 1 + first))


def rarewood(model: Any, path: str, memory: str) -> tuple[Callable[[pa.Table], Any], int]:
    import rarewood as rw

    fitted = rw.distributed.fit(model, path, TARGET, memory=memory, max_model_bytes=10**11)
    with tempfile.TemporaryDirectory() as folder:
        rw.save(fitted, Path(folder) / "model")
        size = (Path(folder) / "model").stat().st_size
    return lambda table: fitted.predict_proba(table.drop_columns(TARGET))[:, 1], size


def xgboost(path: str, n_trees: int) -> tuple[Callable[[pa.Table], Any], int]:
    import xgboost as xgb

    booster = external_memory(path, n_trees, eta=0.1)
    size = len(booster.save_raw("ubj"))
    return lambda table: booster.predict(xgb.DMatrix(table.drop_columns(TARGET).to_pandas())), size


def lightgbm(path: str, n_trees: int) -> tuple[Callable[[pa.Table], Any], int]:
    import lightgbm as lgb

    table = pq.read_table(path)
    matrix = np.empty((table.num_rows, COLUMNS), dtype=np.float32, order="F")
    for number in range(COLUMNS):
        matrix[:, number] = table[f"x{number}"].to_numpy()
    labels = table[TARGET].to_numpy()
    del table
    options = {"objective": "binary", "num_threads": 1, "learning_rate": 0.1, "verbose": -1}
    booster = lgb.train(options, lgb.Dataset(matrix, labels), num_boost_round=n_trees)
    return lambda table: booster.predict(table.drop_columns(TARGET).to_pandas()), len(booster.model_to_string())


def main(method: str, folder: str, n_rows: int, n_trees: int, memory: str) -> None:
    path = str(Path(folder) / f"{n_rows}.parquet")
    wall = time.perf_counter()
    if method in ("xgboost", "lightgbm"):
        score, size = {"xgboost": xgboost, "lightgbm": lightgbm}[method](path, n_trees)
    else:
        import rarewood as rw

        kind, _, leaf = method.partition("-")
        classifier: Any = {"rare": rw.RareClassifier, "hedex": rw.HeDExClassifier}[kind]
        score, size = rarewood(classifier(n_trees, min_samples_leaf=int(leaf), random_state=0), path, memory)
    wall = time.perf_counter() - wall
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
    from sklearn.metrics import average_precision_score

    fresh = rows(200_000, 2**31)
    found = average_precision_score(fresh[TARGET].to_numpy(), score(fresh))
    print(json.dumps({"method": method, "rows": n_rows, "trees": n_trees, "wall": round(wall, 1), "cpu": round(cpu, 1), "peak": peak, "model": size, "ap": round(float(found), 4)}))  # fmt: skip # noqa: E501


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]), int(float(sys.argv[3])))
    else:
        main(sys.argv[1], sys.argv[2], int(float(sys.argv[3])), int(sys.argv[4]), (sys.argv[5:] or ["8GB"])[0])
