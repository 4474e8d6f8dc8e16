"""Forests against scikit-learn, imbalanced-learn and, where installed, R's ranger and treeple.

Every comparison has the same number of trees on both sides and the same seed. Single-thread figures are CPU time, figures
with more threads wall time. Quality stands beside speed; because smoothed leaves alone improve the ranking of a forest,
scikit-learn's extra-trees are shown with Laplace leaves too.
"""

from __future__ import annotations

import argparse
import math
import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from imblearn.ensemble import BalancedRandomForestClassifier
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import rarewood as rw
from ranger_peer import installed as ranger_installed
from ranger_peer import ranger
from report import Table, at_least, at_most, duration, size
from timing import Clock, Contestant, fit_memory, race, ratio, repeat_call
from workloads import Workload, make_workload, traps

TREES = {"a": 100, "b": 20, "c": 10, "d": 20}
"""Equal on both sides, fewer where the peer is slow: times grow in proportion to the trees."""

EXPENSIVE_TREES = {"a": 30, "b": 5, "c": 3, "d": 3}
"""For exact splits on all features, where one tree of the peer takes seconds."""


def missing() -> str | None:
    """Why this benchmark cannot run, or None."""
    return None if hasattr(rw, "ForestClassifier") else "this rarewood has no forests"


def run(quick: bool = False) -> list[Table]:
    if not quick:
        return [table for part in parts().values() for table in part()]
    fits = _fit_table()
    _fits(fits, make_workload("a"), 1, 3)
    _trap_fits(fits, quick)
    return [fits, _predict(quick), _model_size(quick), _quality(["a"])]


def parts() -> dict[str, Callable[[], list[Table]]]:
    """What can be run by itself, in the order of the page; tables of one title become one there."""
    repeats = {"a": 5, "b": 3, "d": 3, "c": 1}
    fits = {
        f"fit-{name}-{threads}": partial(
            _fit_part, lambda table, n=name, t=threads: _fits(table, make_workload(n), t, repeats[n])
        )
        for name in repeats
        for threads in (1, 2)
    }
    return {
        **fits,
        "fit-balanced": partial(_fit_part, _many_balanced),
        "fit-traps": partial(_fit_part, lambda table: _trap_fits(table, quick=False)),
        "predict": lambda: [_predict(quick=False)],
        "size": lambda: [_model_size(quick=False)],
        "memory": lambda: [_fit_memory()],
        "growth": lambda: [_growth_of_time()],
        "threads": lambda: [_threads()],
        "quality": lambda: [_quality(["a", "b", "d"])],
    }


def _fit_part(fill: Callable[[Table], None]) -> list[Table]:
    table = _fit_table()
    fill(table)
    return [table]


# ---------------------------------------------------------------------------------------------------------
# contestants


@dataclass(frozen=True)
class Duel:
    """Ours against a peer, and the factor promised for the workload (None: shown without a promise)."""

    ours: str
    peer: str
    make_ours: Callable[[int, int], object]  # trees, threads
    make_peer: Callable[[int, int], object]
    target: dict[str, float]
    expensive: bool = False


def _hedex(trees: int, threads: int, **more: object) -> object:
    return rw.HeDExClassifier(trees, n_jobs=threads, random_state=0, **more)


def _hedexh(trees: int, threads: int) -> object:
    return rw.HeDExhClassifier(trees, n_jobs=threads, random_state=0)


def _extra_trees(trees: int, threads: int) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(trees, n_jobs=threads, random_state=0)


def _random_forest(trees: int, threads: int) -> RandomForestClassifier:
    return RandomForestClassifier(trees, n_jobs=threads, random_state=0)


def _bagging(criterion: str) -> Callable[[int, int], BaggingClassifier]:
    def make(trees: int, threads: int) -> BaggingClassifier:
        return BaggingClassifier(DecisionTreeClassifier(criterion=criterion), trees, n_jobs=threads, random_state=0)

    return make


def _bagged_hellinger(trees: int, threads: int) -> object:
    return rw.ForestClassifier(trees, criterion="hellinger", max_features=None, n_jobs=threads, random_state=0)


def _exact_sqrt(trees: int, threads: int) -> object:
    return rw.ForestClassifier(trees, criterion="hellinger", max_features="sqrt", n_jobs=threads, random_state=0)


def _beat(trees: int, threads: int) -> object:
    return rw.BEATClassifier(trees, n_jobs=threads, random_state=0)


def _balanced(trees: int, threads: int) -> object:
    return rw.BalancedForestClassifier(trees, n_jobs=threads, random_state=0)


