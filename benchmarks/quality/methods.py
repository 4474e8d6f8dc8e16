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
from quality.problems import CALIBRATED, FOLDS, MORE_CLASSES, TWO_CLASSES


@dataclass(frozen=True)
class Method:
    """`key` changes with everything that may change a result except the code of rarewood (see `store.fingerprint`).

    A slow method is run on some of the tables and folds only.
    """

    name: str
    package: str
    make: Callable[[int], Any] = field(repr=False)
    settings: str = "default settings"
    tables: Container[str] = field(default=frozenset([*TWO_CLASSES, *MORE_CLASSES]), repr=False)
    folds: int = FOLDS

    @property
    def ours(self) -> bool:
        return self.package == "rarewood"

    @property
    def key(self) -> str:
        return f"{self.package} {importlib.metadata.version(self.package)}, {self.settings}"


def ours(name: str, cls: str, **settings: Any) -> Method:
    def make(seed: int) -> Any:
        return getattr(rw, cls)(**settings, random_state=seed, n_jobs=1)

    return Method(name, "rarewood", make, f"{cls}({', '.join(f'{k}={v!r}' for k, v in settings.items())})")


def recipe(name: str, known_as: str, **settings: Any) -> Method:
    def make(seed: int) -> Any:
        return rw.make(known_as, **settings, random_state=seed, n_jobs=1)

    return Method(name, "rarewood", make, f"make({known_as!r}{''.join(f', {k}={v!r}' for k, v in settings.items())})")


def _peer(name: str, package: str, make: Callable[..., Any], **settings: Any) -> Method:
    words = ", ".join(f"{k}={v!r}" for k, v in settings.items()) or "default settings"
    return Method(name, package, lambda seed: make(seed, **settings), words)


OURS = [
    ours("RareClassifier", "RareClassifier"),
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
    _peer("CatBoost", "catboost", peers.CatBoost),
    replace(_peer("EBM", "interpret-core", peers.ebm, outer_bags=4), tables=frozenset(CALIBRATED), folds=1),
]
# From extra-trees to HeDEx, one change at a time: leaves, cuts, criterion.
LADDER = [
    recipe("extra-trees with raw leaves", "extra-trees", smoothing=0.0),
    recipe("+ Laplace leaves", "extra-trees"),
    recipe("+ 10 cuts per column", "extra-trees", n_cuts=10),
]
METHODS = {method.name: method for method in [*OURS, *PEERS]}

CALIBRATES_ITSELF = ("RareClassifier",)

# For the larger tables, where the number of rounds decides.
LARGE_METHODS = [
    METHODS["RareClassifier"],
    METHODS["HeDExh"],
    METHODS["HeDEx"],
    _peer("LightGBM 500", "lightgbm", peers.lightgbm, n_estimators=500),
    _peer("CatBoost 500", "catboost", peers.CatBoost, iterations=500),
]
