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
    def taken(self) -> Flags:
        """Rows that a rule holds for."""
        taken = np.zeros(len(self.matrix), dtype=bool)
        for each in self.rules:
            taken |= each.cover
        return taken

    def found(self) -> tuple[float, float]:
        """Rare and other rows that the rules find together."""
        free = np.ones(len(self.matrix), dtype=bool)
        rare = rest = 0.0
        for each in self.rules:
            a, b = self.evidence.of_cover(each.cover & free, each.half)
            rare, rest = rare + a, rest + b
            free &= ~each.cover
        return rare, rest

    def add(self, rule: dict[int, Asked], half: int, free: Flags) -> None:
        """Append a rule, shortened and rounded, if it finds anything new."""

        def value(cover: Flags, n_conditions: int) -> float:
            return float(self.evidence.worth(*self.evidence.of_cover(cover & free, half), n_conditions))

        rule, cover = refined(rule, self.matrix, value)
        if (cover & free)[: self.evidence.n_rare].any():
            self.rules.append(Chosen(rule, half, cover))

    def remove_superfluous(self) -> bool:
        """Remove the first rule that later ones made superfluous, if there is one."""
        times = np.sum([each.cover for each in self.rules], axis=0)
        n_rare = self.evidence.n_rare
        for number, each in enumerate(self.rules[:-1]):
            alone = each.cover & (times == 1)
            rare = int(np.count_nonzero(alone[:n_rare]))
            rest = self.evidence.rest_weight * np.count_nonzero(alone[n_rare:])
            if rare == 0 or (rare <= _SUPERFLUOUS * np.count_nonzero(each.cover[:n_rare]) and rare <= rest):
                del self.rules[number]
                return True
        return False


def choose(candidates: Candidates, evidence: Evidence, matrix: NDArray[Any], limits: Limits) -> list[Chosen]:
    """The most worthy rules of those within the limits."""
    chosen = _List(evidence, matrix)
    tally = evidence.of_candidates(candidates)
    alive = limits.allow(tally.rare, evidence.precision(tally.rare, tally.rest), evidence.base)
    sizes = candidates.sizes
    n_removed = 0
    while len(chosen.rules) < limits.n_rules:
        taken = chosen.taken
        rare, rest = tally.without(taken)
        found, others = chosen.found()
        # F1 of the list grows only with a rule whose precision is above half of it.
        least = found / (evidence.n_rare + found + others)
        fits = alive & (rare >= max(1.0, _NEW_SHARE * limits.min_support)) & (rare >= _NEW_SHARE * tally.rare)
        fits &= evidence.precision(rare, rest) > least
        if not fits.any():
            break
        best = int(np.argmax(np.where(fits, evidence.worth(rare, rest, sizes), -np.inf)))
        alive[best] = False
        chosen.add(candidates.rule(best), int(candidates.half[best]), ~taken)
        while n_removed < _MOST_REMOVED and len(chosen.rules) > 1 and chosen.remove_superfluous():
            n_removed += 1
    return chosen.rules
