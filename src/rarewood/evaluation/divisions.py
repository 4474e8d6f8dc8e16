"""Rows that chance must not divide: the past is learned from and the future judged, a group is on one side only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.delays import delay_in_words, delay_of
from rarewood._tables.divisions import groups_of, kind_of_moments, moments_of
from rarewood._tables.kinds import Kind, Numbers

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # rows to train on, rows to test on

LAST_PART = 0.25  # of the rows in the order of time, to judge a single model on


@dataclass(frozen=True, eq=False)
class Division:
    """The moment of each row, the group of each row, or both; and what the columns are called.

    The label of a row is known `delay` after its moment: a model may learn from it only then. At the `end` of the table, which is
    the last moment unless rows have been taken away, the labels of the last rows are not known yet: a rare row may still be
    taken for a common one, so these rows neither teach nor judge.
    """

    time: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None
    time_name: str = ""
    groups_name: str = ""
    time_kind: Kind = field(default_factory=Numbers)
    delay: float = 0.0
    end: float | None = None

    @classmethod
    def read(
        cls,
        time: Any,
        groups: Any,
        time_name: str = "time",
        groups_name: str = "groups",
        delay: Any = None,
        time_kind: Kind | None = None,
    ) -> Division | None:
        """From columns of any kind, None for none; a kind is found in the column unless the caller knows it."""
        if delay is not None and time is None:
            raise ValueError(f"delay={delay!r} needs a column of time.")
        if time is None and groups is None:
            return None
        moments = None if time is None else moments_of(time, time_name)
        kind = time_kind or (Numbers() if time is None else kind_of_moments(time, time_name))
        return cls(
            moments,
            None if groups is None else groups_of(groups, groups_name),
            time_name,
            groups_name,
            kind,
            0.0 if delay is None else delay_of(delay, kind, time_name),
        )

    @property
    def delay_in_words(self) -> str:
        """A length of time, or a number of units of the column."""
        return delay_in_words(self.delay, self.time_kind, self.time_name)

    def known(self) -> NDArray[np.bool_]:
        """Rows whose labels are known at the end of the table."""
        if self.time is None:
            assert self.groups is not None
            return np.ones(len(self.groups), dtype=bool)
        if not len(self.time):
            raise ValueError(f"column {self.time_name!r} has no rows.")
        known = self._known_at(self.time.max() if self.end is None else self.end)
        if not known.any():
            raise ValueError(
                f"no row in the order of {self.time_name!r} is {self.delay_in_words} older than the last one, so no label "
                "would be known yet; give a shorter delay."
            )
        return known

    def take(self, rows: NDArray[np.bool_]) -> Division:
        """Some of the rows; the table ends where it did."""
        return replace(
            self,
            time=None if self.time is None else self.time[rows],
            groups=None if self.groups is None else self.groups[rows],
            end=self.time.max() if self.end is None and self.time is not None else self.end,
        )

    def periods(self, n_periods: int) -> list[Fold]:
        """The rows in the order of time in `n_periods` + 1 parts of about equal size: each but the first is judged by all before.

        Rows of one moment stay together.
        """
        assert self.time is not None
        rows = np.flatnonzero(self.known())
        moments, of_row, counts = np.unique(self.time[rows], return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - counts / 2  # a moment of many rows goes where most of them would
        part = (middle * (n_periods + 1) // len(rows))[of_row.ravel()]
        folds = [self._after(rows[part < each], rows[part == each]) for each in range(1, n_periods + 1)]
        if any(len(side) == 0 for fold in folds for side in fold):
            raise ValueError(
                f"column {self.time_name!r} has {len(moments):,} different values in {len(rows):,} rows, too few "
                f"for {n_periods} periods with earlier rows to train on{self._for_lack_of_rows()}."
            )
        return folds

    def last_part(self, share: float = LAST_PART) -> Fold:
        """The last rows in the order of time, at least `share` of all where that leaves any, and those before them."""
        assert self.time is not None
        rows = np.flatnonzero(self.known())
        times = self.time[rows]
        moments = np.unique(times)
        begin = np.sort(times)[min(int(len(times) * (1 - share)), len(times) - 1)]
        begin = moments[1] if begin == moments[0] and len(moments) > 1 else begin
        train, test = self._after(rows[times < begin], rows[times >= begin])
        if not len(train):
            raise ValueError(f"column {self.time_name!r} leaves no earlier rows to train on{self._for_lack_of_rows()}.")
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

    def _known_at(self, moment: float) -> NDArray[np.bool_]:
        assert self.time is not None
        return self.time + self.delay <= moment

    def _after(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> Fold:
        """Drop training rows whose label was not known when the test rows began, and those whose group is tested."""
        assert self.time is not None
        if self.delay and len(test):
            train = train[self._known_at(self.time[test].min())[train]]
        if self.groups is not None:
            train = train[~np.isin(self.groups[train], self.groups[test])]
        return train, test

    def _for_lack_of_rows(self) -> str:
        late = f" whose label was known by then ({self.delay_in_words} later)" if self.delay else ""
        tested = f" whose group in {self.groups_name!r} is not tested" if self.groups is not None else ""
        return f"{late}{' and' if late and tested else ''}{tested}"

    def in_words(self) -> str:
        """A phrase for titles."""
        parts = [f"in the order of {self.time_name}"] * (self.time is not None)
        parts += [f"labels known after {self.delay_in_words}"] * bool(self.delay)
        parts += [f"no {self.groups_name} on both sides"] * (self.groups is not None)
        return ", ".join(parts)
