"""Columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import Column
from rarewood._tables.cells import Form, as_numbers
from rarewood._wording import number_in_words


@dataclass(frozen=True)
class Numbers:
    """Numbers, as they are."""

    word: ClassVar[str] = "number"
    form: ClassVar[Form] = "number"
    categories: ClassVar[None] = None
    n_categories: ClassVar[int] = 0
    whole: ClassVar[bool] = False

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
        return as_numbers(cells, column, where, first)


@dataclass(frozen=True)
class WholeNumbers(Numbers):
    """Numbers without fractions: between 3 and 4 there is nothing, so rules say that one is 4."""

    whole: ClassVar[bool] = True
