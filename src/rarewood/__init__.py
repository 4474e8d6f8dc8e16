"""Decision trees and forests that find the rare class.

A split is a table of class counts, a criterion turns the table into a score, and everything else proposes tables.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from rarewood import (
        criteria,
        datasets,
        decomposition,
        distributed,
        ensemble,
        evaluation,
        exceptions,
        export,
        inspection,
        metrics,
        monitoring,
        report,
        reproduction,
        sampling,
        statistics,
        tree,
    )
    from rarewood._recipes import make, recipes
    from rarewood.decomposition import ECOCClassifier, OneVsAllClassifier
    from rarewood.ensemble import (
        BalancedForestClassifier,
        BEATClassifier,
        BiasedRankingClassifier,
        ForestClassifier,
        HeDExClassifier,
        HeDExhClassifier,
        RareClassifier,
        RuleSetClassifier,
    )
    from rarewood.export import load, save
    from rarewood.report import check
    from rarewood.sampling import BiasedForestCleaner, PatternOversampler
    from rarewood.tree import TreeClassifier

    __docs_dir__: Path
    __version__: str

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
    "RareClassifier",
    "RuleSetClassifier",
    "TreeClassifier",
    "__docs_dir__",
    "__version__",
    "check",
    "criteria",
    "datasets",
    "decomposition",
    "distributed",
    "ensemble",
    "evaluation",
    "exceptions",
    "export",
    "inspection",
    "load",
    "make",
    "metrics",
    "monitoring",
    "recipes",
    "report",
    "reproduction",
    "sampling",
    "save",
    "statistics",
    "tree",
]

# Everything comes on first use: a command line that only prints its help must not wait for scikit-learn, nor one who fits a
# tree for imbalanced-learn. A name that is not listed here is a module of its own.
_HOMES = {
    "_recipes": ("make", "recipes"),
    "decomposition": ("ECOCClassifier", "OneVsAllClassifier"),
    "ensemble": (
        "BEATClassifier",
        "BalancedForestClassifier",
        "BiasedRankingClassifier",
        "ForestClassifier",
        "HeDExClassifier",
        "HeDExhClassifier",
        "RareClassifier",
        "RuleSetClassifier",
    ),
    "report": ("check",),
    "export": ("load", "save"),
    "sampling": ("BiasedForestCleaner", "PatternOversampler"),
    "tree": ("TreeClassifier",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'rarewood' has no attribute {name!r}")
    value = _find(name)
    globals()[name] = value  # the next access does not come here
    return value


def _find(name: str) -> Any:
    if name == "__docs_dir__":
        here = import_module("pathlib").Path(__file__).parent
        return here / "docs" if (here / "docs").is_dir() else here.parents[1] / "docs"  # the latter in a checkout
    if name == "__version__":
        return import_module("importlib.metadata").version("rarewood")
    if name in _HOME_OF:
        return getattr(import_module(f"rarewood.{_HOME_OF[name]}"), name)
    return import_module(f"rarewood.{name}")


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
