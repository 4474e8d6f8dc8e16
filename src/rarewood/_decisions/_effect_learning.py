"""Whether effects of columns are worth having, by the rows that trees left out, and which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc  # scipy.stats takes long to import

from rarewood._decisions._effect_fits import Fitting, Numbers, Pairs, Range, Rows, Scores
from rarewood._decisions._effects import ColumnEffects, PairEffect
from rarewood._decisions._gain import is_sure_gain
from rarewood._decisions._sharpening import Sharpening
from rarewood._tables.row_source import RowSource

_STIFFNESS = 5.0  # of steps
_PARTS = [tenths / 10 for tenths in range(1, 11)]  # of the effects that may be taken
_MOST_PAIRS = 3
_MOST_PAIRED = 16  # columns that pairs are looked for among
_PLACES = 16  # independent ones, about, among the 49 in which four quarters may meet
_N_FOLDS = 5
_LEAST_ROWS = 10  # of each class: two in every fold
_MOST_ROWS = 20_000  # are enough for a few hundred numbers; of the rarer class at most half
_MOST_COLUMNS = 256  # a look at more would take longer than the trees
_FEW_ROWS = 200  # of the rarer class: with fewer, cross-validation alone would be fooled too often
_UNLIKELY = 0.05  # so probable a misfit of any column or pair, and nothing is fitted to few rows
_LEAST_SLOPE, _MOST_SLOPE = 0.1, 10.0  # of the trees' log-odds beside effects


@dataclass(frozen=True, eq=False)
class LearnedEffects:
    """Effects beside slope x log-odds of the forest + offset; what rows get that the effects had not seen, as log-odds.

    `sharpening` leads from the latter, which few trees have scored, to what new rows get.
    """

    effects: ColumnEffects
    slope: float
    offset: float
    log_odds: Numbers
    sharpening: Sharpening


def learn_effects(
    source: RowSource,
    n_categories: NDArray[Any],
    scores: Scores,
    codes: NDArray[Any],
    weights: Numbers | None,
    more: float,
    seed: int,
    groups: NDArray[Any] | None = None,
    signs: list[int] | None = None,
) -> LearnedEffects | None:
    """From out-of-bag log-odds of the second class, NaN where a row has none; None where effects are no sure gain.

    `scores` are those of all trees that left a row out, and of half of them: their difference tells how noisy both are, and
    `more` how far beyond them the whole forest lies, to whose log-odds the effects will be added (see `Rows`). Without that,
    columns would seem to tell what more trees tell anyway.

    Evidence is what cross-validation over the rows says, choices included. It takes the forest's log-odds as given: they come
    from trees that had left the row out. Rows of one of the `groups` are in one fold. So much of the effects is taken as makes
    rows left out most likely (`_Found.part`): a little more or less evidence changes little. Where rows are few, the misfit of some
    column or pair must be more than chance, too. Effects of columns with a sign obey it, in every fold.
    """
    weight = np.ones(len(codes)) if weights is None else weights
    usable = np.flatnonzero(~np.isnan(scores[0]) & ~np.isnan(scores[1]) & (weight > 0))
    generator = np.random.default_rng(seed)
    sample = _Sample.draw(usable, codes, generator, groups)
    if sample.n_rarer < _LEAST_ROWS or len(n_categories) > _MOST_COLUMNS:
        return None
    chosen = sample.chosen
    given = (scores[0][chosen] + sample.lift, scores[1][chosen] + sample.lift)
    rows = Rows.of(source.rows(chosen), n_categories, given, codes[chosen], weight[chosen], more, signs)
    line = rows.of_columns([], 0.0)
    straight = line.fit()
    if sample.n_rarer < _FEW_ROWS and not _misfits_anywhere(rows, _scored(line, straight, given)):
        return None
    found = _search(rows, line, straight, sample.folds)
    if found is None or (
        signs is not None and found.of_pairs[-1] <= 0.0
    ):  # pairs would turn the effects of columns round
        return None
    effects, slope, offset = _as_effects(rows, found, sample.shares[codes[chosen]])
    if signs is not None and slope < 0.0:  # nor may the scores be turned round, which obey the signs
        return None
    judged = slope * (scores[0] + sample.lift) + offset
    rest = np.ones(len(judged), dtype=bool)
    rest[chosen] = False
    if rest.any():
        judged[rest] += source.map_rows(effects.apply)[rest]
    judged[chosen] = found.judged
    # rows of the sample have log-odds z + lift: slope (z + lift) + offset is slope z + offset + (slope - 1) lift, and the lift again
    offset += (slope - 1.0) * sample.lift
    ease, shift = _easing(rows, judged[chosen])
    shift += (ease - 1.0) * sample.lift
    log_odds = ease * (judged - sample.lift) + shift
    return LearnedEffects(effects, slope, offset, log_odds, Sharpening(1.0 / ease, -shift / ease))


def _easing(rows: Rows, judged: Numbers) -> tuple[float, float]:
    """What was learned for the noise of all trees is too sure of rows that few trees have scored: slope and offset for these."""
    offset, slope = replace(rows, scores=(judged, judged), more=0.0).of_columns([], 0.0).fit()
    return max(float(slope), _LEAST_SLOPE), float(offset)


def _misfits_anywhere(rows: Rows, scores: Scores) -> bool:
    """Whether some column's or pair's misfit is larger than chance makes it, by its chi-squared distribution and Bonferroni."""
    lack, spread = rows.residuals(scores)
    if (chdtrc(rows.n_free(), rows.misfits(lack, spread)) * len(rows.paired) < _UNLIKELY).any():
        return True
    pairs = rows.misfits_of_pairs(lack, spread, rows.telling(_MOST_PAIRED))
    return bool(pairs) and bool(chdtrc(4, pairs[0][0]) * len(pairs) * _PLACES < _UNLIKELY)


@dataclass(frozen=True, eq=False)
class _Found:
    """Steps of columns (none, if they are no gain), then of pairs; offset and slope without them.

    `part` says how much of the effects is taken, from 0 to 1, `judged` is what rows left out get by it, `gain` what that adds to their
    log-likelihood.
    """

    columns: list[int]
    of_columns: Numbers
    pairs: Pairs
    of_pairs: Numbers
    plain: Numbers
    part: float
    judged: Numbers
    gain: float


def _search(rows: Rows, line: Fitting, straight: Numbers, folds: list[Range]) -> _Found | None:
    plain = _Evidence.of(rows, folds, [_scored(line, line.fit_without(*out), rows.scores) for out in folds])
    best, fit, columns = plain, line, list[int]()
    together = rows.columns()
    whole = None if together is None else rows.of_columns(together, _STIFFNESS)
    alone = _with_columns(rows, plain, whole)
    if alone.gain_over(plain) > 0.0:
        best = alone
        columns = together or rows.worst_columns(*rows.residuals(_scored(line, straight, rows.scores)))
        fit = whole or rows.of_columns(columns, _STIFFNESS)
    fitted = fit.fit()
    pairs, of_pairs = Pairs(), np.array([0.0, 1.0])  # offset and slope that change nothing
    paired = _with_pairs(rows, best)
    if paired is not None and paired.gain_over(best) > 0.0:
        best, scores = paired, _scored(fit, fitted, rows.scores)
        pairs = _worst_pairs(rows, scores)
        of_pairs = rows.of_pairs(pairs, scores).fit()
    parts = _parts_beside_trees(float(straight[-1]), float(of_pairs[-1] * fitted[-1]))
    if best is plain or not parts:
        return None
    part, judged, gains = max((_partly(rows, plain, best, part) for part in parts), key=lambda each: each[2].sum())
    if not is_sure_gain(gains):
        return None
    return _Found(columns, fitted, pairs, of_pairs, straight, part, judged, float(gains.sum()))


def _parts_beside_trees(plain_slope: float, own_slope: float) -> list[float]:
    """So much of the effects as leaves the trees a say: where effects tell all that trees tell, the slope would fall to 0 and below."""
    return [part for part in _PARTS if _LEAST_SLOPE < plain_slope + part * (own_slope - plain_slope) < _MOST_SLOPE]


def _partly(rows: Rows, plain: _Evidence, best: _Evidence, part: float) -> tuple[float, Numbers, Numbers]:
    """What rows left out get and gain if only a part of what effects change is changed."""
    near, far = (before + part * (after - before) for before, after in zip(plain.judged, best.judged, strict=True))
    return part, near, plain.losses - rows.losses((near, far))


@dataclass(frozen=True, eq=False)
class _Evidence:
    """A way to fit, judged by rows that were left out: for each fold what all rows get if it is left out; losses of left-out rows."""

    folds: list[Range]
    by_fold: list[Scores]
    judged: Scores
    losses: Numbers

    @classmethod
    def of(cls, rows: Rows, folds: list[Range], by_fold: list[Scores]) -> _Evidence:
        near, far = (
            np.concatenate([scores[which][slice(*out)] for out, scores in zip(folds, by_fold, strict=True)])
            for which in (0, 1)
        )
        return cls(folds, by_fold, (near, far), rows.losses((near, far)))

    def gain_over(self, other: _Evidence) -> float:
        return float((other.losses - self.losses).sum())


def _with_columns(rows: Rows, plain: _Evidence, whole: Fitting | None) -> _Evidence:
    """By `whole`, the fit of all columns that take part, unless they are so many that each fold has to choose."""
    by_fold = []
    if whole is not None:
        whole.fit()
        by_fold = [_scored(whole, whole.fit_without(*out), rows.scores) for out in plain.folds]
        return _Evidence.of(rows, plain.folds, by_fold)
    for out, scores in zip(plain.folds, plain.by_fold, strict=True):
        some = rows.of_columns(rows.worst_columns(*rows.residuals(scores, out)), _STIFFNESS, out)
        by_fold.append(_scored(some, some.fit(), rows.scores))
    return _Evidence.of(rows, plain.folds, by_fold)


def _with_pairs(rows: Rows, before: _Evidence) -> _Evidence | None:
    by_fold = []
    for out, scores in zip(before.folds, before.by_fold, strict=True):
        pairs = _worst_pairs(rows, scores, out)
        if not pairs:
            return None
        fit = rows.of_pairs(pairs, scores, out)
        by_fold.append(_scored(fit, fit.fit(), scores))
    return _Evidence.of(rows, before.folds, by_fold)


def _worst_pairs(rows: Rows, scores: Scores, out: Range = (0, 0)) -> Pairs:
    worst = rows.misfits_of_pairs(*rows.residuals(scores, out), rows.telling(_MOST_PAIRED, out))
    return [(a, b) for _, a, b in worst[:_MOST_PAIRS]]


def _scored(fit: Fitting, found: Numbers, before: Scores) -> Scores:
    """What a fit makes of the scores that it was given."""
    near = fit.log_odds(found)
    return near, near + found[-1] * (before[1] - before[0])


def _as_effects(rows: Rows, found: _Found, shares: Numbers) -> tuple[ColumnEffects, float, float]:
    """Effects of mean 0, slope and offset; `shares` says of which part of its class each row was drawn as."""
    steps, weight = rows.steps, rows.weight / shares
    (*_, offset, slope), (*_, shift, stretch) = found.of_columns, found.of_pairs
    plain_offset, plain_slope = found.plain
    slope, offset = stretch * slope, stretch * offset + shift
    bounds, values = [np.empty(0)] * len(steps.alone), [np.zeros(2)] * len(steps.alone)
    sizes, wide = steps.sizes(steps.alone)[found.columns], steps.sizes(steps.paired)
    for column, own in zip(found.columns, _divided(stretch * found.of_columns, sizes), strict=True):
        centred, mean = _centred(own, rows.alone[column], weight, in_order=bool(rows.signs[column]))
        bounds[column], values[column] = steps.alone[column], np.zeros(len(steps.alone[column]) + 2)
        values[column][: len(own)] = centred
        offset += mean
    pairs = []
    for (a, b), own in zip(
        found.pairs, _divided(found.of_pairs, [wide[a] * wide[b] for a, b in found.pairs]), strict=True
    ):
        centred, mean = _centred(own, rows.paired[a].astype(np.int64) * wide[b] + rows.paired[b], weight)
        table = np.zeros((len(steps.paired[a]) + 2, len(steps.paired[b]) + 2))
        table[: wide[a], : wide[b]] = centred.reshape(wide[a], wide[b])
        pairs.append(PairEffect((a, b), (steps.paired[a], steps.paired[b]), table))
        offset += mean
    effects = ColumnEffects(tuple(bounds), tuple(values), tuple(pairs), found.gain, len(weight)).scaled(found.part)
    slope, offset = (
        plain + found.part * (own - plain) for plain, own in ((plain_slope, slope), (plain_offset, offset))
    )
    return effects, float(slope), float(offset)


def _divided(found: Numbers, sizes: ArrayLike) -> list[Numbers]:
    """The values of each term; offset and slope are behind them."""
    return np.split(found, np.cumsum(sizes, dtype=np.int64))[:-1]


def _centred(values: Numbers, on: NDArray[Any], weight: Numbers, *, in_order: bool = False) -> tuple[Numbers, float]:
    """Values whose mean over rows is 0, and what was taken from them; a step that no row is on gets 0, unless that breaks an order."""
    there = np.bincount(on, weight, len(values))
    mean = float(there @ values / there.sum())
    return np.where((there > 0) | in_order, values - mean, 0.0), mean


@dataclass(frozen=True, eq=False)
class _Sample:
    """Rows to learn from, fold after fold; which part of each class they are."""

    chosen: NDArray[np.int64]
    folds: list[Range]
    shares: Numbers
    n_rarer: int

    @property
    def lift(self) -> float:
        """By how much log-odds lie above those of all rows, because classes are drawn unequally."""
        return float(np.log(self.shares[1] / self.shares[0]))

    @classmethod
    def draw(
        cls,
        rows: NDArray[np.int64],
        codes: NDArray[Any],
        generator: np.random.Generator,
        groups: NDArray[Any] | None = None,
    ) -> _Sample:
        """At most `_MOST_ROWS`; classes, or groups that hold a row of the rarer one and others, are dealt evenly to the folds."""
        of_class = [rows[codes[rows] == label] for label in (0, 1)]
        fewer = min(_MOST_ROWS // 2, *map(len, of_class))
        sizes = [min(len(each), _MOST_ROWS - fewer) for each in of_class]
        drawn = [generator.permutation(each)[:size] for each, size in zip(of_class, sizes, strict=True)]
        fold, n_rarer = np.concatenate([np.arange(size) % _N_FOLDS for size in sizes]), min(sizes)
        if groups is not None:
            fold, n_rarer = _dealt(groups[np.concatenate(drawn)], np.repeat([0, 1], sizes) == np.argmin(sizes))
        order = np.argsort(fold, kind="stable")
        ends = np.searchsorted(fold[order], np.arange(_N_FOLDS + 1)).tolist()
        shares = np.array([size / max(len(each), 1) for each, size in zip(of_class, sizes, strict=True)])
        return cls(np.concatenate(drawn)[order], list(pairwise(ends)), shares, n_rarer)


def _dealt(groups: NDArray[Any], is_rarer: NDArray[np.bool_]) -> tuple[NDArray[Any], int]:
    """The fold of each row, whole groups in one, and how many groups hold a rarer row; rows come in random order."""
    _, first, of_row = np.unique(groups, return_index=True, return_inverse=True)
    holds = np.bincount(of_row.ravel(), weights=is_rarer) > 0
    order = np.lexsort((first, holds))
    fold = np.empty(len(order), dtype=np.int64)
    fold[order] = np.arange(len(order)) % _N_FOLDS
    return fold[of_row.ravel()], int(np.count_nonzero(holds))
