"""One tree against scikit-learn's `DecisionTreeClassifier`: time, size, quality, memory.

Both sides grow unpruned trees on the same float32 table with the same seed. The speed table stands beside the
tree sizes and the held-out AUC, so that nobody is faster by growing less.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import rarewood as rw
from report import Table, at_least, at_most, duration, size
from timing import Contestant, Times, fit_memory, race, ratio, repeat_call
from workloads import Workload, make_workload, traps

PAIRS = [
    # ours, the peer's criterion
    ("hellinger", "gini"),
    ("hellinger", "entropy"),
    ("entropy", "entropy"),
    ("gini", "gini"),
]
"""What is compared. scikit-learn has no Hellinger tree, so ours stands against both of its own."""

PAIRS_ON_C = [pair for pair in PAIRS if "gini" not in pair]
"""A million rows take scikit-learn minutes per tree; entropy is the quicker of its two."""

REPEATS = {"a": 9, "b": 3, "c": 1, "d": 3}


def target(workload: str, criterion: str) -> float:
    """How many times faster than scikit-learn a tree has to be."""
    if workload.startswith("trap-"):
        return 1.0
    if workload == "d":
        return {"hellinger": 4.0, "entropy": 6.0}.get(criterion, 3.0)
    return 12.0 if criterion == "hellinger" else 4.0


def ours(criterion: str) -> rw.TreeClassifier:
    return rw.TreeClassifier(criterion=criterion, random_state=0)


def theirs(criterion: str) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion=criterion, random_state=0)


def run(quick: bool = False) -> list[Table]:
    names = ["a", "d", *traps()] if quick else ["a", "b", "d", *traps(), "c"]
    speed = Table(
        "One tree: time of fit",
        ["workload", "rarewood", "scikit-learn", "ours (CPU)", "theirs (CPU)", "times faster", "target", "verdict"],
        "Unpruned trees, one thread. CPU seconds, best of the rounds; the ratio is the median over the rounds, with its range.",
    )
    quality = Table(
        "One tree: size and quality",
        ["workload", "tree", "leaves", "depth", "AUC raw leaves", "AUC Laplace leaves"],
        "AUC on fresh rows of the same distribution (8 classes: one against the rest, weighted), for both libraries from "
        "the leaf counts: raw frequencies, and with one pseudo-case per class.",
    )
    for name in names:
        _fit_speed(
            make_workload(name, rows=10_000 if quick and name != "a" else None),
            3 if quick else REPEATS.get(name, 5),
            speed,
            quality,
        )
    return [speed, quality, _memory(["b"] if quick else ["b", "c", "d"], quick), _predict(quick)]


# ---------------------------------------------------------------------------------------------------------


def _fit_speed(data: Workload, repeats: int, speed: Table, quality: Table) -> None:
    pairs = PAIRS_ON_C if data.name == "c" else PAIRS
    contestants: dict[str, Contestant] = {}
    for criterion in dict.fromkeys(mine for mine, _ in pairs):
        contestants[f"rarewood {criterion}"] = _fit(ours, criterion, data)
    for criterion in dict.fromkeys(peer for _, peer in pairs):
        contestants[f"scikit-learn {criterion}"] = _fit(theirs, criterion, data)
    times = race(contestants, repeats)
    for mine, peer in pairs:
        a, b = times[f"rarewood {mine}"], times[f"scikit-learn {peer}"]
        factor = ratio(b, a)
        speed.add(
            data.name,
            mine,
            peer,
            duration(a.best()),
            duration(b.best()),
            str(factor),
            *at_least(factor.median, target(data.name, mine)),
        )
    fresh = make_workload(data.name, part="test")
    for each in times.values():
        quality.add(
            data.name,
            each.name,
            *_size(each),
            *(f"{_auc(fresh, _leaf_counts(each.result, fresh.X) + extra):.3f}" for extra in (0.0, 1.0)),
        )


def _fit(make: Callable[[str], object], criterion: str, data: Workload) -> Contestant:
    def fresh() -> Callable[[], object]:
        estimator = make(criterion)
        return lambda: estimator.fit(data.X, data.y)  # type: ignore[attr-defined]

    return fresh


def _size(times: Times) -> tuple[str, str]:
    tree = times.result.tree_  # type: ignore[attr-defined]
    return f"{tree.n_leaves}", f"{tree.max_depth}"


def _leaf_counts(model: object, X: NDArray[np.float32]) -> NDArray[np.float64]:
    """Training cases of each class in the leaf of each row."""
    tree = model.tree_  # type: ignore[attr-defined]
    value = np.asarray(tree.value).reshape(tree.node_count, -1)
    counts = value / value.sum(axis=1, keepdims=True) * np.asarray(tree.n_node_samples)[:, None]
    return counts[model.apply(X)]  # type: ignore[attr-defined]


def _auc(data: Workload, counts: NDArray[np.float64]) -> float:
    p = counts / counts.sum(axis=1, keepdims=True)
    scores = p[:, 1] if data.n_classes == 2 else p
    return float(roc_auc_score(data.y, scores, multi_class="ovr", average="weighted"))


def _memory(names: list[str], quick: bool) -> Table:
    table = Table(
        "One tree: peak memory of fit beyond the input",
        ["workload", "tree", "peak", "bytes per row beyond 4 per cell", "target", "verdict", "kept"],
        "Fresh process per fit; the float32 input itself does not count.",
    )
    for name in names:
        rows, columns = make_workload(name).X.shape
        models = [("rarewood", ours("hellinger")), ("rarewood", ours("entropy"))]
        if not quick and name != "c":
            models.append(("scikit-learn", theirs("entropy")))
        for library, model in models:
            memory = fit_memory(model, name)
            per_row = (memory.peak - 4 * rows * columns) / rows
            limit = 60 if library == "rarewood" else None
            bound = "" if memory.exact else " or more"
            table.add(
                name,
                f"{library} {model.criterion}",
                size(memory.peak) + bound,
                f"{per_row:.1f}",
                *at_most(per_row, limit, " B/row"),
                size(memory.kept),
            )
    return table


def _predict(quick: bool) -> Table:
    table = Table(
        "One tree: predict_proba",
        ["workload", "rows at once", "ours (CPU)", "theirs (CPU)", "times faster", "target", "verdict"],
        "Trees fitted by entropy on both sides; time of one call.",
    )
    for name in ["a", "d"] if quick else ["a", "b", "d"]:
        data = make_workload(name)
        mine, peer = ours("entropy").fit(data.X, data.y), theirs("entropy").fit(data.X, data.y)
        for rows in (1, 1000, len(data.y)):
            X = data.X[:rows]
            times = race(
                {
                    "ours": lambda X=X, model=mine: repeat_call(lambda: model.predict_proba(X)),
                    "theirs": lambda X=X, model=peer: repeat_call(lambda: model.predict_proba(X)),
                },
                3 if quick else 5,
            )
            factor = ratio(times["theirs"], times["ours"])
            table.add(
                name,
                f"{rows}",
                duration(times["ours"].best()),
                duration(times["theirs"].best()),
                str(factor),
                *at_least(factor.median, 1.0),
            )
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="smaller tables, fewer rounds: a check that everything runs"
    )
    run(parser.parse_args().quick)
