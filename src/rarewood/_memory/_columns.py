"""How the values of a column are distributed, as counts of rows in a few bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 10
FEWEST = 10  # rows of a category with a bin of its own
_SEED = 20_262


@dataclass(frozen=True, eq=False)
class ColumnMemory:
    """Counts of training rows per bin.

    Numbers are counted between bounds, a number equal to a bound below it. Of categories, `bounds` are the codes that have a bin of
    their own, and all others, those never seen among them, share one. The last bin is that of missing values.
    """

    nominal: bool
    bounds: NDArray[np.float64]
    counts: NDArray[np.int64]  # of len(bounds) + 2 bins

    @classmethod
    def of_numbers(cls, values: NDArray[Any]) -> ColumnMemory:
        """Tenths of the values."""
        known = values[~np.isnan(values)].astype(np.float64)
        tenths = np.arange(1, BINS) / BINS
        bounds = np.unique(np.quantile(known, tenths, method="inverted_cdf")) if len(known) else np.empty(0)
        empty = cls(False, bounds, np.zeros(len(bounds) + 2, dtype=np.int64))
        return cls(False, bounds, empty.count(values))

    @classmethod
    def of_categories(cls, codes: NDArray[Any]) -> ColumnMemory:
        """Categories with enough rows.

        Where some have few, one half of the rows, drawn at random, says which have enough, and the other half is counted. So the count of
        rows outside all bins tells how many new rows to expect there, with categories that were never seen: whoever counts the rows
        that a list was made from finds too few outside it.
        """
        levels, sizes = np.unique(codes[~np.isnan(codes)], return_counts=True)
        counted = codes
        if len(sizes) and sizes.min() < 2 * FEWEST:
            chosen = np.random.default_rng(_SEED).random(len(codes)) < 0.5
            chosen[0] |= not chosen.any()  # few rows: a distribution needs one
            counted, others = codes[chosen], codes[~chosen]
            levels, sizes = np.unique(others[~np.isnan(others)], return_counts=True)
        bounds = levels[sizes >= FEWEST].astype(np.float64)
        empty = cls(True, bounds, np.zeros(len(bounds) + 2, dtype=np.int64))
        return cls(True, bounds, empty.count(counted))

    def count(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Rows of each bin."""
        missing = np.isnan(values)
        known = values[~missing].astype(np.float64)
        place = np.searchsorted(self.bounds, known, side="left")
        if self.nominal:
            last = len(self.bounds)
            inside = np.append(self.bounds, np.nan)[place] == known
            place = np.where(inside, place, last)
        return np.append(np.bincount(place, minlength=len(self.bounds) + 1), missing.sum()).astype(np.int64)
