"""Rules as a score: a logistic model with one weight per rule, at least 0, shrunk towards 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

PENALTY = 0.3  # what the study of docs/rules.md found no better value for
_STEPS = 30
_TOLERANCE = 1e-8
_STRETCH_PRIOR = 1.0
_RULES_AT_ONCE = 30  # bits of a number that say which of them hold


@dataclass(frozen=True)
class Groups:
    """Rows put together for which the same rules hold: they count as one."""

    kinds: Flags  # groups x rules
    number: NDArray[np.int64]  # of each row's group

    @classmethod
    def of(cls, fires: Flags) -> Groups:
        """The groups of rows, given by which rules hold for them, rows x rules."""
        key = np.zeros(len(fires), dtype=np.int64)
        first = np.zeros(min(1, len(fires)), dtype=np.int64)
        for begin in range(0, fires.shape[1], _RULES_AT_ONCE):
            for column in fires[:, begin : begin + _RULES_AT_ONCE].T:
                key = 2 * key + column
            _, first, key = np.unique(key, return_index=True, return_inverse=True)  # below the number of rows again
        return cls(fires[first], key.ravel())


@dataclass(frozen=True)
class RuleWeights:
    """Log-odds of the rare class: `intercept`, and for every rule that holds its weight."""

    intercept: float
    weights: Floats

    def log_odds(self, fires: NDArray[Any]) -> Floats:
        """The log-odds of rows, given by which rules hold for them, rows x rules."""
        return np.asarray(self.intercept + fires @ self.weights)

    @classmethod
    def fitted(cls, fires: Flags, is_rare: Flags, row_weight: Floats | float, penalty: float) -> RuleWeights:
        """Fit to rows x rules; `penalty` is half of what the squared weights cost."""
        return cls.of_groups(Groups.of(fires), is_rare, row_weight, penalty)

    @classmethod
    def of_groups(cls, groups: Groups, is_rare: Flags, row_weight: Floats | float, penalty: float) -> RuleWeights:
        """Like `fitted`, for rows that are grouped by the rules that hold for them."""
        kinds, number = groups.kinds, groups.number
        weight = np.broadcast_to(np.asarray(row_weight, dtype=np.float64), len(number))
        rows = np.bincount(number, weights=weight, minlength=len(kinds))
        rare = np.bincount(number, weights=weight * is_rare, minlength=len(kinds))
        active = np.ones(kinds.shape[1], dtype=bool)
        while True:  # a rule whose weight would be negative gets none
            fit = _fitted(kinds[:, active].astype(np.float64), rows, rare, penalty)
            negative = fit[1:] < 0
            if not negative.any():
                weights = np.zeros(kinds.shape[1])
                weights[active] = fit[1:]
                return cls(float(fit[0]), weights)
            active[np.flatnonzero(active)[negative]] = False


def calibrated(weights: RuleWeights, out_of_fold: Floats, is_rare: Flags) -> tuple[RuleWeights, Floats]:
    """The weights stretched and moved so that log-odds are right for rows that were left out, and those rows' probabilities.

    `out_of_fold` are log-odds of the same procedure for rows that it did not see. The stretch is at least 0 and at most 1:
    what was fitted to rows can only be too sure of them.
    """
    design = np.stack([np.ones(len(out_of_fold)), out_of_fold], axis=1)
    at = np.array([0.0, 1.0])
    for _ in range(_STEPS):
        pull = _STRETCH_PRIOR * np.array([0.0, at[1] - 1.0])
        step = _newton_step(design, 1.0, is_rare, at, pull, np.array([1e-6, _STRETCH_PRIOR]))
        at = at + step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-12))
        if np.abs(step).max() < 1e-9:
            break
    shift, slope = float(at[0]), float(np.clip(at[1], 0.0, 1.0))
    stretched = RuleWeights(shift + slope * weights.intercept, slope * weights.weights)
    return stretched, np.asarray(expit(shift + slope * out_of_fold))


def _fitted(groups: Floats, rows: NDArray[Any], rare: NDArray[Any], penalty: float) -> Floats:
    """Intercept and weights, of any sign; steps are halved until the penalised likelihood grows."""
    design = np.column_stack([np.ones(len(groups)), groups])
    ridge = np.full(design.shape[1], 2 * penalty)
    ridge[0] = 1e-9
    at = np.zeros(design.shape[1])
    at[0] = logit((rare.sum() + 0.5) / (rows.sum() + 1))

    def cost(place: Floats) -> float:
        z = design @ place
        return float((rows * np.logaddexp(0, z) - rare * z).sum() + 0.5 * (ridge * place**2).sum())

    now = cost(at)
    for _ in range(_STEPS):
        step = _newton_step(design, rows, rare, at, ridge * at, ridge)
        length = 1.0
        while (new := cost(at + length * step)) > now and length > 1e-6:
            length /= 2
        at = at + length * step
        if now - new < _TOLERANCE * (1 + abs(now)):
            break
        now = new
    return at


def _newton_step(
    design: Floats, rows: NDArray[Any] | float, rare: NDArray[Any], at: Floats, pull: Floats, ridge: Floats
) -> Floats:
    """A step towards the best logistic fit to `rare` of `rows`; `pull` and `ridge` are slope and curvature of the penalty."""
    p = expit(design @ at)
    slope = design.T @ (rare - rows * p) - pull
    curve = (design * (rows * p * (1 - p))[:, np.newaxis]).T @ design + np.diag(ridge)
    return np.linalg.solve(curve, slope)
