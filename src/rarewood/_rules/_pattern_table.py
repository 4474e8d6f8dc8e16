"""Conditions and counts of many patterns, in arrays: selection, ranking, duplicates."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._conditions import Conditions
from rarewood._rules._measures import strength


@dataclass(frozen=True)
class PatternTable:
    """Many patterns with their counts; all arrays are of one length."""

    conditions: Conditions
    label: NDArray[np.int64]  # class number
    rare: NDArray[Any]
    rest: NDArray[Any]
    tree: NDArray[np.int64]
    leaf: NDArray[np.int64]
    occurrences: NDArray[np.int64]
    held_out_rare: NDArray[np.int64] | None = None
    held_out_rest: NDArray[np.int64] | None = None

    def take(self, patterns: NDArray[np.int64]) -> PatternTable:
        """Some of the patterns, in the order given."""
        chosen: dict[str, Any] = {}
        for field in fields(self):
            values = getattr(self, field.name)
            if isinstance(values, Conditions):
                chosen[field.name] = values.take(patterns)
            else:
                chosen[field.name] = None if values is None else values[patterns]
        return PatternTable(**chosen)

    @classmethod
    def of_no_leaf(
        cls,
        conditions: Conditions,
        label: int,
        rare: NDArray[Any],
        rest: NDArray[Any],
        held_out: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    ) -> Self:
        """Rules of one class that are not those of a leaf; `held_out` has both counts among held-out rows."""
        n_rules = len(conditions)
        nowhere = np.full(n_rules, -1, dtype=np.int64)
        once = np.ones(n_rules, dtype=np.int64)
        labels = np.full(n_rules, label, dtype=np.int64)
        return cls(conditions, labels, rare, rest, nowhere, nowhere, once, *(held_out or (None, None)))

    @classmethod
    def none(cls) -> Self:
        """No patterns."""
        empty = np.zeros(0, dtype=np.int64)
        return cls(Conditions.none(), empty, empty, empty, empty, empty, empty)

    @classmethod
    def joined(cls, parts: Sequence[PatternTable]) -> Self:
        """The patterns of several, one after the other."""
        whole: dict[str, Any] = {}
        for field in fields(cls):
            values = [getattr(part, field.name) for part in parts]
            if field.name == "conditions":
                whole[field.name] = Conditions.joined(values)
            else:
                whole[field.name] = None if values[0] is None else np.concatenate(values)
        return cls(**whole)

    def ranked(self) -> PatternTable:
        """The strongest first; of equals the one with more support, then the one with fewer conditions."""
        return self.take(self._ranking())

    def _ranking(self) -> NDArray[np.int64]:
        scores = strength(self.rare, self.rest)
        return np.lexsort((self.leaf, self.tree, self.conditions.sizes, -self.rare, -scores))

    def ranked_without_duplicates(self, matrix: NDArray[Any] | None) -> PatternTable:
        """Like `ranked`, but of equal rules only the first is kept, with the number of its occurrences.

        Two rules are equal if they ask the same of the same columns. Of the bounds of an interval only their place among
        the values of `matrix` counts: no row there can tell 30.2 from 30.7 where ages are whole numbers.
        """
        order = self._ranking()
        number = self._numbered_rules(order, matrix)
        _, first = np.unique(number, return_index=True)
        first.sort()
        times = np.bincount(number, weights=self.occurrences[order])
        return replace(self.take(order[first]), occurrences=times[number[first]].astype(np.int64))

    def _numbered_rules(self, order: NDArray[np.int64], matrix: NDArray[Any] | None) -> NDArray[np.int64]:
        """A number for each pattern in that order, the same for equal rules."""
        start, labels = self.conditions.start.tolist(), self.label.tolist()
        columns = self.conditions.column
        number = _numbered((labels[p], columns[start[p] : start[p + 1]].tobytes()) for p in order.tolist())
        shared = np.flatnonzero(np.bincount(number)[number] > 1)  # the others are the only ones with their columns
        some = self.conditions.take(order[shared])
        keys, start, code_start = _comparable(some, matrix), some.start.tolist(), some.code_start.tolist()
        again = _numbered(
            (
                number[place],
                keys[start[i] : start[i + 1]].tobytes(),
                some.codes[code_start[start[i]] : code_start[start[i + 1]]].tobytes(),
            )
            for i, place in enumerate(shared.tolist())
        )
        number[shared] = len(number) + again
        return number


def _numbered(keys: Iterable[Hashable]) -> NDArray[np.int64]:
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)


def _comparable(conditions: Conditions, matrix: NDArray[Any] | None) -> NDArray[np.float64]:
    """One row of numbers per condition, equal where the conditions are, except for their categories."""
    lower, upper = conditions.lower.copy(), conditions.upper.copy()
    numeric = np.isfinite(lower) | np.isfinite(upper)
    for column in np.unique(conditions.column[numeric]).tolist() if matrix is not None else []:
        here = numeric & (conditions.column == column)
        values = np.unique(matrix[:, column])  # type: ignore[index]  # NaN sorts last, above every bound
        lower[here] = np.searchsorted(values, lower[here], side="right")
        upper[here] = np.searchsorted(values, upper[here], side="right")
    n_codes = np.diff(conditions.code_start)
    return np.column_stack([conditions.column, lower, upper, conditions.missing, n_codes]).astype(np.float64)
