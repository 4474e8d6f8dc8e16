"""Shares of rows and their uncertainty, for the packages above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GroupSums", "independent_trials", "wilson_interval"]


def wilson_interval(hits: Any, n: Any, z: float) -> tuple[Any, Any]:
    """Wilson's interval of a share, `hits` of `n` rows, which are more than none; `z` is the normal quantile of its level.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
    """
    centre = (hits + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(hits * (n - hits) / n + z**2 / 4)
    return centre - half, centre + half


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums over groups of trials: of squared hits, of hits x trials, of squared trials; and the number of groups. Arrays hold several."""

    hits: Any
    both: Any
    trials: Any
    n_groups: Any

    @classmethod
    def of(cls, hit: NDArray[np.bool_], groups: NDArray[np.intp]) -> GroupSums:
        """Of trials that were hits or not, and the group of each."""
        of_group = np.unique(groups, return_inverse=True)[1].ravel()
        trials, hits = np.bincount(of_group), np.bincount(of_group, weights=hit)
        return cls(float((hits**2).sum()), float((hits * trials).sum()), float((trials**2).sum()), float(len(trials)))


def independent_trials(sums: GroupSums, share: Any, trials: Any) -> Any:
    """How many independent trials say as much as these, whose share of hits is `share`: the variance of a share of grouped trials.

    The variance is that of a ratio over groups, with one success and one failure more, so that a few groups that agree do not count as
    certainty. Never fewer than if each group were one observation, and never more than there are.
    """
    squares = sums.hits - 2.0 * share * sums.both + share**2 * sums.trials
    variance = (np.maximum(squares, 0.0) + (1.0 - share) ** 2 + share**2) / (trials + 1.0) ** 2
    variance = variance * (sums.n_groups + 1.0) / sums.n_groups
    alone = np.asarray(trials**2 / sums.trials)
    return np.minimum(trials, np.maximum(share * (1.0 - share) / variance, alone))