def _their_balanced(trees: int, threads: int) -> BalancedRandomForestClassifier:
    return BalancedRandomForestClassifier(
        trees, sampling_strategy="all", replacement=True, bootstrap=False, n_jobs=threads, random_state=0
    )


DUELS = [
    Duel("HeDEx", "ExtraTrees", _hedex, _extra_trees, {"a": 6, "b": 5, "c": 4.5, "d": 1.5}),
    Duel(
        "HeDEx n_cuts=1",
        "ExtraTrees",
        lambda trees, threads: _hedex(trees, threads, n_cuts=1),
        _extra_trees,
        {"a": 5, "b": 5, "c": 3.5, "d": 2.5},
    ),
    Duel("HeDExh", "ExtraTrees", _hedexh, _extra_trees, {"a": 2, "b": 2, "c": 2}),
    Duel("bagged Hellinger", "Bagging of gini trees", _bagged_hellinger, _bagging("gini"), {"a": 20, "b": 20}, True),
    Duel("exact, sqrt features", "RandomForest", _exact_sqrt, _random_forest, {"a": 10, "b": 15, "c": 20, "d": 2.5}),
    Duel("BEAT", "Bagging of entropy trees", _beat, _bagging("entropy"), {"a": 8, "b": 10}, True),
    Duel("BalancedForest", "imbalanced-learn", _balanced, _their_balanced, {"a": 3, "b": 3, "c": 4.5}),
]


def _fitting(estimator: object, data: Workload) -> Callable[[], object]:
    def fit() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # peers warn about their own future
            return estimator.fit(data.X, data.y)  # type: ignore[attr-defined]

    return fit


def _contestant(make: Callable[[int, int], object], trees: int, threads: int, data: Workload) -> Contestant:
    return lambda: _fitting(make(trees, threads), data)


# ---------------------------------------------------------------------------------------------------------
# time of fit


def _fit_table() -> Table:
    return Table(
        "Forests: time of fit",
        ["workload", "trees", "threads", "ours", "peer", "our time", "their time", "times faster", "target", "verdict"],
        "One thread: CPU seconds; two: wall. Best of the rounds; the ratio is the median over the rounds, with its range.",
    )


def _fits(table: Table, data: Workload, threads: int, repeats: int) -> None:
    """All duels on one workload; duels that share a contestant and its number of trees share its runs."""
    contestants: dict[str, Contestant] = {}
    for duel in DUELS:
        if _left_out(duel, data):
            continue
        trees = _trees(duel, data.name)
        contestants.setdefault(f"{duel.ours} {trees}", _contestant(duel.make_ours, trees, threads, data))
        contestants.setdefault(f"{duel.peer} {trees}", _contestant(duel.make_peer, trees, threads, data))
    if ranger_installed() and data.name != "c":
        for rule in ("hellinger", "extratrees"):
            contestants[f"ranger {rule}"] = ranger(data, rule, TREES[data.name], threads)
    for name, make in _treeple().items():
        contestants[name] = _contestant(make, TREES[data.name], threads, data)
    times = race(contestants, repeats)
    clock: Clock = "cpu" if threads == 1 else "wall"

    def line(ours: str, peer: str, trees: int, our_key: str, peer_key: str, target: float | None) -> None:
        a, b = times[our_key], times[peer_key]
        factor = ratio(b, a, clock)
        seconds = (duration(a.best(clock)), duration(b.best(clock)))
        table.add(data.name, trees, threads, ours, peer, *seconds, factor, *at_least(factor.median, target))

    for duel in DUELS:
        if not _left_out(duel, data):
            trees = _trees(duel, data.name)
            keys = f"{duel.ours} {trees}", f"{duel.peer} {trees}"
            line(duel.ours, duel.peer, trees, *keys, duel.target.get(data.name))
    trees = TREES[data.name]
    for name, ours in [("ranger hellinger", "exact, sqrt features"), ("ranger extratrees", "HeDEx")]:
        if name in times:
            line(ours, name, trees, f"{ours} {trees}", name, None)
    for name in _treeple():
        line("HeDExh", name, trees, f"HeDExh {trees}", name, None)


def _trees(duel: Duel, workload: str) -> int:
    return EXPENSIVE_TREES[workload] if duel.expensive else TREES[workload]


def _left_out(duel: Duel, data: Workload) -> bool:
    return duel.expensive and data.name == "c"


