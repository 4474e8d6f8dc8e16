"""Cells that are not of the kind of their column, such as `unknown` among numbers: counted, and read as missing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rarewood._tables.cells import MISSING, CellError, InfiniteCellError
from rarewood._tables.kinds._kind import Kind
from rarewood._tables.notes import Note, NoteCode

FEWEST_USUAL = 10  # different values of a column that has odd cells among them, and not categories
_MOST_SHARE = 0.1  # of the cells, if they are a few words
_FEW_WORDS = 5
_SLIPS = 0.001  # of the cells, whatever they are

Parse = Callable[[Any, str, str, int], Any]


def are_few(n_odd: int, n_words: int, n_present: int) -> bool:
    """Whether odd cells are few enough to be slips or words for missing values, and no sign of another kind."""
    return n_odd <= _MOST_SHARE * n_present and (n_words <= _FEW_WORDS or n_odd <= _SLIPS * n_present)


@dataclass
class OddCells:
    """What cells of a file were odd, by column: how many, the first one with its row, and different ones as far as they are few."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)
    words: dict[str, set[str]] = field(default_factory=dict)

    def parse(
        self, parse: Parse, cells: Any, name: str, where: str, first: int, n_before: int
    ) -> tuple[Any, Sequence[Any]]:
        """What `parse` makes of cells, odd ones counted and left out, and the cells without them.

        Raises what `parse` raises where half of the cells are odd, with the `n_before` ones of earlier rows: then the column is
        another one, or written in another way.
        """
        try:
            return parse(cells, name, where, first), cells
        except InfiniteCellError:
            raise
        except CellError:
            known = cells.tolist() if isinstance(cells, np.ndarray) else list(cells)
            odd = _odd_rows(parse, known, name, where)
            n_present = sum(map(_is_present, known))
            if not odd or 2 * (self.counts[name] + len(odd)) >= n_before + n_present:
                raise
            texts = [str(known[row]).strip() for row in odd]
            for row in odd:
                known[row] = None
            found = parse(known, name, where, first)
        self.counts[name] += len(odd)
        self.first.setdefault(name, (first + odd[0], texts[0]))
        words = self.words.setdefault(name, set())
        words.update(texts[: _FEW_WORDS + 1] if len(words) <= _FEW_WORDS else ())
        return found, known

    def notes(
        self, kinds: dict[str, Kind], n_rows: int, remedy: str = "; --strict refuses such cells"
    ) -> Iterator[Note]:
        """What a user should know; NAME in `remedy` is the name of the column."""
        for name, count in self.counts.items():
            row, text = self.first[name]
            what = "numbers" if kinds[name].word == "number" else "dates or times"
            cells = (
                f"{count:,} of {n_rows:,} cells do not, such as" if count > 1 else f"1 of {n_rows:,} cells does not:"
            )
            yield Note(
                NoteCode.ODD,
                f"column {name!r} holds {what}, but {cells} {text!r:.40} in row {row:,}; {'they count' if count > 1 else 'it counts'} as "
                "missing",
                (name,),
                remedy.replace("NAME", shlex.quote(name)),
            )


def _odd_rows(parse: Parse, cells: list[Any], name: str, where: str) -> list[int]:
    try:
        distinct = dict.fromkeys(cells)
    except TypeError:  # lists, which are refused elsewhere
        return []
    odd = {cell for cell in distinct if _is_present(cell) and not _can_read(parse, cell, name, where)}
    return [row for row, cell in enumerate(cells) if cell in odd]


def _can_read(parse: Parse, cell: Any, name: str, where: str) -> bool:
    try:
        parse([cell], name, where, 1)
    except InfiniteCellError:  # a number, which is refused whatever else the column holds
        return True
    except CellError:
        return False
    return True


def _is_present(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell.strip() not in MISSING
    return cell is not None and bool(cell == cell)
