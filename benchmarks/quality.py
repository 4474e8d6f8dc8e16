"""How well the forests rank and estimate, beside scikit-learn's; writes docs/quality.md.

python benchmarks/quality.py              all sets, about a quarter of an hour of one core
python benchmarks/quality.py --quick      three sets, few trees: does it run? Writes nothing.

Five times two-fold stratified cross-validation; all forests see the same folds, have the same number of trees and the same
seed. The data sets are those of the folder RAREWOOD_DATA (see tests/peers/folder.py); without it only the workloads run.
Leaves keep counts, so each fitted forest is scored twice, with raw leaf frequencies and with Laplace's correction: that
separates what a criterion brings from what smoothed leaves bring.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import average_precision_score, log_loss
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import OneHotEncoder

import rarewood as rw
from rarewood.metrics import weighted_auroc
from rarewood.statistics import nemenyi_cd, rank_scores
from report import Table
from run import circumstances
from workloads import make_workload

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
folder = importlib.import_module("peers.folder")

DOCS = HERE.parent / "docs" / "quality.md"

# Chosen for variety (size, skew, numbers, categories, missing values) before any result was seen.
WORKLOADS = {"a": 10_000, "b": 20_000, "d": 20_000}
TWO_CLASSES = [
    "balance-B",
    "breast-y",
    "credit-g",
    "flags-white",
    "haberman",
    "ism",
    "letter-A",
    "nursery-very_recom",
    "oil",
    "page",
    "phoneme",
    "pima",
    "satimage-4",
    "sick",
    "vehicle-opel",
    "winequality-red-4",
    "yeast-2_vs_4",
]
MORE_CLASSES = ["car", "cardio", "glass", "page-5", "yeast"]

METRICS = {"AUC": 1, "average precision": 1, "log loss": -1}
"""What is measured, and whether more (1) or less (-1) is better."""
RAW, LAPLACE = 0.0, 1.0
FOLDS = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)


# ---------------------------------------------------------------------------------------------------------
# data


@dataclass(frozen=True, eq=False)
class Problem:
    """A table of numbers and category codes, NaN for missing, and its class numbers."""

    name: str
    group: str
    X: NDArray[np.floating]
    y: NDArray[np.int64]
    nominal: list[int]
    positive: int
    """For two classes, the one to be found."""

    trees: int = 100

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1


def problems(quick: bool) -> list[Problem]:
    chosen = ["haberman", "car"] if quick else TWO_CLASSES + MORE_CLASSES
    reason = folder.missing(*chosen)
    if reason:
        print(f"  only the workloads: {reason}")
        chosen = []
    workloads = {"a": 2000} if quick else WORKLOADS
    return [_from_workload(*item) for item in workloads.items()] + [_from_folder(name) for name in chosen]


def _from_workload(name: str, rows: int) -> Problem:
    data = make_workload(name, rows=rows)
    return Problem(f"workload {name}", "simulated", data.X, data.y, [], 1, trees=30)


def _from_folder(name: str) -> Problem:
    table = folder.read_table(name)
    X = table.X.copy()
    for column, values in table.categories.items():
        if "" in values:
            X[X[:, column] == values.index(""), column] = np.nan
    positive = table.classes.index(json.loads(folder.MANIFEST.read_text())[name]["positive"])
    group = "two classes" if len(table.classes) == 2 else "more classes"
    return Problem(name, group, X, table.y, table.nominal, positive)


# ---------------------------------------------------------------------------------------------------------
# forests


Fitted = Callable[[NDArray[np.floating], float], NDArray[np.float64]]
"""Rows and a pseudo-count per class and leaf -> probabilities."""


def _recipe(name: str, **params: object) -> Callable[..., Fitted]:
    def fit(problem: Problem, rows: NDArray[np.int64], trees: int, seed: int) -> Fitted:
        model = rw.make(
            name, n_estimators=trees, categorical_features=problem.nominal, random_state=seed, n_jobs=1, **params
        ).fit(problem.X[rows], problem.y[rows])
        return lambda X, pseudo: model.set_params(smoothing=pseudo).predict_proba(X)

    return fit


def _scikit_learn(cls: type) -> Callable[..., Fitted]:
    """One-hot encoded categories (missing is one), other missing values replaced by the median."""

    def fit(problem: Problem, rows: NDArray[np.int64], trees: int, seed: int) -> Fitted:
        numeric = [j for j in range(problem.X.shape[1]) if j not in problem.nominal]
        prepare = make_column_transformer(
            (SimpleImputer(strategy="median"), numeric),
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), problem.nominal),
        )
        X = prepare.fit_transform(problem.X[rows])
        forest = cls(trees, random_state=seed, n_jobs=1).fit(X, problem.y[rows])
        return lambda X, pseudo: _probabilities(forest, prepare.transform(X), pseudo)

    return fit


def _probabilities(forest: ExtraTreesClassifier, X: NDArray[np.floating], pseudo: float) -> NDArray[np.float64]:
    """Mean over scikit-learn's trees of their leaf frequencies, with `pseudo` cases added per class."""
    if pseudo == RAW:
        return forest.predict_proba(X)
    total = np.zeros((len(X), len(forest.classes_)))
    for tree, leaf in zip(forest.estimators_, forest.apply(X).T, strict=True):
        counts = tree.tree_.value[leaf, 0] * tree.tree_.weighted_n_node_samples[leaf, None] + pseudo
        total += counts / counts.sum(axis=1, keepdims=True)
    return total / len(forest.estimators_)


