"""A short list of rules that together find the rare class: greedy, each chosen by what it adds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._conditions import CodedRule
from rarewood._rules.search._candidates import Candidates
from rarewood._rules.search._evidence import Evidence
from rarewood._rules.search._limits import Limits
from rarewood._rules.search._refinement import refined

Flags = NDArray[np.bool_]

_NEW_SHARE = 0.5  # of the rare rows of a rule, found by no rule chosen before
_SUPERFLUOUS = 0.2  # a rule goes if later ones leave it so little of its rare rows, and mostly others
_MOST_REMOVED = 20


@dataclass(frozen=True)
class ListedRule:
    """A rule of a list, with the half that its tree was grown on and the rows of the search it holds for."""

    rule: CodedRule
    half: int
    cover: Flags


@dataclass
class _List:
    """The rules so far."""

    evidence: Evidence
    matrix: NDArray[Any]
    rules: list[ListedRule] = field(default_factory=list)

    @property
    def taken(self) -> Flags:
        """Rows that a rule holds for."""
        taken = np.zeros(len(self.matrix), dtype=bool)
        for listed in self.rules:
            taken |= listed.cover
        return taken

    def counts(self) -> tuple[float, float]:
        """Rare and other rows that the rules find together."""
        free = np.ones(len(self.matrix), dtype=bool)
        rare = rest = 0.0
        for listed in self.rules:
            more_rare, more_rest = self.evidence.of_cover(listed.cover & free, listed.half)
            rare, rest = rare + more_rare, rest + more_rest
            free &= ~listed.cover
        return rare, rest

    def add(self, rule: CodedRule, half: int, free: Flags) -> None:
        """Append a rule, shortened and rounded, if it finds anything new."""

        def value(cover: Flags, n_conditions: int) -> float:
            return float(self.evidence.worth(*self.evidence.of_cover(cover & free, half), n_conditions))

        rule, cover = refined(rule, self.matrix, value)
        if (cover & free)[: self.evidence.n_rare].any():
            self.rules.append(ListedRule(rule, half, cover))

    def remove_superfluous(self) -> bool:
        """Remove the first rule that later ones made superfluous, if there is one."""
        times = np.sum([listed.cover for listed in self.rules], axis=0)
        n_rare = self.evidence.n_rare
        for number, listed in enumerate(self.rules[:-1]):
            alone = listed.cover & (times == 1)
            rare = int(np.count_nonzero(alone[:n_rare]))
            rest = self.evidence.rest_weight * np.count_nonzero(alone[n_rare:])
            if rare == 0 or (rare <= _SUPERFLUOUS * np.count_nonzero(listed.cover[:n_rare]) and rare <= rest):
                del self.rules[number]
                return True
        return False


def find_cover(candidates: Candidates, evidence: Evidence, matrix: NDArray[Any], limits: Limits) -> list[ListedRule]:
    """A list within the limits that covers the rare class, the most worthy rule first."""
    rules = _List(evidence, matrix)
    tally = evidence.of_candidates(candidates)
    alive = limits.allow(tally.rare, evidence.precision(tally.rare, tally.rest), evidence.base)
    sizes = candidates.sizes
    n_removed = 0
    while len(rules.rules) < limits.n_rules:
        taken = rules.taken
        rare, rest = tally.without(taken)
        rare_found, rest_found = rules.counts()
        # F1 of the list grows only with a rule whose precision is above half of it.
        least = rare_found / (evidence.n_rare + rare_found + rest_found)
        fits = alive & (rare >= max(1.0, _NEW_SHARE * limits.min_support)) & (rare >= _NEW_SHARE * tally.rare)
        fits &= evidence.precision(rare, rest) > least
        if not fits.any():
            break
        best = int(np.argmax(np.where(fits, evidence.worth(rare, rest, sizes), -np.inf)))
        alive[best] = False
        rules.add(candidates.rule(best), int(candidates.half[best]), ~taken)
        while n_removed < _MOST_REMOVED and len(rules.rules) > 1 and rules.remove_superfluous():
            n_removed += 1
    return rules.rules
