"""The tables of the comparison: which, and how each is read.

Names are those of the folder RAREWOOD_DATA. `steel:Dirtiness` is the class Dirtiness of steel against all others; a name of a
table with more classes alone keeps all of them. One version of each source: not both numberings of the thyroid tables, nor the
Opel class of the vehicles twice. Chosen by size and skew before any result was seen; splice, with 60 nominal columns, was taken out
when a single fit of CatBoost took more than a minute.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood.datasets import load, make_workload

TWO_CLASSES = [
    "allhyper",
    "allhypo-3772",
    "allrep-3772",
    "appendicitis",
    "balance-B",
    "breast-y",
    "credit-g",
    "ecoli-0-1-4-6_vs_5",
    "ecoli-0-1-4-7_vs_2-3-5-6",
    "ecoli-0-1_vs_2-3-5",
    "ecoli-0-6-7_vs_5",
    "ecoli2",
    "flags-white",
    "glass-headlamps",
    "haberman",
    "new-thyroid1",
    "oil",
    "page",
    "phoneme",
    "pima",
    "satimage-4",
    "segment-brickface",
    "sick-3772",
    "transfusion",
    "vehicle-opel",
    "winequality-red-4",
    "wisconsin",
    "wpbc",
    "yeast-0-2-5-6_vs_3-7-8-9",
    "yeast-0-3-5-9_vs_7-8",
    "yeast-2_vs_4",
    "anneal:U",
    "car:vgood",
    "cardio:3",
    "cleveland:4",
    "dermatology:6",
    "ecoli:om",
    "flare:F",
    "glass:containers",
    "page-5:3",
    "steel:Dirtiness",
    "waveform:1",
    "yeast:EXC",
    "yeast:ME1",
]
"""The rare class against the rest, at most 36 % of the rows; five folds."""

_LONG = {"allhyper", "allhypo-3772", "allrep-3772", "cardio:3", "page", "page-5:3", "phoneme", "satimage-4"}
_LONG |= {"segment-brickface", "sick-3772", "steel:Dirtiness", "waveform:1"}
CALIBRATED = [name for name in TWO_CLASSES if name not in _LONG]
"""Those of at most 1,800 rows: the same calibration for all takes five further fits per fold."""

_OVER_1000 = _LONG | {"car:vgood", "winequality-red-4", "yeast:EXC", "yeast:ME1"}
SHORT = [name for name in TWO_CLASSES if name not in _OVER_1000]
"""Those that leave at most 1,000 rows to learn from, which is what TabPFN was trained for."""

MORE_CLASSES = [
    "balance",
    "car",
    "cleveland",
    "dermatology",
    "glass",
    "hayes-roth",
    "new-thyroid",
    "steel",
    "wine",
    "anneal",
    "dna",
    "ecoli",
    "flare",
    "nursery-4",
    "page-5",
    "sat",
    "splice",
    "yeast",
    "zoo",
]
"""All classes kept."""

TUNED = [
    "appendicitis",
    "balance-B",
    "breast-y",
    "cleveland:4",
    "ecoli-0-1-4-7_vs_2-3-5-6",
    "ecoli2",
    "glass-headlamps",
    "haberman",
    "oil",
    "pima",
    "transfusion",
    "vehicle-opel",
    "wpbc",
    "yeast-0-2-5-6_vs_3-7-8-9",
    "yeast-0-3-5-9_vs_7-8",
    "yeast:EXC",
]
"""Where 30 settings are tried: tables of at most 1,500 rows, one of them nominal: CatBoost takes minutes otherwise."""

LARGE = ["ism", "nursery-very_recom", "letter-A", "covtype-3_vs_4", "workload b", "covtype-4_vs_rest", "workload c"]
"""One split each."""

FRESH_ROWS = 20_000
"""The last rows of a workload: fresh ones of the same distribution, to test by."""


FOLDS, SAME_FOLDS = 5, 2
"""Of each table; and those on which all get the same calibration, which takes five further fits."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A data frame with category dtypes, and class numbers; with two classes, 1 is the rare one."""

    name: str
    X: Any
    y: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    @property
    def nominal(self) -> list[str]:
        return [name for name in self.X.columns if self.X[name].dtype == "category"]

    def rows(self, chosen: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64]]:
        return self.X.iloc[chosen].reset_index(drop=True), self.y[chosen]


@functools.lru_cache(maxsize=64)
def problem(name: str) -> Problem:
    if name.startswith("workload "):
        return _workload(name)
    source, _, label = name.partition(":")
    data = load(source)
    labels = np.asarray(data.y).astype(str)
    if not label and len(set(labels)) > 2:
        return Problem(name, _plain_names(data.X), np.unique(labels, return_inverse=True)[1])
    rare = label or str(data.rare)
    if rare not in labels:
        raise ValueError(f"{source} has no class {rare!r}; there are {', '.join(sorted(set(labels)))}")
    return Problem(name, _plain_names(data.X), (labels == rare).astype(np.int64))


def _plain_names(X: Any) -> Any:
    """LightGBM and XGBoost refuse some characters in names of columns, XGBoost a category without values."""
    X = X.dropna(axis=1, how="all")
    return X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)


def _workload(name: str) -> Problem:
    """Training rows, then the fresh rows of the same distribution."""
    import pandas as pd

    parts = [make_workload(name.removeprefix("workload "), part=part) for part in ("train", "test")]
    X = pd.DataFrame(np.concatenate([part.X for part in parts]))
    return Problem(name, _plain_names(X), np.concatenate([part.y for part in parts]))
