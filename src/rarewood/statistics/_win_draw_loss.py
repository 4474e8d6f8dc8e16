"""How often one method beats another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rarewood._terminal import shown
from rarewood.statistics._scores import as_numbers, check_level, differences, read_pair


@dataclass(frozen=True, repr=False)
class WinDrawLoss:
    """Counts of won, drawn and lost data sets; can be added, and prints as "3/1/0".

    Parameters
    ----------
    wins, draws, losses : int
        Number of data sets on which the first method is better, neither is, and the second is better.
    """

    wins: int
    draws: int
    losses: int

    def __add__(self, other: WinDrawLoss) -> WinDrawLoss:
        return WinDrawLoss(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def reversed(self) -> WinDrawLoss:
        """The counts from the point of view of the second method."""
        return WinDrawLoss(self.losses, self.draws, self.wins)

    @shown
    def __repr__(self) -> str:
        return f"{self.wins}/{self.draws}/{self.losses}"


def win_draw_loss(
    a: ArrayLike,
    b: ArrayLike,
    *,
    p_values: ArrayLike | None = None,
    level: float = 0.05,
    larger_is_better: bool = True,
) -> WinDrawLoss:
    """Count the data sets on which the first method wins, draws and loses.

    Parameters
    ----------
    a, b : array-like of shape (n_datasets,)
        Scores of two methods. Data sets on which either score is missing do not count.
    p_values : array-like of shape (n_datasets,), default=None
        p-values of a test on each data set, such as :func:`corrected_paired_t`; a difference that is not significant is a
        draw. None counts every difference.
    level : float, default=0.05
        A difference counts if its p-value is below this.
    larger_is_better : bool, default=True
        False for losses.

    Returns
    -------
    WinDrawLoss

    Examples
    --------
    >>> from rarewood.statistics import win_draw_loss
    >>> win_draw_loss([0.9, 0.8, 0.7], [0.8, 0.8, 0.9])
    1/1/1
    >>> win_draw_loss([0.9, 0.8, 0.7], [0.8, 0.8, 0.9], p_values=[0.01, 1.0, 0.3])
    1/2/0
    """
    first, second = read_pair(a, b)
    check_level(level)
    both = np.isfinite(first) & np.isfinite(second)
    gaps = differences(first[both], second[both]) * (1 if larger_is_better else -1)
    if p_values is not None:
        significant = as_numbers(p_values, "p_values")
        if len(significant) != len(first):
            raise ValueError(f"p_values has {len(significant)} entries for {len(first)} pairs of scores.")
        gaps[~(significant[both] < level)] = 0.0
    return WinDrawLoss(int((gaps > 0).sum()), int((gaps == 0).sum()), int((gaps < 0).sum()))
