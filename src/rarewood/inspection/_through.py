"""Contributions to a sum over trees, carried over to the probabilities that are made of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import Score

_N_POINTS = 32
_STEP = 1e-6
_NEARLY_NOTHING = 1e-9


@dataclass(frozen=True)
class Sums:
    """Contributions to sums over trees, and what the sums become.

    `start` and `total` are the sums over the trees that nothing and a row give, for all classes, `finished_start` and
    `probabilities` what they become; `values` and `errors` have the shape (rows, columns, outputs).
    """

    score: Score
    start: NDArray[np.float64]
    finished_start: NDArray[np.float64]
    values: NDArray[np.float64]
    errors: NDArray[np.float64] | None
    total: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    def around_start(self, column: int) -> NDArray[np.float64]:
        """Of two classes, the start with a little less and a little more of `column`."""
        step = np.full(2, -_STEP)
        step[column] = _STEP
        return np.asarray(np.clip(np.stack([self.start - step, self.start + step]), 0.0, 1.0))

    def way(self, column: int) -> NDArray[np.float64]:
        """From the start to the sum of each row."""
        return np.asarray(self.total[:, column] - self.start[column])


def carried_over(
    sums: Sums, outputs: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
    """Base values, contributions and standard errors of the probabilities in columns `outputs`."""
    values, errors = sums.values, sums.errors
    gaps = sums.probabilities[:, outputs] - sums.finished_start[outputs]
    if len(outputs) == 1:
        factors = _factors(sums, gaps[:, 0], outputs[0])
        moved = values * factors[:, np.newaxis, np.newaxis]
        spread = None if errors is None else errors * np.abs(factors)[:, np.newaxis, np.newaxis]
    else:
        matrices = _mean_derivatives(sums.score, sums.start, sums.total)
        moved = np.einsum("rkl,rjl->rjk", matrices, values)
        spread = None if errors is None else np.sqrt(np.einsum("rkl,rjl->rjk", matrices**2, errors**2))
    return sums.finished_start[outputs], _adding_up(moved, gaps), spread


def with_effects(
    sums: Sums, parts: NDArray[np.float64], column: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
    """The same for two classes where each column adds `parts` to the log-odds: by way of the log-odds."""
    assert sums.score.calibration is not None
    sign = 1.0 if column == 1 else -1.0
    ends = sums.around_start(column)
    points = np.concatenate([ends, sums.start[np.newaxis, :], sums.total])
    low, high, middle, *found = sign * sums.score.calibration.log_odds(points)
    to_odds = _ratio(np.array(found) - middle, sums.way(column), (high - low) / (ends[1] - ends[0])[column])
    odds = sums.values[:, :, 0] * to_odds[:, np.newaxis] + sign * parts
    base = sums.finished_start[column]
    gaps = sums.probabilities[:, column] - base
    around = sums.score.finished(ends)[:, column]
    to_probability = _ratio(gaps, odds.sum(axis=1), (around[1] - around[0]) / (high - low))[:, np.newaxis, np.newaxis]
    spread = None if sums.errors is None else sums.errors * np.abs(to_odds[:, np.newaxis, np.newaxis] * to_probability)
    moved = _adding_up(odds[:, :, np.newaxis] * to_probability, gaps[:, np.newaxis])
    return sums.finished_start[[column]], moved, spread


def _factors(sums: Sums, gaps: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    """(f(m) - f(m0)) / (m - m0), the derivative where m is m0."""
    ends = sums.around_start(column)
    low, high = sums.score.finished(ends)[:, column]
    return _ratio(gaps, sums.way(column), (high - low) / (ends[1, column] - ends[0, column]))


def _ratio(gaps: NDArray[np.float64], way: NDArray[np.float64], slope: float) -> NDArray[np.float64]:
    """The gaps over the way, and `slope` where there is no way to go."""
    near = np.abs(way) < _NEARLY_NOTHING
    return np.where(near, slope, gaps / np.where(near, 1.0, way))


def _mean_derivatives(score: Score, start: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over the straight way from `start` to each row of d f_k / d m_l, rows x classes x classes."""
    slopes = np.ones(len(start)) if score.calibration is None else score.calibration.slopes
    points, weights = np.polynomial.legendre.leggauss(_N_POINTS)
    found = np.zeros((len(total), len(start), len(start)))
    for point, weight in zip((points + 1.0) / 2.0, weights / 2.0, strict=True):
        at = start + point * (total - start)
        p = score.finished(at)
        relative = slopes / np.maximum(
            at, np.finfo(float).tiny
        )  # f_k is in proportion to a constant times m_k to the slope
        found += weight * p[:, :, np.newaxis] * (np.eye(len(start)) - p[:, np.newaxis, :]) * relative[:, np.newaxis, :]
    return found


def _adding_up(values: NDArray[np.float64], gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """What rounding and integration have left over, given to the columns by the size of their contributions."""
    sizes = np.abs(values)
    whole = _sum_of_columns(sizes)
    rest = gaps[:, np.newaxis, :] - _sum_of_columns(values)
    return np.asarray(values + rest * np.divide(sizes, whole, out=np.zeros_like(sizes), where=whole > 0.0))


def _sum_of_columns(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One column after the other; the order of NumPy's sum depends on the number of rows."""
    return np.asarray(np.cumsum(values, axis=1)[:, -1:, :])
