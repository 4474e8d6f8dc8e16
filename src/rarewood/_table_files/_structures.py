"""Columns with cells that are no single value: Parquet, Arrow and JSON can hold such."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_STRUCTURES: Mapping[Any, str] = {list: "lists", tuple: "lists", dict: "objects", set: "sets"} | dict.fromkeys(
    (bytes, bytearray, memoryview), "bytes"
)
_STRUCTURE_TYPES = tuple(_STRUCTURES)


class Unreadable(list[Any]):
    """The cells of a column whose type says what they `hold`; they are not read, and each of the list is only a stand-in."""

    def __init__(self, hold: str, n_rows: int) -> None:
        super().__init__([_StandIn(hold)] * n_rows)
        self.hold = hold


class _StandIn:
    """A cell that is in the file, and of no use; not even a dictionary takes it."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, hold: str) -> None:
        self._hold = hold

    def __repr__(self) -> str:
        return self._hold


def refuse_structures(columns: Mapping[str, Any], where: str, first: int, *, may_drop: bool) -> None:
    """Raise for columns with cells that are no single value, all of them; `may_drop` says that nobody needs them."""
    found = {name: _structure_in(cells, first) for name, cells in columns.items()}
    told = {name: words for name, words in found.items() if words is not None}
    if not told:
        return
    (name, (held, example)), *others = told.items()
    more = "".join(f", column {each!r} {words}" for each, (words, _) in others)
    columns_are, them = ("columns", "them") if others else ("column", "it")
    remedy = (
        f", so leave the {columns_are} out (--drop {','.join(told)}) or split {them} into several" if may_drop else ""
    )
    raise ValueError(
        f"{where}: column {name!r} holds {held}{more}{example}; a cell can hold one number, word, boolean, date or time{remedy}."
    )


def _structure_in(cells: Any, first: int) -> tuple[str, str] | None:
    """What the cells of a column are, and an example where one was read; None for a column of single values."""
    if isinstance(cells, Unreadable):
        return cells.hold, ""
    if isinstance(cells, np.ndarray) or hasattr(cells, "categories"):
        return None
    found = ((row, cell) for row, cell in enumerate(cells) if isinstance(cell, _STRUCTURE_TYPES))
    return next(((_STRUCTURES[type(cell)], f": row {first + row} has {cell!r:.60}") for row, cell in found), None)