def _treeple() -> dict[str, Callable[[int, int], object]]:
    """treeple's oblique extra-trees, if it can be imported: it needs the scikit-learn it was compiled against."""
    try:
        from treeple import ExtraObliqueRandomForestClassifier
    except (ImportError, ValueError):
        return {}

    def make(trees: int, threads: int) -> object:
        return ExtraObliqueRandomForestClassifier(trees, n_jobs=threads, random_state=0)

    return {"treeple extra oblique": make}


def _many_balanced(table: Table) -> None:
    """With many trees the table need not be prepared either, and the trees themselves count."""
    trees, data = 100, make_workload("c")
    times = race(
        {"ours": _contestant(_balanced, trees, 1, data), "peer": _contestant(_their_balanced, trees, 1, data)}, 1
    )
    factor = ratio(times["peer"], times["ours"])
    seconds = (duration(times["ours"].best()), duration(times["peer"].best()))
    table.add("c", trees, 1, "BalancedForest", "imbalanced-learn", *seconds, factor, *at_least(factor.median, 8))


def _trap_fits(table: Table, quick: bool) -> None:
    for name in traps():
        data = make_workload(name, rows=5000 if quick else None)
        times = race(
            {
                "HeDEx": _contestant(_hedex, 20, 1, data),
                "exact": _contestant(_exact_sqrt, 20, 1, data),
                "ExtraTrees": _contestant(_extra_trees, 20, 1, data),
                "RandomForest": _contestant(_random_forest, 20, 1, data),
            },
            3,
        )
        for ours, peer in [("HeDEx", "ExtraTrees"), ("exact", "RandomForest")]:
            factor = ratio(times[peer], times[ours])
            seconds = (duration(times[ours].best()), duration(times[peer].best()))
            table.add(name, 20, 1, ours, peer, *seconds, factor, *at_least(factor.median, 1.0))


# ---------------------------------------------------------------------------------------------------------
# prediction, size, memory


def _predict(quick: bool) -> Table:
    table = Table(
        "Forests: predict_proba",
        ["workload", "trees", "threads", "rows at once", "HeDEx", "ExtraTrees", "times faster", "target", "verdict"],
        "One thread: CPU; two: wall.",
    )
    for name in ["a"] if quick else ["a", "b", "d"]:
        data = make_workload(name)
        for threads in (1,) if quick else (1, 2):
            ours = _hedex(TREES[name], threads).fit(data.X, data.y)  # type: ignore[attr-defined]
            peer = _extra_trees(TREES[name], threads).fit(data.X, data.y)
            for rows, promise in [(1, 100.0), (len(data.y), 5.0)]:
                X = data.X[:rows]
                times = race(
                    {
                        "ours": lambda X=X, m=ours: repeat_call(lambda: m.predict_proba(X)),
                        "peer": lambda X=X, m=peer: repeat_call(lambda: m.predict_proba(X)),
                    },
                    3,
                )
                clock: Clock = "cpu" if threads == 1 else "wall"
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
        models = [_hedex(trees, 1), _extra_trees(trees, 1)]
        kept = [fit_memory(model, name).kept for model in models]
        pickled = [len(pickle.dumps(_fitting(model, data)())) for model in models]
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
    for label, model, limit in [("HeDEx", _hedex(10, 1), 1.5), ("exact, sqrt features", _exact_sqrt(5, 1), None)]:
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
    for label, make in [("HeDEx", _hedex), ("exact, sqrt features", _exact_sqrt)]:
        before = None
        for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000):
            data = make_workload("c", rows=rows)
            times = race({"fit": _contestant(make, 10, 1, data)}, 3 if rows < 300_000 else 1)
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
        duels = [("HeDEx", _hedex), ("ExtraTrees", _extra_trees)]
        times = race(
            {f"{label} {n}": _contestant(make, TREES[name], n, data) for label, make in duels for n in (1, 2)}, 5
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
        "8 classes: AUC one against the rest, weighted; average precision of the rarest class. Whoever wins.",
    )
    for name in names:
        data, fresh = make_workload(name), make_workload(name, part="test")
        trees = 100 if name == "a" else 30
        makers = {
            "HeDEx": _hedex,
            "HeDEx, raw leaves": lambda t, n: _hedex(t, n, smoothing=0.0),
            "HeDExh": _hedexh,
            "BEAT": _beat,
            "bagged Hellinger": _bagged_hellinger,
            "exact, sqrt features": _exact_sqrt,
            "BalancedForest": _balanced,
            "ExtraTrees": _extra_trees,
            "RandomForest": _random_forest,
            "imbalanced-learn BalancedRandomForest": _their_balanced,
        }
        for label, make in makers.items():
            model = _fitting(make(trees, 2), data)()
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
