"""Forests against scikit-learn, imbalanced-learn and, where installed, R's ranger and treeple.

Every comparison has the same number of trees on both sides and the same seed. Single-thread figures are CPU time, figures
with more threads wall time. Quality stands beside speed; because smoothed leaves alone improve the ranking of a forest,
scikit-learn's extra-trees are shown with Laplace leaves too.
"""

from __future__ import annotations

import argparse
import math
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

import rarewood as rw
from forest_duels import (
    TREES,
    bagged_hellinger,
    balanced,
    beat,
    contestant,
    exact_sqrt,
    extra_trees,
    fit_table,
    fits,
    fitting,
    hedex,
    hedexh,
    many_balanced,
    random_forest,
    their_balanced,
    trap_fits,
)
from report import Table, at_least, at_most, duration, size
from timing import Clock, fit_memory, race, ratio, repeat_call
from workloads import Workload, make_workload

BATCH_TARGETS = {"a": 6.0, "b": 5.0, "d": 8.0}
"""Of predict_proba for all rows at once."""


def missing() -> str | None:
    """Why this benchmark cannot run, or None."""
    return None if hasattr(rw, "ForestClassifier") else "this rarewood has no forests"


def run(quick: bool = False) -> list[Table]:
    if not quick:
        return [table for part in parts().values() for table in part()]
    table = fit_table()
    fits(table, make_workload("a"), 1, 3)
    trap_fits(table, quick)
    return [table, _predict(["a"], 1), _model_size(quick), _quality(["a"])]


def parts() -> dict[str, Callable[[], list[Table]]]:
    """What can be run by itself, in the order of the page; tables of one title become one there."""
    repeats = {"a": 5, "b": 3, "d": 3, "c": 1}
    of_fits = {
        f"fit-{name}-{threads}": partial(
            _fit_part, lambda table, n=name, t=threads: fits(table, make_workload(n), t, repeats[n])
        )
        for name in repeats
        for threads in (1, 2)
    }
    return {
        **of_fits,
        "fit-balanced": partial(_fit_part, many_balanced),
        "fit-traps": partial(_fit_part, lambda table: trap_fits(table, quick=False)),
        "predict-1": lambda: [_predict(["a", "b", "d"], 1)],
        "predict-2": lambda: [_predict(["a", "b", "d"], 2)],
        "size": lambda: [_model_size(quick=False)],
        "memory": lambda: [_fit_memory()],
        "growth": lambda: [_growth_of_time()],
        "threads": lambda: [_threads()],
        "quality": lambda: [_quality(["a", "b", "d"])],
    }


def _fit_part(fill: Callable[[Table], None]) -> list[Table]:
    table = fit_table()
    fill(table)
    return [table]


# ---------------------------------------------------------------------------------------------------------
# prediction, size, memory


def _predict(names: list[str], threads: int) -> Table:
    table = Table(
        "Forests: predict_proba",
        ["workload", "trees", "threads", "rows at once", "HeDEx", "ExtraTrees", "times faster", "target", "verdict"],
        "One thread: CPU; two: wall.",
    )
    clock: Clock = "cpu" if threads == 1 else "wall"
    for name in names:
        data = make_workload(name)
        ours = hedex(TREES[name], threads).fit(data.X, data.y)  # type: ignore[attr-defined]
        peer = extra_trees(TREES[name], threads).fit(data.X, data.y)
        for rows, promise in [(1, 100.0), (len(data.y), BATCH_TARGETS[name])]:
            X = data.X[:rows]
            times = race(
                {
                    "ours": lambda X=X, m=ours: repeat_call(lambda: m.predict_proba(X)),
                    "peer": lambda X=X, m=peer: repeat_call(lambda: m.predict_proba(X)),
                },
                7,
            )
            factor = ratio(times["peer"], times["ours"], clock)
            seconds = (duration(times["ours"].best(clock)), duration(times["peer"].best(clock)))
            table.add(name, TREES[name], threads, rows, *seconds, factor, *at_least(factor.median, promise))
    return table


def _model_size(quick: bool) -> Table:
    table = Table(
        "Forests: size of a fitted model",
        ["workload", "trees", "form", "HeDEx", "ExtraTrees", "ours / theirs", "target", "verdict"],
        "Memory kept after fit, in a fresh process, and length of the pickle.",
    )
    for name, limit in [("a", 1 / 3)] if quick else [("b", 1 / 3), ("d", 1 / 5)]:
        data, trees = make_workload(name), TREES[name]
        models = [hedex(trees, 1), extra_trees(trees, 1)]
        kept = [fit_memory(model, name).kept for model in models]
        pickled = [len(pickle.dumps(fitting(model, data)())) for model in models]
        for form, (ours, peer) in [("memory", kept), ("pickle", pickled)]:
            share = ours / peer
            table.add(name, trees, form, size(ours), size(peer), f"{share:.3f}", *at_most(share, round(limit, 3)))
    return table


def _fit_memory() -> Table:
    table = Table(
        "Forests: peak memory of fit beyond the input",
        ["workload", "trees", "forest", "peak", "times the float32 input", "target", "verdict"],
        "Fresh process per fit, one thread.",
    )
    input_bytes = make_workload("c").X.nbytes
    for label, model, limit in [("HeDEx", hedex(10, 1), 1.5), ("exact, sqrt features", exact_sqrt(5, 1), None)]:
        memory = fit_memory(model, "c")
        share = memory.peak / input_bytes
        table.add("c", model.n_estimators, label, size(memory.peak), f"{share:.2f}", *at_most(share, limit, "x"))  # type: ignore[attr-defined]
    return table