FORESTS: dict[str, Callable[..., Fitted]] = {
    "HeDEx": _recipe("hedex"),
    "HeDExh": _recipe("hedexh"),
    "BEAT": _recipe("beat"),
    "bagged HDDT": _recipe("bagged-hddt"),
    "balanced forest": _recipe("brf"),
    "extra-trees": _recipe("extra-trees"),
    "extra-trees, 10 cuts": _recipe("extra-trees", n_cuts=10),
    "scikit-learn ExtraTrees": _scikit_learn(ExtraTreesClassifier),
    "scikit-learn RandomForest": _scikit_learn(RandomForestClassifier),
}

# How bagged HDDT does if it does not make one branch per category; differs on tables with nominal columns only.
WITH_SUBSETS = {"bagged HDDT, category subsets": _recipe("bagged-hddt", nominal="subset")}

# The contest: each forest with the leaves its authors gave it; extra-trees, where that is disputed, with both.
CONTEST = {
    "HeDEx": ("HeDEx", LAPLACE),
    "HeDExh": ("HeDExh", LAPLACE),
    "BEAT": ("BEAT", RAW),
    "bagged HDDT": ("bagged HDDT", LAPLACE),
    "balanced forest": ("balanced forest", RAW),
    "extra-trees, Laplace leaves": ("extra-trees", LAPLACE),
    "extra-trees, raw leaves": ("extra-trees", RAW),
    "scikit-learn ExtraTrees": ("scikit-learn ExtraTrees", RAW),
    "scikit-learn RandomForest": ("scikit-learn RandomForest", RAW),
}

# The same without that difference: what do criterion, cuts and rows bring?
EQUAL_LEAVES = {forest: (forest, LAPLACE) for forest in FORESTS if forest != "extra-trees, 10 cuts"}

# From extra-trees to HeDEx, one change at a time.
LADDER = [
    ("extra-trees, raw leaves", ("extra-trees", RAW)),
    ("+ Laplace leaves", ("extra-trees", LAPLACE)),
    ("+ 10 cuts per column", ("extra-trees, 10 cuts", LAPLACE)),
    ("+ Hellinger distance = HeDEx", ("HeDEx", LAPLACE)),
]


# ---------------------------------------------------------------------------------------------------------
# measuring

Contestant = tuple[str, float]
LineUp = dict[str, Contestant]


