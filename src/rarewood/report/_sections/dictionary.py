"""The data dictionary: what each column is, what it holds, and what it is worth to the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarewood.report._subject import Subject
from rarewood.report._tables import ReportTables

_WORDS = {"nominal": "category", "datetime": "date and time"}
_NAMED = 6


def dictionary(subject: Subject) -> list[dict[str, Any]]:
    """One entry per column, the most important first. Values are those of the test rows."""
    tables, importance, alone = subject.tables, subject.importances.sizes, subject.examined.single
    return [
        {
            "name": tables.names[j],
            "nominal": bool(tables.nominal[j]),
            "kind": _kind(tables, j),
            "importance": float(importance[j]),
            "auc_alone": float(alone[j]),
            "missing_share": float(np.isnan(tables.test[:, j]).mean()),
            "train_missing_share": None if tables.train is None else float(np.isnan(tables.train[:, j]).mean()),
            **_values(tables, j),
        }
        for j in np.argsort(-importance, kind="stable").tolist()
    ]


def _kind(tables: ReportTables, j: int) -> str:
    word = tables.columns.kinds[j].word
    if word != "number":
        return _WORDS.get(word, word)
    known = tables.test[:, j][~np.isnan(tables.test[:, j])]
    return "whole number" if len(known) and bool(np.all(known == np.floor(known))) else "number"


def _values(tables: ReportTables, j: int) -> dict[str, Any]:
    """The number of distinct values, and the ends of their range or the most frequent categories."""
    values = tables.test[:, j]
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if not len(levels):
        return {"n_distinct": 0, "values": "no values"}
    if not tables.nominal[j]:
        low, high = (tables.in_words(j, float(end)) for end in (levels[0], levels[-1]))
        return {"n_distinct": len(levels), "values": low if low == high else f"{low} to {high}"}
    frequent = levels[np.argsort(-counts, kind="stable")][:_NAMED]
    more = len(levels) - len(frequent)
    text = ", ".join(tables.in_words(j, float(level)) for level in frequent.tolist())
    return {"n_distinct": len(levels), "values": text + (f" and {more:,} more" if more else "")}
