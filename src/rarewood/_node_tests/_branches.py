"""A child for each category, and one for missing values where training saw some."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._node_tests._base import SetTest, Tested, Words
from rarewood._wording import missing_in_words, or_missing


class Branches(SetTest):
    """The question is the column, the answers are its categories."""

    name = "multiway"

    def values(self, node: Tested, words: Words) -> list[str]:
        name = words.features[node.column]
        values = [f"{name} = {word}" for word in words.levels(node.column, node.parameters["codes"])]
        return values if len(values) == node.n_children else [*values, missing_in_words(name, missing=True)]

    def question(self, node: Tested, words: Words, missing: bool) -> str:  # noqa: ARG002 - as the base
        return words.features[node.column]

    def answers(self, node: Tested, words: Words, missing: bool) -> list[str]:
        levels = words.levels(node.column, node.parameters["codes"])
        answers = [
            or_missing(word) if missing and place == node.missing_place else word for place, word in enumerate(levels)
        ]
        return answers if len(answers) == node.n_children else [*answers, "missing"]

    def allowed(self, tree: Tree, node: int, place: int, n_categories: int) -> NDArray[np.bool_]:
        inside = np.zeros(n_categories, dtype=bool)
        inside[tree.categories(node)[place : place + 1]] = True  # none for the branch of the missing values
        return inside
