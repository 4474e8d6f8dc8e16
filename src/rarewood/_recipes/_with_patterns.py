"""A method of the literature behind pattern oversampling: what "+patterns" at the end of a recipe's name asks for."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Protocol

from rarewood._recipes._recipe import check_names

SUFFIX = "+patterns"

_PREFIX = "patterns__"  # of parameters for the oversampler, as in the pipeline itself
_PAPER = {"sampling_strategy": "minority"}  # the paper's figures of more than two classes fit no other reading
_SHARED = ("categorical_features", "n_jobs", "random_state", "verbose")  # go to both steps, unless given for one


class Method(Protocol):
    """What is asked of a recipe."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> list[str]: ...

    def make(self, **params: Any) -> Any: ...


@dataclass(frozen=True)
class WithPatterns:
    """Makes pipelines of imbalanced-learn: pattern oversampling of the smallest class, then the method."""

    method: Method

    @property
    def parameters(self) -> list[str]:
        """Those of the method, those both steps share, and with the prefix ``patterns__`` those of the oversampler."""
        own = self.method.parameters
        shared = [name for name in _SHARED if name not in own]
        return own + shared + [_PREFIX + name for name in _oversampler_parameters()]

    def make(self, **params: Any) -> Any:
        """A new, unfitted pipeline with the steps "patterns" and "model"."""
        check_names(self.method.name + SUFFIX, params, self.parameters)
        from imblearn.pipeline import Pipeline  # here and below: importing imbalanced-learn takes long

        from rarewood.sampling import PatternOversampler

        for_model = {name: value for name, value in params.items() if name in self.method.parameters}
        shared = {name: params[name] for name in _SHARED if name in params}
        for_patterns = {name.removeprefix(_PREFIX): value for name, value in params.items() if name.startswith(_PREFIX)}
        oversampler = PatternOversampler(**{**_PAPER, **shared, **for_patterns})
        return Pipeline([("patterns", oversampler), ("model", self.method.make(**for_model))])


def _oversampler_parameters() -> list[str]:
    from rarewood.sampling import PatternOversampler

    return [name for name in inspect.signature(PatternOversampler).parameters if name != "self"]
