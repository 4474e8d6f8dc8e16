"""Tables that leave at most 1,000 rows to learn from, where TabPFN may be ahead: what else RareClassifier could do there.

Half of the tables are kept apart, so that a variant that was chosen by the first half is judged by the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from quality.ablation import changed
from quality.measures import MEASURES
from quality.methods import PLACEBO, REFERENCE, Method
from quality.problems import SHORT
from quality.results import Results, as_they_come
from quality.store import Store
from report import Table

FOLDS = 3
_FIRST = len(SHORT) // 2
_FAMILIES, _RARE, _LEAVES = "rarewood.ensemble.families", "rarewood.ensemble._rare", "rarewood.ensemble._leaf_weights"
_SECOND_SEED = ", another seed"


def _both(name: str, parts: dict[str, Any] | None = None, **settings: Any) -> list[Method]:
    """With two seeds, so that what a variant gains stands beside what a seed does."""
    return [
        changed(f"{name}{behind}", parts, tables=frozenset(SHORT), folds=FOLDS, seeds_from=start, **settings)
        for behind, start in (("", 0), (_SECOND_SEED, 10_000))
    ]


VARIANTS = [
    *_both("600 trees", n_estimators=600),
    *_both("trees that see nine tenths of the rows", {f"{_FAMILIES}.SEEN": 0.9, f"{_RARE}.SEEN": 0.9}),
    *_both("600 of these", {f"{_FAMILIES}.SEEN": 0.9, f"{_RARE}.SEEN": 0.9}, n_estimators=600),
    *_both("leaf weights from 4 up", {f"{at}.LEAF_WEIGHTS": (4.0, 16.0, 64.0) for at in (_LEAVES, _RARE)}),
    *_both("all columns in every node", max_features=None),
]


def short_table(store: Store, note: str) -> Table:
    """What each variant gains over the reference, with two seeds each: on the first tables, and on those that were kept apart."""
    names = [REFERENCE, PLACEBO, *(method.name for method in VARIANTS)]
    found = as_they_come(store, SHORT, names, FOLDS).complete()
    columns = [f"{measure}{where}" for where in ("", ", tables kept apart") for measure in MEASURES]
    table = Table("Under 1,000 rows: what else was tried", ["", *columns], note)
    if REFERENCE not in found.methods or PLACEBO not in found.methods:
        return table
    halves = [found.only(SHORT[:_FIRST]), found.only(SHORT[_FIRST:])]
    table.add(
        "another seed", *(_gain(_of(half, m, PLACEBO) - _of(half, m, REFERENCE)) for half in halves for m in MEASURES)
    )
    for name in [name for name in found.methods if f"{name}{_SECOND_SEED}" in found.methods and name != REFERENCE]:
        table.add(name, *(_gain(_mean(half, m, name) - _mean(half, m, REFERENCE)) for half in halves for m in MEASURES))
    return table


def _of(results: Results, measure: str, method: str) -> NDArray[np.float64]:
    """On each table; more is better."""
    return MEASURES[measure] * results.values[measure][:, results.methods.index(method)]


def _mean(results: Results, measure: str, method: str) -> NDArray[np.float64]:
    return (_of(results, measure, method) + _of(results, measure, f"{method}{_SECOND_SEED}")) / 2


def _gain(gains: NDArray[np.float64]) -> str:
    gains = np.round(gains, 4)
    p = wilcoxon(gains).pvalue if (gains != 0).any() else 1.0
    return f"{gains.mean():+.4f}, {np.sum(gains > 0)}-{np.sum(gains < 0)}, p {p:.2g}"
