"""Class-bias cleaning and ranking against the same two algorithms written plainly with scikit-learn's trees.

Parts, sample sizes, number of trees, votes and thresholds are equal on both sides. scikit-learn has no C4.5, so its trees
split by entropy; ours are timed with entropy, too, beside their default. One thread: CPU time; two: wall time.
"""

from __future__ import annotations

from collections.abc import Callable

from sklearn.metrics import average_precision_score, roc_auc_score

import rarewood as rw
from bias_peer import PlainCleaner, PlainRanking
from report import Table, at_least, duration
from timing import Clock, Contestant, race, ratio
from workloads import Workload, make_workload

TARGET = 5.0
OURS = {"C4.5 (default)": "c45", "entropy": "entropy"}


def missing() -> str | None:
    """Why this benchmark cannot run, or None."""
    return None if hasattr(rw, "BiasedRankingClassifier") else "this rarewood has no cleaning and ranking"


def run(quick: bool = False) -> list[Table]:
    tables = [("a", 1)] if quick else [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    columns = [
        "workload",
        "threads",
        "what",
        "our trees",
        "our time",
        "their time",
        "times faster",
        "target",
        "verdict",
    ]
    note = (
        "Best of the rounds; the ratio is the median over the rounds, with its range. The ranking is timed without its "
        "cleaning, which has lines of its own."
    )
    speed = Table("Class bias: cleaning and ranking versus plain scikit-learn", columns, note)
    for name, threads in tables:
        data = make_workload(name)
        for what, (make, target) in JOBS.items():
            contestants = {tree: make(criterion, threads, data) for tree, criterion in OURS.items()}
            times = race({**contestants, "plain": make(None, threads, data)}, 5 if name == "a" else 3)
            clock: Clock = "cpu" if threads == 1 else "wall"
            for tree in OURS:
                factor = ratio(times["plain"], times[tree], clock)
                seconds = (duration(times[tree].best(clock)), duration(times["plain"].best(clock)))
                speed.add(name, threads, what, tree, *seconds, factor, *at_least(factor.median, target))
    return [speed, _quality(["a"] if quick else ["a", "b"])]


def _cleaner(criterion: str | None, threads: int, data: Workload) -> Contestant:
    def prepare() -> Callable[[], object]:
        if criterion is None:
            cleaner = PlainCleaner(n_jobs=threads)
        else:
            cleaner = rw.BiasedForestCleaner(criterion=criterion, n_jobs=threads, random_state=0)
        return lambda: cleaner.fit_resample(data.X, data.y)

    return prepare


def _model(criterion: str | None, threads: int) -> PlainRanking | rw.BiasedRankingClassifier:
    if criterion is None:
        return PlainRanking(clean=False, n_jobs=threads)
    return rw.BiasedRankingClassifier(criterion=criterion, clean=False, n_jobs=threads, random_state=0)


def _ranking(criterion: str | None, threads: int, data: Workload) -> Contestant:
    return lambda: lambda: _model(criterion, threads).fit(data.X, data.y).score_samples(data.X)


def _fitting(criterion: str | None, threads: int, data: Workload) -> Contestant:
    return lambda: lambda: _model(criterion, threads).fit(data.X, data.y)


def _scoring(criterion: str | None, threads: int, data: Workload) -> Contestant:
    model = _model(criterion, threads).fit(data.X, data.y)
    return lambda: lambda: model.score_samples(data.X)


# What is timed: a contestant by its criterion (None: the plain one), its threads and the table; and the factor promised.
JOBS: dict[str, tuple[Callable[[str | None, int, Workload], Contestant], float | None]] = {
    "cleaner: fit_resample": (_cleaner, TARGET),
    "ranking: fit, then score all rows": (_ranking, TARGET),
    "ranking: fit alone": (_fitting, None),
    "ranking: score alone": (_scoring, None),
}


def _quality(names: list[str]) -> Table:
    table = Table(
        "Class bias: quality on fresh rows",
        ["workload", "ranking", "cleaning", "AUC", "average precision"],
        "The plain version ranks alike, so both times are for the same method.",
    )
    for name in names:
        train, test = make_workload(name), make_workload(name, part="test")
        for clean in (True, False):
            models = {
                "C4.5 (default)": rw.BiasedRankingClassifier(clean=clean, random_state=0),
                "entropy": rw.BiasedRankingClassifier(criterion="entropy", clean=clean, random_state=0),
                "plain scikit-learn": PlainRanking(clean=clean),
            }
            for model_name, model in models.items():
                score = model.fit(train.X, train.y).score_samples(test.X)
                figures = (roc_auc_score(test.y, score), average_precision_score(test.y, score))
                table.add(name, model_name, "yes" if clean else "no", *(f"{figure:.4f}" for figure in figures))
    return table
