"""From the log-odds of out-of-bag rows to those of new rows: all trees score a new row, few of them one that they left out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from rarewood._decisions._minimum import minimise
from rarewood._decisions._prior import of_odds, to_odds

_FLATTEST, _STEEPEST = 0.5, 2.0  # slopes
_FARTHEST = 6.0  # |offset|
_HALF_TRUSTED = 100  # rows of the rarer class by which half of log slope is believed

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Sharpening:
    """What log-odds of the second class become from out-of-bag rows to new rows: slope x log-odds + offset."""

    slope: float = 1.0
    offset: float = 0.0

    def cut(self, probability: float) -> float:
        """The cut between probabilities of new rows that calls the scores which this one calls of out-of-bag rows."""
        odds = to_odds(probability)
        if not 0.0 < odds < math.inf or self == UNCHANGED:
            return probability
        return of_odds(math.exp(self.slope * math.log(odds) + self.offset))

    def of_class(self, column: int) -> Sharpening:
        """The same for the log-odds of either class."""
        return self if column else Sharpening(self.slope, -self.offset)

    def probabilities(self, given: Numbers) -> Numbers:
        """Those of out-of-bag rows as new rows would have them."""
        return given if self == UNCHANGED else np.asarray(expit(self.slope * logit(given) + self.offset))

    def at_odds(self, factor: float) -> Sharpening:
        """The same where all odds, before and after, are multiplied by a factor."""
        return Sharpening(self.slope, self.offset + (1.0 - self.slope) * math.log(factor))


UNCHANGED = Sharpening()


def learn_sharpening(
    near: Numbers, far: Numbers, second: NDArray[np.bool_], weight: Numbers, more: Numbers
) -> Sharpening:
    """The line that makes calibrated out-of-bag log-odds those that all trees would give.

    `near` are the log-odds that calibration gives, `far` those of half of the trees: sums over rows are extrapolated from both to the
    noise of all trees, `more` times their difference beyond `near` (see `Rows` in _effect_fits.py). The slope is the one of largest
    likelihood; a calibration that few rows of a class have taught is too sure by itself, so its logarithm is shrunk. The offset makes the
    mean probability of new rows the share of the class.
    """
    n_rarer = min(np.count_nonzero(second), np.count_nonzero(~second))
    if n_rarer == 0:
        return UNCHANGED
    slope = float(_likeliest(near, far, second, weight, more)) ** (n_rarer / (n_rarer + _HALF_TRUSTED))
    here, beyond = weight * (1.0 + more), weight * more
    wanted = float(weight[second].sum())

    def excess(offset: float) -> float:
        return _dot(here, expit(slope * near + offset)) - _dot(beyond, expit(slope * far + offset)) - wanted

    if not excess(-_FARTHEST) < 0.0 < excess(_FARTHEST):
        return UNCHANGED
    return Sharpening(slope, float(brentq(excess, -_FARTHEST, _FARTHEST)))


def _likeliest(near: Numbers, far: Numbers, second: NDArray[np.bool_], weight: Numbers, more: Numbers) -> float:
    """The slope, beside an offset, of largest extrapolated likelihood."""
    scores = ((near, weight * (1.0 + more)), (far, -weight * more))

    def loss(v: Numbers) -> tuple[float, Numbers]:
        misfit, slope = 0.0, np.zeros(2)
        for score, counts in scores:
            z = v[0] * score + v[1]
            misfit += _dot(counts, np.logaddexp(0.0, np.where(second, -z, z)))
            lack = counts * (expit(z) - second)
            slope += (_dot(lack, score), lack.sum())
        return misfit, slope

    return float(minimise(loss, np.array([1.0, 0.0]), [(_FLATTEST, _STEEPEST), (-_FARTHEST, _FARTHEST)])[0])


def _dot(a: Numbers, b: Numbers) -> float:
    """The sum of products, in an order that does not depend on the number of processors, as that of a linear algebra library does."""
    return float((a * b).sum())
