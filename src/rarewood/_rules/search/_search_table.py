"""What a search for rules needs of labelled rows, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._conditions import Conditions
from rarewood._tables import Columns, LabelledRows, Rows
from rarewood._tables.row_source import MatrixRows, RowSource
from rarewood._validation import Labels


@dataclass(frozen=True, eq=False)
class SearchTable:
    """Labelled rows of which a search takes a sample, and on all of which its rules are counted."""

    source: RowSource
    columns: Columns
    labels: Labels
    positive: Any

    @classmethod
    def of(cls, table: LabelledRows) -> Self:
        """Rows in memory, column by column, as rules look at them."""
        return cls(MatrixRows(np.asfortranarray(table.matrix)), table.columns, table.labels, table.positive)

    def __len__(self) -> int:
        return len(self.labels.codes)

    @property
    def is_rare(self) -> NDArray[np.bool_]:
        """Which rows belong to the class to be found."""
        return np.asarray((self.labels.classes == self.positive)[self.labels.codes])

    def take(self, numbers: NDArray[np.int64]) -> LabelledRows:
        """The rows of those numbers."""
        labels = Labels(self.labels.classes, self.labels.codes[numbers])
        return LabelledRows(Rows(self.source.rows(numbers), self.columns), labels, self.positive)

    def covers(self, rules: Conditions) -> NDArray[np.bool_]:
        """For which rows each rule holds, rows x rules."""
        return np.asarray(self.source.map_rows(rules.covers))
