"""Columns of dates and times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import Column
from rarewood._tables.cells import MISSING, CellError, Form
from rarewood._tables.date_texts import DateWriting
from rarewood._tables.moments import OF_A_DAY, Moment, are_days, moment_in_words, seconds_of_objects


@dataclass(frozen=True)
class Moments:
    """Dates or times; a cell is a number of seconds. `writing` says how a file writes them where `read_moment` does not read that."""

    form: ClassVar[Form] = "text"
    categories: ClassVar[None] = None
    n_categories: ClassVar[int] = 0
    whole: ClassVar[bool] = False

    word: Moment
    writing: DateWriting | None = None

    @classmethod
    def learn(cls, column: Column) -> Moments:
        """As the type says, and days where all are midnights."""
        days = column.moment == "datetime" and are_days(column.seconds())
        return cls("date" if days else column.moment)

    def can_read(self, column: Column) -> bool:
        """Other dates, text that reads like them, and a column without any value."""
        if column.type == "moment":
            return (column.moment in OF_A_DAY) == (self.word in OF_A_DAY)
        return column.type == "text" or column.example() is None

    def fits_float32(self, column: Column) -> bool:  # noqa: ARG002
        return False

    def read(self, column: Column) -> NDArray[np.float64]:
        if column.type == "moment":
            return column.seconds()
        if column.example() is None:
            return np.full(len(column.factor.codes), np.nan)
        factor = column.factor
        levels = seconds_of_objects(factor.levels, column.name, lambda code: int(np.argmax(factor.codes == code)))
        return np.append(levels, np.nan)[factor.codes]

    def widened(self, columns: Sequence[Column]) -> Moments:  # noqa: ARG002
        return self

    def in_words(self, value: float, decimals: int) -> str:
        return moment_in_words(self.word, value, decimals)

    def values(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Points in time as datetime64, times and durations as timedelta64."""
        ticks = np.where(np.isnan(cells), np.iinfo(np.int64).min, np.round(np.nan_to_num(cells) * 1e6))
        return ticks.astype(np.int64).view("m8[us]" if self.word in OF_A_DAY else "M8[us]")

    def learned_from(self, seconds: NDArray[Any]) -> Moments:
        """The kind that a data frame of these values has: without time zones, without times of day, days for midnights."""
        if self.word in OF_A_DAY:
            return Moments("duration")
        return Moments("date" if are_days(seconds) else "datetime")

    def parse(self, cells: Any, column: str, where: str, first: int) -> NDArray[Any]:
        """The cells as `values` has them."""
        return self.values(self.parse_seconds(cells, column, where, first))

    def parse_seconds(self, cells: Any, column: str, where: str, first: int) -> NDArray[np.float64]:
        """The cells as seconds, rounded to whole microseconds."""
        given = cells.tolist() if isinstance(cells, np.ndarray) else cells
        places: dict[Any, int] = {}
        codes = np.array([places.setdefault(cell, len(places)) for cell in given], dtype=np.intp)  # dates come again
        known = [None if isinstance(cell, str) and cell.strip() in MISSING else cell for cell in places]
        try:
            distinct = seconds_of_objects(
                map(self._read_text, known), column, lambda place: first + int(np.argmax(codes == place))
            )
        except ValueError as error:
            raise CellError(f"{where}: {error}") from None
        rounded = np.round(distinct * 1e6) / 1e6
        return rounded[codes] if len(distinct) else np.empty(0)

    def _read_text(self, cell: Any) -> Any:
        """A cell that is written in the way of this column, as a date; any other as it is, which is an error later on."""
        if self.writing is None or not isinstance(cell, str):
            return cell
        try:
            return self.writing.read(cell)
        except ValueError:
            return _Unread(cell)


class _Unread:
    """A text that is not written in the way of its column, whatever else it may look like."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return repr(self._text)
