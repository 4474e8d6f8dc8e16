"""The duels of forests: ours and the peers, with equal numbers of trees, and the table of what fitting takes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from imblearn.ensemble import BalancedRandomForestClassifier
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import rarewood as rw
from ranger_peer import installed as ranger_installed
from ranger_peer import ranger
from report import Table, at_least, duration
from timing import Clock, Contestant, race, ratio
from workloads import Workload, make_workload, traps

TREES = {"a": 100, "b": 20, "c": 10, "d": 20}
"""Equal on both sides, fewer where the peer is slow: times grow in proportion to the trees."""

EXPENSIVE_TREES = {"a": 30, "b": 5, "c": 3, "d": 3}
"""For exact splits on all features, where one tree of the peer takes seconds."""


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


def hedex(trees: int, threads: int, **more: object) -> object:
    return rw.HeDExClassifier(trees, n_jobs=threads, random_state=0, **more)


def hedexh(trees: int, threads: int) -> object:
    return rw.HeDExhClassifier(trees, n_jobs=threads, random_state=0)


def extra_trees(trees: int, threads: int) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(trees, n_jobs=threads, random_state=0)


def random_forest(trees: int, threads: int) -> RandomForestClassifier:
    return RandomForestClassifier(trees, n_jobs=threads, random_state=0)


def _bagging(criterion: str) -> Callable[[int, int], BaggingClassifier]:
    def make(trees: int, threads: int) -> BaggingClassifier:
        return BaggingClassifier(DecisionTreeClassifier(criterion=criterion), trees, n_jobs=threads, random_state=0)

    return make


def bagged_hellinger(trees: int, threads: int) -> object:
    return rw.ForestClassifier(trees, criterion="hellinger", max_features=None, n_jobs=threads, random_state=0)


def exact_sqrt(trees: int, threads: int) -> object:
    return rw.ForestClassifier(trees, criterion="hellinger", max_features="sqrt", n_jobs=threads, random_state=0)


def beat(trees: int, threads: int) -> object:
    return rw.BEATClassifier(trees, n_jobs=threads, random_state=0)


def balanced(trees: int, threads: int) -> object:
    return rw.BalancedForestClassifier(trees, n_jobs=threads, random_state=0)


def their_balanced(trees: int, threads: int) -> BalancedRandomForestClassifier:
    return BalancedRandomForestClassifier(
        trees, sampling_strategy="all", replacement=True, bootstrap=False, n_jobs=threads, random_state=0
    )


DUELS = [
    Duel("HeDEx", "ExtraTrees", hedex, extra_trees, {"a": 6, "b": 5, "c": 4.5, "d": 1.5}),
    Duel(
        "HeDEx n_cuts=1",
        "ExtraTrees",
        lambda trees, threads: hedex(trees, threads, n_cuts=1),
        extra_trees,
        {"a": 5, "b": 5, "c": 3.5, "d": 2.5},
    ),
    Duel("HeDExh", "ExtraTrees", hedexh, extra_trees, {"a": 2, "b": 2, "c": 2}),
    Duel("bagged Hellinger", "Bagging of gini trees", bagged_hellinger, _bagging("gini"), {"a": 20, "b": 20}, True),
    Duel("exact, sqrt features", "RandomForest", exact_sqrt, random_forest, {"a": 10, "b": 15, "c": 20, "d": 2.5}),
    Duel("BEAT", "Bagging of entropy trees", beat, _bagging("entropy"), {"a": 8, "b": 10}, True),
    Duel("BalancedForest", "imbalanced-learn", balanced, their_balanced, {"a": 3, "b": 3, "c": 4.5}),
]


def fitting(estimator: object, data: Workload) -> Callable[[], object]:
    def fit() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # peers warn about their own future
            return estimator.fit(data.X, data.y)  # type: ignore[attr-defined]

    return fit


def contestant(make: Callable[[int, int], object], trees: int, threads: int, data: Workload) -> Contestant:
    return lambda: fitting(make(trees, threads), data)


# ---------------------------------------------------------------------------------------------------------
# time of fit


def fit_table() -> Table:
    return Table(
        "Forests: time of fit",
        ["workload", "trees", "threads", "ours", "peer", "our time", "their time", "times faster", "target", "verdict"],
        "One thread: CPU seconds; two: wall. Best of the rounds; the ratio is the median over the rounds, with its range.",
    )


def fits(table: Table, data: Workload, threads: int, repeats: int) -> None:
    """All duels on one workload; duels that share a contestant and its number of trees share its runs."""
    contestants: dict[str, Contestant] = {}
    for duel in DUELS:
        if _left_out(duel, data):
            continue
        trees = _trees(duel, data.name)
        contestants.setdefault(f"{duel.ours} {trees}", contestant(duel.make_ours, trees, threads, data))
        contestants.setdefault(f"{duel.peer} {trees}", contestant(duel.make_peer, trees, threads, data))
    if ranger_installed() and data.name != "c":
        for rule in ("hellinger", "extratrees"):
            contestants[f"ranger {rule}"] = ranger(data, rule, TREES[data.name], threads)
    for name, make in _treeple().items():
        contestants[name] = contestant(make, TREES[data.name], threads, data)
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


def many_balanced(table: Table) -> None:
    """With many trees the table need not be prepared either, and the trees themselves count."""
    trees, data = 100, make_workload("c")
    times = race({"ours": contestant(balanced, trees, 1, data), "peer": contestant(their_balanced, trees, 1, data)}, 1)
    factor = ratio(times["peer"], times["ours"])
    seconds = (duration(times["ours"].best()), duration(times["peer"].best()))
    table.add("c", trees, 1, "BalancedForest", "imbalanced-learn", *seconds, factor, *at_least(factor.median, 8))


def trap_fits(table: Table, quick: bool) -> None:
    for name in traps():
        data = make_workload(name, rows=5000 if quick else None)
        times = race(
            {
                "HeDEx": contestant(hedex, 20, 1, data),
                "exact": contestant(exact_sqrt, 20, 1, data),
                "ExtraTrees": contestant(extra_trees, 20, 1, data),
                "RandomForest": contestant(random_forest, 20, 1, data),
            },
            3,
        )
        for ours, peer in [("HeDEx", "ExtraTrees"), ("exact", "RandomForest")]:
            factor = ratio(times[peer], times[ours])
            seconds = (duration(times[ours].best()), duration(times[peer].best()))
            table.add(name, 20, 1, ours, peer, *seconds, factor, *at_least(factor.median, 1.0))