# ---------------------------------------------------------------------------------------------------------
# scaling


def _growth_of_time() -> Table:
    table = Table(
        "Forests: time of fit against rows",
        [
            "forest",
            "rows",
            "CPU per tree",
            "per row and log2 rows",
            "exponent since the line above",
            "target",
            "verdict",
        ],
        "Rows of workload c, 10 trees, one thread. n log n means an exponent of about 1.1; the data no longer fit the caches "
        "along the way, so up to 1.25 counts as n log n. ![Time of fit against rows](../images/growth-of-time.png)",
    )
    curves: dict[str, list[tuple[int, float]]] = {}
    for label, make in [("HeDEx", hedex), ("exact, sqrt features", exact_sqrt)]:
        before = None
        for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000):
            data = make_workload("c", rows=rows)
            times = race({"fit": contestant(make, 10, 1, data)}, 3 if rows < 300_000 else 1)
            seconds = times["fit"].best() / 10
            cost = f"{seconds / rows / math.log2(rows) * 1e9:.2f} ns"
            if before is None:
                table.add(label, rows, duration(seconds), cost, "-", "-", "-")
            else:
                exponent = math.log(seconds / before[1]) / math.log(rows / before[0])
                table.add(label, rows, duration(seconds), cost, f"{exponent:.2f}", *at_most(exponent, 1.25))
            before = rows, seconds
            curves.setdefault(label, []).append(before)
    _draw(curves)
    return table


def _draw(curves: dict[str, list[tuple[int, float]]]) -> None:
    """docs/images/growth-of-time.png: both axes logarithmic, with n log n through the first point."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for label, points in curves.items():
        rows, seconds = np.array(points).T
        axes.loglog(rows, seconds, marker="o", label=label)
        axes.loglog(rows, seconds[0] * rows * np.log(rows) / (rows[0] * np.log(rows[0])), color="0.7", zorder=0)
    axes.set(xlabel="rows", ylabel="CPU seconds per tree", title="Time of fit; grey: n log n")
    axes.legend()
    path = Path(__file__).parent.parent / "docs" / "images" / "growth-of-time.png"
    figure.savefig(path, dpi=120)
    print(f"  drawn: {path.name}")


def _threads() -> Table:
    table = Table(
        "Forests: two threads against one",
        ["workload", "trees", "forest", "1 thread (wall)", "2 threads (wall)", "times faster", "target", "verdict"],
    )
    for name in ("a", "b"):
        data = make_workload(name)
        duels = [("HeDEx", hedex), ("ExtraTrees", extra_trees)]
        times = race(
            {f"{label} {n}": contestant(make, TREES[name], n, data) for label, make in duels for n in (1, 2)}, 5
        )
        for label, _ in duels:
            one, two = times[f"{label} 1"], times[f"{label} 2"]
            factor = ratio(one, two, "wall")
            target = 1.8 if label == "HeDEx" and name == "b" else None
            seconds = (duration(one.best("wall")), duration(two.best("wall")))
            table.add(name, TREES[name], label, *seconds, factor, *at_least(factor.median, target))
    return table


# ---------------------------------------------------------------------------------------------------------
# quality


def _quality(names: list[str]) -> Table:
    table = Table(
        "Forests: quality on fresh rows",
        ["workload", "trees", "forest", "AUC", "average precision", "log loss"],
        "8 classes: AUC one against the rest, weighted; average precision of the rarest class.",
    )
    for name in names:
        data, fresh = make_workload(name), make_workload(name, part="test")
        trees = 100 if name == "a" else 30
        makers = {
            "HeDEx": hedex,
            "HeDEx, raw leaves": lambda t, n: hedex(t, n, smoothing=0.0),
            "HeDExh": hedexh,
            "BEAT": beat,
            "bagged Hellinger": bagged_hellinger,
            "exact, sqrt features": exact_sqrt,
            "BalancedForest": balanced,
            "ExtraTrees": extra_trees,
            "RandomForest": random_forest,
            "imbalanced-learn BalancedRandomForest": their_balanced,
        }
        for label, make in makers.items():
            model = fitting(make(trees, 2), data)()
            _quality_line(table, name, trees, label, fresh, model.predict_proba(fresh.X))  # type: ignore[attr-defined]
            if label == "ExtraTrees":
                p = _laplace(model, fresh.X)
                _quality_line(table, name, trees, "ExtraTrees, Laplace leaves", fresh, p)
    return table


def _quality_line(table: Table, name: str, trees: int, label: str, data: Workload, p: NDArray[np.float64]) -> None:
    scores = p[:, 1] if data.n_classes == 2 else p
    auc = roc_auc_score(data.y, scores, multi_class="ovr", average="weighted")
    rarest = int(np.bincount(data.y).argmin())
    precision = average_precision_score(data.y == rarest, p[:, rarest])
    table.add(name, trees, label, f"{auc:.3f}", f"{precision:.3f}", f"{log_loss(data.y, p):.4f}")


def _laplace(forest: ExtraTreesClassifier, X: NDArray[np.float32]) -> NDArray[np.float64]:
    """Mean over the trees of scikit-learn's leaf frequencies with one pseudo-case per class."""
    total = np.zeros((len(X), len(forest.classes_)))
    for tree in forest.estimators_:
        leaf = tree.apply(X)
        counts = tree.tree_.value[leaf, 0] * tree.tree_.n_node_samples[leaf, None] + 1.0
        total += counts / counts.sum(axis=1, keepdims=True)
    return total / len(forest.estimators_)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="smaller tables, fewer rounds: a check that everything runs"
    )
    run(parser.parse_args().quick)
