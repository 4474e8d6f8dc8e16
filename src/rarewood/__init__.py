"""Decision trees and forests that find the rare class.

A split is a table of class counts, a criterion turns the table into a score, and everything else proposes tables.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from rarewood import criteria
from rarewood._recipes import make, recipes
from rarewood.decomposition import ECOCClassifier, OneVsAllClassifier
from rarewood.ensemble import (
    BalancedForestClassifier,
    BEATClassifier,
    BiasedRankingClassifier,
    ForestClassifier,
    HeDExClassifier,
    HeDExhClassifier,
)
from rarewood.tree import TreeClassifier

if TYPE_CHECKING:
    from rarewood import datasets, evaluation, inspection, metrics, statistics
    from rarewood.sampling import BiasedForestCleaner, PatternOversampler

__version__ = version("rarewood")

__all__ = [
    "BEATClassifier",
    "BalancedForestClassifier",
    "BiasedForestCleaner",
    "BiasedRankingClassifier",
    "ECOCClassifier",
    "ForestClassifier",
    "HeDExClassifier",
    "HeDExhClassifier",
    "OneVsAllClassifier",
    "PatternOversampler",
    "TreeClassifier",
    "__version__",
    "criteria",
    "datasets",
    "evaluation",
    "inspection",
    "make",
    "metrics",
    "recipes",
    "statistics",
]

_SAMPLERS = ("BiasedForestCleaner", "PatternOversampler")  # importing imbalanced-learn takes longer than all the rest
_ON_FIRST_USE = (
    "datasets",
    "evaluation",
    "inspection",
    "metrics",
    "statistics",
)  # not everyone who fits a tree needs them


def __getattr__(name: str) -> Any:
    if name in _ON_FIRST_USE:
        return import_module(f"rarewood.{name}")
    if name in _SAMPLERS:
        return getattr(import_module("rarewood.sampling"), name)
    raise AttributeError(f"module 'rarewood' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE, *_SAMPLERS})