@dataclass(frozen=True)
class Results:
    """Mean scores over the folds, by contestant (forest and pseudo-count), metric and problem."""

    problems: list[Problem]
    scores: dict[Contestant, dict[str, NDArray[np.float64]]]
    seconds: dict[str, float]

    def get(self, contestant: Contestant, metric: str, group: str | None = None) -> NDArray[np.float64]:
        chosen = [group is None or problem.group == group for problem in self.problems]
        return self.scores[contestant][metric][chosen]

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(problem.group for problem in self.problems))


def measure(listed: list[Problem], forests: dict[str, Callable[..., Fitted]], quick: bool) -> Results:
    scores = {
        (forest, pseudo): {metric: np.zeros(len(listed)) for metric in METRICS}
        for forest in forests
        for pseudo in (RAW, LAPLACE)
    }
    seconds = dict.fromkeys(forests, 0.0)
    for number, problem in enumerate(listed):
        started = time.process_time()
        n_folds = FOLDS.get_n_splits()
        for seed, (train, test) in enumerate(FOLDS.split(problem.X, problem.y)):
            for forest, fit in forests.items():
                before = time.process_time()
                fitted = fit(problem, train, 10 if quick else problem.trees, seed)
                seconds[forest] += time.process_time() - before
                for pseudo in (RAW, LAPLACE):
                    found = _scores(problem, problem.y[test], fitted(problem.X[test], pseudo))
                    for metric, value in found.items():
                        scores[forest, pseudo][metric][number] += value / n_folds
        print(f"  {problem.name}: {len(problem.y)} rows, {time.process_time() - started:.1f} s", flush=True)
    return Results(listed, scores, seconds)


def _scores(problem: Problem, y: NDArray[np.int64], p: NDArray[np.float64]) -> dict[str, float]:
    classes = [problem.positive] if problem.n_classes == 2 else sorted(set(y))
    return {
        "AUC": weighted_auroc(y, p, labels=range(problem.n_classes)),
        "average precision": float(np.mean([average_precision_score(y == c, p[:, c]) for c in classes])),
        "log loss": log_loss(y, p, labels=range(problem.n_classes)),
    }


# ---------------------------------------------------------------------------------------------------------
# tables


def run(quick: bool = False) -> list[Table]:
    return _tables(*_measure_all(quick))


def _measure_all(quick: bool) -> tuple[Results, Results]:
    """All forests on all sets, and the variants for nominal columns where there are any."""
    listed = problems(quick)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers warn about their own future
        return measure(listed, FORESTS, quick), measure([p for p in listed if p.nominal], WITH_SUBSETS, quick)


def _tables(results: Results, subsets: Results) -> list[Table]:
    two = np.array([problem.n_classes == 2 for problem in results.problems])
    return [
        _summary(results, "each with the leaves of its authors", CONTEST),
        _summary(results, "all with Laplace leaves", EQUAL_LEAVES),
        _means(results),
        _leaves(results, "two classes", two),
        _leaves(results, "more classes", ~two),
        _ladder(results),
        _branches(results, subsets),
        *_each_set(results),
    ]


def _ranks(results: Results, metric: str, line_up: LineUp) -> NDArray[np.float64]:
    """Rank on each problem (row) of each contestant (column): 1 is best; equal to four decimals is equal."""
    scores = np.column_stack([results.get(key, metric) for key in line_up.values()])
    return rank_scores(np.round(scores, 4), larger_is_better=METRICS[metric] > 0)


def _summary(results: Results, title: str, line_up: LineUp) -> Table:
    table = Table(
        f"Average ranks and wins, {title}",
        ["forest", *(f"{metric}: {what}" for metric in METRICS for what in ("rank", "wins")), "CPU s of all fits"],
        f"Over all {len(results.problems)} sets; 1 is the best rank, equals share rank and win. By the Nemenyi test at 5 %, "
        f"average ranks that differ by less than {_critical_difference(results, line_up):.2f} may differ by chance. The times "
        "are a by-product, not a benchmark.",
    )
    ranks = {metric: _ranks(results, metric, line_up) for metric in METRICS}
    for column, (label, (forest, _)) in enumerate(line_up.items()):
        cells = []
        for metric in METRICS:
            best, own = ranks[metric].min(axis=1), ranks[metric][:, column]
            cells += [f"{own.mean():.2f}", f"{np.sum(own == best)}"]
        table.add(label, *cells, f"{results.seconds[forest]:.0f}")
    return table


