"""Rows that belong together: a tree sees all of them or none, and none of them judges what another has taught."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import Column
from rarewood._tables.divisions import column_of_cells
from rarewood._validation import Labels, Weights, rarest_class

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # rows to train on, rows to test on


@dataclass(frozen=True)
class GroupNames:
    """The names of groups, and which of them each row has; -1 is missing."""

    levels: Sequence[Any]
    codes: NDArray[np.intp]

    @classmethod
    def read(cls, values: Any, n_rows: int) -> GroupNames:
        """From what a caller passed, one name per row."""
        column: Column = column_of_cells(values, "groups")
        factor = column.factor
        if len(factor.codes) != n_rows:
            raise ValueError(
                f"groups has {len(factor.codes)} values, but X has {n_rows} rows; give the group of each row."
            )
        return cls(factor.levels, factor.codes)

    @classmethod
    def joined(cls, parts: Sequence[GroupNames]) -> GroupNames:
        """Those of all rows, whatever parts they are in."""
        places: dict[Any, int] = {}
        codes = []
        for part in parts:
            known = [places.setdefault(level, len(places)) for level in part.levels]
            codes.append(np.array([*known, -1], dtype=np.intp)[part.codes])
        return cls(list(places), np.concatenate(codes) if codes else np.empty(0, dtype=np.intp))

    def alone(self) -> NDArray[np.intp]:
        """A number for each row's group; a row without a name is a group of its own."""
        missing = self.codes < 0
        return np.where(missing, len(self.levels) + np.cumsum(missing) - 1, self.codes)


def stratified_folds(
    y: NDArray[Any], n_folds: int, groups: NDArray[Any] | None = None, random_state: int = 0
) -> list[Fold]:
    """Rows to train on and rows to test on, fold by fold, with similar shares of the classes and each of the `groups` in one fold.

    Groups are dealt by the rarest class that they hold. Groups of one row each give the folds of the rows.
    """
    from sklearn.model_selection import StratifiedKFold  # here: forests do not need it

    return list(folds_of(StratifiedKFold(n_folds, shuffle=True, random_state=random_state), y, groups))


def folds_of(splitter: Any, y: NDArray[Any], groups: NDArray[Any] | None) -> Iterator[Fold]:
    """The folds of a stratified splitter, each of the `groups` in one of them."""
    if groups is None:
        yield from splitter.split(np.zeros(len(y)), y)
        return
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    _, first, of_row = np.unique(groups, return_index=True, return_inverse=True)
    order = np.argsort(first)  # by their first rows, like the rows
    unit = np.argsort(order)[of_row.ravel()]
    rarity = np.argsort(np.argsort(counts, kind="stable"))[codes.ravel()]
    rarest = np.full(len(order), len(classes))
    np.minimum.at(rarest, unit, rarity)
    kinds = np.argsort(counts, kind="stable")[rarest]
    for _, test in splitter.split(np.zeros(len(order)), classes[kinds]):
        tested = np.zeros(len(order), dtype=bool)
        tested[test] = True
        yield np.flatnonzero(~tested[unit]), np.flatnonzero(tested[unit])


@dataclass(frozen=True, eq=False)
class RowGroups:
    """The number of each row's group, and how many groups each stratum has.

    Groups are numbered stratum by stratum, inside a stratum as they first appear: so a group has the same number however rows are
    divided into parts. The strata are groups that hold a row of the rare class, other groups, and groups whose rows all have weight 0.
    """

    numbers: NDArray[np.uint32]
    strata: tuple[int, int, int]
    n_repeated: int | None = (
        None  # rows, where a group is made of equal rows; None where groups are given, or of a column
    )
    column: int | None = (
        None  # whose values are the groups, or in which copies differ, where nobody gave them (`found_groups.py`)
    )

    @classmethod
    def of(
        cls,
        group: NDArray[np.intp],
        labels: Labels,
        weights: Weights,
        rare: int | None = None,
        n_repeated: int | None = None,
    ) -> RowGroups:
        """From any numbers of the rows' groups; `rare` is the class that strata are about, by default the rarest."""
        weighs = np.ones(len(group), dtype=bool) if weights is None else weights > 0
        if rare is None:
            rare = rarest_class(np.bincount(labels.codes[weighs], minlength=labels.n_classes))
        _, first, of_row = np.unique(group, return_index=True, return_inverse=True)
        of_row = of_row.ravel()
        holds = np.bincount(of_row, weights=weighs & (labels.codes == rare), minlength=len(first)) > 0
        counts = np.bincount(of_row, weights=weighs, minlength=len(first)) > 0
        stratum = np.where(holds, 0, np.where(counts, 1, 2))
        number = np.empty(len(first), dtype=np.uint32)
        number[np.lexsort((first, stratum))] = np.arange(len(first), dtype=np.uint32)
        with_rare, without, weightless = np.bincount(stratum, minlength=3).tolist()
        return cls(number[of_row], (with_rare, without, weightless), n_repeated)

    @property
    def options(self) -> dict[str, Any]:
        """As options of a `ForestPlan`."""
        return {"groups": self.numbers, "strata": list(self.strata)}

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return sum(self.strata)

    @property
    def n_with_rare(self) -> int:
        """How many groups hold a row of the rare class."""
        return self.strata[0]

    def of_rows(self, rows: NDArray[Any]) -> NDArray[np.intp]:
        """The numbers of some rows."""
        return np.asarray(self.numbers[rows], dtype=np.intp)
