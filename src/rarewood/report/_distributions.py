"""The values of one column in a few places along an axis, so that groups of rows can be drawn over each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._pages.axes import round_numbers
from rarewood.report._tables import ReportTables

Floats = NDArray[np.float64]

_INTERVALS = 24
_MOST_LEVELS = 9
_ENDS = 0.01  # of the values lie outside the axis on either side, counted in its first and last interval
_SKEWED = 20.0  # times the median: the upper end of a column that is drawn on a logarithmic axis


@dataclass(frozen=True, eq=False)
class Places:
    """Levels of a column, the most frequent first, or the ends of intervals of its range."""

    levels: Floats | None
    edges: Floats
    logarithmic: bool = False

    @classmethod
    def of(cls, tables: ReportTables, j: int) -> Places | None:
        """Places for the values that test and training rows have; None for a column without values."""
        both = [tables.test[:, j], *(() if tables.train is None else (tables.train[:, j],))]
        known = np.concatenate([values[~np.isnan(values)] for values in both]).astype(np.float64)
        if not len(known):
            return None
        levels, counts = np.unique(known, return_counts=True)
        if tables.nominal[j]:
            return cls(levels[np.argsort(-counts, kind="stable")][:_MOST_LEVELS], np.empty(0))
        if len(levels) <= _MOST_LEVELS:
            return cls(levels, np.empty(0))
        low, middle, high = np.quantile(known, [_ENDS, 0.5, 1.0 - _ENDS])
        if low == high:
            low, high = levels[0], levels[-1]
        skewed = bool(low > 0.0 and high > _SKEWED * middle) and tables.columns.kinds[j].word == "number"
        edges = np.geomspace(low, high, _INTERVALS + 1) if skewed else np.linspace(low, high, _INTERVALS + 1)
        return cls(None, edges, skewed)

    def shares(self, values: NDArray[Any]) -> list[float]:
        """The share of rows at each place, among those that have a value."""
        known = values[~np.isnan(values)].astype(np.float64)
        n_rows = max(1, len(known))
        if self.levels is not None:
            return [float((known == level).sum()) / n_rows for level in self.levels]
        counts, _ = np.histogram(np.clip(known, self.edges[0], self.edges[-1]), self.edges)
        return [float(count) / n_rows for count in counts]

    def in_words(self, tables: ReportTables, j: int) -> dict[str, Any]:
        """The places for a drawing: names of levels, or both ends of the axis and values to name along it."""
        if self.levels is not None:
            return {"levels": [tables.in_words(j, float(level)) for level in self.levels.tolist()]}
        low, high = float(self.edges[0]), float(self.edges[-1])
        return {
            "levels": None,
            "from": low,
            "to": high,
            "logarithmic": self.logarithmic,
            "ticks": ticks_of_column(tables, j, low, high, logarithmic=self.logarithmic),
        }


def ticks_of_column(
    tables: ReportTables, j: int, low: float, high: float, *, logarithmic: bool = False
) -> list[list[Any]]:
    """Values to name along an axis, with their texts: round numbers, of dates both ends and the middle."""
    found = round_numbers(low, high, logarithmic=logarithmic) if tables.columns.kinds[j].word == "number" else []
    if len(found) > 1:
        return [[value, text] for value, text in found]
    return [[value, tables.in_words(j, value)] for value in (low, (low + high) / 2, high)]
