"""Figures of the page day by day, week by week or month by month, to see whether the model holds as time goes on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from rarewood._memory import ColumnMemory, compare_counts
from rarewood._tables.periods import date_of, label_of, period_of, unit_of
from rarewood.report._sections.segments import BY_CHANCE, SHARES, counts_of, differences, figures_of
from rarewood.report._subject import Subject


def periods(subject: Subject) -> dict[str, Any] | None:
    """Figures of each period with rows; None without days, or where all rows are of one.

    Rare rows are the events that the unit is chosen by.
    """
    rows, days, alarm = subject.rows, subject.days, subject.alarms
    unit = None if days is None else unit_of(days, rows.n_rare)
    if days is None or unit is None:
        return None
    number = period_of(days, unit)
    whole = figures_of("all rows", np.ones_like(alarm), rows, alarm) | {"mean_score": float(rows.scores.mean())}
    groups = []
    for each in np.unique(number).tolist():
        inside = number == each
        group = figures_of(label_of(each, unit), inside, rows, alarm)
        groups.append(
            group
            | {
                "place": int(each - number.min()),
                "mean_score": float(rows.scores[inside].mean()),
                "differs": differences(group, whole),
                "scores": _against_others(rows.scores, inside),
            }
        )
    return {
        "unit": unit,
        "first": str(date_of(int(days.min()))),
        "last": str(date_of(int(days.max()))),
        "groups": groups,
        "whole": whole,
        "trends": _trends(groups),
    }


def _against_others(scores: NDArray[np.float64], inside: NDArray[np.bool_]) -> dict[str, Any]:
    """The stability index of the scores of a period against all others; the model has seen neither, so they are comparable."""
    memory = ColumnMemory.of_numbers(scores[~inside])
    found = compare_counts(memory.counts, memory.count(scores[inside]))
    return {"psi": found.psi, "by_chance": found.by_chance, "level": found.level}


def _trends(groups: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The shares that rise or fall along the periods by more than chance would explain."""
    found = []
    for key in SHARES:
        counts = [counts_of(group, key) for group in groups]
        z = trend([hits for hits, _ in counts], [n for _, n in counts], [group["place"] for group in groups])
        if 2 * norm.sf(abs(z)) < BY_CHANCE:
            found.append({"key": key, "direction": "rises" if z > 0 else "falls"})
    return found


def trend(hits: Sequence[int], n: Sequence[int], places: Sequence[int]) -> float:
    """The statistic of Cochran and Armitage: how many standard deviations a share rises along the places; 0 of a constant."""
    hit, of, at = (np.asarray(each, dtype=np.float64) for each in (hits, n, places))
    total = of.sum()
    if not total:
        return 0.0
    share = hit.sum() / total
    centred = at - (of * at).sum() / total
    variance = share * (1 - share) * (of * centred**2).sum()
    return float((centred * (hit - of * share)).sum() / math.sqrt(variance)) if variance > 0 else 0.0
