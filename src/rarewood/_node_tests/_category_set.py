"""Categories of a set, and all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._node_tests._base import SetTest, Tested, Words
from rarewood._wording import membership_in_words


class CategorySet(SetTest):
    """The categories of a set go left; a set of none or of all asks for a value."""

    name = "subset"

    def asks_for_a_value(self, node: Tested, words: Words) -> bool:
        levels = words.categories[node.column]
        return levels is not None and len(node.parameters["codes"]) in (0, len(levels))

    def values(self, node: Tested, words: Words) -> list[str]:
        listed = words.levels(node.column, node.parameters["codes"])
        return [membership_in_words(words.features[node.column], listed, inside=inside) for inside in (True, False)]

    def allowed(self, tree: Tree, node: int, place: int, n_categories: int) -> NDArray[np.bool_]:
        inside = np.zeros(n_categories, dtype=bool)
        inside[tree.categories(node)] = True
        return inside if place == 0 else ~inside
