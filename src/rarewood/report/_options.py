"""The choices of a caller: declared here once, and shown in the signatures of `build` and `summarise`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from rarewood._validation import Integer, check_parameter, did_you_mean
from rarewood.metrics import DecisionThreshold

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """All keyword arguments of `summarise` with their defaults; the docstring of `build` explains them."""

    title: str | None = None
    split: str | None = None
    threshold: float | str | DecisionThreshold | None = None
    positive: Any = None
    costs: tuple[float, Any] | None = None
    train: tuple[Any, Any] | None = None
    baseline: bool = True
    learning_curve: bool = True
    others: Mapping[str, Any] | None = None
    feature_names: Sequence[str] | None = None
    n_rules: int = 10
    segments: Sequence[str] | Mapping[str, Any] | None = None
    review: Sequence[int] | None = None
    times: Any = None
    row_names: Sequence[Any] | None = None
    files: Mapping[str, str | os.PathLike[str]] | None = None
    card: Mapping[str, str] | None = None
    n_jobs: int | None = None
    random_state: int = 0
    verbose: int = 0

    @classmethod
    def read(cls, keywords: Mapping[str, Any]) -> Options:
        """Raises a TypeError for a name that is not an option."""
        known = list(inspect.signature(cls).parameters)
        for name in keywords:
            if name not in known:
                raise TypeError(f"a report got an unexpected keyword argument {name!r}{did_you_mean(name, known)}")
        options = cls(**keywords)
        check_parameter("n_rules", options.n_rules, Integer(0))
        check_parameter("random_state", options.random_state, Integer(0, 2**32 - 1))
        return options


class Keywords(TypedDict, total=False):
    """The fields of `Options` for type checkers, which cannot derive them from a dataclass. A test keeps the two equal."""

    title: str | None
    split: str | None
    threshold: float | str | DecisionThreshold | None
    positive: Any
    costs: tuple[float, Any] | None
    train: tuple[Any, Any] | None
    baseline: bool
    learning_curve: bool
    others: Mapping[str, Any] | None
    feature_names: Sequence[str] | None
    n_rules: int
    segments: Sequence[str] | Mapping[str, Any] | None
    review: Sequence[int] | None
    times: Any
    row_names: Sequence[Any] | None
    files: Mapping[str, str | os.PathLike[str]] | None
    card: Mapping[str, str] | None
    n_jobs: int | None
    random_state: int
    verbose: int


def shows_options(function: Function) -> Function:
    """Let `help` and the documentation list each option of a function that takes them as ``**options``."""
    signature = inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    parameters = [*own, *inspect.signature(Options).parameters.values()]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function
