"""How many rare and other rows a rule finds, as far as the rows it was found on can be believed.

A candidate is a node of a tree grown on one half of the rows. Its counts are the mean of those on all rows and of those out
of its half, scaled to all rows: the former are optimistic, the latter few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules.search._bits import Words, count, packed
from rarewood._rules.search._candidates import Candidates
from rarewood.metrics.shares import wilson_interval

Flags = NDArray[np.bool_]

_Z = 1.28  # one-sided 90 %
_PSEUDO_ROWS = 2.0  # rows of the base rate added to every rule
_PRICE_OF_A_CONDITION = 0.01


@dataclass(frozen=True)
class Evidence:
    """The rows of one search, rare ones first, and which of them each half left out."""

    n_rare: int
    n_rest: int
    left_out: Flags  # halves x rows
    scale_rare: NDArray[np.float64]  # per half: all rare rows to those left out
    scale_rest: NDArray[np.float64]
    rest_weight: float  # rows of the table that a row of the others stands for
    base: float  # share of the rare class

    @classmethod
    def of(cls, is_rare: Flags, in_bag: Sequence[Flags], rest_weight: float) -> Evidence:
        """The evidence of a search whose rows are sorted, the rare ones first; `in_bag` marks the rows of each half."""
        left_out = ~np.array(in_bag)
        left_out[~left_out.any(axis=1)] = (
            True  # trees of a model, grown on all rows: there is nothing better to count on
        )
        n_rare = int(np.count_nonzero(is_rare))
        n_rest = len(is_rare) - n_rare
        return cls(
            n_rare,
            n_rest,
            left_out,
            n_rare / np.maximum(np.count_nonzero(left_out[:, :n_rare], axis=1), 1),
            n_rest / np.maximum(np.count_nonzero(left_out[:, n_rare:], axis=1), 1),
            rest_weight,
            n_rare / (n_rare + rest_weight * n_rest),
        )

    @property
    def is_rare(self) -> Flags:
        return np.arange(self.n_rare + self.n_rest) < self.n_rare

    def of_cover(self, cover: Flags, half: int) -> tuple[float, float]:
        """Rare and other rows that a rule of one half finds, given the rows it holds for."""
        rare, rest = cover[: self.n_rare], cover[self.n_rare :]
        out_rare, out_rest = self.left_out[half, : self.n_rare], self.left_out[half, self.n_rare :]
        n_rare = (np.count_nonzero(rare) + self.scale_rare[half] * np.count_nonzero(rare & out_rare)) / 2
        n_rest = (np.count_nonzero(rest) + self.scale_rest[half] * np.count_nonzero(rest & out_rest)) / 2
        return float(n_rare), float(self.rest_weight * n_rest)

    def row_weights(self, half: int) -> NDArray[np.float64]:
        """What each row counts for a rule of one half; sums of it over covers are what `of_cover` gives."""
        scale = np.repeat([self.scale_rare[half], self.scale_rest[half]], [self.n_rare, self.n_rest])
        weight = np.repeat([1.0, self.rest_weight], [self.n_rare, self.n_rest])
        return np.asarray((1 + scale * self.left_out[half]) / 2 * weight)

    def of_candidates(self, candidates: Candidates) -> Tally:
        """The rows that each candidate finds, counted as `of_cover` counts them."""
        left_rare = packed(self.left_out[:, : self.n_rare])[candidates.half]
        left_rest = packed(self.left_out[:, self.n_rare :])[candidates.half]
        return Tally(
            self,
            candidates.half,
            (candidates.on_rare, candidates.on_rare & left_rare),
            (candidates.on_rest, candidates.on_rest & left_rest),
        )

    def precision(self, rare: Any, rest: Any) -> Any:
        """Share of rare rows, a little shrunk towards the base rate."""
        return (rare + _PSEUDO_ROWS * self.base) / (rare + rest + _PSEUDO_ROWS)

    def worth(self, rare: Any, rest: Any, n_conditions: Any) -> Any:
        """The worth of a rule: the distance from the base rate to the lower bound of its precision, times the root of `rare`."""
        low, _ = wilson_interval(rare + _PSEUDO_ROWS * self.base, rare + rest + _PSEUDO_ROWS, _Z)
        return np.sqrt(np.maximum(rare, 0.0)) * (low - self.base) * (1 - _PRICE_OF_A_CONDITION * n_conditions)


@dataclass
class Tally:
    """The rows that each candidate finds: all of them, and less those that are taken already."""

    evidence: Evidence
    half: NDArray[np.int64]
    on_rare: tuple[Words, Words]  # covers, and covers of rows left out by the half
    on_rest: tuple[Words, Words]

    def __post_init__(self) -> None:
        everywhere = np.ones(self.evidence.n_rare + self.evidence.n_rest, dtype=bool)
        self.rare, self.rest = self._among(everywhere)

    def without(self, taken: Flags) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rare and other rows that are not taken."""
        rare, rest = self._among(taken)  # few rows are taken, and only their words are read
        return self.rare - rare, self.rest - rest

    def by_group(self, number: NDArray[np.int64], n_groups: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rare and other rows of each group that each candidate finds, groups x candidates, given the group of every row."""
        rare, rest = np.zeros((2, n_groups, len(self.half)))
        largest = int(np.argmax(np.bincount(number, minlength=n_groups)))
        for group in range(n_groups):
            if group != largest:
                rare[group], rest[group] = self._among(number == group)
        rare[largest], rest[largest] = self.rare - rare.sum(axis=0), self.rest - rest.sum(axis=0)
        return rare, rest

    def _among(self, rows: Flags) -> tuple[NDArray[Any], NDArray[Any]]:
        n_rare = self.evidence.n_rare
        rare = _mixed(self.on_rare, packed(rows[:n_rare]), self.evidence.scale_rare[self.half])
        rest = _mixed(self.on_rest, packed(rows[n_rare:]), self.evidence.scale_rest[self.half])
        return rare, self.evidence.rest_weight * rest


def _mixed(covers: tuple[Words, Words], rows: Words, scale: NDArray[np.float64]) -> NDArray[Any]:
    words = np.flatnonzero(rows)
    rows = rows[words]
    everywhere, left_out = (count(cover[:, words] & rows) for cover in covers)
    return np.asarray((everywhere + scale * left_out) / 2)
