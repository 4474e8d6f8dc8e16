"""Shares and average precision with their uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse import csr_array
from scipy.special import expit, logit

from rarewood.metrics.shares import GroupSums, independent_trials, wilson_interval

Floats = NDArray[np.float64]

Z95 = 1.959963984540054
_RESAMPLES = 1000
_FEWEST_RESAMPLES = 200
_MOST_DRAWS = 20_000_000  # resamples times bins: a second or two


@dataclass(frozen=True)
class Estimate:
    """A value with the ends of its 95 % confidence interval; None where the rows are too few to tell."""

    value: float
    low: float | None = None
    high: float | None = None


def wilson(hits: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share: `hits` of `n` rows, which are at least one."""
    low, high = wilson_interval(hits, n, Z95)
    return (float(low) if hits else 0.0), (float(high) if hits < n else 1.0)  # exact at the ends


def share_with_interval(hits: float, n: float, worth: float | None = None) -> Estimate | None:
    """A share and Wilson's interval; None of no rows. `worth` is how many independent rows say as much, if these are not."""
    if not n:
        return None
    trials = n if worth is None else worth
    return Estimate(hits / n, *wilson(hits / n * trials, trials))


def worth_of(hit: NDArray[np.bool_], share: float, groups: NDArray[np.intp] | None) -> float:
    """How many independent rows say as much of a share as these, of which some belong together."""
    if groups is None or not len(hit):
        return float(len(hit))
    return float(independent_trials(GroupSums.of(hit, groups), share, float(len(hit))))


def times_for_half(found: Estimate) -> float:
    """How many times as many rows make Wilson's interval of a share half as wide."""
    assert found.low is not None
    assert found.high is not None
    width = found.high - found.low
    return _trials_for(found.value, width / 2.0) / _trials_for(found.value, width)


def _trials_for(share: float, width: float) -> float:
    """How many rows give Wilson's interval this width, between 0 and 1."""

    def excess(logarithm: float) -> float:
        n = math.exp(logarithm)
        low, high = wilson(share * n, n)
        return (high - low) - width

    return math.exp(float(brentq(excess, -20.0, 60.0, xtol=1e-12)))


def average_precision_with_interval(
    scores: Floats, is_rare: NDArray[np.bool_], random_state: int, groups: NDArray[np.intp] | None = None
) -> Estimate:
    """Average precision, its interval by resampling rows, on the scale of log-odds so that it stays between 0 and 1.

    Rows of one of the `groups` belong together: whole groups are drawn.
    """
    rare, rest = _counts_per_bin(scores, is_rare)
    value = float(_average_precision(rare[None, :], rest[None, :])[0])
    if rare.sum() < 2 or not 0.0 < value < 1.0:
        return Estimate(value)
    rng = np.random.default_rng(random_state)
    if groups is None:
        drawn = np.concatenate([rare, rest])
        n_draws = _n_draws(len(drawn))
        found = np.concatenate([_redrawn(rng, drawn, size) for size in _in_parts(n_draws, len(drawn))])
    else:
        if len(np.unique(groups[is_rare])) < 2:
            return Estimate(value)  # nothing tells how groups differ
        counts = _counts_of_groups(scores, is_rare, groups)
        n_draws = _n_draws(max(counts.nnz, *counts.shape))
        found = np.concatenate([_redrawn_groups(rng, counts, size) for size in _in_parts(n_draws, max(counts.shape))])
    found = found[(found > 0.0) & (found < 1.0)]
    if len(found) < n_draws / 2:
        return Estimate(value)
    centre, half = logit(value), Z95 * float(logit(found).std(ddof=1))
    return Estimate(value, float(expit(centre - half)), float(expit(centre + half)))


def _n_draws(cost: int) -> int:
    """How many tables are drawn, if one costs so many additions."""
    return int(np.clip(_MOST_DRAWS // cost, _FEWEST_RESAMPLES, _RESAMPLES))


def _counts_per_bin(scores: Floats, is_rare: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rare rows at each of their distinct scores, and others from there up to the next; from the highest score to the lowest.

    Average precision depends on other rows only through these numbers. So a table can be drawn again as counts per bin, which costs as
    much as there are rare rows, however many others there are. Others below all rare rows, the last bin, change nothing.
    """
    place, n_bins = _bins(scores, is_rare)
    return np.bincount(place[is_rare], minlength=n_bins), np.bincount(place[~is_rare], minlength=n_bins)


def _bins(scores: Floats, is_rare: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """The bin of each row, and how many there are."""
    levels = np.unique(scores[is_rare])
    return len(levels) - np.searchsorted(levels, scores, side="right"), len(levels) + 1


def _counts_of_groups(scores: Floats, is_rare: NDArray[np.bool_], groups: NDArray[np.intp]) -> csr_array:
    """Rare rows per bin, then others per bin, of each group: a row per bin, a column per group.

    Groups are in the order in which they come first: what is drawn must not depend on their names.
    """
    place, n_bins = _bins(scores, is_rare)
    _, first, of_row = np.unique(groups, return_index=True, return_inverse=True)
    numbers = np.argsort(np.argsort(first))[of_row.ravel()]
    where = np.where(is_rare, place, place + n_bins)
    ones = np.ones(len(where), dtype=np.int64)
    return csr_array((ones, (where, numbers)), shape=(2 * n_bins, int(numbers.max()) + 1))


def _average_precision(rare: NDArray[np.int64], rest: NDArray[np.int64]) -> Floats:
    """The average precision of each row of counts: precision at each level, weighted by the rare rows that it adds."""
    true, false = rare.cumsum(axis=1), rest.cumsum(axis=1)
    precision = true / np.maximum(true + false, 1)
    return np.asarray((precision * rare).sum(axis=1) / np.maximum(true[:, -1], 1), dtype=np.float64)


def _redrawn(rng: np.random.Generator, counts: NDArray[np.int64], n_draws: int) -> Floats:
    n = int(counts.sum())
    half = len(counts) // 2
    drawn = rng.multinomial(n, counts / n, size=n_draws)
    return _average_precision(drawn[:, :half], drawn[:, half:])


def _redrawn_groups(rng: np.random.Generator, counts: csr_array, n_draws: int) -> Floats:
    n_groups = counts.shape[1]
    times = rng.multinomial(n_groups, np.full(n_groups, 1.0 / n_groups), size=n_draws)
    drawn = np.asarray((counts @ times.T).T)
    half = counts.shape[0] // 2
    return _average_precision(drawn[:, :half], drawn[:, half:])


def _in_parts(n_draws: int, n_bins: int) -> list[int]:
    """Draws a few at a time, so that little memory is held."""
    most = max(1, 2_000_000 // n_bins)
    return [most] * (n_draws // most) + ([n_draws % most] if n_draws % most else [])
