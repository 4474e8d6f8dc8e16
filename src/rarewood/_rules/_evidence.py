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

from rarewood._rules._candidates import Candidates
from rarewood._rules._covers import Words, count, packed

Flags = NDArray[np.bool_]

_Z = 1.28  # one-sided 90 %
_PSEUDO_ROWS = 2.0  # rows of the base rate added to every rule
_PRICE_OF_A_CONDITION = 0.01


@dataclass(frozen=True)
class Evidence:
    """The rows of one search: rare ones and others apart, and which of them each half left out."""

    is_rare: Flags
    left_out_rare: Words  # halves x rare rows
    left_out_rest: Words
    scale_rare: NDArray[np.float64]  # per half: all rare rows to those left out
    scale_rest: NDArray[np.float64]
    rest_weight: float  # rows of the table that a row of the others stands for

    @classmethod
    def of(cls, is_rare: Flags, in_bag: Sequence[Flags], rest_weight: float) -> Evidence:
        """From the halves of a search, flags among its rows."""
        left_out = ~np.array(in_bag)
        left_out[~left_out.any(axis=1)] = (
            True  # trees of a model, grown on all rows: there is nothing better to count on
        )
        rare, rest = left_out[:, is_rare], left_out[:, ~is_rare]
        return cls(
            is_rare,
            packed(rare),
            packed(rest),
            rare.shape[1] / np.maximum(rare.sum(axis=1), 1),
            rest.shape[1] / np.maximum(rest.sum(axis=1), 1),
            rest_weight,
        )

    @property
    def n_rare(self) -> int:
        return int(self.is_rare.sum())

    @property
    def base(self) -> float:
        """Share of the rare class."""
        rest = self.rest_weight * (len(self.is_rare) - self.n_rare)
        return self.n_rare / (self.n_rare + rest)

    def of_candidates(self, candidates: Candidates, among: Flags) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rare and other rows that each candidate finds among the rows given."""
        return self._mixed(candidates.on_rare, candidates.on_rest, candidates.half, among)

    def of_cover(self, cover: Flags, half: int, among: Flags) -> tuple[float, float]:
        """The same of one rule, given by the rows it holds for."""
        halves = np.array([half])
        rare, rest = packed(cover[np.newaxis, self.is_rare]), packed(cover[np.newaxis, ~self.is_rare])
        found, others = self._mixed(rare, rest, halves, among)
        return float(found[0]), float(others[0])

    def _mixed(
        self, on_rare: Words, on_rest: Words, half: NDArray[np.int64], among: Flags
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        on_rare = on_rare & packed(among[self.is_rare])
        on_rest = on_rest & packed(among[~self.is_rare])
        rare = (count(on_rare) + self.scale_rare[half] * count(on_rare & self.left_out_rare[half])) / 2
        rest = (count(on_rest) + self.scale_rest[half] * count(on_rest & self.left_out_rest[half])) / 2
        return rare, self.rest_weight * rest

    def precision(self, rare: Any, rest: Any) -> Any:
        """Share of rare rows, a little shrunk towards the base rate."""
        return (rare + _PSEUDO_ROWS * self.base) / (rare + rest + _PSEUDO_ROWS)

    def worth(self, rare: Any, rest: Any, n_conditions: Any) -> Any:
        """What a rule is worth: how far its precision is above the base rate for sure, times the root of what it finds."""
        n = rare + rest + _PSEUDO_ROWS
        p = self.precision(rare, rest)
        spread = _Z * np.sqrt(np.maximum(p * (1 - p) / n + _Z**2 / (4 * n**2), 0.0))
        low = (p + _Z**2 / (2 * n) - spread) / (1 + _Z**2 / n)
        return np.sqrt(np.maximum(rare, 0.0)) * (low - self.base) * (1 - _PRICE_OF_A_CONDITION * n_conditions)
