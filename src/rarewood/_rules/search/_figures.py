"""How precise a rule is among rows that took no part in finding it.

The search is repeated on folds, and each fold's rules are counted on the rows it left out. A rule that found k of n rows
where it was searched has, elsewhere, a precision with the mean (k + m b) / (n + m), b the base rate, and the spread of a Beta
variable of size phi (n + m). How optimistic the search is, m, and how much rules differ from that, phi, are what the counts
on left-out rows make likely: m is large where there is nothing to find. Both are averaged over, not chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, betaln

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

_SHRINKAGES = np.exp(np.linspace(np.log(0.25), np.log(20_000), 28))
_SPREADS = np.array([0.03, 0.06, 0.1, 0.17, 0.28, 0.45, 0.7, 1.0])
_TYPICAL_SHRINKAGE, _SHRINKAGE_RANGE = 15.0, 2.0  # median and log standard deviation, before anything was counted
_TYPICAL_SPREAD, _SPREAD_RANGE = 1.0, 0.4  # no more spread than counts have: what folds with few rules leave open
_SHARES_KEPT = np.linspace(0.02, 1.0, 50)
_LEAST_SIZE = 0.5
_DRAWS = 1999
LEVEL = 0.90


@dataclass(frozen=True)
class FoldCounts:
    """Counts of rules: rare and all rows where they were searched, rare and all rows left out, and all rare rows there."""

    rare: Floats
    rows: Floats
    left_out_rare: Floats
    left_out_rows: Floats
    all_rare: Floats
    all_left_out_rare: Floats

    @classmethod
    def of(cls, fires: Flags, is_rare: Flags, inside: Flags) -> FoldCounts:
        """Counts of rules that were searched on the rows `inside`; `fires` says where they hold, rows x rules."""
        n_rules = fires.shape[1]
        return cls(
            fires[inside & is_rare].sum(axis=0).astype(np.float64),
            fires[inside].sum(axis=0).astype(np.float64),
            fires[~inside & is_rare].sum(axis=0).astype(np.float64),
            fires[~inside].sum(axis=0).astype(np.float64),
            np.full(n_rules, np.count_nonzero(inside & is_rare), dtype=np.float64),
            np.full(n_rules, np.count_nonzero(~inside & is_rare), dtype=np.float64),
        )

    @classmethod
    def joined(cls, parts: Sequence[FoldCounts]) -> FoldCounts:
        """The rules of several folds."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class Figures:
    """Precision, recall and lift of each rule among rows that took no part in finding it, with 90 % intervals."""

    precision: Floats
    low: Floats
    high: Floats
    recall: Floats
    recall_low: Floats
    recall_high: Floats
    lift: Floats
    shapes: Floats  # rules x 2: the Beta distribution behind precision, low and high

    def take(self, chosen: NDArray[np.int64]) -> Figures:
        """The figures of some of the rules, in the order given."""
        return Figures(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @classmethod
    def none(cls) -> Figures:
        """The figures of an empty list."""
        return cls(*(np.zeros((0, 2) if field.name == "shapes" else 0) for field in fields(cls)))


@dataclass(frozen=True)
class Optimism:
    """How optimistic the search is: probabilities of the pairs (m, phi), and of the pairs (share of recall kept, phi)."""

    base: float
    n_rare: int
    precision_weights: Floats  # shrinkages x spreads
    recall_weights: Floats  # shares x spreads

    @classmethod
    def learnt(cls, base: float, n_rare: int, counted: FoldCounts) -> Optimism:
        """The optimism that makes the counts of the folds' rules likely."""
        of_precision = _weights(
            _log_normal(_SHRINKAGES, _TYPICAL_SHRINKAGE, _SHRINKAGE_RANGE),
            _precision_shapes(base, counted.rare, counted.rows),
            counted.left_out_rare,
            counted.left_out_rows,
        )
        of_recall = _weights(
            np.zeros(len(_SHARES_KEPT)),
            _recall_shapes(counted.rare, counted.all_rare),
            counted.left_out_rare,
            counted.all_left_out_rare,
        )
        return cls(base, n_rare, of_precision, of_recall)

    def figures(self, rare: NDArray[Any], rows: NDArray[Any]) -> Figures:
        """Figures of rules that found `rare` among `rows` where they were searched."""
        a, b = _averaged(self.precision_weights, _precision_shapes(self.base, rare, rows))
        c, d = _averaged(self.recall_weights, _recall_shapes(rare, np.full(len(rare), float(self.n_rare))))
        precision = a / (a + b)
        return Figures(
            precision, *_interval(a, b), c / (c + d), *_interval(c, d), precision / self.base, np.stack([a, b], axis=1)
        )


def chance(scores: Floats, is_rare: Flags, fold: NDArray[np.int64], random: np.random.Generator) -> float:
    """How probable scores as high as those of the rare rows are, if labels within each fold say nothing.

    The statistic is the sum of the mid-ranks of the rare rows within their folds. Scores take few values, so drawing labels
    is drawing how many rare rows have each of them.
    """
    observed = 0.0
    drawn = np.zeros(_DRAWS)
    for number in np.unique(fold):
        here = fold == number
        _, value, n_rows = np.unique(scores[here], return_inverse=True, return_counts=True)
        rank = np.cumsum(n_rows) - (n_rows - 1) / 2
        n_rare = int(np.count_nonzero(is_rare[here]))
        observed += rank[value.ravel()[is_rare[here]]].sum()
        drawn += random.multivariate_hypergeometric(n_rows, n_rare, size=_DRAWS, method="marginals") @ rank
    return float((1 + np.count_nonzero(drawn >= observed - 1e-9)) / (1 + _DRAWS))


def _weights(log_prior: Floats, shapes: tuple[Floats, Floats], k: Floats, n: Floats) -> Floats:
    a, b = shapes
    log_weights = np.add.outer(log_prior, _log_normal(_SPREADS, _TYPICAL_SPREAD, _SPREAD_RANGE))
    log_weights += (betaln(a + k, b + n - k) - betaln(a, b)).sum(axis=-1)
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def _averaged(weights: Floats, shapes: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """The Beta distribution with mean and variance of the mixture."""
    a, b = shapes
    mean = a / (a + b)
    variance = mean * (1 - mean) / (a + b + 1)
    weights = weights[:, :, np.newaxis]
    centre = (weights * mean).sum(axis=(0, 1))
    spread = (weights * (variance + (mean - centre) ** 2)).sum(axis=(0, 1))
    size = np.maximum(centre * (1 - centre) / spread - 1, _LEAST_SIZE)
    return centre * size, (1 - centre) * size


def _interval(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    tail = (1 - LEVEL) / 2
    return np.asarray(betaincinv(a, b, tail)), np.asarray(betaincinv(a, b, 1 - tail))


def _recall_shapes(rare: NDArray[Any], all_rare: Floats) -> tuple[Floats, Floats]:
    """Beta shapes, shares x spreads x rules."""
    mean = np.clip(_SHARES_KEPT[:, np.newaxis, np.newaxis] * rare / all_rare, 1e-6, 1 - 1e-6)
    size = np.maximum(_SPREADS[:, np.newaxis] * all_rare, _LEAST_SIZE)
    return mean * size, (1 - mean) * size


def _precision_shapes(base: float, rare: NDArray[Any], rows: NDArray[Any]) -> tuple[Floats, Floats]:
    """Beta shapes, shrinkages x spreads x rules."""
    m = _SHRINKAGES[:, np.newaxis, np.newaxis]
    mean = np.clip((rare + m * base) / (rows + m), 1e-6, 1 - 1e-6)
    size = np.maximum(_SPREADS[:, np.newaxis] * (rows + m), _LEAST_SIZE)
    return mean * size, (1 - mean) * size


def _log_normal(values: Floats, median: float, deviation: float) -> Any:
    return -0.5 * (np.log(values / median) / deviation) ** 2
