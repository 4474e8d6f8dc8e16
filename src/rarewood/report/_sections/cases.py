"""Single rows worth a look, with the reasons for their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import Rows, take_rows
from rarewood.inspection import Explanation, explain
from rarewood.report._scored import ScoredRows

_MOST = 10  # of a kind
_REASONS = 4


def single_rows(
    model: Any,
    test: Rows | None,
    rows: ScoredRows,
    threshold: float,
    *,
    positive: Any,
    names: Sequence[str],
    row_names: Sequence[str] | None,
    random_state: int,
) -> dict[str, Any]:
    """The rows of the highest scores, and the missed rare rows of the lowest ones.

    `test` are the rows in the coding of the model; None if they cannot be had, as behind a step that changes columns. `names` are
    those of the page.
    """
    alarm = rows.scores >= threshold
    kinds = {
        "strongest": _first(-rows.scores, np.ones_like(alarm)),
        "misses": _first(rows.scores, ~alarm & rows.is_rare),
    }
    wanted = np.unique(np.concatenate(list(kinds.values())))
    told, note = _explained(model, test, wanted, positive, random_state)
    shown = {} if told is None else dict(zip(told.feature_names, names, strict=True))
    reasons = {row: _reasons(told, place, positive, shown) for place, row in enumerate(wanted.tolist())}
    found: dict[str, Any] = {
        kind: [
            {
                "row": row,
                "name": None if row_names is None else row_names[row],
                "score": float(rows.scores[row]),
                "is_rare": bool(rows.is_rare[row]),
                "is_alarm": bool(alarm[row]),
                "reasons": reasons[row],
            }
            for row in numbers.tolist()
        ]
        for kind, numbers in kinds.items()
    }
    return {**found, "note": note}


def _first(order: NDArray[np.float64], among: NDArray[np.bool_]) -> NDArray[np.intp]:
    chosen = np.flatnonzero(among)
    return np.asarray(chosen[np.argsort(order[chosen], kind="stable")[:_MOST]], dtype=np.intp)


def _explained(
    model: Any, test: Rows | None, wanted: NDArray[np.intp], positive: Any, random_state: int
) -> tuple[Explanation | None, str]:
    if test is None:
        return None, "No reasons are shown, because the model does not use the columns of the table as they are."
    try:
        told = explain(model, take_rows(test, wanted), positive=positive, random_state=random_state)
    except TypeError:
        return None, f"Scores of {type(model).__name__} are not sums over trees, so there are no reasons per column."
    note = (
        "Each reason names a column, the value that the row has there, and how far it moves the score up or down, "
        "compared with a row about which nothing is known (Shapley values: over all columns, they add up to the "
        "difference in score)."
    )
    return told, note


def _reasons(told: Explanation | None, place: int, positive: Any, names: Mapping[str, str]) -> list[dict[str, Any]]:
    if told is None:
        return []
    return [
        {"column": names[each.column], "cell": each.cell, "value": each.value}
        for each in told.reasons(place, _REASONS, label=positive)
    ]