def _critical_difference(results: Results, line_up: LineUp) -> float:
    return nemenyi_cd(len(line_up), len(results.problems))


def _means(results: Results) -> Table:
    columns = [(group, metric) for group in results.groups for metric in METRICS]
    table = Table(
        "Means over the sets",
        ["forest", *(f"{group}: {metric}" for group, metric in columns)],
        "Groups: " + ", ".join(f"{group} ({len(_names(results, group))} sets)" for group in results.groups) + ".",
    )
    for label, contestant in CONTEST.items():
        table.add(label, *(f"{results.get(contestant, metric, group).mean():.4f}" for group, metric in columns))
    return table


def _names(results: Results, group: str) -> list[str]:
    return [problem.name for problem in results.problems if problem.group == group]


def _leaves(results: Results, title: str, chosen: NDArray[np.bool_]) -> Table:
    table = Table(
        f"What Laplace leaves do, {title}",
        ["forest", *(f"{metric}: {what}" for metric in METRICS for what in ("raw", "Laplace", "better on"))],
        f"The same fitted forests, scored with raw leaf frequencies and with one case added per class: means over {chosen.sum()} "
        "sets, and on how many of them Laplace leaves are better.",
    )
    for forest in FORESTS:
        cells = []
        for metric, sign in METRICS.items():
            raw, smooth = (results.get((forest, pseudo), metric)[chosen] for pseudo in (RAW, LAPLACE))
            cells += [f"{raw.mean():.4f}", f"{smooth.mean():.4f}", f"{np.sum(sign * (smooth - raw) > 0)}"]
        table.add(forest, *cells)
    return table


def _ladder(results: Results) -> Table:
    columns = ("mean", "mean step", "median step", "better on")
    table = Table(
        "From extra-trees to HeDEx",
        ["step", *(f"{metric}: {what}" for metric in METRICS for what in columns)],
        f"One change at a time, over all {len(results.problems)} sets: the mean, its change against the line above, the median of "
        "the changes, and on how many sets the change helps.",
    )
    before = None
    for label, contestant in LADDER:
        cells = []
        for metric, sign in METRICS.items():
            now = results.get(contestant, metric)
            cells.append(f"{now.mean():.4f}")
            if before is None:
                cells += ["", "", ""]
            else:
                change = now - results.get(before, metric)
                cells += [f"{change.mean():+.4f}", f"{np.median(change):+.4f}", f"{np.sum(sign * change > 0)}"]
        table.add(label, *cells)
        before = contestant
    return table


def _branches(results: Results, subsets: Results) -> Table:
    table = Table(
        "Bagged HDDT on nominal columns",
        ["set", *(f"{metric}: {how}" for metric in METRICS for how in ("a branch per category", "subsets"))],
        "The paper's HDDT makes one branch per category, and so does the recipe; `nominal='subset'`, the default of "
        "`ForestClassifier`, splits the categories in two. Added to explain where bagged HDDT loses in the other tables. "
        "Laplace leaves.",
    )
    (variant,) = WITH_SUBSETS
    for number, problem in enumerate(subsets.problems):
        cells = []
        for metric in METRICS:
            branches = results.get(("bagged HDDT", LAPLACE), metric)[results.problems.index(problem)]
            cells += [f"{branches:.4f}", f"{subsets.get((variant, LAPLACE), metric)[number]:.4f}"]
        table.add(problem.name, *cells)
    return table


def _each_set(results: Results) -> list[Table]:
    tables = []
    for metric in METRICS:
        table = Table(f"{metric} on each set", ["set", "rows", *CONTEST], "The best of each line is bold.")
        ranks = _ranks(results, metric, CONTEST)
        for number, problem in enumerate(results.problems):
            values = [results.get(key, metric)[number] for key in CONTEST.values()]
            best = ranks[number] == ranks[number].min()
            cells = [f"**{v:.4f}**" if top else f"{v:.4f}" for v, top in zip(values, best, strict=True)]
            table.add(problem.name, len(problem.y), *cells)
        tables.append(table)
    return tables


