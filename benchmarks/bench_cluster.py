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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rarewood as rw
from rarewood.distributed import _engine
from report import REACHED, Table, at_most, duration, size

HERE = Path(__file__).resolve().parent
COLUMNS = 30
SETTINGS = (
    4_000,
    50_000,
)  # rows from which a node is gathered: as on a cluster by default, and as the targets for tables assume
LIBRARIES = {"rarewood": "rarewood", "xgboost": "XGBoost", "lightgbm": "LightGBM"}
GROWTH = {"1e5": 100_000, "1e6": 1_000_000, "3e6": 3_000_000, "1e7": 10_000_000}
DEPTH = 8


def missing() -> str | None:
    absent = [name for name in ("pyarrow", "distributed", "xgboost", "lightgbm") if find_spec(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else None


def run(*, quick: bool) -> list[Table]:
    if quick:
        pieces = [lambda: costs(50_000), lambda: on_two_workers("rarewood", 20_000, 5), lambda: growth(10_000)]
        return [table for piece in pieces for table in piece()]
    return [table for part in parts().values() for table in part()]


def parts() -> dict[str, Callable[[], list[Table]]]:
    return {
        "costs": lambda: costs(1_000_000),
        "peak": lambda: worker_peak(1_000_000),
        **{f"dask-{library}": partial(on_two_workers, library, 100_000, 10) for library in LIBRARIES},
        **{f"growth-{name}": partial(growth, n_rows) for name, n_rows in GROWTH.items()},
    }


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

        def counted_ask(engine: Any, splits: Any, questions: bytes) -> bytes:
            begin = time.process_time()
            answer = ask(engine, splits, questions)
            self.cpu += time.process_time() - begin
            self.rounds += 1
            self.down += len(splits.new) + len(questions)
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


def costs(n_rows: int, n_trees: int = 4) -> list[Table]:
    table = Table(
        "What parts cost",
        ["", "nodes gathered from 4,000 rows on", "from 50,000 on", "target", "verdict"],
        f"{n_rows:,} rows x {COLUMNS} float32 columns in two parts, HeDEx, {n_trees} trees. Bytes of tables per tree and part, of rows per "
        "tree, as the core writes messages; CPU of counting and growing beside the fit in memory, reading and profiling not counted. "
        "Verdicts are about the first column, which is the default on a cluster.",
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

    def add(name: str, figures: list[float], unit: str, target: float) -> None:
        bound, verdict = at_most(figures[0], target, unit)
        if verdict != REACHED and figures[1] <= target:
            verdict += ", but from 50,000 on"
        table.add(name, *(f"{figure:.3g}{unit}" for figure in figures), bound, verdict)

    add("CPU beside the fit in memory", [count.cpu / alone for count in counted], " x", 2.0)
    add("table bytes up", [count.up / n_trees / 1e3 for count in counted], " kB", 25)
    add("table bytes down", [count.down / n_trees / 1e3 for count in counted], " kB", 50)
    add("row bytes", [count.rows / n_trees / 1e6 for count in counted], " MB", 50)
    rounds = [count.rounds / levels(at_once.forest_, n) for count, n in zip(counted, SETTINGS, strict=True)]
    add("rounds per level", rounds, "", 2.2)
    constants = Table("Constants for plans", ["", "figure"], "Of the same fits.")
    constants.add("CPU per tree and 1,000,000 rows in memory", duration(alone / n_trees / n_rows * 1e6))
    constants.add("bytes of the model per row and tree", f"{at_once.forest_.__sizeof__() / n_trees / n_rows:.2f}")
    deepest = [levels(at_once.forest_, n) for n in SETTINGS]
    constants.add("levels until all nodes are small", f"{deepest[0]} from 4,000 rows on, {deepest[1]} from 50,000 on")
    return [table, constants]


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
    """What cluster_fits.py says, or in words how it failed, counted from the start of the cluster."""
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
        print(err[-3000:], file=sys.stderr)
        return f"fails after {time.perf_counter() - begin:.0f} s"
    return json.loads(out.splitlines()[-1])


@contextmanager
def written(n_rows: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield str(write(Path(folder) / "table.parquet", n_rows))


def on_two_workers(library: str, n_rows: int, n_trees: int) -> list[Table]:
    table = Table(
        "On two Dask workers",
        [
            "",
            "a worker is killed, with nannies",
            "without",
            "2 and 5 partitions",
            "an empty partition",
            "wall",
            "CPU",
            "peak of a worker",
            "traffic",
        ],
        f"{n_rows:,} rows x {COLUMNS} in a Dask data frame, {n_trees} trees; forests and boosted trees are not the same work. A worker is "
        "killed by SIGKILL half-way: in the middle one of rarewood's rounds, after half of the trees of the others. Patience: two minutes "
        "and five times the wall time of the undisturbed fit. Libraries are imported before. CPU of the driver and both workers "
        "from their start; traffic is what went through the loopback device of the whole machine.",
    )
    name = f"{LIBRARIES[library]} {version(library)}"
    with written(n_rows) as path:
        two = asked("dask", library, path, n_trees, 2)
        if isinstance(two, str):
            table.add(name, "-", "-", "-", "-", two, "-", "-", "-")
            return [table]
        ask = partial(asked, "dask", library, path, n_trees, patience=120 + 5 * two["wall"])
        when = len(two["rounds"]) // 2 if "rounds" in two else n_trees // 2
        killed = [ask(2, "kill", who, when) for who in ("nanny", "alone")]
        five, empty = ask(5), ask(2, "empty")
    table.add(
        name,
        *(found if isinstance(found, str) else f"{same(found, two)}, {found['wall']:.1f} s" for found in killed),
        *(found if isinstance(found, str) else same(found, two) for found in (five, empty)),
        duration(two["wall"]),
        duration(two["cpu"]),
        size(two["worker_peak"]),
        size(two["bytes"]),
    )
    return [table, recovery(two, killed, when)] if library == "rarewood" else [table]


def recovery(undisturbed: dict[str, Any], killed: list[dict[str, Any] | str], when: int) -> Table:
    table = Table(
        "Recovery of rarewood",
        ["", "the round of the kill", "a round (median)", "first round, with loading", "target", "verdict"],
        "The target is the first round, in which a worker loads its partition, and three median rounds.",
    )
    for who, found in zip(("with nannies", "without"), killed, strict=True):
        if isinstance(found, str):
            table.add(who, found, "-", "-", "-", "-")
            continue
        first, median = undisturbed["rounds"][0], float(np.median(undisturbed["rounds"]))
        lost = found["rounds"][when]
        table.add(
            who,
            duration(lost),
            duration(median),
            duration(first),
            *at_most(round(lost, 2), round(first + 3 * median, 2), " s"),
        )
    return table


def worker_peak(n_rows: int, n_trees: int = 4) -> list[Table]:
    table = Table(
        "Memory of a worker",
        ["", "peak of the larger worker", "target", "verdict"],
        f"{n_rows:,} rows x {COLUMNS} float32 columns on two workers, {n_trees} trees. The target is 1.5 times its columns, 4 bytes per "
        "row and tree, and 256 MB. Dask reads a data frame before rarewood sees it.",
    )
    columns = n_rows // 2 * COLUMNS * 4
    target = round((1.5 * columns + 4 * n_rows // 2 * n_trees) / 1e6 + 256)
    with written(n_rows) as path:
        for name, what in {"Parquet files": ["files"], "a Dask data frame of two partitions": []}.items():
            found = asked("dask", "rarewood", path, n_trees, 2, *what)
            if isinstance(found, str):
                table.add(name, found, "-", "-")
            else:
                table.add(name, size(found["worker_peak"]), *at_most(round(found["worker_peak"] / 1e6), target, " MB"))
    return [table]


def same(one: dict[str, Any], other: dict[str, Any]) -> str:
    return "the same model" if one["model"] == other["model"] else "another model"


def growth(n_rows: int, n_trees: int = 5, memory: str = "1GB") -> list[Table]:
    fits = {
        "rarewood": ("rarewood", memory, DEPTH),
        "XGBoost": ("xgboost", DEPTH),
        "rarewood, to the end": ("rarewood", memory, 0),
    }
    table = Table(
        "Out of core",
        ["rows", "file", *(f"{name}: {what}" for name in fits for what in ("peak", "CPU"))],
        f"{COLUMNS} float32 columns in Parquet, {n_trees} trees, one thread. rarewood's HeDEx with memory={memory!r}; XGBoost's "
        f"ExtMemQuantileDMatrix with a cache on disk, a row group at a time. Depth {DEPTH} for both; HeDEx is meant to be grown to "
        "the end.",
    )
    with written(n_rows) as path:
        cells = []
        for library, *options in fits.values():
            found = asked("core", library, path, n_trees, *options, patience=3000)
            cells += [found, "-"] if isinstance(found, str) else [size(found["peak"]), duration(found["cpu"])]
        table.add(f"{n_rows:,}", size(Path(path).stat().st_size), *cells)
    return [table]
