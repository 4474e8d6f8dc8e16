"""Amounts from a column of a table: what it costs to miss each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files.sources import Block
from rarewood._tables.cells import CellError
from rarewood._tables.kinds import Numbers
from rarewood._tables.row_numbers import FIRST_OF_FILE
from rarewood._validation import did_you_mean
from rarewood.cli._errors import CommandError, ExitCode


@dataclass(frozen=True)
class Amounts:
    """The column with what it costs to miss each row; what a false alarm costs, if rows are decided by both."""

    column: str
    false_alarm: float | None = None

    @classmethod
    def of(cls, costs: tuple[float, str] | None, column: str | None) -> Amounts | None:
        """From what a user says; None without a column."""
        if costs is not None:
            return cls(costs[1], costs[0])
        return None if column is None else cls(column)

    def check(self, names: Sequence[str], where: str) -> None:
        """Raise unless a table with these columns has it."""
        if self.column not in names:
            raise CommandError(
                ExitCode.DATA, f"{where} has no column {self.column!r} of costs{did_you_mean(self.column, names)}"
            )

    def read(self, block: Block, table: Any, where: str) -> NDArray[np.float64]:
        """The amounts of a block of rows, of which `table` has the columns of the model."""
        if self.column in table:
            return as_amounts(table[self.column], self.column, where, block.first)
        try:
            cells = Numbers().parse(block.columns[self.column], self.column, where, block.first)
        except CellError as error:
            raise CommandError(ExitCode.DATA, str(error)) from error
        return as_amounts(cells, self.column, where, block.first)


def as_amounts(cells: Any, column: str, where: str, first_row: int = FIRST_OF_FILE) -> NDArray[np.float64]:
    """The cells as numbers of at least 0; rows are counted from `first_row`."""
    try:
        amounts = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        raise CommandError(ExitCode.DATA, f"{where}: column {column!r} of costs holds no numbers") from None
    wrong = np.flatnonzero(~(np.isfinite(amounts) & (amounts >= 0.0)))
    if len(wrong):
        cell = amounts[wrong[0]]
        what = "no number" if np.isnan(cell) else f"{cell:g}"
        raise CommandError(
            ExitCode.DATA,
            f"{where}: column {column!r} of costs has {what} in row {first_row + int(wrong[0])}; costs are numbers of at least 0",
        )
    return amounts
