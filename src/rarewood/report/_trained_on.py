"""Whether rows look as if the model had learned from them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood.report.problems import Problem

_CERTAIN = 5.0  # standard errors
_MUCH = 0.1  # by how much the classes lie further apart
_FEWEST = 10  # rows of each class


def trained_on(model: Any, positive: Any, scores: NDArray[np.float64], is_rare: NDArray[np.bool_]) -> list[Problem]:
    """A warning where the scores of both classes lie much further apart than those of training rows by trees that had not seen them.

    Nothing for models that do not remember such scores, or answer for another population since.
    """
    memory = getattr(model, "memory_", None)
    if memory is None or hasattr(model, "prior_") or hasattr(model, "label_rate_"):
        return []
    if model.classes_.tolist()[memory.positive] != positive or min(is_rare.sum(), (~is_rare).sum()) < _FEWEST:
        return []
    known, here = memory.scores, [scores[is_rare], scores[~is_rare]]
    apart, was = float(here[0].mean() - here[1].mean()), float(known.means[0] - known.means[1])
    error = math.sqrt(
        sum(float(each.var()) / len(each) for each in here) + float((known.variances / known.sizes).sum())
    )
    if apart - was < max(_MUCH, _CERTAIN * error):
        return []
    return [
        Problem(
            "trained on",
            "warning",
            "These rows look as if the model was trained on them",
            f"The mean score of the class is {here[0].mean():.2f} here, and was {known.means[0]:.2f} on training rows by trees that had "
            "not seen them. Figures on rows of the training are far too good: test the model on others.",
        )
    ]
