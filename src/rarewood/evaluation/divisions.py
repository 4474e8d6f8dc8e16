"""Rows that chance must not divide: the past is learned from and the future judged, a group is on one side only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.divisions import groups_of, moments_of

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # rows to train on, rows to test on

LAST_PART = 0.25  # of the rows in the order of time, to judge a single model on


@dataclass(frozen=True, eq=False)
class Division:
    """The moment of each row, the group of each row, or both; and what the columns are called."""

    time: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None
    time_name: str = ""
    groups_name: str = ""

    @classmethod
    def read(cls, time: Any, groups: Any, time_name: str = "time", groups_name: str = "groups") -> Division | None:
        """From columns of any kind, None for none."""
        if time is None and groups is None:
            return None
        return cls(
            None if time is None else moments_of(time, time_name),
            None if groups is None else groups_of(groups, groups_name),
            time_name,
            groups_name,
        )

    def periods(self, n_periods: int) -> list[Fold]:
        """The rows in the order of time in `n_periods` + 1 parts of about equal size: each but the first is judged by all before.

        Rows of one moment stay together.
        """
        assert self.time is not None
        moments, of_row, counts = np.unique(self.time, return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - counts / 2  # a moment of many rows goes where most of them would
        part = (middle * (n_periods + 1) // len(self.time))[of_row.ravel()]
        folds = [
            self._apart(np.flatnonzero(part < each), np.flatnonzero(part == each)) for each in range(1, n_periods + 1)
        ]
        if any(len(side) == 0 for fold in folds for side in fold):
            raise ValueError(
                f"column {self.time_name!r} has {len(moments):,} different values in {len(self.time):,} rows, too few "
                f"for {n_periods} periods with earlier rows to train on{self._for_lack_of_groups()}."
            )
        return folds

    def last_part(self, share: float = LAST_PART) -> Fold:
        """The last rows in the order of time, at least `share` of all where that leaves any, and those before them."""
        assert self.time is not None
        moments = np.unique(self.time)
        begin = np.sort(self.time)[int(len(self.time) * (1 - share))]
        begin = moments[1] if begin == moments[0] and len(moments) > 1 else begin
        train, test = self._apart(np.flatnonzero(self.time < begin), np.flatnonzero(self.time >= begin))
        if not len(train):
            raise ValueError(
                f"column {self.time_name!r} leaves no earlier rows to train on{self._for_lack_of_groups()}."
            )
        return train, test

    def group_folds(self, y: NDArray[Any], n_repeats: int, n_folds: int, random_state: int) -> list[Fold]:
        """Folds of whole groups with similar shares of the classes, drawn anew for each repeat."""
        from sklearn.model_selection import StratifiedGroupKFold  # here: a single model by time does not need it

        assert self.groups is not None
        n_groups = len(np.unique(self.groups))
        if n_groups < n_folds:
            raise ValueError(f"column {self.groups_name!r} has {n_groups} groups, fewer than {n_folds} folds.")
        nothing = np.zeros(len(y))
        return [
            fold
            for repeat in range(n_repeats)
            for fold in StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state + repeat).split(
                nothing, y, self.groups
            )
        ]

    def _apart(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> Fold:
        """Drop training rows whose group is tested."""
        if self.groups is not None:
            train = train[~np.isin(self.groups[train], self.groups[test])]
        return train, test

    def _for_lack_of_groups(self) -> str:
        return f" whose group in {self.groups_name!r} is not tested" if self.groups is not None else ""

    def in_words(self) -> str:
        """A phrase for titles."""
        parts = [f"in the order of {self.time_name}"] * (self.time is not None)
        parts += [f"no {self.groups_name} on both sides"] * (self.groups is not None)
        return ", ".join(parts)
