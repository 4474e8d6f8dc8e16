"""Many classes: one Hellinger tree beside an entropy tree, decompositions beside single fits and scikit-learn's codes.

The cost of the Hellinger distance by the number of classes is measured on a table of its own for each kind of split: a threshold
or a set of categories takes k - 1 divisions of k classes (docs/decisions/0001), a split in many children all 2^(k-1) - 1 of them
up to 12 classes and k beyond.

With thousands of classes a row of counts is longer than most nodes have rows. A node should then cost what the classes in it cost.
Leaves keep such rows, so their memory is measured, too.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.multiclass import OutputCodeClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import rarewood as rw
from rarewood.exceptions import RarewoodWarning
from report import Table, at_least, at_most, duration
from timing import Contestant, race, ratio
from workloads import Workload, make_workload

CLASSES = [2, 4, 8, 12, 13, 16, 24]
KINDS = {"numbers": "subset", "sets of categories": "subset", "one child per category": "multiway"}


def run(quick: bool = False) -> list[Table]:
    data = make_workload("d", rows=5000 if quick else None)
    few = make_workload("d", rows=2000 if quick else 10_000)
    return [
        _one_tree(data, 3 if quick else 5),
        _decompositions(data, few, quick),
        _by_number_of_classes(quick),
        _thousands_of_classes(quick),
        _memory_of_leaves(quick),
    ]


def _fit(make: Callable[[], object], X: NDArray[np.floating], y: NDArray[np.integer]) -> Contestant:
    def fresh() -> Callable[[], object]:
        model = make()
        return lambda: model.fit(X, y)  # type: ignore[attr-defined]

    return fresh


def _one_tree(data: Workload, repeats: int) -> Table:
    table = Table(
        "Many classes: one tree on eight classes",
        ["criterion", "fit (CPU)", "leaves", "times the entropy tree", "target", "verdict"],
        "Workload d, one thread. The ratio is the median over the rounds, with its range.",
    )
    criteria = ["entropy", "hellinger", "hellinger_ova"]
    times = race({name: _fit(lambda name=name: rw.TreeClassifier(name), data.X, data.y) for name in criteria}, repeats)
    for name in criteria:
        factor = ratio(times[name], times["entropy"])
        target = at_most(factor.median, 4.0, "x") if name == "hellinger" else at_most(0, None)
        table.add(name, duration(times[name].best()), str(times[name].result.get_n_leaves()), str(factor), *target)
    return table


def _decompositions(data: Workload, few: Workload, quick: bool) -> Table:
    table = Table(
        "Many classes: decompositions",
        [
            "ours",
            "peer",
            "rows",
            "ours (CPU)",
            "theirs (CPU)",
            "times faster",
            "target",
            "verdict",
            "accuracy ours",
            "theirs",
        ],
        "Hellinger trees, one thread. Single fits: a tree for each class against the rest, fitted by itself. scikit-learn: "
        "OutputCodeClassifier with as many of its (Gini) trees. Accuracy on fresh rows.",
    )
    alone = race(
        {"ova": _fit(rw.OneVsAllClassifier, data.X, data.y), "single fits": _single_fits(data)}, 2 if quick else 5
    )
    factor = ratio(alone["single fits"], alone["ova"])
    table.add(
        "OneVsAllClassifier, 8 trees",
        "8 single fits",
        str(len(data.y)),
        duration(alone["ova"].best()),
        duration(alone["single fits"].best()),
        str(factor),
        *at_least(factor.median, 1.0),
        _accuracy(alone["ova"].result, data.name),
        "-",
    )
    n_bits = 127

    def codes() -> OutputCodeClassifier:
        return OutputCodeClassifier(DecisionTreeClassifier(random_state=0), code_size=n_bits / 8, random_state=0)

    times = race(
        {"ours": _fit(rw.ECOCClassifier, few.X, few.y), "theirs": _fit(codes, few.X, few.y)}, 1 if quick else 2
    )
    factor = ratio(times["theirs"], times["ours"])
    table.add(
        f"ECOCClassifier, {len(times['ours'].result.estimators_)} trees",
        f"OutputCodeClassifier, {len(times['theirs'].result.estimators_)} trees",
        str(len(few.y)),
        duration(times["ours"].best()),
        duration(times["theirs"].best()),
        str(factor),
        *at_least(factor.median, 8.0),
        *(_accuracy(times[side].result, few.name) for side in ("ours", "theirs")),
    )
    return table


def _single_fits(data: Workload) -> Contestant:
    def fresh() -> Callable[[], object]:
        problems = [(rw.TreeClassifier(), (data.y == c).astype(np.int64)) for c in range(data.n_classes)]
        return lambda: [tree.fit(data.X, y) for tree, y in problems]

    return fresh


def _accuracy(model: object, workload: str) -> str:
    fresh = make_workload(workload, part="test")
    return f"{model.score(fresh.X, fresh.y):.3f}"  # type: ignore[attr-defined]


def _by_number_of_classes(quick: bool) -> Table:
    table = Table(
        "Many classes: the Hellinger tree by number of classes",
        ["splits", "classes", "hellinger", "hellinger_ova", "entropy", "hellinger / entropy"],
        f"{500 if quick else 4000} rows of 6 columns, one thread, CPU seconds of fit. One child per category: beyond 12 classes "
        "one class is set against the rest.",
    )
    for kind, nominal in KINDS.items():
        for n_classes in CLASSES[:3] if quick else CLASSES:
            X, y = _classes(n_classes, 500 if quick else 4000, categories=0 if kind == "numbers" else 10)
            columns = [] if kind == "numbers" else list(range(X.shape[1]))

            def tree(name: str, nominal: str = nominal, columns: list[int] = columns) -> rw.TreeClassifier:
                return rw.TreeClassifier(name, nominal=nominal, categorical_features=columns, max_depth=8)

            names = ["hellinger", "hellinger_ova", "entropy"]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RarewoodWarning)  # multiway splits of more than 12 classes say so
                times = race({name: _fit(lambda name=name, tree=tree: tree(name), X, y) for name in names}, 3)
            table.add(
                kind,
                str(n_classes),
                *(duration(times[name].best()) for name in names),
                str(ratio(times["hellinger"], times["entropy"])),
            )
    return table


def _thousands_of_classes(quick: bool) -> Table:
    n_rows = 2000 if quick else 20_000
    table = Table(
        "Many classes: thousands of them",
        ["tree", "classes", "fit (CPU)", "scikit-learn's (CPU)", "times faster", "accuracy", "scikit-learn's"],
        f"{n_rows} rows of 10 columns, classes of equal size around points of their own, one tree, one thread; accuracy on as many fresh "
        "rows. Random cuts: all columns, one cut each, beside ExtraTreeClassifier (Gini). Exact cuts: beside DecisionTreeClassifier, by "
        "entropy both. The exact Hellinger distance looks at every division of the classes for every cut, and cuts off one class after "
        "the other: trees as deep as there are classes. It is measured up to 300 of them.",
    )
    for n_classes in [30, 100] if quick else [30, 100, 300, 1000, 3000, 10_000]:
        X, y, fresh, truth = _points(n_classes, n_rows)
        ours: dict[str, Callable[[], object]] = {
            "random cuts, hellinger": lambda: rw.TreeClassifier(splitter="random", n_cuts=1, random_state=0),
            "random cuts, gini": lambda: rw.TreeClassifier("gini", splitter="random", n_cuts=1, random_state=0),
            "exact cuts, entropy": lambda: rw.TreeClassifier("entropy"),
        }
        if n_classes <= 300:
            ours["exact cuts, hellinger"] = rw.TreeClassifier
        for name, make in ours.items():
            peer = ExtraTreeClassifier if name.startswith("random") else DecisionTreeClassifier
            theirs = {"max_features": None} if name.startswith("random") else {"criterion": "entropy"}
            times = race(
                {
                    "ours": _fit(make, X, y),
                    "theirs": _fit(lambda peer=peer, theirs=theirs: peer(random_state=0, **theirs), X, y),
                },
                1 if quick or n_classes > 1000 else 3,
            )
            table.add(
                name,
                str(n_classes),
                *(duration(times[side].best()) for side in ("ours", "theirs")),
                str(ratio(times["theirs"], times["ours"])),
                *(f"{times[side].result.score(fresh, truth):.3f}" for side in ("ours", "theirs")),  # type: ignore[attr-defined]
            )
    return table


def _memory_of_leaves(quick: bool) -> Table:
    sizes = [1, 2, 5, 10, 20]
    table = Table(
        "Many classes: memory of leaves",
        ["rows", "classes", *(f"min_samples_leaf={size}" for size in sizes)],
        "What the counts of the leaves of one tree take: a leaf counts the rows of every class, and leaves with equal counts share them. "
        "Tables as above, random cuts by Gini.",
    )
    tree = rw.TreeClassifier("gini", splitter="random", n_cuts=1, random_state=0)
    for n_rows, n_classes in [(2000, 100)] if quick else [(20_000, 1000), (20_000, 5000), (100_000, 1000)]:
        X, y, _, _ = _points(n_classes, n_rows)
        trees = [tree.set_params(min_samples_leaf=size).fit(X, y).tree_ for size in sizes]
        bytes_of_counts = [each.__getstate__()["leaf_table"].nbytes for each in trees]
        table.add(str(n_rows), str(n_classes), *(f"{taken / 1e6:.3g} MB" for taken in bytes_of_counts))
    return table


def _points(
    n_classes: int, n_rows: int
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    """Rows around a point of their class; as many fresh ones."""
    rng = np.random.default_rng(n_classes)
    points = rng.normal(size=(n_classes, 10))
    y, truth = (
        np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)]) for _ in range(2)
    )
    X, fresh = ((points[labels] + 0.4 * rng.normal(size=(n_rows, 10))).astype(np.float32) for labels in (y, truth))
    return X, y, fresh, truth


def _classes(n_classes: int, n_rows: int, categories: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Columns that say something about classes of falling size; each class is present."""
    rng = np.random.default_rng(n_classes)
    shares = 0.85 ** np.arange(n_classes)
    y = rng.choice(n_classes, size=n_rows, p=shares / shares.sum())
    y[:n_classes] = np.arange(n_classes)
    X = rng.normal(size=(n_rows, 6)) + 0.3 * rng.normal(size=(n_classes, 6))[y]
    return (np.clip(np.floor(2.0 * X + categories / 2), 0, categories - 1) if categories else X), y


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small tables and few rounds")
    for each in run(parser.parse_args().quick):
        print(each.to_markdown())
