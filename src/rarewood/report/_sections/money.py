"""What decisions are worth if each row has its own cost: which alarms pay, what a review budget finds, what each threshold costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import pays
from rarewood.report._sections.review import caught_by_number, nice_numbers
from rarewood.report._subject import Subject

_MOST_POINTS = 200

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def money(subject: Subject) -> dict[str, Any] | None:
    """Figures in the unit of the amounts; None where rows have no amounts of their own.

    `by_row` decides each row by its own costs: an alarm where its score times its amount is at least what a false alarm is expected to
    cost. That is the cheapest way if scores are probabilities; the figures are what it costs on these rows.
    """
    amounts = subject.amounts
    if amounts is None:
        return None
    rows, alarm = subject.rows, subject.costs[0]
    worth = pays(rows.scores, alarm, amounts)
    called = subject.alarms
    n_days = None if subject.days is None else len(np.unique(subject.days))
    return {
        "false_alarm": alarm,
        "at_stake": float(amounts[rows.is_rare].sum()),
        "n_days": n_days,
        "at_threshold": _outcome(called, rows.is_rare, amounts, alarm),
        "by_row": _outcome(worth, rows.is_rare, amounts, alarm),
        "of_no_alarm": _outcome(np.zeros_like(called), rows.is_rare, amounts, alarm),
        "alarms_that_pay": int(np.count_nonzero(called & worth)),
        "alarms_that_do_not": _group(called & ~worth, rows.is_rare, amounts),
        "passed_though_they_pay": _group(~called & worth, rows.is_rare, amounts),
        "budgets": _budgets(subject, amounts),
        "curve": _curve(subject, amounts, alarm),
    }


def _outcome(called: Mask, rare: Mask, amounts: Floats, alarm: float) -> dict[str, Any]:
    found, missed = float(amounts[called & rare].sum()), float(amounts[~called & rare].sum())
    n_false = int(np.count_nonzero(called & ~rare))
    return {
        "alarms": int(np.count_nonzero(called)),
        "false_alarms": n_false,
        "found": found,
        "missed": missed,
        "cost": missed + alarm * n_false,
        "gain": found - alarm * n_false,
    }


def _group(rows: Mask, rare: Mask, amounts: Floats) -> dict[str, Any]:
    return {
        "n_rows": int(np.count_nonzero(rows)),
        "n_rare": int(np.count_nonzero(rows & rare)),
        "found": float(amounts[rows & rare].sum()),
    }


def _budgets(subject: Subject, amounts: Floats) -> list[dict[str, Any]]:
    """Value found in the N rows a day of the highest scores, and of the highest score x amount; without days, of all rows."""
    rows = subject.rows
    day = np.zeros(len(rows.scores), dtype=np.int64) if subject.days is None else subject.days
    at_stake = np.where(rows.is_rare, amounts, 0.0)
    reviewed, by_score = caught_by_number(rows.scores, at_stake, day)
    _, by_value = caught_by_number(rows.scores * amounts, at_stake, day)
    n_days = len(np.unique(day))
    numbers = subject.options.review or nice_numbers(rows.n_rare / n_days, len(reviewed))
    places = [(n, min(n, len(reviewed)) - 1) for n in sorted(set(numbers))]
    return [
        {
            "n": n,
            "reviewed": int(reviewed[place]),
            "by_score": round(float(by_score[place]), 6),
            "by_value": round(float(by_value[place]), 6),
            "by_score_a_day": float(by_score[place]) / n_days,
            "by_value_a_day": float(by_value[place]) / n_days,
        }
        for n, place in places
    ]


def _curve(subject: Subject, amounts: Floats, alarm: float) -> dict[str, Any]:
    """Cost at each threshold, or at some of them where there are many, and the cheapest of all."""
    rows = subject.rows
    order = np.argsort(-rows.scores, kind="stable")
    scores, rare = rows.scores[order], rows.is_rare[order]
    ends = np.append(scores[1:] != scores[:-1], True)  # rows of equal scores are called together
    cost = (
        float(amounts[rows.is_rare].sum()) - np.cumsum(np.where(rare, amounts[order], 0.0)) + alarm * np.cumsum(~rare)
    )
    thresholds, costs = scores[ends], cost[ends]
    cheapest = int(np.argmin(costs))
    by_rank = np.linspace(0, len(costs) - 1, _MOST_POINTS).astype(np.intp)
    by_threshold = np.searchsorted(-thresholds, -np.linspace(thresholds[0], thresholds[-1], _MOST_POINTS))
    places = np.unique(np.concatenate([by_rank, np.minimum(by_threshold, len(costs) - 1), [cheapest]]))
    return {
        "threshold": thresholds[places].tolist(),
        "cost": costs[places].tolist(),
        "cheapest": {"threshold": float(thresholds[cheapest]), "cost": float(costs[cheapest])},
    }
