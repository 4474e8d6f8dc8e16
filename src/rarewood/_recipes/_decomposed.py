"""Decompositions over a tree as if they were one estimator."""

from __future__ import annotations

import inspect
from typing import Any

from rarewood.decomposition import ECOCClassifier, OneVsAllClassifier
from rarewood.tree import TreeClassifier


class Decomposed:
    """A decomposition over a tree, with the parameters of both side by side.

    `class_weight` is about the classes of y, so it goes to the decomposition; a seed goes to both.
    """

    def __init__(self, decomposition: type[OneVsAllClassifier] | type[ECOCClassifier]) -> None:
        self._decomposition = decomposition
        outside = inspect.signature(decomposition).parameters
        inside = inspect.signature(TreeClassifier).parameters
        self._outside = [name for name in outside if name != "estimator"]
        self._inside = [name for name in inside if name not in self._outside or name == "random_state"]
        both = {**inside, **outside}
        del both["estimator"]
        self.__signature__ = inspect.Signature([each.replace(kind=each.KEYWORD_ONLY) for each in both.values()])

    def __call__(self, **params: Any) -> Any:
        tree = TreeClassifier(**{name: value for name, value in params.items() if name in self._inside})
        return self._decomposition(tree, **{name: value for name, value in params.items() if name in self._outside})


one_vs_all = Decomposed(OneVsAllClassifier)
ecoc = Decomposed(ECOCClassifier)
