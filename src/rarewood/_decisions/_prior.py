"""Probabilities for a population with other shares of the classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import Number, column_of
from rarewood.metrics import DecisionThreshold

_SHARE = Number(0.0, 1.0, open_low=True)
_ROUNDING = 1e-6
FOR_ANY_PROBABILITIES = ("cost", "given")  # rules that speak of probabilities, whatever population they are of


def read_prior(told: Any, classes: NDArray[Any], was: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shares of all classes from a mapping of labels to shares; classes it leaves out share the rest as before."""
    if not isinstance(told, Mapping) or not told:
        raise TypeError(
            f"prior={told!r} is not accepted; give a share, such as 0.01, or a dictionary from labels to shares, such as "
            f"{{{classes.tolist()[-1]!r}: 0.01}}."
        )
    told = {getattr(label, "item", lambda own=label: own)(): share for label, share in told.items()}
    for label, share in told.items():
        if not _SHARE.has_kind(share) or not _SHARE.has_range(share):
            raise ValueError(f"prior of {label!r} is {share!r}; give a share above 0 and at most 1.")
    known = classes.tolist()
    unknown = [label for label in told if label not in known]
    if unknown:
        raise ValueError(f"prior names {unknown[0]!r}, which is not a class of the model; its classes are {known}.")
    now = np.array([float(told.get(label, 0.0)) for label in known])
    rest = 1.0 - now.sum()
    others = [column for column, label in enumerate(known) if label not in told]
    if others and rest > _ROUNDING:
        now[others] = rest * was[others] / was[others].sum()
    elif others or abs(rest) > _ROUNDING:
        wanted = "less than 1, to leave a share for the other classes" if others else "1"
        raise ValueError(f"the shares in prior={told!r} sum to {now.sum():g}; they should sum to {wanted}.")
    return now


def prior_factors(was: NDArray[np.float64], now: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a change of prior multiplies probabilities by, before they are normalised. A class that was absent stays so."""
    return np.divide(now, was, out=np.zeros_like(now), where=was > 0)


def shift_prior(
    probabilities: NDArray[np.float64], was: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Bayes' rule: p_k now_k / was_k, in proportion."""
    moved = probabilities * prior_factors(was, now)
    total = moved.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(moved, total, out=probabilities.copy(), where=total > 0))


def carry_threshold(
    threshold: DecisionThreshold,
    classes: NDArray[Any],
    was: NDArray[np.float64],
    now: NDArray[np.float64],
    *,
    back: bool,
) -> DecisionThreshold | None:
    """The threshold for shifted probabilities; None if there is none. `back`: to the prior of the model itself.

    One that was chosen by costs, or given, is about probabilities and stays; which rows it calls positive changes, and what it
    gave on them is no longer known. Any other moves along and calls the same rows positive: its recall stays, its precision is
    that of the new population. With more than two classes that takes the others to keep their shares among each other.

    Its figures may be for other shares than the probabilities of the model are: those of the rows, where the model has weighed classes.
    """
    if threshold.rule in FOR_ANY_PROBABILITIES:
        return without_figures(threshold)
    column = column_of(threshold.positive, classes)
    factor = odds_factor(column, was, now)
    if factor is None:
        return None
    share = float(was[column]) if threshold.share is None else threshold.share
    first = share if threshold.carried_from is None else threshold.carried_from
    goal = first if back and threshold.carried_from is not None else float(now[column])
    lift = to_odds(goal) / to_odds(share)
    precision = of_odds(to_odds(threshold.precision) * lift)
    caught = threshold.recall * goal  # as a share of all rows
    called = caught / precision if precision > 0.0 else 0.0
    lower = threshold.lower
    if lower is not None and threshold.rule == "precision":
        lower = of_odds(to_odds(lower) * lift)
    return replace(
        threshold,
        value=of_odds(to_odds(threshold.value) * factor),
        precision=precision,
        f1=2.0 * caught / (called + goal),
        cost=None,
        promised=threshold.promised and threshold.rule == "recall",
        lower=lower,
        share=goal,
        carried_from=None if back else first,
    )


def without_figures(threshold: DecisionThreshold) -> DecisionThreshold:
    """The same value where it calls other rows than those that it was tried on: what it gives is not known."""
    nothing = math.nan
    return replace(
        threshold, precision=nothing, recall=nothing, f1=nothing, cost=None, n_alarms=None, n_hits=None, share=None
    )


def odds_factor(column: int, was: NDArray[np.float64], now: NDArray[np.float64]) -> float | None:
    """What a change of prior multiplies the odds of a class by; None if the other classes change among each other."""
    factors = now / was
    others = np.delete(factors, column)
    return None if np.ptp(others) > _ROUNDING * others.max() else float(factors[column] / others[0])


def to_odds(share: float) -> float:
    """Of a share that may be 1."""
    return share / (1.0 - share) if share < 1.0 else math.inf


def of_odds(odds: float) -> float:
    """The share that has these odds."""
    return odds / (1.0 + odds) if odds < math.inf else 1.0
