"""Data in parts: what it costs beside the fit in memory, what travels, and what other libraries do on the same two workers.

Trees are those of the fit in memory in every case, which is checked. Other programs may be running: CPU seconds count, wall times
are shown for the reader.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rarewood as rw
from rarewood.distributed import _engine
from report import Table, duration, size

HERE = Path(__file__).resolve().parent
COLUMNS = 30
RARE = 0.02
SETTINGS = 50_000, 4_000  # rows from which a node is gathered
LIBRARIES = {"ours": "rarewood", "xgboost": "XGBoost", "lightgbm": "LightGBM"}


def missing() -> str | None:
    absent = [name for name in ("pyarrow", "distributed", "xgboost", "lightgbm") if find_spec(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else None


def run(*, quick: bool) -> list[Table]:
    with tempfile.TemporaryDirectory() as folder:
        small = write(Path(folder) / "small.parquet", 20_000 if quick else 100_000)
        return [
            costs(50_000 if quick else 1_000_000),
            on_two_workers(str(small), 5 if quick else 10),
            growth(Path(folder), [10_000] if quick else [100_000, 1_000_000, 3_000_000]),
        ]


def rows(n_rows: int, seed: int) -> pa.Table:
    """Normal columns of float32; two rows of a hundred are rare, by a sum and a product."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, COLUMNS)).astype(np.float32)
    score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows) / 2
    y = (score > 3.1).astype(np.int64)
    return pa.table({**{f"x{k}": X[:, k] for k in range(COLUMNS)}, "y": y})


