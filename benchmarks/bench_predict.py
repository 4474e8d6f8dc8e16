"""Prediction beside scikit-learn's ExtraTrees: many rows at once, one row, and our own forests beside each other.

Models are fitted outside the timed part. What a model prepares for prediction it keeps, so the first call, which prepares, is made
before the race; its price is a line of its own.
"""

from __future__ import annotations

import argparse
import pickle
from functools import partial

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

import rarewood as rw
from report import Table, at_least, at_most, duration
from timing import Contestant, race, ratio, repeat_call
from workloads import make_workload

TREES = {"a": 100, "b": 20, "d": 20}
BATCH = {"a": 6.0, "b": 5.0, "d": 8.0}
"""Times faster than ExtraTrees, one thread, all rows of the table."""


def run(quick: bool = False) -> list[Table]:
    names = ["a"] if quick else ["a", "b", "d"]
    rounds = 3 if quick else 7
    return [_batches(names, rounds), _first_call(names), _one_row(rounds), _mixture(rounds)]


def _call(model: object, X: object) -> Contestant:
    return lambda: repeat_call(lambda: model.predict_proba(X), at_least=0.1)  # type: ignore[attr-defined]


def _batches(names: list[str], rounds: int) -> Table:
    table = Table(
        "Prediction: all rows at once",
        [
            "workload",
            "trees",
            "rows",
            "cells",
            "forest",
            "per row and tree",
            "ExtraTrees",
            "times faster",
            "target",
            "verdict",
        ],
        "CPU time, one thread. float64 rows are those of float32 written wider; trees were grown on float32.",
    )
    for name in names:
        data, trees = make_workload(name), TREES[name]
        peer = ExtraTreesClassifier(trees, random_state=0).fit(data.X, data.y)
        for label, make in [("HeDEx", rw.HeDExClassifier), ("HeDExh", rw.HeDExhClassifier)]:
            model = make(trees, random_state=0).fit(data.X, data.y)
            for dtype in (np.float32, np.float64):
                X = data.X.astype(dtype)
                model.predict_proba(X)
                times = race({"ours": _call(model, X), "peer": _call(peer, X)}, rounds)
                factor = ratio(times["peer"], times["ours"])
                each = [duration(times[who].best() / len(X) / trees) for who in ("ours", "peer")]
                target = BATCH[name] if label == "HeDEx" and dtype == np.float32 else None
                row = (name, trees, len(X), np.dtype(dtype).name, label, *each, factor)
                table.add(*row, *at_least(factor.median, target))
    return table


def _first_call(names: list[str]) -> Table:
    table = Table(
        "Prediction: what the first call prepares",
        ["workload", "trees", "nodes", "first call", "second call", "memory of the model", "kept for float32 rows"],
        "HeDEx, CPU time, one thread, all rows at once.",
    )
    for name in names:
        data, trees = make_workload(name), TREES[name]
        pickled = pickle.dumps(rw.HeDExClassifier(trees, random_state=0).fit(data.X, data.y))
        model = pickle.loads(pickled)
        size = model.forest_.__sizeof__()
        call = partial(model.predict_proba, data.X)
        first, second = (race({"call": lambda call=call: call}, 1)["call"].best() for _ in range(2))
        kept = model.forest_.__sizeof__() - size
        nodes = sum(model.forest_[tree].node_count for tree in range(trees))
        table.add(name, trees, nodes, duration(first), duration(second), f"{size / 1e6:.1f} MB", f"{kept / 1e6:.1f} MB")
    return table


def _one_row(rounds: int) -> Table:
    table = Table(
        "Prediction: one row, 100 trees",
        ["forest", "what", "time", "ExtraTrees", "times faster", "target", "verdict"],
        "Workload a, CPU time, one thread, the same row every time.",
    )
    data = make_workload("a")
    row = data.X[:1]
    peer = ExtraTreesClassifier(100, random_state=0).fit(data.X, data.y)
    for label, make in [
        ("HeDEx", rw.HeDExClassifier),
        ("HeDExh", rw.HeDExhClassifier),
        ("RareClassifier", rw.RareClassifier),
    ]:
        model = make(100, random_state=0).fit(data.X, data.y)
        model.predict_proba(data.X)
        core = [model.forest_, (row, model._pseudo_count(), 1)]
        times = race(
            {
                "core": lambda core=core: repeat_call(lambda: core[0].predict_proba(*core[1]), at_least=0.1),
                "predict_proba": _call(model, row),
                "peer": _call(peer, row),
            },
            rounds,
        )
        for what, most in [("core", 15.0), ("predict_proba", None)]:
            micro = times[what].median() * 1e6
            factor = ratio(times["peer"], times[what])
            table.add(
                label,
                what,
                duration(times[what].best()),
                duration(times["peer"].best()),
                factor,
                *at_most(micro, most, " us"),
            )
    return table


def _mixture(rounds: int) -> Table:
    table = Table(
        "Prediction: RareClassifier versus HeDEx of as many trees",
        ["workload", "trees", "RareClassifier", "HeDEx", "times slower", "target", "verdict"],
        "CPU time, one thread, all rows at once.",
    )
    data = make_workload("a")
    mixed, plain = (make(300, random_state=0).fit(data.X, data.y) for make in (rw.RareClassifier, rw.HeDExClassifier))
    mixed.predict_proba(data.X), plain.predict_proba(data.X)
    times = race({"mixed": _call(mixed, data.X), "plain": _call(plain, data.X)}, rounds)
    factor = ratio(times["mixed"], times["plain"])
    table.add(
        "a",
        300,
        *(duration(times[who].best()) for who in ("mixed", "plain")),
        factor,
        *at_most(factor.median, 2.0, "x"),
    )
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="smaller tables, fewer rounds: a check that everything runs"
    )
    run(parser.parse_args().quick)
