"""Whether effects of columns are worth having, by the rows that trees left out, and which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc  # scipy.stats takes long to import

from column_effects.fits import Fitted, Pairs, Rows, Steps
from column_effects.steps import ColumnEffects, PairEffect

_STIFFNESS = (5.0, 50.0)  # of steps; the better one is taken
_MOST_PAIRS = 3
_MOST_PAIRED = 16  # columns that pairs are looked for among
_PLACES = 16  # independent ones, about, among the 49 in which four quarters may meet
_N_FOLDS = 5
_LEAST_ROWS = 10  # of each class: two in every fold
_MOST_ROWS = 10_000  # are enough for a few hundred numbers; of the rarer class at most half
_UNLIKELY = 0.05  # so probable a misfit of any column or pair, and nothing is fitted
_SURE = 1.0  # standard errors by which rows left out must be better off: with effects at all, with pairs beside columns alone


@dataclass(frozen=True, eq=False)
class LearnedEffects:
    """Effects beside slope x log-odds of the forest + offset, and what rows get that the effects had not seen, as log-odds."""

    effects: ColumnEffects
    slope: float
    offset: float
    log_odds: NDArray[np.float64]


def learn_effects(
    matrix: NDArray[Any],
    n_categories: NDArray[Any],
    log_odds: NDArray[np.float64],
    codes: NDArray[Any],
    weights: NDArray[np.float64] | None,
    seed: int,
) -> LearnedEffects | None:
    """From out-of-bag log-odds of the second class, NaN where a row has none; None where effects are no sure gain.

    Evidence is what cross-validation over the rows says, the choice of pairs included. It takes the forest's log-odds as given:
    they come from trees that had left the row out. A look at the misfit of each column and pair comes first: where all of them may
    be chance, as on most tables, that is all the work.

    The evidence is too small rather than too large: trees that had left out a row of the training folds have seen the rows of the
    fold that judges, so where one of these is rare, the log-odds around it are higher and the effects lower.
    """
    weight = np.ones(len(codes)) if weights is None else weights
    generator = np.random.default_rng(seed)
    chosen, lift = _sample(np.flatnonzero(~np.isnan(log_odds) & (weight > 0)), codes, generator)
    if np.bincount(codes[chosen], minlength=2).min() < _LEAST_ROWS:
        return None
    steps = Steps.of(matrix[chosen], n_categories)
    rows = Rows.of(steps, matrix[chosen], log_odds[chosen] + lift, codes[chosen], weight[chosen])
    if not _misfits_anywhere(rows):
        return None
    folds = _folds(codes[chosen], generator)
    before = rows.losses(_without(rows, folds))
    loose, stiff = _STIFFNESS
    found = _cross_validate(rows, folds, before, loose, [])
    best = max(found, _cross_validate(rows, folds, before, stiff, found.fits), key=lambda each: each.gain)
    paired = _cross_validate(rows, folds, before, best.stiffness, best.fits, _MOST_PAIRS)
    if _in_errors(paired.gains - best.gains) > _SURE:
        best = paired
    if _in_errors(best.gains) <= _SURE:
        return None
    fitted, pairs = _fit(rows, best.stiffness, best.n_pairs, rows.fit((), best.stiffness))
    effects = _as_effects(fitted, pairs, steps, best.gain, len(chosen))
    effects, shift = _centred(effects, matrix, weight)
    slope, offset, _ = fitted
    # rows of the sample have log-odds z + lift: slope (z + lift) + offset is slope z + offset + (slope - 1) lift, and the lift again
    offset += (slope - 1.0) * lift + shift
    judged = slope * log_odds + offset + effects.apply(matrix)
    judged[chosen] = best.predicted - lift
    return LearnedEffects(effects, slope, offset, judged)


def _misfits_anywhere(rows: Rows) -> bool:
    """Whether some column's or pair's misfit is larger than chance makes it, by its chi-squared distribution and Bonferroni."""
    n_free = np.array([len(limits) + 1 for limits in rows.steps.paired])
    if (chdtrc(n_free, rows.misfits(rows.given)) * len(n_free) < _UNLIKELY).any():
        return True
    pairs = rows.misfits_of_pairs(rows.given, rows.telling(_MOST_PAIRED))
    return bool(pairs) and bool(chdtrc(4, pairs[0][0]) * len(pairs) * _PLACES < _UNLIKELY)


def _fit(rows: Rows, stiffness: float, n_pairs: int, alone: Fitted) -> tuple[Fitted, Pairs]:
    """With single columns, which are fitted already, the pairs that fit worst beside them."""
    if n_pairs == 0:
        return alone, ()
    worst = rows.misfits_of_pairs(rows.predict(alone, ()), rows.telling(_MOST_PAIRED))
    pairs = tuple((a, b) for _, a, b in worst[:n_pairs])
    return rows.fit(pairs, stiffness, alone), pairs


@dataclass(frozen=True, eq=False)
class _Evidence:
    """What a way to fit gives rows that were left out: what each gains in log-likelihood, and its log-odds; the fits of columns."""

    stiffness: float
    n_pairs: int
    gains: NDArray[np.float64]
    predicted: NDArray[np.float64]
    fits: list[Fitted]

    @property
    def gain(self) -> float:
        return float(self.gains.sum())


def _in_errors(gains: NDArray[np.float64]) -> float:
    """The sum in its standard errors."""
    error = np.sqrt(len(gains)) * gains.std()
    return float(gains.sum() / error) if error > 0 else 0.0


def _without(rows: Rows, folds: NDArray[np.int64]) -> NDArray[np.float64]:
    """What rows that were left out get without effects: slope and offset have to be fitted, too, or effects would pay for them."""
    predicted = np.empty(len(folds))
    for fold in range(_N_FOLDS):
        out = folds == fold
        slope, offset = rows.part(~out).fit_line()
        predicted[out] = slope * rows.given[out] + offset
    return predicted


def _cross_validate(
    rows: Rows,
    folds: NDArray[np.int64],
    before: NDArray[np.float64],
    stiffness: float,
    fits: list[Fitted],
    n_pairs: int = 0,
) -> _Evidence:
    """What rows that were left out gain over their losses `before`; `fits` of columns alone to begin with, if there are any."""
    predicted, alone = np.empty(len(folds)), []
    for fold in range(_N_FOLDS):
        out = folds == fold
        inside = rows.part(~out)
        alone.append(fits[fold] if n_pairs else inside.fit((), stiffness, fits[fold] if fits else None))
        predicted[out] = rows.part(out).predict(*_fit(inside, stiffness, n_pairs, alone[-1]))
    return _Evidence(stiffness, n_pairs, before - rows.losses(predicted), predicted, alone)


def _as_effects(fitted: Fitted, pairs: Pairs, steps: Steps, gain: float, n_rows: int) -> ColumnEffects:
    values = np.split(fitted[2], np.cumsum(steps.sizes(pairs))[:-1])
    of_pairs = []
    for (a, b), table in zip(pairs, values[len(steps.alone) :], strict=True):
        bounds = steps.paired[a], steps.paired[b]
        of_pairs.append(PairEffect((a, b), bounds, table.reshape(len(bounds[0]) + 2, len(bounds[1]) + 2)))
    return ColumnEffects(steps.alone, tuple(values[: len(steps.alone)]), tuple(of_pairs), gain, n_rows)


def _centred(effects: ColumnEffects, matrix: NDArray[Any], weight: NDArray[np.float64]) -> tuple[ColumnEffects, float]:
    """Effects whose mean over all rows is 0, each for itself, and what they have lost together."""
    means = np.average(effects._singles(matrix), axis=0, weights=weight)
    values = tuple(each - mean for each, mean in zip(effects.values, means, strict=True))
    lost = float(means.sum())
    pairs = []
    for pair in effects.pairs:
        mean = float(np.average(pair.apply(matrix), weights=weight))
        pairs.append(replace(pair, values=pair.values - mean))
        lost += mean
    return replace(effects, values=values, pairs=tuple(pairs)), lost


def _sample(
    rows: NDArray[np.int64], codes: NDArray[Any], generator: np.random.Generator
) -> tuple[NDArray[np.int64], float]:
    """Rows of both classes, and by how much their log-odds lie above those of all rows, because classes are drawn unequally."""
    if len(rows) <= _MOST_ROWS:
        return rows, 0.0
    of_class = [rows[codes[rows] == label] for label in (0, 1)]
    fewer = min(_MOST_ROWS // 2, *map(len, of_class))
    sizes = [min(len(each), _MOST_ROWS - fewer) for each in of_class]
    drawn = [generator.choice(each, size, replace=False) for each, size in zip(of_class, sizes, strict=True)]
    shares = [size / max(len(each), 1) for each, size in zip(of_class, sizes, strict=True)]
    lift = float(np.log(shares[1] / shares[0])) if min(shares) > 0 else 0.0
    return np.sort(np.concatenate(drawn)), lift


def _folds(codes: NDArray[Any], generator: np.random.Generator) -> NDArray[np.int64]:
    """The fold of each row; classes are dealt evenly."""
    folds = np.empty(len(codes), dtype=np.int64)
    for label in (0, 1):
        members = generator.permutation(np.flatnonzero(codes == label))
        folds[members] = np.arange(len(members)) % _N_FOLDS
    return folds
