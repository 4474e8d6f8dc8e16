"""Findings: the rules of a search on all rows, with honest figures from the same search on folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest
from rarewood._rules._conditions import Conditions
from rarewood._rules.search._figures import Figures, FoldCounts, Optimism, chance
from rarewood._rules.search._forests import HalfForest, grow, units_of
from rarewood._rules.search._limits import Limits
from rarewood._rules.search._one_search import Purpose, search
from rarewood._rules.search._search_table import SearchTable
from rarewood._rules.search._weights import PENALTY, RuleWeights
from rarewood._tables.found_groups import rows_together
from rarewood._validation import Labels

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
MoreTrees = Callable[[Flags], Forest]  # grown on the rows marked

_FOLDS = 5
_FEWEST_RARE = 4
_MOST_ROWS = 20_000  # that a search looks at; figures are counted on all
_LEVEL = 0.05  # of the test whether the search finds more than chance


@dataclass(frozen=True)
class Findings:
    """A list of rules with its figures.

    `rare` and `rows` are counts on the rows of the search. `out_of_fold` are scores of every row by the list of the fold
    that left it out, log-odds of `RuleWeights`, and `fired` says whether a rule of that list holds.
    """

    rules: Conditions
    figures: Figures
    rare: NDArray[np.int64]
    rows: NDArray[np.int64]
    out_of_fold: Floats
    fired: Flags
    reason: str = ""


def find(
    table: SearchTable,
    limits: Limits,
    *,
    purpose: Purpose = "cover",
    seed: int = 0,
    n_threads: int = 1,
    more: MoreTrees | None = None,
) -> Findings:
    """The list for all rows of a table; `more` grows other trees on some of the rows, to be read for candidates as well."""
    is_rare = table.is_rare
    n_rare = int(is_rare.sum())
    base = n_rare / len(is_rare)
    of_class = Labels(np.array([False, True]), is_rare.astype(np.int32))
    together = rows_together(table.source, table.columns, of_class, None, 1)
    unit = np.arange(len(is_rare)) if together is None else together.numbers.astype(np.intp)
    n_different = len(np.unique(unit[is_rare]))
    if n_different < _FEWEST_RARE:
        different = "" if together is None else "different "
        return _none(
            table,
            f"there are only {n_different} {different}rare rows: at least {_FEWEST_RARE} are needed to find a rule and to check it. "
            "Collect more rare rows.",
        )
    random = np.random.default_rng(seed)
    n_folds = min(_FOLDS, n_different)
    fold = _folds(is_rare, n_folds, random, unit)
    insides = [np.ones(len(fold), dtype=bool), *(fold != number for number in range(n_folds))]
    lists = _search_all(table, insides, limits, purpose, random, n_threads, more, unit)

    scores = np.empty(len(fold))
    parts, left_out = [], []
    for number, rules in enumerate(lists[1:]):
        inside = fold != number
        fires = table.covers(rules)
        parts.append(FoldCounts.of(fires, is_rare, inside))
        left_out.append(fires[~inside])
        weights = RuleWeights.fitted(fires[inside], is_rare[inside], 1.0, PENALTY)
        scores[~inside] = weights.log_odds(left_out[-1])

    optimism = Optimism.learnt(base, n_rare, FoldCounts.joined(parts))

    def good(rare: NDArray[Any], figures: Figures) -> Flags:
        if purpose == "rank":  # weights say how much to believe a rule, and the folds how much to believe the weights
            return np.ones(len(rare), dtype=bool)
        return np.asarray(limits.allow(rare, figures.precision, base) & (figures.low > base))

    fired = np.zeros(len(fold), dtype=bool)
    for number, (part, fires) in enumerate(zip(parts, left_out, strict=True)):
        kept = good(part.rare * n_rare / part.all_rare, optimism.figures(part.rare, part.rows))
        fired[fold == number] = fires[:, kept].any(axis=1)
    if purpose == "rank":
        return _listed(table, lists[0], optimism, good, scores, fired)
    once = np.unique(unit, return_index=True)[1]  # copies are one observation
    p_value = chance(scores[once], is_rare[once], fold[once], random)
    if p_value > _LEVEL:
        return replace(
            _none(
                table,
                "rules found on four fifths of the rows do no better than chance on the other fifth (p = "
                f"{p_value:.2f}). More rare rows, or more informative columns, would help.",
            ),
            out_of_fold=scores,
            fired=fired,
        )
    findings = _listed(table, lists[0], optimism, good, scores, fired)
    if len(findings.rules):
        return findings
    everything = _listed(table, lists[0], optimism, lambda rare, _: np.ones(len(rare), dtype=bool), scores, fired)
    return replace(findings, reason=_why_none(lists[0], everything.figures, base, limits))


def _listed(
    table: SearchTable,
    rules: Conditions,
    optimism: Optimism,
    good: Callable[[NDArray[Any], Figures], Flags],
    scores: Floats,
    fired: Flags,
) -> Findings:
    """The rules that are good by their counts and figures."""
    fires = table.covers(rules)
    rare, rows = fires[table.is_rare].sum(axis=0), fires.sum(axis=0)
    figures = optimism.figures(rare, rows)
    kept = np.flatnonzero(good(rare, figures))
    return Findings(rules.take(kept), figures.take(kept), rare[kept], rows[kept], scores, fired)


def _why_none(rules: Conditions, figures: Figures, base: float, limits: Limits) -> str:
    if len(rules) == 0:
        return (
            f"no rule of at most {limits.max_conditions} conditions covers at least {limits.min_support:g} rare rows "
            "with a precision above the share of the rare class. Allow more conditions, ask for less precision, lift "
            "or support, or collect more rare rows."
        )
    best = int(np.argmax(figures.low))
    tried = (
        f"none of the {len(rules)} rules tried is reliable: the best"
        if len(rules) > 1
        else "the only rule tried is not reliable: it"
    )
    return (
        f"{tried} has a precision of {figures.precision[best]:.1%} "
        f"(90 % interval from {figures.low[best]:.1%}), and the rare class makes up {base:.1%} of all rows. Ask for "
        "less precision, lift or support, or collect more rare rows."
    )


def _search_all(
    table: SearchTable,
    insides: Sequence[Flags],
    limits: Limits,
    purpose: Purpose,
    random: np.random.Generator,
    n_threads: int,
    more: MoreTrees | None,
    unit: NDArray[np.intp],
) -> list[Conditions]:
    """A list for each set of rows, found on a sample of them if they are many."""
    is_rare = table.is_rare
    sample = _sample(is_rare, random)
    small = table.take(sample)
    kept_rare = float(is_rare[sample].sum() / is_rare.sum())
    kept_rest = float((~is_rare[sample]).sum() / max((~is_rare).sum(), 1)) or 1.0
    rest_weight = kept_rare / kept_rest
    rows = [inside[sample] for inside in insides]
    forests = grow(small, rows, int(random.integers(2**62)), n_threads, unit[sample])
    if more is not None:
        for grown, some, inside in zip(forests, rows, insides, strict=True):
            grown.append(HalfForest(some, more(inside)))
    return [search(small, some, grown, limits, purpose, rest_weight) for some, grown in zip(rows, forests, strict=True)]


def _sample(is_rare: Flags, random: np.random.Generator) -> NDArray[np.intp]:
    """All rows, or of very many rows a part in which rare ones are kept as far as they make up at most half."""
    if len(is_rare) <= _MOST_ROWS:
        return np.arange(len(is_rare))
    rare, rest = np.flatnonzero(is_rare), np.flatnonzero(~is_rare)
    rare = random.permutation(rare)[: _MOST_ROWS // 2]
    rest = random.permutation(rest)[: _MOST_ROWS - len(rare)]
    return np.sort(np.concatenate([rare, rest]))


def _folds(is_rare: Flags, n_folds: int, random: np.random.Generator, unit: NDArray[np.intp]) -> NDArray[np.int64]:
    """The fold of each row, units with rare rows and others spread evenly."""
    first, place, holds = units_of(is_rare, np.arange(len(unit)), unit)
    fold = np.empty(len(first), dtype=np.int64)
    for kind in (holds, ~holds):
        shuffled = random.permutation(np.flatnonzero(kind))
        fold[shuffled] = np.arange(len(shuffled)) % n_folds
    return fold[place]


def _none(table: SearchTable, reason: str) -> Findings:
    empty = np.zeros(0, dtype=np.int64)
    nothing = np.zeros(len(table))
    return Findings(Conditions.none(), Figures.none(), empty, empty, nothing, nothing.astype(bool), reason)
