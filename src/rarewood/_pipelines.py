"""What a pipeline is made of, whoever made it: scikit-learn and imbalanced-learn keep their `steps` alike."""

from __future__ import annotations

from typing import Any


def steps_of(model: Any) -> list[Any]:
    """The steps of a pipeline in their order; another model is its only step."""
    return [step for _, step in getattr(model, "steps", [])] or [model]


def last_step(model: Any) -> Any:
    """What a pipeline ends with; another model is that itself."""
    return steps_of(model)[-1]


def only_resamples(model: Any) -> bool:
    """Whether the last step sees the columns that the model is given: what comes before leaves them as they are."""
    before = [step for step in steps_of(model)[:-1] if step is not None and step != "passthrough"]
    return all(hasattr(step, "fit_resample") for step in before)
