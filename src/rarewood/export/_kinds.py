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
    "RareClassifier": ("rarewood.ensemble", "RareClassifier"),
    "BiasedRankingClassifier": ("rarewood.ensemble", "BiasedRankingClassifier"),
    "RuleSetClassifier": ("rarewood.ensemble", "RuleSetClassifier"),
    "OneVsAllClassifier": ("rarewood.decomposition", "OneVsAllClassifier"),
    "ECOCClassifier": ("rarewood.decomposition", "ECOCClassifier"),
    "ConstantClassifier": ("rarewood.decomposition.constant", "ConstantClassifier"),
    "PatternOversampler": ("rarewood.sampling", "PatternOversampler"),
    "BiasedForestCleaner": ("rarewood.sampling", "BiasedForestCleaner"),
    "CalibratedClassifierCV": ("sklearn.calibration", "CalibratedClassifierCV"),
    "Pipeline": ("sklearn.pipeline", "Pipeline"),
    "ResamplingPipeline": ("imblearn.pipeline", "Pipeline"),
}
SAMPLERS = ("PatternOversampler", "BiasedForestCleaner")
PIPELINES = ("Pipeline", "ResamplingPipeline")

# Of scikit-learn's classes only what does not speak of caches, folds, processors and of versions of scikit-learn.
_PARAMETERS = {
    "Pipeline": ("steps", "verbose"),
    "ResamplingPipeline": ("steps", "verbose"),
    "CalibratedClassifierCV": ("method", "ensemble"),
}


def name_of(estimator: object) -> str | None:
    """What a file calls an estimator; None for what it cannot hold, subclasses of ours among them."""
    for name, (module, cls) in _PLACES.items():
        if module in sys.modules and type(estimator) is getattr(sys.modules[module], cls, None):
            return name
    return None


def class_named(name: object) -> type[Any]:
    """The class of that name."""
    if not isinstance(name, str) or name not in _PLACES:
        raise ModelFileError(f"the file names a {str(name)[:40]!r}, which this version of rarewood does not have.")
    module, cls = _PLACES[name]
    found: type[Any] = getattr(import_module(module), cls)
    return found


def parameters_of(estimator: Any) -> dict[str, Any]:
    """The parameters that go into a file."""
    given: dict[str, Any] = estimator.get_params(deep=False)
    kept = _PARAMETERS.get(name_of(estimator) or "", tuple(given))
    return {name: given[name] for name in kept}


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