def write(path: Path, n_rows: int) -> Path:
    at_once = min(n_rows, 100_000)
    with pq.ParquetWriter(path, rows(1, 0).schema, compression="none", use_dictionary=False) as writer:
        for first in range(0, n_rows, at_once):
            writer.write_table(rows(at_once, first), row_group_size=at_once // 2)
    return path


class Counting:
    """What an engine in this process is asked and says, in bytes and seconds."""

    def __init__(self) -> None:
        self.up = self.down = self.rows = self.rounds = 0
        self.cpu = 0.0
        self._real = _engine.LocalEngine.ask, _engine.grow_gathered

    def __enter__(self) -> Counting:
        ask, grow = self._real

        def counted_ask(engine: Any, splits: bytes, questions: bytes) -> bytes:
            begin = time.process_time()
            answer = ask(engine, splits, questions)
            self.cpu += time.process_time() - begin
            self.rounds += 1
            self.down += len(splits) + len(questions)
            self.up += len(answer)
            return answer

        def counted_grow(shape: Any, plan: Any, tasks: bytes, blocks: list[bytes], n_threads: int = 1) -> Any:
            begin = time.process_time()
            grown = grow(shape, plan, tasks, blocks, n_threads)
            self.cpu += time.process_time() - begin
            self.rows += sum(map(len, blocks))
            return grown

        _engine.LocalEngine.ask, _engine.grow_gathered = counted_ask, counted_grow
        return self

    def __exit__(self, *_: object) -> None:
        _engine.LocalEngine.ask, _engine.grow_gathered = self._real


def costs(n_rows: int, n_trees: int = 4) -> Table:
    table = Table(
        "What parts cost",
        ["", "finish at 50,000 rows", "at 4,000, as on a cluster", "target", "verdict"],
        f"{n_rows:,} rows x {COLUMNS} float32 columns in two parts, HeDEx, {n_trees} trees. Bytes per tree and part, as the core writes "
        "messages; CPU of counting and growing per tree beside the fit in memory, reading and profiling not counted.",
    )
    data = rows(n_rows, 0)
    model = rw.HeDExClassifier(n_trees, random_state=0)
    X, y = data.drop_columns("y"), data["y"].to_numpy()
    begin = time.process_time()
    at_once = rw.HeDExClassifier(n_trees, random_state=0).fit(X, y)
    alone = time.process_time() - begin
    counted = []
    for finish_rows in SETTINGS:
        with Counting() as count:
            found = rw.distributed.fit(model, [data[: n_rows // 2], data[n_rows // 2 :]], "y", finish_rows=finish_rows)
        if found.forest_.feature_importances.tobytes() != at_once.forest_.feature_importances.tobytes():
            raise AssertionError("the trees differ")
        counted.append(count)
    large, few = counted

    def add(name: str, figures: tuple[float, float], unit: str, target: float) -> None:
        cells = [f"{figure:.3g} {unit}".strip() for figure in figures]
        table.add(name, *cells, f"<= {target:.3g} {unit}".strip(), where_reached(figures, target))

    add("CPU beside the fit in memory", (large.cpu / alone, few.cpu / alone), "x", 2.0)
    add("table bytes up", (large.up / n_trees / 1e3, few.up / n_trees / 1e3), "kB", 25)
    add("table bytes down", (large.down / n_trees / 1e3, few.down / n_trees / 1e3), "kB", 50)
    add("row bytes", (large.rows / n_trees / 1e6, few.rows / n_trees / 1e6), "MB", 50)
    add("rounds per level", tuple(c.rounds / levels(at_once.forest_, n) for c, n in zip(counted, SETTINGS)), "", 2.2)
    return table


def where_reached(figures: tuple[float, float], target: float) -> str:
    """At which of the settings."""
    reached = [f"{rows:,}" for rows, figure in zip(SETTINGS, figures) if figure <= target]
    if len(reached) == len(figures):
        return "reached at both"
    return f"reached at {reached[0]} only" if reached else "not reached"


def levels(forest: Any, small: int) -> int:
    """Of the deepest tree, those on which there are nodes of more than `small` rows, and the first without."""
    deepest = 1
    for number in range(len(forest)):
        tree = forest[number]
        level = [0]
        for depth in range(tree.max_depth + 1):
            level = [node for node in level if tree.n_node_samples[node] > small and tree.children_left[node] >= 0]
            if not level:
                break
            deepest = max(deepest, depth + 1)
            level = [child for node in level for child in (tree.children_left[node], tree.children_right[node])]
    return deepest


def asked(*arguments: object, patience: float = 300.0) -> dict[str, Any] | str:
    """What cluster_fits.py says, or in words how it failed."""
    command = [sys.executable, str(HERE / "cluster_fits.py"), *map(str, arguments)]
    begin = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and the workers
            process.communicate()
            return f"not back after {patience:.0f} s"
    if process.returncode:
        last = [line for line in err.splitlines() if line.strip()][-1:] or ["no word"]
        return f"fails after {time.perf_counter() - begin:.0f} s: {last[0].strip()[:60]}"
    return json.loads(out.splitlines()[-1])


def on_two_workers(path: str, n_trees: int) -> Table:
    table = Table(
        "On two Dask workers",
        [
            "",
            "a worker is killed",
            "2 and 5 partitions",
            "an empty partition",
            "wall, 2 partitions",
            "CPU",
            "peak of a worker",
            "loopback traffic",
        ],
        f"{pq.ParquetFile(path).metadata.num_rows:,} rows x {COLUMNS}, {n_trees} trees (forests and boosted trees are not the same work). "
        "Killed by SIGKILL after half of the wall time that the fit took before. Patience: 60 s, or five times that wall time. "
        "CPU of the driver and both workers, from their start; traffic is that of the whole machine.",
    )
    for library, name in LIBRARIES.items():
        two = asked("dask", library, path, n_trees, 2)
        if isinstance(two, str):
            table.add(name, "-", "-", "-", two, "-", "-", "-")
            continue
        patience = max(60.0, 5 * two["wall"])
        five = asked("dask", library, path, n_trees, 5, patience=patience)
        empty = asked("dask", library, path, n_trees, 2, "empty", patience=patience)
        killed = asked("dask", library, path, n_trees, 2, "kill", max(0.5, two["wall"] / 2), patience=patience)
        table.add(
            name,
            killed if isinstance(killed, str) else f"{same(killed, two)}, {killed['wall']:.1f} s",
            five if isinstance(five, str) else same(five, two),
            empty if isinstance(empty, str) else same(empty, two),
            duration(two["wall"]),
            duration(two["cpu"]),
            size(two["worker_peak"]),
            size(two["bytes"]),
        )
    return table


def same(one: dict[str, Any], other: dict[str, Any]) -> str:
    return "the same model" if one["model"] == other["model"] else "another model"


def growth(folder: Path, sizes: list[int], n_trees: int = 5, memory: str = "1GB") -> Table:
    table = Table(
        "Out of core",
        ["rows", "file", "rarewood peak", "rarewood CPU", "XGBoost peak", "XGBoost CPU"],
        f"{COLUMNS} float32 columns in Parquet, {n_trees} trees; rarewood's HeDEx, grown to the end, with memory={memory!r}; XGBoost's "
        "ExtMemQuantileDMatrix with a cache on disk, boosted trees of depth 8. One thread each.",
    )
    for n_rows in sizes:
        path = write(folder / "large.parquet", n_rows)
        ours = asked("core", "ours", path, n_trees, memory, patience=1500)
        theirs = asked("core", "xgboost", path, n_trees, patience=1500)
        cells = [cell for found in (ours, theirs) for cell in peak_and_cpu(found)]
        table.add(f"{n_rows:,}", size(path.stat().st_size), *cells)
        path.unlink()
    return table


def peak_and_cpu(found: dict[str, Any] | str) -> tuple[str, str]:
    return (found, "-") if isinstance(found, str) else (size(found["peak"]), duration(found["cpu"]))
