"""A short list of rules that together find the rare class: greedy, each chosen by what it adds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._asking import Asked
from rarewood._rules._candidates import Candidates
from rarewood._rules._evidence import Evidence
from rarewood._rules._limits import Limits
from rarewood._rules._refining import refined

Flags = NDArray[np.bool_]

_NEW_SHARE = 0.5  # of the rare rows of a rule, found by no rule chosen before
_SUPERFLUOUS = 0.2  # a rule goes if later ones leave it so little of its rare rows, and mostly others
_MOST_REMOVED = 20


@dataclass(frozen=True)
class Chosen:
    """A rule of a list, with the half that its tree was grown on and the rows of the search it holds for."""

    rule: dict[int, Asked]
    half: int
    cover: Flags


@dataclass
class _List:
    """The rules so far."""

    evidence: Evidence
    matrix: NDArray[Any]
    rules: list[Chosen] = field(default_factory=list)

    @property
    def free(self) -> Flags:
        """Rows that no rule holds for."""
        free = np.ones(len(self.matrix), dtype=bool)
        for each in self.rules:
            free &= ~each.cover
        return free

    def found(self) -> tuple[float, float]:
        """Rare and other rows that the rules find together."""
        free = np.ones(len(self.matrix), dtype=bool)
        rare = rest = 0.0
        for each in self.rules:
            a, b = self.evidence.of_cover(each.cover, each.half, free)
            rare, rest = rare + a, rest + b
            free &= ~each.cover
        return rare, rest

    def add(self, rule: dict[int, Asked], half: int, free: Flags) -> bool:
        """Append a rule, shortened and rounded; whether it finds anything new."""

        def value(cover: Flags, n_conditions: int) -> float:
            return float(self.evidence.worth(*self.evidence.of_cover(cover, half, free), n_conditions))

        rule, cover = refined(rule, self.matrix, value)
        if not (cover & free & self.evidence.is_rare).any():
            return False
        self.rules.append(Chosen(rule, half, cover))
        return True

    def remove_superfluous(self) -> bool:
        """Remove the first rule that later ones made superfluous, if there is one."""
        times = np.sum([each.cover for each in self.rules], axis=0)
        is_rare = self.evidence.is_rare
        for number, each in enumerate(self.rules[:-1]):
            alone = each.cover & (times == 1)
            rare = int(np.count_nonzero(alone & is_rare))
            rest = self.evidence.rest_weight * np.count_nonzero(alone & ~is_rare)
            if rare == 0 or (rare <= _SUPERFLUOUS * np.count_nonzero(each.cover & is_rare) and rare <= rest):
                del self.rules[number]
                return True
        return False


def choose(candidates: Candidates, evidence: Evidence, matrix: NDArray[Any], limits: Limits) -> list[Chosen]:
    """The most worthy rules of those within the limits."""
    chosen = _List(evidence, matrix)
    everywhere = np.ones(len(matrix), dtype=bool)
    all_rare, all_rest = evidence.of_candidates(candidates, everywhere)
    alive = limits.allow(all_rare, evidence.precision(all_rare, all_rest), evidence.base)
    sizes = candidates.sizes
    n_removed = 0
    while len(chosen.rules) < limits.n_rules:
        free = chosen.free
        rare, rest = evidence.of_candidates(candidates, free)
        found, others = chosen.found()
        # F1 of the list grows only with a rule whose precision is above half of it.
        least = found / (evidence.n_rare + found + others)
        fits = alive & (rare >= max(1.0, _NEW_SHARE * limits.min_support)) & (rare >= _NEW_SHARE * all_rare)
        fits &= evidence.precision(rare, rest) > least
        if not fits.any():
            break
        best = int(np.argmax(np.where(fits, evidence.worth(rare, rest, sizes), -np.inf)))
        alive[best] = False
        chosen.add(candidates.rule(best), int(candidates.half[best]), free)
        while n_removed < _MOST_REMOVED and len(chosen.rules) > 1 and chosen.remove_superfluous():
            n_removed += 1
    return chosen.rules
