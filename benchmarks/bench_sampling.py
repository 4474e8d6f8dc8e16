"""Pattern oversampling beside imbalanced-learn's SMOTE, and reading patterns beside growing the forest they come from.

SMOTE looks for neighbours among the rare rows alone and never reads the others. Pattern oversampling grows 100 trees on the whole
table and screens every thousand new rows with a tree of their own. Both end with classes of equal size. SMOTENC is SMOTE for
tables with nominal columns.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from imblearn.over_sampling import SMOTE, SMOTENC

import rarewood as rw
from rarewood.datasets import make_planted_rules
from rarewood.inspection import extract_patterns
from report import Table, at_least, duration
from timing import Clock, Contestant, race, ratio
from workloads import Workload, make_workload


def run(quick: bool = False) -> list[Table]:
    rows = 10_000 if quick else None
    repeats = 1 if quick else 3
    return [_oversampling(rows, repeats), _parts(rows), _extraction(rows, repeats)]


# ---------------------------------------------------------------------------------------------------------
# oversampling


def _oversampling(rows: int | None, repeats: int) -> Table:
    table = Table(
        "Pattern oversampling versus SMOTE",
        ["table", "threads", "ours", "peer", "our time", "its time", "times faster", "target", "verdict"],
        "One call of fit_resample until the classes are equally large. One thread: CPU seconds, two: wall seconds; best of the "
        "rounds, the ratio is the median over the rounds with its range. Only SMOTE's k-nearest-neighbour search can use threads.",
    )
    numbers = make_workload("b", rows=rows)
    mixed = make_planted_rules(rows or 20_000, missing_share=0.0, random_state=0)
    nominal = [j for j, dtype in enumerate(mixed.X.dtypes) if dtype.name == "category"]
    jobs: list[tuple[str, Any, int, dict[str, Any], str, Callable[[], Any], float | None]] = [
        ("b", numbers, 1, {}, "SMOTE", lambda: SMOTE(random_state=0), 1.0),
        ("b", numbers, 2, {}, "SMOTE", lambda: SMOTE(random_state=0), None),
        ("b", numbers, 1, {"validate": False}, "SMOTE", lambda: SMOTE(random_state=0), None),
        ("planted rules", mixed, 1, {}, "SMOTENC", lambda: SMOTENC(nominal, random_state=0), None),
    ]
    for name, data, threads, params, peer, make_peer, target in jobs:
        clock: Clock = "cpu" if threads == 1 else "wall"
        contestants = {
            "ours": _resampling(_oversampler(threads, params), data),
            peer: _resampling(make_peer, data),
        }
        times = race(contestants, repeats)
        factor = ratio(times[peer], times["ours"], clock)
        table.add(
            f"{name}, {len(data.y)} rows",
            threads,
            "without screening" if params else "with defaults",
            peer,
            duration(times["ours"].best(clock)),
            duration(times[peer].best(clock)),
            factor,
            *at_least(factor.median, target),
        )
    return table


def _oversampler(threads: int, params: dict[str, Any]) -> Callable[[], rw.PatternOversampler]:
    return lambda: rw.PatternOversampler(n_jobs=threads, random_state=0, **params)


def _resampling(make: Callable[[], Any], data: Any) -> Contestant:
    def prepare() -> Callable[[], object]:
        sampler = make()
        return lambda: sampler.fit_resample(data.X, data.y)

    return prepare


def _parts(rows: int | None) -> Table:
    """Where the time of one oversampling goes."""
    data = make_workload("b", rows=rows)
    table = Table(
        "Pattern oversampling of b, step by step",
        ["step", "CPU", "what came out"],
        "One run of each; the last two are differences from a run without them.",
    )
    forest, patterns = rw.HeDExClassifier(random_state=0), rw.PatternOversampler(random_state=0)
    plain = rw.PatternOversampler(validate=False, random_state=0)
    times = race(
        {
            "forest": lambda: lambda: forest.fit(data.X, data.y),
            "found": lambda: lambda: extract_patterns(forest, deduplicate=False),
            "made": _resampling(lambda: plain, data),
            "screened": _resampling(lambda: patterns, data),
        },
        1,
    )
    seconds = {name: each.best() for name, each in times.items()}
    n_new = int(np.sum(plain.pattern_of_row_ >= 0))
    table.add(
        "growing 100 trees", duration(seconds["forest"]), f"{sum(t.get_n_leaves() for t in forest.estimators_)} leaves"
    )
    table.add("finding patterns", duration(seconds["found"]), f"{len(patterns.patterns_)} patterns")
    making = max(seconds["made"] - seconds["forest"] - seconds["found"], 0.0)
    table.add("making rows", duration(making), f"{n_new} rows")
    screening = max(seconds["screened"] - seconds["made"], 0.0)
    table.add(
        "screening, and making what it threw away",
        duration(screening),
        f"{patterns.acceptance_rate_:.0%} accepted, {n_new / patterns.acceptance_rate_ / data.y.sum():.0f} trees",
    )
    return table


# ---------------------------------------------------------------------------------------------------------
# patterns


def _extraction(rows: int | None, repeats: int) -> Table:
    table = Table(
        "Reading patterns versus growing the forest",
        ["workload", "threads", "patterns", "fit", "extract_patterns", "times faster than fit", "target", "verdict"],
        "HeDEx, 100 trees; supports counted on the training rows, ranked, duplicates removed. Times as above.",
    )
    data = make_workload("b", rows=rows)
    for threads in (1, 2):
        clock: Clock = "cpu" if threads == 1 else "wall"
        fitted = _forest(threads).fit(data.X, data.y)
        contestants: dict[str, Contestant] = {
            "fit": _fitting(threads, data),
            "patterns": lambda model=fitted: lambda: extract_patterns(model, data.X, data.y),  # type: ignore[misc]
        }
        times = race(contestants, repeats)
        factor = ratio(times["fit"], times["patterns"], clock)
        table.add(
            f"b, {len(data.y)} rows",
            threads,
            len(times["patterns"].result),  # type: ignore[arg-type]
            duration(times["fit"].best(clock)),
            duration(times["patterns"].best(clock)),
            factor,
            *at_least(factor.median, 1.0),
        )
    return table


def _forest(threads: int) -> rw.HeDExClassifier:
    return rw.HeDExClassifier(random_state=0, n_jobs=threads)


def _fitting(threads: int, data: Workload) -> Contestant:
    def prepare() -> Callable[[], object]:
        forest = _forest(threads)
        return lambda: forest.fit(data.X, data.y)

    return prepare


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    run(parser.parse_args().quick)
