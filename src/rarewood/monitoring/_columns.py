"""Drift of columns since training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._memory import ColumnMemory, compare_counts
from rarewood.monitoring._watched import Watched, forest_of

_DRAWN = 12  # bins of a column


def counts_of(watched: Watched, matrix: NDArray[Any]) -> list[NDArray[np.int64]] | None:
    """Rows in the bins of each column; None where the model does not remember columns."""
    memory = watched.memory.columns
    return None if memory is None else [each.count(matrix[:, number]) for number, each in enumerate(memory)]


def drift_of(watched: Watched, counts: list[NDArray[np.int64]] | None) -> list[dict[str, Any]] | None:
    """Of each column, the largest first."""
    memory = watched.memory.columns
    if memory is None or counts is None:
        return None
    found: list[dict[str, Any]] = []
    for number, (name, column, new) in enumerate(zip(watched.names, memory, counts, strict=True)):
        drift = compare_counts(column.counts, new, len(memory))
        found.append(
            {
                "name": name,
                "psi": drift.psi,
                "by_chance": drift.by_chance,
                "level": drift.level,
                "change": _change(watched, number, column, new),
                "missing_before": float(column.counts[-1] / column.counts.sum()),
                "missing_now": float(new[-1] / new.sum()),
            }
        )
        if drift.level != "none":
            found[-1]["drawing"] = _drawing(watched, number, column, new)
    return sorted(found, key=lambda each: -each["psi"])


def _drawing(watched: Watched, number: int, column: ColumnMemory, new: NDArray[np.int64]) -> dict[str, Any]:
    """The share of rows in each bin before and now; of very many, those that held most rows before."""
    before, now = column.counts / column.counts.sum(), new / new.sum()
    places = np.sort(np.argsort(-before, kind="stable")[:_DRAWN])
    return {
        "levels": [_bin(watched, number, column, place) for place in places.tolist()],
        "before": before[places].tolist(),
        "here": now[places].tolist(),
    }


def _change(watched: Watched, number: int, column: ColumnMemory, new: NDArray[np.int64]) -> str:
    """The bin whose share has changed most."""
    before, now = column.counts / column.counts.sum(), new / new.sum()
    most = int(np.argmax(np.abs(now - before)))
    return f"{_bin(watched, number, column, most)}: {100 * before[most]:.1f} % → {100 * now[most]:.1f} %"


def _bin(watched: Watched, number: int, column: ColumnMemory, place: int) -> str:
    kind, last = forest_of(watched.model)._columns.kinds[number], len(column.bounds)
    if place == last + 1:
        return "missing"
    if column.nominal:
        return "other categories" if place == last else kind.in_words(float(column.bounds[place]), 0)
    words = [kind.in_words(float(bound), 4) for bound in column.bounds]
    if not words:
        return "values"
    if place == 0:
        return f"up to {words[0]}"
    return f"above {words[-1]}" if place == last else f"{words[place - 1]} to {words[place]}"
