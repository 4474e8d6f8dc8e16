"""What is caught if only so many rows can be reviewed: a day, or of the whole table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood.metrics.uncertainty import wilson
from rarewood.report._subject import Subject

_MOST_PLACES = 200
_MOST_LISTED = 7


def review(subject: Subject) -> dict[str, Any]:
    """Rare rows among the N highest scores of each day, for some N; without days, of all rows.

    Rows that tie at the border count in proportion: which of them are reviewed is left to chance.
    """
    rows, days, numbers = subject.rows, subject.days, subject.options.review
    day = np.zeros(len(rows.scores), dtype=np.int64) if days is None else days
    reviewed, caught = caught_by_number(rows.scores, rows.is_rare.astype(np.float64), day)
    largest = len(reviewed)
    n_days = len(np.unique(day))
    listed = nice_numbers(rows.n_rare / n_days, largest) if numbers is None else sorted(set(numbers))
    places = np.unique(np.rint(np.geomspace(1, largest, _MOST_PLACES)).astype(np.int64))
    return {
        "n_days": None if days is None else n_days,
        "rows_a_day": len(rows.scores) / n_days,
        "rare_a_day": rows.n_rare / n_days,
        "most": largest,
        "listed": [_outcome(n, reviewed, caught, rows.n_rare) for n in listed],
        "curve": {
            "n": places.tolist(),
            "reviewed": reviewed[places - 1].tolist(),
            "caught": np.round(caught[places - 1], 6).tolist(),
        },
    }


def caught_by_number(
    scores: NDArray[np.float64], worth: NDArray[np.float64], day: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows reviewed and what they are worth together, for 1, 2, ... rows a day up to those of the longest day, highest scores first."""
    order = np.lexsort((-scores, day))
    days, scores, worth = day[order], scores[order], worth[order]
    starts_day = np.append(True, days[1:] != days[:-1])
    starts_tie = starts_day | np.append(True, scores[1:] != scores[:-1])
    tie = np.cumsum(starts_tie) - 1
    expected = (np.bincount(tie, worth) / np.bincount(tie))[tie]
    number = np.arange(len(days)) - np.maximum.accumulate(np.where(starts_day, np.arange(len(days)), 0))
    return np.bincount(number).cumsum(), np.bincount(number, expected).cumsum()


def _outcome(n: int, reviewed: NDArray[np.int64], caught: NDArray[np.float64], n_rare: int) -> dict[str, Any]:
    place = min(n, len(reviewed)) - 1
    total = int(reviewed[place])
    hits = round(float(caught[place]), 9)  # the shares of ties add up to a whole number again
    return {
        "n": n,
        "reviewed": total,
        "caught": hits,
        "missed": n_rare - hits,
        "precision": hits / total,
        "precision_interval": list(wilson(hits, total)),
        "recall": hits / n_rare,
        "recall_interval": list(wilson(hits, n_rare)),
    }


def nice_numbers(rare: float, largest: int) -> list[int]:
    """Numbers such as 1, 2, 5, 10 from a fraction of the rare rows of a day to several times as many."""
    steps = [digit * 10**power for power in range(9) for digit in (1, 2, 5)]
    fitting = [step for step in steps if rare / 5 <= step <= min(20 * rare, largest)]
    return fitting[:_MOST_LISTED] or [min(largest, max(1, round(rare)))]
