"""The estimators that a model file can name: a fixed list, so that a file cannot ask for anything else."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from typing import Any

from rarewood.exceptions import ModelFileError

# name in the file -> module and class; imported when needed, because imbalanced-learn takes long
_PLACES = {
    "TreeClassifier": ("rarewood.tree", "TreeClassifier"),
    "ForestClassifier": ("rarewood.ensemble", "ForestClassifier"),
    "HeDExClassifier": ("rarewood.ensemble", "HeDExClassifier"),
    "HeDExhClassifier": ("rarewood.ensemble", "HeDExhClassifier"),
    "BEATClassifier": ("rarewood.ensemble", "BEATClassifier"),
    "BalancedForestClassifier": ("rarewood.ensemble", "BalancedForestClassifier"),
    "BiasedRankingClassifier": ("rarewood.ensemble", "BiasedRankingClassifier"),
    "OneVsAllClassifier": ("rarewood.decomposition", "OneVsAllClassifier"),
    "ECOCClassifier": ("rarewood.decomposition", "ECOCClassifier"),
    "ConstantClassifier": ("rarewood.decomposition.constant", "ConstantClassifier"),
    "PatternOversampler": ("rarewood.sampling", "PatternOversampler"),
    "BiasedForestCleaner": ("rarewood.sampling", "BiasedForestCleaner"),
    "Pipeline": ("sklearn.pipeline", "Pipeline"),
    "ResamplingPipeline": ("imblearn.pipeline", "Pipeline"),
}
SAMPLERS = ("PatternOversampler", "BiasedForestCleaner")
PIPELINES = ("Pipeline", "ResamplingPipeline")

_PIPELINE_PARAMETERS = ("steps", "verbose")  # the others speak of caches and of versions of scikit-learn


def name_of(estimator: object) -> str | None:
    """What a file calls an estimator; None for what it cannot hold, subclasses of ours among them."""
    for name, (module, cls) in _PLACES.items():
        if module in sys.modules and type(estimator) is getattr(sys.modules[module], cls, None):
            return name
    return None


def class_named(name: object) -> type[Any]:
    """The class of that name."""
    if not isinstance(name, str) or name not in _PLACES:
        raise ModelFileError(f"the file speaks of a {str(name)[:40]!r}, which this version of rarewood does not have.")
    module, cls = _PLACES[name]
    found: type[Any] = getattr(import_module(module), cls)
    return found


def parameters_of(estimator: Any) -> dict[str, Any]:
    """The parameters that go into a file."""
    given: dict[str, Any] = estimator.get_params(deep=False)
    if name_of(estimator) in PIPELINES:
        return {name: given[name] for name in _PIPELINE_PARAMETERS}
    return given


def make_unfitted(cls: type[Any], parameters: dict[str, Any]) -> Any:
    """A new estimator. What a file does not say has its default; what this version does not know is an error."""
    known = inspect.signature(cls).parameters
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise ModelFileError(
            f"the file gives {cls.__name__} the parameter {unknown[0][:40]!r}, which this version of rarewood does not have; "
            "upgrade rarewood."
        )
    return cls(**parameters)
