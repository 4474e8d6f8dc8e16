"""Columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import Column
from rarewood._tables.cells import MISSING, Form, NotNumbersError, as_numbers
from rarewood._tables.number_texts import NumberWriting
from rarewood._wording import number_in_words


@dataclass(frozen=True)
class Numbers:
    """Numbers, as they are; `writing` says how a file writes them where `float` does not read that."""

    word: ClassVar[str] = "number"
    categories: ClassVar[None] = None
    n_categories: ClassVar[int] = 0
    whole: ClassVar[bool] = False

    writing: NumberWriting | None = None

    @property
    def form(self) -> Form:
        return "number" if self.writing is None else "text"

    def can_read(self, column: Column) -> bool:
        return column.type in ("number", "boolean")

    def fits_float32(self, column: Column) -> bool:
        return column.fits_float32

    def read(self, column: Column) -> NDArray[Any]:
        return column.numbers()

    def widened(self, columns: Sequence[Column]) -> Numbers:  # noqa: ARG002
        return self

    def in_words(self, value: float, decimals: int) -> str:
        return number_in_words(value, decimals)

    def values(self, cells: NDArray[Any]) -> NDArray[Any]:
        return cells

    def parse(self, cells: Any, column: str, where: str, first: int) -> NDArray[np.float64]:
        if self.writing is None or isinstance(cells, np.ndarray):
            return as_numbers(cells, column, where, first)
        texts = [cell.strip() if isinstance(cell, str) else cell for cell in cells]
        known = {text: self._number(text) for text in dict.fromkeys(texts)}
        strange = [row for row, text in enumerate(texts) if known[text] is None]
        if strange:
            raise NotNumbersError(
                f"{where}: column {column!r} should hold numbers with {self.writing.in_words}, but row {first + strange[0]} has "
                f"{texts[strange[0]]!r:.60}."
            )
        return as_numbers(np.array([known[text] for text in texts], dtype=np.float64), column, where, first)

    def _number(self, cell: Any) -> float | None:
        """NaN for a missing cell, None for one that is no number."""
        if not isinstance(cell, str):
            return np.nan if cell is None else float(cell)
        assert self.writing is not None
        try:
            return np.nan if cell in MISSING else self.writing.number(cell)
        except ValueError:
            return None


@dataclass(frozen=True)
class WholeNumbers(Numbers):
    """Numbers without fractions: between 3 and 4 there is nothing, so rules say that one is 4."""

    whole: ClassVar[bool] = True
