"""The methods, each with the settings its library gives it, one thread, and the encoding of categories it can use.

A method makes, for a seed, a classifier of data frames. Boosting takes categories as they are; the forests of scikit-learn and
imbalanced-learn get one-hot columns and medians for missing numbers (`peers`).
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from typing import Any

import rarewood as rw
from quality import peers
from quality.problems import CALIBRATED, FOLDS, MORE_CLASSES, SHORT, TWO_CLASSES


@dataclass(frozen=True)
class Method:
    """`key` changes with everything that may change a result except the code of rarewood (see `store.fingerprint`).

    A slow method is run on some of the tables and folds only. A `released` one is of an earlier rarewood, whose code is not here.
    """

    name: str
    package: str
    make: Callable[[int], Any] = field(repr=False)
    settings: str = "default settings"
    tables: Container[str] = field(default=frozenset([*TWO_CLASSES, *MORE_CLASSES]), repr=False)
    folds: int = FOLDS
    released: bool = False

    @property
    def ours(self) -> bool:
        return self.package == "rarewood" and not self.released

    def of_release(self, release: str) -> Method:
        return replace(self, name=f"{self.name} {release}", released=True)

    @property
    def key(self) -> str:
        return f"{self.package} {importlib.metadata.version(self.package)}, {self.settings}"


def ours(name: str, cls: str, *, seeds_from: int = 0, **settings: Any) -> Method:
    def make(seed: int) -> Any:
        return getattr(rw, cls)(**settings, random_state=seeds_from + seed, n_jobs=1)

    return Method(name, "rarewood", make, f"{cls}({', '.join(f'{k}={v!r}' for k, v in settings.items())})")


def recipe(name: str, known_as: str, **settings: Any) -> Method:
    def make(seed: int) -> Any:
        return rw.make(known_as, **settings, random_state=seed, n_jobs=1)

    return Method(name, "rarewood", make, f"make({known_as!r}{''.join(f', {k}={v!r}' for k, v in settings.items())})")


def _peer(name: str, package: str, make: Callable[..., Any], **settings: Any) -> Method:
    words = ", ".join(f"{k}={v!r}" for k, v in settings.items()) or "default settings"
    return Method(name, package, lambda seed: make(seed, **settings), words)


REFERENCE = "RareClassifier"
PLACEBO = f"{REFERENCE}, another seed"
"""The same with other random numbers: what a difference between methods means nothing without."""
BEFORE = f"{REFERENCE} 0.2.0"

OURS = [
    ours(REFERENCE, "RareClassifier"),
    ours(PLACEBO, "RareClassifier", seeds_from=10_000),
    ours("HeDExh", "HeDExhClassifier"),
    ours("HeDEx", "HeDExClassifier"),
    ours("forest", "ForestClassifier"),
    recipe("bagged HDDT", "bagged-hddt"),
    ours("BEAT", "BEATClassifier"),
    ours("balanced forest", "BalancedForestClassifier"),
]
PEERS = [
    _peer("LightGBM", "lightgbm", peers.lightgbm),
    _peer("HistGradientBoosting", "scikit-learn", peers.hist_gradient_boosting),
    _peer("XGBoost", "xgboost", peers.xgboost),
    _peer("extra-trees (scikit-learn)", "scikit-learn", peers.extra_trees),
    _peer("random forest (scikit-learn)", "scikit-learn", peers.random_forest),
    _peer("balanced forest (imbalanced-learn)", "imbalanced-learn", peers.balanced_forest),
    _peer("SMOTE + random forest", "imbalanced-learn", peers.SmoteForest),
    replace(_peer("CatBoost", "catboost", peers.CatBoost), tables=frozenset(TWO_CLASSES)),
    _peer("CatBoost 300", "catboost", peers.CatBoost, iterations=300),
    replace(_peer("EBM", "interpret-core", peers.ebm, outer_bags=4), tables=frozenset(CALIBRATED), folds=1),
    replace(_peer("TabPFN 0.1", "tabpfn", peers.TabPFN), tables=frozenset(SHORT), folds=1),
]
# From extra-trees to HeDEx, one change at a time: leaves, cuts, criterion.
LADDER = [
    recipe("extra-trees with raw leaves", "extra-trees", smoothing=0.0),
    recipe("+ Laplace leaves", "extra-trees"),
    recipe("+ 10 cuts per column", "extra-trees", n_cuts=10),
]
METHODS = {method.name: method for method in [*OURS, *PEERS]}

CALIBRATES_ITSELF = (REFERENCE, PLACEBO, BEFORE)
CALIBRATED_FROM_OUTSIDE = (
    *("CatBoost", "CatBoost 300", "LightGBM", "HistGradientBoosting", "XGBoost"),
    *("HeDExh", "HeDEx", "forest", "bagged HDDT", "BEAT", "balanced forest"),
)
"""Those that have the same calibration and threshold fitted to their scores, in one of the contests."""
ASIDE = {PLACEBO: REFERENCE, BEFORE: REFERENCE, "CatBoost 300": "CatBoost"}
"""Nearly the same as others, beside which they would only dilute the ranks."""

# For the larger tables, where the number of rounds decides.
LARGE_METHODS = [
    METHODS[REFERENCE],
    METHODS[PLACEBO],
    METHODS["HeDExh"],
    METHODS["HeDEx"],
    _peer("LightGBM 500", "lightgbm", peers.lightgbm, n_estimators=500),
    _peer("CatBoost 500", "catboost", peers.CatBoost, iterations=500),
]
