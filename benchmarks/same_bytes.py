"""Whether the saved RareClassifier is the same, byte for byte, however the rows of a real table are divided and whoever dies.

RAREWOOD_DATA=FOLDER python benchmarks/same_bytes.py [--trees N] [--tables NAME ...] [--variants plain|constraints|groups ...]

Each table is fitted in memory, out of core, in 2 and 5 unequal parts, by two Dask workers from 2 and 5 files, from a Dask data frame, and
while a worker is killed in a round of growing, of scoring, of reading cells and of mapping rows. Exits with 1 if any file differs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rarewood as rw

TABLES = ("caravan", "gmsc", "nass", "heart_kidney")  # column effects are kept on them
TARGET, GROUP = "target", "_group"
ROUNDS = ("ask", "out_of_bag", "cells", "map_rows")  # in which a worker is killed


@dataclass(frozen=True)
class Problem:
    """A model, and the table it is fitted to, which is kept in a file of several row groups."""

    model: rw.RareClassifier
    table: pa.Table
    folder: Path
    groups: str | None

    def in_memory(self) -> rw.RareClassifier:
        X = self.table.drop_columns([TARGET, *([self.groups] if self.groups else [])])
        groups = self.table[self.groups].to_numpy() if self.groups else None
        return rw.RareClassifier(**self.model.get_params()).fit(X, self.table[TARGET].to_numpy(), groups=groups)

    def in_parts(self, data: Any, **options: Any) -> Any:
        return rw.distributed.fit(self.model, data, TARGET, groups=self.groups, **options)

    def divided(self, n_parts: int) -> list[pa.Table]:
        """Into neighbours of random sizes."""
        n_rows = self.table.num_rows
        inner = np.random.default_rng(n_parts).choice(np.arange(1, n_rows), n_parts - 1, replace=False)
        ends = [0, *sorted(inner.tolist()), n_rows]
        return [self.table.slice(begin, end - begin) for begin, end in pairwise(ends)]

    def files(self, n_parts: int) -> list[str]:
        paths = [str(self.folder / f"{n_parts}-{number}.parquet") for number in range(n_parts)]
        for path, part in zip(paths, self.divided(n_parts), strict=True):
            pq.write_table(part, path)
        return paths


def problem(name: str, variant: str, n_trees: int, folder: Path) -> Problem:
    table = pq.read_table(Path(os.environ["RAREWOOD_DATA"]) / "real" / f"{name}.parquet")
    table = table.drop_columns([column for column in table.column_names if column.startswith("_") and column != GROUP])
    if variant == "groups" and GROUP not in table.column_names:
        table = table.append_column(GROUP, pa.array(np.arange(table.num_rows) // 3))
    if variant != "groups" and GROUP in table.column_names:
        table = table.drop_columns(GROUP)
    path = folder / "table.parquet"
    pq.write_table(table, path, row_group_size=max(1, table.num_rows // 7))
    signs = _signs(table) if variant == "constraints" else None
    groups = GROUP if variant == "groups" else None
    return Problem(rw.RareClassifier(n_trees, monotonic_cst=signs, random_state=0), pq.read_table(path), folder, groups)


def _signs(table: pa.Table) -> dict[str, int]:
    """Of the two columns of numbers that tell most about the label, the way they go with it."""
    y, found = table[TARGET].to_numpy().astype(float), {}
    for field in table.schema:
        if field.name != TARGET and (pa.types.is_integer(field.type) or pa.types.is_floating(field.type)):
            cells = table[field.name].to_numpy().astype(float)
            known = ~np.isnan(cells)
            if np.ptp(cells[known]) > 0:
                found[field.name] = float(np.corrcoef(cells[known], y[known])[0, 1])
    best = sorted(found, key=lambda column: -abs(found[column]))[:2]
    return {column: int(np.sign(found[column])) for column in best}


def digest(model: Any, folder: Path) -> str:
    """Of the saved file; it holds the time at which it was saved, which is the same here."""
    path = folder / "model.rarewood"
    with mock.patch("rarewood.export._file.datetime") as clock:
        clock.now.return_value = datetime(2026, 1, 1, tzinfo=UTC)
        rw.save(model, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def ways(given: Problem, client: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """To fit the model of a problem to its rows in parts."""
    whole = given.folder / "table.parquet"
    yield "out of core", lambda: given.in_parts(whole, memory="4GB")
    for n_parts in (2, 5):
        yield f"{n_parts} parts", lambda n=n_parts: given.in_parts(given.divided(n))
    for n_parts in (2, 5):
        yield f"{n_parts} files, two workers", lambda n=n_parts: given.in_parts(given.files(n), client=client)
    yield "Dask data frame", lambda: given.in_parts(_dask_frame(given), client=client)
    yield "workers killed", lambda: _as_workers_die(given, client)


def _dask_frame(given: Problem) -> Any:
    import dask.dataframe as dd

    return dd.read_parquet(given.files(5))


def _as_workers_die(given: Problem, client: Any) -> Any:
    killed: list[str] = []
    with ExitStack() as stack:
        for name in ROUNDS:
            stack.enter_context(_killing(name, client, killed))
        model = given.in_parts(given.files(5), client=client)
    if missing := set(ROUNDS) - set(killed):
        raise AssertionError(f"no worker was killed in {sorted(missing)}.")
    return model


@contextmanager
def _killing(name: str, client: Any, killed: list[str]) -> Iterator[None]:
    """A worker dies in the first round of this kind."""
    from rarewood.distributed._dask import DaskEngine

    real = getattr(DaskEngine, name)

    def run(engine: Any, *arguments: Any) -> Any:
        if name not in killed:
            client.wait_for_workers(2, timeout=300)  # the one that was killed before is replaced by its nanny
            killed.append(name)
            victim = min(client.run(os.getpid).values())
            threading.Timer(0.02, os.kill, (victim, signal.SIGKILL)).start()
        return real(engine, *arguments)

    with mock.patch.object(DaskEngine, name, run):
        yield


def compare(name: str, variant: str, n_trees: int, client: Any) -> bool:
    """Whether all files are the same; says so line by line."""
    with tempfile.TemporaryDirectory() as folder:
        given = problem(name, variant, n_trees, Path(folder))
        begin = time.perf_counter()
        model = given.in_memory()
        expected = digest(model, given.folder)
        effects = "effects" if model.column_effects_ is not None else "no effects"
        facts = f"{given.table.num_rows} rows, {effects}, leaf weight {model.leaf_weight_:g}"
        print(f"{name}, {variant}: {facts}, {expected} in {time.perf_counter() - begin:.1f} s", flush=True)
        same = True
        for way, fit in ways(given, client):
            begin = time.perf_counter()
            equal = digest(fit(), given.folder) == expected
            same &= equal
            verdict = "equal" if equal else "DIFFERS"
            print(f"    {way}: {verdict} in {time.perf_counter() - begin:.1f} s", flush=True)
        return same


def main() -> None:
    from dask.distributed import Client, LocalCluster

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=24)
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--variants", nargs="*", default=["plain", "constraints", "groups"])
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")  # of few rows, and of workers that are gone
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": "CRITICAL"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        same = [compare(*each, wanted.trees, client) for each in _each(wanted)]
    sys.exit(0 if all(same) else 1)


def _each(wanted: argparse.Namespace) -> list[tuple[str, str]]:
    return [(name, variant) for name in wanted.tables for variant in wanted.variants]


if __name__ == "__main__":
    main()
