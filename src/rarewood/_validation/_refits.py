"""A fit that fails leaves the model as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Model = TypeVar("Model")
Result = TypeVar("Result")
Given = ParamSpec("Given")


def keeps_model_unless_done(
    fit: Callable[Concatenate[Model, Given], Result],
) -> Callable[Concatenate[Model, Given], Result]:
    """For methods that fit: whatever stops them, Ctrl-C included, the model knows what it knew before."""

    @wraps(fit)
    def run(model: Model, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        known: dict[str, Any] = vars(model)
        before = dict(known)
        try:
            return fit(model, *args, **kwargs)
        except BaseException:
            known.clear()
            known.update(before)
            raise

    return run
