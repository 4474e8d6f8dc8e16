"""Pieces of error messages that several registries share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib import import_module
from typing import Any


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known one, or a full stop."""
    close = difflib.get_close_matches(str(given).lower(), list(known), n=1)
    return f", did you mean {close[0]!r}?" if close else "."


def import_optional(module: str, extra: str, purpose: str) -> Any:
    """A module of an optional dependency, or an error that says what to install for `purpose`, and which extra has it."""
    try:
        return import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        package = {"arff": "liac-arff", "distributed": "dask[distributed]"}.get(name, name)
        raise ImportError(
            f"{purpose} needs {package}; install it with: pip install '{package}' (the extra {extra!r} of rarewood brings it)"
        ) from error
