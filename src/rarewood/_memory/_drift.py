"""Whether counts of rows in bins differ, and by how much.

The population stability index compares the shares of rows in bins: PSI = sum (q - p) ln(q / p) over bins, with p of the training rows
and q of the new rows. Without drift, PSI n m / (n + m) is approximately chi-squared with one degree of freedom less than there are
bins (B. Yurdakul, "Statistical properties of population stability index", 2018), which says how large it gets by chance. Where bins are
nearly empty that is too rough, so Pearson's statistic decides whether chance explains a difference.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

Counts = NDArray[np.int64]

SOME, MUCH = 0.1, 0.25  # by convention
BY_CHANCE = 0.05  # of tables without drift have a column that is said to drift


@dataclass(frozen=True)
class Drift:
    """The stability index, how large chance alone makes it, the chance of such a difference, and a word for all that."""

    psi: float
    by_chance: float
    chance: float
    level: str  # "none", "some" or "much"


def compare_counts(train: Counts, new: Counts, n_columns: int = 1) -> Drift:
    """Of one column of so many that are looked at."""
    allowed = BY_CHANCE / n_columns
    psi, limit = stability_index(train, new), chance_limit(train, new, allowed)
    chance = _chance(train, new)
    return Drift(psi, limit, chance, level_of(psi, limit) if chance < allowed else "none")


def level_of(psi: float, by_chance: float) -> str:
    """The conventional word for the size of an index; "none" where chance explains it."""
    return "none" if psi <= by_chance or psi < SOME else "some" if psi < MUCH else "much"


def stability_index(train: Counts, new: Counts) -> float:
    """PSI of two lists of counts; half a row is added to each bin, so that an empty one does not make it infinite."""
    used = (train + new) > 0
    p, q = (_shares(counts[used]) for counts in (train, new))
    return float(((q - p) * np.log(q / p)).sum())


def chance_limit(train: Counts, new: Counts, allowed: float = BY_CHANCE) -> float:
    """The value that the index exceeds in a share `allowed` of pairs of tables without drift."""
    n_bins = int(((train + new) > 0).sum())
    if n_bins < 2 or not train.sum() or not new.sum():
        return 0.0
    return float(chi2.isf(allowed, n_bins - 1) * (1 / train.sum() + 1 / new.sum()))


def _shares(counts: Counts) -> NDArray[np.float64]:
    return np.asarray((counts + 0.5) / (counts.sum() + 0.5 * len(counts)), dtype=np.float64)


def _chance(train: Counts, new: Counts) -> float:
    """The p-value of Pearson's test that both come from one distribution."""
    used = (train + new) > 0
    both = np.stack([train[used], new[used]]).astype(np.float64)
    if both.shape[1] < 2 or not both.sum(axis=1).all():
        return 1.0
    expected = np.outer(both.sum(axis=1), both.sum(axis=0)) / both.sum()
    return float(chi2.sf(((both - expected) ** 2 / expected).sum(), both.shape[1] - 1))
