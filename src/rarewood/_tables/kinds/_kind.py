"""What every kind of column can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from rarewood._tables._sources import Column
from rarewood._tables.cells import Form


class Kind(Protocol):
    """What is known of the values of one column."""

    @property
    def word(self) -> str:
        """What files call it."""

    @property
    def form(self) -> Form:
        """How `parse` likes its cells best."""

    @property
    def categories(self) -> NDArray[Any] | None:
        """The categories in the order of their codes; None if it has none. What a model file keeps."""

    @property
    def n_categories(self) -> int:
        """How many codes the core should expect; 0 for numbers."""

    @property
    def whole(self) -> bool:
        """Whether it is known to hold whole numbers only."""

    def can_read(self, column: Column) -> bool:
        """Whether `read` makes sense of a column."""

    def fits_float32(self, column: Column) -> bool:
        """Whether no value changes in a float32."""

    def read(self, column: Column) -> NDArray[Any]:
        """The cells as floats, NaN where missing."""

    def widened(self, columns: Sequence[Column]) -> Kind:
        """The same with what other columns add to it."""

    def in_words(self, value: float, decimals: int) -> str:
        """A cell, or a bound between cells, as rules write it."""

    def values(self, cells: NDArray[Any]) -> Any:
        """The inverse of `read`: floats as a column of a data frame holds them."""

    def parse(self, cells: Any, column: str, where: str, first: int) -> Any:
        """Cells of a file in the type that `read` takes; `first` is the number of the first row, for errors."""