# ---------------------------------------------------------------------------------------------------------
# page


def _findings(results: Results) -> list[str]:
    """The outcome in words, from the numbers."""
    lines = [
        f"- {title}, **{metric}**: {_podium(results, metric, line_up)}"
        for title, line_up in [("As they come", CONTEST), ("All with Laplace leaves", EQUAL_LEAVES)]
        for metric in METRICS
    ]
    for ours, peer in [("HeDEx", "scikit-learn ExtraTrees"), ("HeDEx", "scikit-learn RandomForest")]:
        for title, leaves in [("each as it comes", RAW), ("both with Laplace leaves", LAPLACE)]:
            lines.append(f"- {ours} against {peer}, {title}: {_duel(results, (ours, LAPLACE), (peer, leaves))}.")
    start, smooth, end = (results.get(LADDER[i][1], "AUC") for i in (0, 1, -1))
    for name, average in [("mean", np.mean), ("median", np.median)]:
        lines.append(
            f"- From extra-trees with raw leaves to HeDEx the {name} gain in AUC is {average(end - start):+.4f}. Laplace leaves "
            f"alone give {average(smooth - start):+.4f}; ten cuts and the Hellinger distance on top of them "
            f"{average(end - smooth):+.4f}."
        )
    return lines


def _podium(results: Results, metric: str, line_up: LineUp) -> str:
    mean = dict(zip(line_up, _ranks(results, metric, line_up).mean(axis=0), strict=True))
    order = sorted(mean, key=lambda label: mean[label])
    limit = mean[order[0]] + _critical_difference(results, line_up)
    text = f"best average rank {order[0]} ({mean[order[0]]:.2f}), last {order[-1]} ({mean[order[-1]]:.2f})"
    close = [f"{label} ({mean[label]:.2f})" for label in order[1:] if mean[label] < limit]
    return text + (
        f"; too close to the best to tell: {', '.join(close)}." if close else "; the best is clear of the others."
    )


def _duel(results: Results, ours: Contestant, peer: Contestant) -> str:
    parts = []
    for metric, sign in METRICS.items():
        change = results.get(ours, metric) - results.get(peer, metric)
        better = np.sum(sign * change > 0)
        parts.append(
            f"{metric} better on {better} of {len(change)} (mean {change.mean():+.4f}, median {np.median(change):+.4f})"
        )
    return ", ".join(parts)


_INTRODUCTION = """\
Five times two-fold stratified cross-validation, 100 trees in every forest, BEAT included (30 on the large simulated sets); one
thread; the same folds and seeds for all. rarewood's forests are its recipes (`rarewood.make`) with nominal columns and missing
values as they are; scikit-learn's have default settings and get one-hot encoded categories and medians for missing numbers;
Laplace leaves are computed for them from their leaf counts. The sets were chosen for variety before any result was known.

- *AUC*: area under the ROC curve; with more than two classes each against the rest, weighted by size.
- *Average precision*: of the rare class; with more classes the mean over them, each counting the same.
- *Log loss*: in nats, smaller is better; a probability of exactly 0 for the class that came costs 36. The balanced forest
  answers for a world of equally frequent classes, so log loss is no fair measure of it.
"""


def _page(results: Results, tables: list[Table]) -> str:
    made = circumstances("python benchmarks/quality.py")
    head = ["# Quality of the forests", "", f"{made} Generated; do not edit.", ""]
    outcome = ["## What comes out", "", *_findings(results), ""]
    return "\n".join([*head, _INTRODUCTION, *outcome, *(table.to_markdown() for table in tables)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="three sets, 10 trees; writes nothing")
    quick = parser.parse_args().quick
    results, subsets = _measure_all(quick)
    page = _page(results, _tables(results, subsets))
    if quick:
        print("\n" + page)
    else:
        DOCS.write_text(page)
        print(f"\nwritten: {DOCS.name}; {sum(results.seconds.values()):.0f} s of fitting")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
