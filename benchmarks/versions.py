"""The same fits by several installed versions of rarewood, by turns: what a change has made faster or slower.

python benchmarks/versions.py old=../old/.venv/bin/python new=.venv/bin/python

RAREWOOD_DATA names the folder with manifest.json; without it, only workloads are measured. Each version works in a process of its own,
which is told what to do next; ratios of CPU time are taken within one round. Trees are the same where probabilities have the same bits.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workloads import e_in_frames, make_workload

WORKLOADS = {"a": None, "d": 20_000}  # rows
NOMINAL_TABLES = ["nursery-4", "car", "splice", "credit-g", "allhypo"]
MODELS = {"RareClassifier": 300, "HeDExClassifier": 100, "HeDExhClassifier": 100}
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", nargs="+", help="NAME=PYTHON; ratios are to the first")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workers = {name: Worker(python) for name, _, python in (each.partition("=") for each in options.version)}
        print(
            "| table | model |",
            *(f"{name}, fit | {name}, predict |" for name in workers),
            "times as fast: fit | predict | same trees |",
        )
        print("|---|---|" + "---|" * (2 * len(workers) + 3))
        for table, content in tables():
            path = Path(folder) / "table.pickle"
            path.write_bytes(pickle.dumps(content))
            for model in MODELS:
                rounds = [
                    {name: worker.ask(model, path) for name, worker in workers.items()} for _ in range(options.rounds)
                ]
                print(line(table, model, rounds), flush=True)


class Worker:
    """A process of one version."""

    def __init__(self, python: str) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [python, "-W", "ignore", "-c", WORK],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, model: str, path: Path) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([model, MODELS[model], str(path)]), file=self.process.stdin, flush=True)
        return dict(json.loads(self.process.stdout.readline()))


# What a worker does. It may be of a version that has no more than estimators, so tables come ready-made.
WORK = """
import hashlib, json, pickle, sys, time
import rarewood
from sklearn.base import clone
for line in sys.stdin:
    name, n_trees, path = json.loads(line)
    X, y, fresh = pickle.load(open(path, "rb"))
    model = getattr(rarewood, name)(n_estimators=n_trees, random_state=0, n_jobs=1)
    start = time.process_time()
    model.fit(X, y)
    middle = time.process_time()
    scores = model.predict_proba(fresh)
    end = time.process_time()
    print(json.dumps({"fit": middle - start, "predict": end - middle, "hash": hashlib.sha256(scores.tobytes()).hexdigest()}), flush=True)
"""


def line(table: str, model: str, rounds: list[dict[str, dict[str, Any]]]) -> str:
    names = list(rounds[0])
    cells = [f"{min(each[name][what] for each in rounds):.3g} s" for name in names for what in ("fit", "predict")]
    for what in ("fit", "predict"):
        ratios = [each[names[0]][what] / each[names[-1]][what] for each in rounds]
        cells.append(f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})")
    cells.append("yes" if len({each[name]["hash"] for each in rounds for name in names}) == 1 else "no")
    return f"| {table} | {model} | " + " | ".join(cells) + " |"


def tables() -> Iterator[tuple[str, tuple[Any, Any, Any]]]:
    """Rows to learn from, their labels, fresh rows. Nominal columns are categories of a data frame."""
    for name, rows in WORKLOADS.items():
        data, fresh = (make_workload(name, rows=rows, part=part) for part in ("train", "test"))
        yield name, (data.X, data.y, fresh.X)
    yield "e", e_in_frames()
    if "RAREWOOD_DATA" not in os.environ:
        return
    folder = Path(os.environ["RAREWOOD_DATA"])
    manifest = json.loads((folder / "manifest.json").read_text())
    for name in NOMINAL_TABLES:
        frame = pd.read_csv(folder / manifest[name]["file"])
        for column in manifest[name]["nominal"]:
            frame[column] = frame[column].astype("category")
        y = frame.pop(frame.columns[-1]).to_numpy()
        train = np.random.default_rng(0).random(len(frame)) < 0.7
        yield name, (frame[train], y[train], frame[~train])


if __name__ == "__main__":
    main()
