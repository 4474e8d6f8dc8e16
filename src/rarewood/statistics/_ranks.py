"""Ranks of methods over data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from rarewood._terminal import shown
from rarewood.statistics._scores import as_numbers, read_scores, tied_made_equal


@dataclass(frozen=True, repr=False)
class AverageRanks:
    """Average rank of each method; 1 is best.

    Parameters
    ----------
    names : tuple of str
        The methods.
    ranks : tuple of float
        Their average ranks.
    n_datasets : int
        Number of data sets.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    n_datasets: int

    def __getitem__(self, name: str) -> float:
        return self.as_dict()[name]

    def as_dict(self) -> dict[str, float]:
        """Method -> average rank, best first."""
        pairs = zip(self.names, self.ranks)
        return dict(sorted(pairs, key=lambda pair: pair[1]))

    @shown
    def __repr__(self) -> str:
        width = max(map(len, self.names))
        lines = [f"{name:{width}}  {rank:.2f}" for name, rank in self.as_dict().items()]
        return "\n".join([f"average ranks over {self.n_datasets} data sets, 1 is best", *lines])


def average_ranks(scores: Any, *, names: Sequence[str] | None = None, larger_is_better: bool = True) -> AverageRanks:
    """Average rank of each method over the data sets.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods), data frame or dict
        One row per data set, one column per method; a dictionary maps a method to its scores.
    names : sequence of str, default=None
        Names of the methods. None takes those of the frame or dictionary, or 1, 2, ...
    larger_is_better : bool, default=True
        False for losses.

    Returns
    -------
    AverageRanks

    See Also
    --------
    friedman : Whether the ranks differ by more than chance.

    Examples
    --------
    >>> from rarewood.statistics import average_ranks
    >>> average_ranks({"tree": [0.7, 0.8, 0.6], "forest": [0.9, 0.8, 0.7]})
    average ranks over 3 data sets, 1 is best
    forest  1.17
    tree    1.83
    """
    matrix, labels = read_scores(scores, names)
    ranks = rank_scores(matrix, larger_is_better=larger_is_better)
    return AverageRanks(labels, tuple(ranks.mean(axis=0).tolist()), len(ranks))


def rank_scores(scores: ArrayLike, *, larger_is_better: bool = True) -> NDArray[np.float64]:
    """Ranks within each row: 1 is best, ties share their mean rank.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Scores without missing values.
    larger_is_better : bool, default=True
        False for losses.

    Returns
    -------
    ndarray of shape (n_datasets, n_methods)

    Examples
    --------
    >>> from rarewood.statistics import rank_scores
    >>> rank_scores([[0.7, 0.9, 0.7], [0.5, 0.6, 0.4]])
    array([[2.5, 1. , 2.5],
           [2. , 1. , 3. ]])
    """
    matrix = as_numbers(scores, "scores", ndim=2)
    even = np.reshape([tied_made_equal(row, np.abs(row).max()) for row in matrix], matrix.shape)
    ranks: NDArray[np.float64] = rankdata(-even if larger_is_better else even, axis=1, nan_policy="raise")
    return ranks
