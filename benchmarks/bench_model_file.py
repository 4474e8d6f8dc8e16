"""Model files beside pickles: time to save and to load, and size.

Both sides read a file that is in the cache of the operating system and end with a model that can predict.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sklearn.ensemble import ExtraTreesClassifier

import rarewood as rw
from report import Table, at_least, at_most, duration, size
from timing import Elapsed, race, ratio, repeat_call
from workloads import make_workload

TREES = 100


def run(quick: bool = False) -> list[Table]:
    table = Table(
        f"Model files: {TREES} trees",
        ["workload", "model", "what", "file", "pickle of ExtraTrees", "ratio", "target", "verdict"],
        "HeDEx, and ExtraTrees of scikit-learn grown on the same rows. `pickle of HeDEx` is our own model, pickled.",
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in ["a"] if quick else ["a", "b"]:
            _compare(table, name, Path(folder), rounds=3 if quick else 9)
    return [table]


def _compare(table: Table, name: str, folder: Path, rounds: int) -> None:
    data = make_workload(name)
    ours = rw.HeDExClassifier(TREES, n_jobs=-1, random_state=0).fit(data.X, data.y)
    peer = ExtraTreesClassifier(TREES, n_jobs=-1, random_state=0).fit(data.X, data.y)
    file, theirs, our_pickle = folder / "ours", folder / "theirs", folder / "pickled"
    rw.save(ours, file)
    _pickle(peer, theirs)
    _pickle(ours, our_pickle)
    loads: dict[str, Callable[[], object]] = {
        "ours": partial(rw.load, file),
        "peer": partial(_unpickle, theirs),
        "pickle": partial(_unpickle, our_pickle),
    }
    times = race({key: partial(_repeated, call) for key, call in loads.items()}, rounds)
    factor = ratio(times["peer"], times["ours"])
    cells = (duration(times["ours"].best()), duration(times["peer"].best()), factor)
    table.add(name, "model file", "load", *cells, *at_least(factor.median, 5 if name == "b" else None))
    cells = (duration(times["pickle"].best()), duration(times["peer"].best()), ratio(times["peer"], times["pickle"]))
    table.add(name, "pickle of HeDEx", "load", *cells, "-", "-")
    saves: dict[str, Callable[[], object]] = {
        "ours": partial(rw.save, ours, file),
        "peer": partial(_pickle, peer, theirs),
    }
    times = race({key: partial(_repeated, call) for key, call in saves.items()}, rounds)
    cells = (duration(times["ours"].best()), duration(times["peer"].best()), ratio(times["peer"], times["ours"]))
    table.add(name, "model file", "save", *cells, "-", "-")
    share = file.stat().st_size / theirs.stat().st_size
    sizes = (size(file.stat().st_size), size(theirs.stat().st_size), f"{share:.2f}")
    table.add(name, "model file", "size", *sizes, *at_most(share, 0.33))


def _repeated(call: Callable[[], object]) -> Callable[[], Elapsed]:
    return repeat_call(call, at_least=0.1)


def _pickle(model: object, path: Path) -> None:
    with path.open("wb") as file:
        pickle.dump(model, file, protocol=pickle.HIGHEST_PROTOCOL)


def _unpickle(path: Path) -> object:
    with path.open("rb") as file:
        return pickle.load(file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    run(parser.parse_args().quick)
