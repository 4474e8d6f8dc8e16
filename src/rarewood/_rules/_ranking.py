"""A list of rules that ranks rows: each rule is chosen by what it adds to the likelihood of the labels.

Unlike rules that cover the rare class, these may overlap: a row for which several hold is a stronger case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rarewood._rules._candidates import Candidates
from rarewood._rules._choosing import Chosen
from rarewood._rules._covers import unpacked
from rarewood._rules._evidence import Evidence
from rarewood._rules._limits import Limits
from rarewood._rules._refining import refined
from rarewood._rules._weighing import PENALTY, Weighted

Flags = NDArray[np.bool_]
Floats = NDArray[Any]

_RIDGE = 1.0
_LEAST_GAIN = 1.0
_PRICE_OF_A_CONDITION = 0.01


@dataclass(frozen=True)
class _Rows:
    """The rows of a search as weights: of a candidate of one half, those left out count as in `Evidence`."""

    is_rare: Flags
    weight: Floats
    by_half: Floats  # halves x rows

    @classmethod
    def of(cls, evidence: Evidence) -> _Rows:
        is_rare = evidence.is_rare
        weight = np.where(is_rare, 1.0, evidence.rest_weight)
        left_out = _both(is_rare, evidence.left_out_rare, evidence.left_out_rest)
        scale = np.where(is_rare, evidence.scale_rare[:, np.newaxis], evidence.scale_rest[:, np.newaxis])
        return cls(is_rare, weight, ((1 + scale * left_out) / 2 * weight).astype(np.float32))

    def residuals(self, chosen: list[Chosen]) -> tuple[Floats, Floats]:
        """What the rules so far leave to explain, and how much it could move, per row."""
        fires = np.array([each.cover for each in chosen], dtype=bool).reshape(len(chosen), len(self.is_rare)).T
        p = expit(Weighted.fitted(fires, self.is_rare, self.weight, PENALTY).log_odds(fires))
        return (self.is_rare - p).astype(np.float32), (p * (1 - p)).astype(np.float32)


def rank(candidates: Candidates, evidence: Evidence, matrix: NDArray[Any], limits: Limits) -> list[Chosen]:
    """The rules that together explain the labels best, the one that explains most first."""
    rows = _Rows.of(evidence)
    covers = _both(evidence.is_rare, candidates.on_rare, candidates.on_rest).astype(np.float32)
    found, others = evidence.of_candidates(candidates, np.ones(len(matrix), dtype=bool))
    alive = limits.allow(found, evidence.precision(found, others), evidence.base)
    chosen: list[Chosen] = []
    while len(chosen) < limits.n_rules:
        residual, curve = rows.residuals(chosen)
        gains = np.where(alive, _gains(candidates, covers, rows.by_half, residual, curve), 0.0)
        best = int(np.argmax(gains))
        if gains[best] < _LEAST_GAIN:
            break
        alive[best] = False
        half = int(candidates.half[best])
        slope, room = residual * rows.by_half[half], curve * rows.by_half[half]

        def value(cover: Flags, n_conditions: int, slope: Floats = slope, room: Floats = room) -> float:
            return float(_gain(slope[cover].sum(), room[cover].sum(), n_conditions))

        rule, cover = refined(candidates.rule(best), matrix, value)
        if not any(np.array_equal(cover, each.cover) for each in chosen):
            chosen.append(Chosen(rule, half, cover))
    return chosen


def _gains(candidates: Candidates, covers: Floats, by_half: Floats, residual: Floats, curve: Floats) -> Floats:
    sums = np.empty((len(candidates), 2))
    for half in np.unique(candidates.half):
        here = candidates.half == half
        sums[here] = covers[here] @ np.stack([residual * by_half[half], curve * by_half[half]], axis=1)
    return np.asarray(_gain(sums[:, 0], sums[:, 1], candidates.sizes))


def _gain(slope: Any, room: Any, n_conditions: Any) -> Any:
    """Twice what one Newton step of the rule's weight adds to the log-likelihood; 0 where the weight would be negative."""
    return np.where(slope > 0, slope**2 / (room + _RIDGE), 0.0) * (1 - _PRICE_OF_A_CONDITION * n_conditions)


def _both(is_rare: Flags, on_rare: Any, on_rest: Any) -> Flags:
    """Covers of rare rows and of others, back in the order of the rows."""
    n_rare = int(np.count_nonzero(is_rare))
    flags = np.empty((len(on_rare), len(is_rare)), dtype=bool)
    flags[:, is_rare] = unpacked(on_rare, n_rare)
    flags[:, ~is_rare] = unpacked(on_rest, len(is_rare) - n_rare)
    return flags
