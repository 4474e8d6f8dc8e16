"""A list of rules that ranks rows: each rule is chosen by what it adds to the likelihood of the labels.

Unlike rules that cover the rare class, these may overlap: a row for which several hold is a stronger case.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rarewood._rules.search._candidates import Candidates
from rarewood._rules.search._cover import ListedRule
from rarewood._rules.search._evidence import Evidence, Tally
from rarewood._rules.search._limits import Limits
from rarewood._rules.search._refinement import Value, refined
from rarewood._rules.search._weights import PENALTY, Groups, RuleWeights

Flags = NDArray[np.bool_]
Floats = NDArray[Any]

_RIDGE = 1.0
_LEAST_GAIN = 1.0
_PRICE_OF_A_CONDITION = 0.01


def find_ranking(candidates: Candidates, evidence: Evidence, matrix: NDArray[Any], limits: Limits) -> list[ListedRule]:
    """The rules that together explain the labels best, the one that explains most first."""
    is_rare = evidence.is_rare
    weight = np.where(is_rare, 1.0, evidence.rest_weight)
    tally = evidence.of_candidates(candidates)
    alive = limits.allow(tally.rare, evidence.precision(tally.rare, tally.rest), evidence.base)
    chosen: list[ListedRule] = []
    while len(chosen) < limits.n_rules:
        fires = np.array([rule.cover for rule in chosen], dtype=bool).reshape(len(chosen), len(matrix)).T
        groups = Groups.of(fires)
        p = expit(RuleWeights.of_groups(groups, is_rare, weight, PENALTY).log_odds(groups.kinds))
        gains = np.where(alive, _gains(tally, groups, p, candidates.sizes), 0.0)
        best = int(np.argmax(gains))
        if gains[best] < _LEAST_GAIN:
            break
        alive[best] = False
        half = int(candidates.half[best])
        rule, cover = refined(candidates.rule(best), matrix, _value(evidence, half, is_rare, p[groups.number]))
        if not any(np.array_equal(cover, other.cover) for other in chosen):
            chosen.append(ListedRule(rule, half, cover))
    return chosen


def _gains(tally: Tally, groups: Groups, p: Floats, sizes: NDArray[np.int64]) -> Floats:
    """The gain of every candidate; rows of one group have one probability."""
    rare, rest = tally.by_group(groups.number, len(p))
    p = p[:, np.newaxis]
    slope = (rare * (1 - p) - rest * p).sum(axis=0)
    room = ((rare + rest) * p * (1 - p)).sum(axis=0)
    return np.asarray(_gain(slope, room, sizes))


def _value(evidence: Evidence, half: int, is_rare: Flags, p: Floats) -> Value:
    """The gain of any cover, for a rule of one half."""
    weight = evidence.row_weights(half)
    slope, room = weight * (is_rare - p), weight * p * (1 - p)

    def value(cover: Flags, n_conditions: int) -> float:
        return float(_gain(slope[cover].sum(), room[cover].sum(), n_conditions))

    return value


def _gain(slope: Any, room: Any, n_conditions: Any) -> Any:
    """Twice what one Newton step of the rule's weight adds to the log-likelihood; 0 where the weight would be negative."""
    return np.where(slope > 0, slope**2 / (room + _RIDGE), 0.0) * (1 - _PRICE_OF_A_CONDITION * n_conditions)
