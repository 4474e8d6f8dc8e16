"""The kinds of trees that RareClassifier mixes: a small declaration each.

A family says which forest to grow, and scores the training rows by the trees that did not see them. All families grow on one
dataset in one call of the core, and their trees predict together, so a family of count trees is no more than its settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarewood.tree.base import TrainingData, resolve_criterion

_SMALL_TABLE = 5_000  # rows up to which more candidates per node are worth their time
_MOST_COLUMNS = 400  # tried in a node by a family that looks at half of them
SEEN = 0.8  # share of the rows of each class, or of the groups, that a tree sees


@dataclass(frozen=True)
class Family:
    """Trees of one criterion and one splitter; `n_cuts` candidates on small tables, `n_cuts_large` above.

    One that is `broad` tries half of the columns in a node, where the others try as many as the forest says: on tables with many
    columns that tell a little each, and nearly the same, this is what finds the few that tell more.
    """

    name: str
    criterion: str
    splitter: str
    n_cuts: int
    n_cuts_large: int
    min_samples_leaf: int = 1
    broad: bool = False

    def cuts(self, n_rows: int) -> int:
        """Candidates per column or pair of columns."""
        return self.n_cuts if n_rows <= _SMALL_TABLE else self.n_cuts_large

    def _rows(self, data: TrainingData) -> dict[str, Any]:
        """Four of five rows of each class; where rows belong to groups, all rows of four of five groups."""
        if data.groups is not None:
            return {"sampling": "all"}
        return {"sampling": "subsample", "class_sizes": class_sizes(data)}

    def _columns_tried(self, max_features: int, n_columns: int) -> int:
        return max(max_features, min(n_columns // 2, _MOST_COLUMNS)) if self.broad else max_features

    def plan(
        self,
        data: TrainingData,
        *,
        n_trees: int,
        seed: int,
        max_features: int,
        min_samples_leaf: int = 1,
        signs: list[int] | None = None,
    ) -> Any:
        """The forest to grow; its leaves have at least `min_samples_leaf` rows, or as many as those of the family have anyway."""
        criterion = resolve_criterion(self.criterion, data.labels.n_classes, "subset")
        return data.plan(
            [criterion],
            n_trees=n_trees,
            seed=seed,
            **self._rows(data),
            splitter=self.splitter,
            n_cuts=self.cuts(len(data.labels.codes)),
            max_features=self._columns_tried(max_features, len(data.columns.n_categories)),
            min_samples_leaf=max(self.min_samples_leaf, min_samples_leaf),
            signs=signs,
        )


_ENTROPY_LINES = Family("entropy lines", "entropy", "hyperplane", 100, 30)
_SHORT_LINES = Family("entropy lines, leaves of 5", "entropy", "hyperplane", 30, 10, min_samples_leaf=5)
_BROAD_LINES = Family(
    "entropy lines, half of the columns", "entropy", "hyperplane", 30, 10, min_samples_leaf=5, broad=True
)
_HELLINGER_LINES = Family("hellinger lines", "hellinger", "hyperplane", 30, 10)
_HELLINGER_CUTS = Family("hellinger cuts", "hellinger", "random", 10, 10)

_EXACT_ENTROPY = Family("exact entropy cuts, leaves of 5", "entropy", "best", 10, 10, min_samples_leaf=5)
_EXACT_HELLINGER = Family("exact hellinger cuts", "hellinger", "best", 10, 10)

_OF_TWO_CLASSES = (_SHORT_LINES, _HELLINGER_LINES, _HELLINGER_CUTS, _BROAD_LINES)
_OF_MORE_CLASSES = (_ENTROPY_LINES, _HELLINGER_LINES, _HELLINGER_CUTS)  # leaves of 5 would wash out a class of 3 rows
# Under monotone constraints a cut divides all that is below it, so that one at random, between shares that hardly differ, costs much: cuts
# are the best ones, and of the lines, which must obey on both of their columns, those are kept that have the most columns to choose from.
_UNDER_CONSTRAINTS = (_BROAD_LINES, _EXACT_ENTROPY, _EXACT_HELLINGER)

MIXTURES = (_OF_TWO_CLASSES, _OF_MORE_CLASSES, _UNDER_CONSTRAINTS)
"""What a model may mix; model files store the names of the families."""


def families_for(n_classes: int, *, constrained: bool = False) -> tuple[Family, ...]:
    """The families that a new model mixes; `constrained` if some column is under a monotone constraint."""
    if constrained:
        return _UNDER_CONSTRAINTS
    return _OF_TWO_CLASSES if n_classes <= 2 else _OF_MORE_CLASSES


def class_sizes(data: TrainingData) -> list[int]:
    """How many rows of each class a tree sees: four of five, at least one, never all unless there is only one."""
    codes = data.labels.codes if data.weights is None else data.labels.codes[data.weights > 0]
    sizes = np.bincount(codes, minlength=data.labels.n_classes).tolist()
    return [size if size < 2 else max(1, min(size - 1, round(SEEN * size))) for size in sizes]


def dealt(n_trees: int, n_families: int) -> list[int]:
    """How many trees each family gets; with more trees none gets fewer."""
    return [(n_trees + n_families - 1 - number) // n_families for number in range(n_families)]
