"""Figures of the page day by day, week by week or month by month, to see whether the model holds as time goes on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from rarewood._memory import ColumnMemory, compare_counts
from rarewood.report._sections.segments import BY_CHANCE, SHARES, counts_of, differences, figures_of
from rarewood.report._subject import Subject

Whole = NDArray[np.int64]

_UNITS = ("day", "week", "month", "quarter", "year")
_MOST = 31
_RARE = 10  # rare rows of an average period; shares of fewer say little


def periods(subject: Subject) -> dict[str, Any] | None:
    """Figures of each period with rows; None without days, or where all rows are of one.

    The unit is the shortest in which an average period has ten rare rows and there are no
    more than 31 periods, else the longest of which there are two.
    """
    rows, days, alarm = subject.rows, subject.days, subject.alarms
    unit = None if days is None else _unit(rows.n_rare, days)
    if days is None or unit is None:
        return None
    number = _number(days, unit)
    whole = figures_of("all rows", np.ones_like(alarm), rows, alarm) | {"mean_score": float(rows.scores.mean())}
    groups = []
    for each in np.unique(number).tolist():
        inside = number == each
        group = figures_of(_label(each, unit), inside, rows, alarm)
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
        "first": str(_date(int(days.min()))),
        "last": str(_date(int(days.max()))),
        "groups": groups,
        "whole": whole,
        "trends": _trends(groups),
    }


def _unit(n_rare: int, days: Whole) -> str | None:
    """The unit in which the rows are shown."""
    sizes = {unit: len(np.unique(_number(days, unit))) for unit in _UNITS}
    several = {unit: n for unit, n in sizes.items() if n > 1}
    fitting = (unit for unit, n in several.items() if n <= _MOST and n_rare / n >= _RARE)
    return next(fitting, next(reversed(several), None))


def _number(days: Whole, unit: str) -> Whole:
    """The number of the period that a day falls in, counted without gaps; weeks begin on Monday."""
    if unit == "day":
        return days
    if unit == "week":
        return (days + 3) // 7  # 1970-01-01 was a Thursday
    months = days.astype("M8[D]").astype("M8[M]").astype(np.int64)
    return np.asarray(months // {"month": 1, "quarter": 3, "year": 12}[unit])


def _label(number: int, unit: str) -> str:
    """The name of a period: its day, the Monday of its week, its month, quarter or year."""
    if unit in ("day", "week"):
        return str(_date(number if unit == "day" else 7 * number - 3))
    if unit == "month":
        return str(np.datetime64(number, "M"))
    return str(1970 + number) if unit == "year" else f"{1970 + number // 4} Q{number % 4 + 1}"


def _date(day: int) -> np.datetime64:
    return np.datetime64(day, "D")


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
