"""A model changes all at once: when a fit is done, and for whoever is predicting meanwhile, not before the prediction is done.

What a model knows is one dictionary. A fit fills another one and puts it in place of the first at its end; a prediction goes by the
one that was there when it began.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

Model = TypeVar("Model")
Result = TypeVar("Result")
Given = ParamSpec("Given")
Method = Callable[Concatenate[Model, Given], Result]


def keeps_model_unless_done(fit: Method[Model, Given, Result]) -> Method[Model, Given, Result]:
    """For methods that fit: until they are done, and whatever stops them, Ctrl-C included, the model knows what it knew before."""

    @wraps(fit)
    def run(model: Model, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        fitting = _twin(model)
        fitting.__dict__ = dict(vars(model))
        result = fit(fitting, *args, **kwargs)
        model.__dict__ = vars(fitting)
        return model if result is fitting else result  # type: ignore[return-value]

    return run


def sees_one_model(predict: Method[Model, Given, Result]) -> Method[Model, Given, Result]:
    """For methods that predict: another thread may fit the model meanwhile, and they never see some of the old and some of the new."""

    @wraps(predict)
    def run(model: Model, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        seen = _twin(model)
        seen.__dict__ = vars(model)
        return predict(seen, *args, **kwargs)

    return run


def _twin(model: Model) -> Model:
    """An object of the same class that knows nothing yet."""
    return object.__new__(type(model))
