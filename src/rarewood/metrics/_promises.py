"""What new rows will show, with a stated confidence: exact bounds on precision, recall and the share of alarms.

A promise speaks of new rows that are drawn like these. Rows count, not their weights: a weight of 5 is not five observations. Rows of
one group are no independent observations either, so groups lower the number that counts by the design effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv

from rarewood.metrics._labelled_scores import Floats, LabelledScores
from rarewood.metrics._threshold_rules import ThresholdRule
from rarewood.metrics.shares import GroupSums, independent_trials

FEWEST_GROUPS = 5  # with a row of the positive class, to promise anything
_FEW_POSITIVE = 50  # rows, or groups that hold any; below, precision is tested at half the error, because the search over cuts shows
_LEAST_RECALL = 0.25  # of a cut that may say what can be promised at most


@dataclass(frozen=True, eq=False)
class Evidence:
    """Of each cut that calls something: so many successes in so many independent trials."""

    hits: Floats
    trials: Floats

    def chance(self, share: float) -> Floats:
        """How probable at least so many successes are, if the true share is just `share`."""
        return np.where(self.hits > 0, betainc(np.maximum(self.hits, 1e-12), self._misses, share), 1.0)

    def lower(self, alpha: float) -> Floats:
        """The lower bound of Clopper and Pearson on the true share, which is below it with probability at most `alpha`."""
        return np.where(self.hits > 0, betaincinv(np.maximum(self.hits, 1e-12), self._misses, alpha), 0.0)

    def at(self, place: int) -> Evidence:
        """Of one cut."""
        return Evidence(self.hits[[place]], self.trials[[place]])

    @property
    def _misses(self) -> Floats:
        return np.maximum(self.trials - self.hits, 0.0) + 1.0


@dataclass(frozen=True)
class Promise:
    """A cut and what it promises; `kept` says whether that is what was asked for. `cut` counts from the one that calls nothing."""

    cut: int
    kept: bool
    lower: float | None
    most: float | None  # that can be promised, where what was asked for cannot

    @classmethod
    def made(cls, place: int, evidence: Evidence, alpha: float) -> Promise:
        """By a cut that calls something."""
        return cls(place + 1, True, evidence.at(place).lower(alpha).item(), None)

    @classmethod
    def short(cls, place: int, evidence: Evidence, alpha: float) -> Promise:
        """By the cut that comes nearest."""
        lower = evidence.at(place).lower(alpha).item()
        return cls(place + 1, False, lower, lower)


def find_promise(rows: LabelledScores, rule: ThresholdRule) -> Promise:
    """The loosest cut whose precision, or the strictest whose recall or number of alarms, holds on new rows with confidence.

    Of precision every cut is tried without correction for the search: there is no proof that the confidence holds then, but measured
    coverage is about what is asked for (docs/promises.md). Recall and alarms rest on one order statistic, without a search.
    """
    assert rule.confidence is not None
    alpha = 1.0 - rule.confidence
    if rule.name == "alerts":
        return _find_alarms(rows, rule, alpha)
    assert rule.floor is not None
    if rule.name == "precision":
        return _find_precision(rows, rule.floor, alpha)
    evidence = _of_recall(rows)
    passing = np.flatnonzero(evidence.chance(rule.floor) <= alpha)
    if len(passing) and not _has_too_few_groups(rows):
        return Promise.made(int(passing[0]), evidence, alpha)
    return Promise.short(int(np.argmax(evidence.lower(alpha))), evidence, alpha)


def _find_precision(rows: LabelledScores, floor: float, alpha: float) -> Promise:
    alpha = _error_of_precision(rows, alpha)
    evidence = _of_precision(rows, floor)
    passing = evidence.chance(floor) <= alpha
    if passing.any() and not _has_too_few_groups(rows):
        return Promise.made(int(np.argmax(np.where(passing, rows.cuts.tp[1:], -1.0))), evidence, alpha)
    wide = rows.cuts.recall[1:] >= _LEAST_RECALL
    return Promise.short(int(np.argmax(np.where(wide, evidence.lower(alpha), -1.0))), evidence, alpha)


def _error_of_precision(rows: LabelledScores, alpha: float) -> float:
    """The error at which precision is tested: with few positive rows, or groups of them, half of what was asked for."""
    return alpha / 2.0 if _n_positive(rows) < _FEW_POSITIVE else alpha


def _find_alarms(rows: LabelledScores, rule: ThresholdRule, alpha: float) -> Promise:
    share = rule.alerts(rows.n_rows)
    assert share is not None
    evidence = _of_alarms(rows)
    few = betainc(evidence.hits, evidence._misses, share) >= 1.0 - alpha
    cut = 0 if _has_too_few_groups(rows) else int(np.argmin(np.append(few, False)))
    return Promise(cut, cut > 0, None, None)


def _n_positive(rows: LabelledScores) -> int:
    """Rows of the positive class; where rows belong to groups, groups that hold any."""
    return rows.n_positive if rows.groups is None else len(np.unique(rows.groups[rows.is_positive]))


def _has_too_few_groups(rows: LabelledScores) -> bool:
    return rows.groups is not None and _n_positive(rows) < FEWEST_GROUPS


# ---------------------------------------------------------------------------------------------------------
# successes and trials of each cut


def _of_precision(rows: LabelledScores, floor: float) -> Evidence:
    """Alarms, and those of them that are right."""
    every, hit = np.ones(len(rows.scores)), rows.is_positive.astype(np.float64)
    trials, hits = (np.cumsum(each)[rows.last_of_score] for each in (every, hit))
    share = np.asarray(rows.cuts.precision[1:])
    if rows.weights is not None:
        trials = _kish(np.cumsum(rows.weight), np.cumsum(rows.weight**2))[rows.last_of_score]
    if rows.groups is not None:
        kept = (hits + floor) / (trials + 1.0)
        trials = independent_trials(_running_sums(rows, every, hit), kept, trials)
    elif rows.weights is None:
        return Evidence(hits, trials)
    return Evidence(trials * share, trials)


def _of_recall(rows: LabelledScores) -> Evidence:
    """Rows of the positive class, and those of them that are called."""
    hit = rows.is_positive.astype(np.float64)
    weight = rows.weight * hit
    trials = float(_kish(weight.sum(), (weight**2).sum())) if rows.weights is not None else hit.sum()
    share = np.asarray(rows.cuts.recall[1:])
    size = np.full(len(share), trials)
    if rows.groups is not None:
        size = independent_trials(_sums_of_all(rows, hit, hit), share, size)
    elif rows.weights is None:
        return Evidence(np.cumsum(hit)[rows.last_of_score], size)
    return Evidence(size * share, size)


def _of_alarms(rows: LabelledScores) -> Evidence:
    """All rows, and those of them that are called."""
    called = np.ones(len(rows.scores))
    trials = len(called) if rows.weights is None else float(_kish(rows.weight.sum(), (rows.weight**2).sum()))
    share = np.asarray(rows.cuts.called[1:] / rows.cuts.total)
    size = np.full(len(share), float(trials))
    if rows.groups is not None:
        size = independent_trials(_sums_of_all(rows, called, called), share, size)
    return Evidence(size * share, size)


def _kish(total: Floats, squares: Floats) -> Floats:
    """How many rows of equal weight say as much."""
    return np.asarray(total**2 / squares)


def _running_sums(rows: LabelledScores, trial: Floats, hit: Floats) -> GroupSums:
    """At each cut, where the rows that are called are the trials, so that both grow from cut to cut."""
    trials_before, hits_before = _before(rows, trial), _before(rows, hit)
    return GroupSums(
        *(
            np.cumsum(growth)[rows.last_of_score]
            for growth in (
                hit * (2.0 * hits_before + hit),
                (hits_before + hit) * (trials_before + trial) - hits_before * trials_before,
                trial * (2.0 * trials_before + trial),
                (trials_before == 0.0).astype(np.float64),
            )
        )
    )


def _sums_of_all(rows: LabelledScores, trial: Floats, hit: Floats) -> GroupSums:
    """At each cut, where the trials are the same and hits come to them."""
    assert rows.groups is not None
    hits_before = _before(rows, hit)
    size = np.bincount(rows.groups, weights=trial)
    n_cuts = len(rows.last_of_score)
    return GroupSums(
        np.cumsum(hit * (2.0 * hits_before + hit))[rows.last_of_score],
        np.cumsum(hit * size[rows.groups])[rows.last_of_score],
        np.full(n_cuts, float((size**2).sum())),
        np.full(n_cuts, float(np.count_nonzero(size))),
    )


def _before(rows: LabelledScores, value: Floats) -> Floats:
    """What the rows of higher scores in the same group add up to."""
    assert rows.groups is not None
    order = np.argsort(rows.groups, kind="stable")
    groups, along = rows.groups[order], np.cumsum(value[order])
    first = np.append(True, groups[1:] != groups[:-1])
    start = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    before = np.empty(len(order))
    before[order] = along - value[order] - (along - value[order])[start]
    return before
