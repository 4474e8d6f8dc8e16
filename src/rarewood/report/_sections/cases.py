"""Single rows worth a look, with the reasons for their scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import take_rows
from rarewood.inspection import Explanation, explain
from rarewood.report._subject import Subject

_MOST = 10  # of a kind
_REASONS = 4


def single_rows(subject: Subject) -> dict[str, Any]:
    """The rows of the highest scores, and the missed rare rows of the lowest ones."""
    rows, alarm, row_names = subject.rows, subject.alarms, subject.row_names
    kinds = {
        "strongest": _first(-rows.scores, np.ones_like(alarm)),
        "misses": _first(rows.scores, ~alarm & rows.is_rare),
    }
    listed = np.unique(np.concatenate(list(kinds.values())))
    explanation, note = _explained(subject, listed)
    reasons = {row: _reasons(subject, explanation, place) for place, row in enumerate(listed.tolist())}
    cases: dict[str, Any] = {
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
    return {**cases, "note": note}


def _first(order: NDArray[np.float64], among: NDArray[np.bool_]) -> NDArray[np.intp]:
    chosen = np.flatnonzero(among)
    return np.asarray(chosen[np.argsort(order[chosen], kind="stable")[:_MOST]], dtype=np.intp)


def _explained(subject: Subject, listed: NDArray[np.intp]) -> tuple[Explanation | None, str]:
    """Reasons for the scores of some rows, and a note on them; no reasons behind a step that changes columns."""
    model, rows = subject.inner, subject.rows_of_model
    if rows is None:
        return None, "No reasons are shown, because the model does not use the columns of the table as they are."
    try:
        seed = subject.options.random_state
        explanation = explain(model, take_rows(rows, listed), positive=subject.positive, random_state=seed)
    except TypeError:
        return None, f"Scores of {type(model).__name__} are not sums over trees, so there are no reasons per column."
    note = (
        "Each reason names a column, the value that the row has there, and how far it moves the score up or down, "
        "compared with a row about which nothing is known (Shapley values: over all columns, they add up to the "
        "difference in score)."
    )
    return explanation, note


def _reasons(subject: Subject, explanation: Explanation | None, place: int) -> list[dict[str, Any]]:
    if explanation is None:
        return []
    names = dict(zip(explanation.feature_names, subject.tables.names, strict=True))  # those of the page
    return [
        {"column": names[each.column], "cell": each.cell, "value": each.value}
        for each in explanation.reasons(place, _REASONS, label=subject.positive)
    ]
