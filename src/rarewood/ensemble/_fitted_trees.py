"""The trees of a forest, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from rarewood.tree import TreeClassifier

if TYPE_CHECKING:
    from rarewood.ensemble.base import BaseForest


class FittedTrees(Sequence[TreeClassifier]):
    """The trees of a fitted forest. Each access makes a light `TreeClassifier` around the forest's own tree."""

    def __init__(self, forest: BaseForest) -> None:
        self._forest = forest

    def __len__(self) -> int:
        return len(self._forest.forest_)

    @overload
    def __getitem__(self, index: int) -> TreeClassifier: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeClassifier]: ...
    def __getitem__(self, index: int | slice) -> TreeClassifier | list[TreeClassifier]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"there is no tree {index}: the forest has {len(self)} trees")
        model = self._forest
        own = model._settings_of(position)
        names = set(TreeClassifier().get_params()) - set(own)
        tree = TreeClassifier(**own, **{name: getattr(model, name) for name in names})
        model._columns.put_on(tree)
        tree.classes_, tree.n_classes_ = model.classes_, model.n_classes_
        tree.monotonic_cst_ = getattr(model, "monotonic_cst_", None)
        tree.tree_ = model.forest_[position]
        return tree
