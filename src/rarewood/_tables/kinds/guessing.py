"""Of what kind the cells of a file are: as values, or as texts that people write numbers and dates with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any

import numpy as np

from rarewood._tables.cells import MISSING, is_number
from rarewood._tables.date_texts import DateWriting, find_dates
from rarewood._tables.kinds import Kind, named_kind
from rarewood._tables.kinds._categories import Categories
from rarewood._tables.kinds._moments import Moments
from rarewood._tables.kinds._numbers import Numbers
from rarewood._tables.kinds.odd_cells import FEWEST_USUAL, are_few
from rarewood._tables.moments import moment_of
from rarewood._tables.number_texts import MarkHints, find_writing, has_decimal_points, looks_like_number


@dataclass(frozen=True)
class TextHints:
    """What helps to read texts: marks in numbers, and how dates are written, in all columns (under None) or in some."""

    marks: MarkHints = field(default_factory=MarkHints)
    dates: Mapping[str | None, DateWriting] = field(default_factory=dict)
    order: str = ""

    def date_writing(self, name: str) -> DateWriting | None:
        """How the dates of a column are written, where a user has said so."""
        return self.dates.get(name, self.dates.get(None))

    def written_as(self, name: str, kind: Kind) -> Kind:
        """A known kind with the writing that a user tells, where its column is written in a way of its own."""
        if isinstance(kind, Moments):
            told = self.date_writing(name)
            return kind if told is None or kind.word == "duration" else replace(kind, writing=told)
        if not isinstance(kind, Numbers) or kind.writing is None or not (self.marks.is_told or self.marks.thousands):
            return kind
        decimal = self.marks.decimal if self.marks.is_told else kind.writing.decimal
        marks = self.marks.thousands or (".," + kind.writing.thousands).replace(decimal, "")
        return Numbers(replace(kind.writing, decimal=decimal, thousands="".join(dict.fromkeys(marks))))


def guess_kind(cells: Any, name: str, hints: TextHints) -> Kind | None:
    """The kind of some cells, as text or as values; None if all are missing."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        return None if cells.dtype.kind == "f" and np.isnan(cells).all() else Numbers()
    if hasattr(cells, "categories"):
        return named_kind(Categories.word)
    present = {cell.strip() if isinstance(cell, str) else cell for cell in _distinct(cells) if _is_present(cell)}
    if not present:
        return None
    texts = [cell for cell in present if isinstance(cell, str)]
    if len(texts) == len(present):
        return kind_of_texts(texts, name, hints)
    if all(isinstance(cell, Number) and not isinstance(cell, bool) for cell in present):
        return Numbers()
    moments = {moment_of(cell) for cell in present if hasattr(cell, "isoformat") or hasattr(cell, "total_seconds")}
    if texts or any(isinstance(cell, (bool, Number)) for cell in present) or not moments:
        return named_kind(Categories.word)
    if moments == {"date", "datetime"}:
        return named_kind("datetime")
    return named_kind(moments.pop() if len(moments) == 1 else Categories.word)


def guess_among_odd(cells: Any, name: str, hints: TextHints) -> Kind | None:
    """Numbers or dates that nearly all cells are, the others being odd ones; None if there are no such."""
    if isinstance(cells, np.ndarray) or hasattr(cells, "categories"):
        return None
    try:
        counts = Counter(cell.strip() if isinstance(cell, str) else cell for cell in cells if _is_present(cell))
    except TypeError:  # lists in cells
        return None
    n_present = sum(counts.values())
    for is_usual in (looks_like_number, _looks_like_moment):
        odd = [cell for cell in counts if isinstance(cell, str) and not is_usual(cell)]
        n_odd = sum(counts[cell] for cell in odd)
        if not odd or len(counts) - len(odd) < FEWEST_USUAL or not are_few(n_odd, len(odd), n_present):
            continue
        kind = guess_kind([cell for cell in counts if cell not in odd], name, hints)
        if isinstance(kind, (Numbers, Moments)):
            return kind
    return None


def _looks_like_moment(text: str) -> bool:
    """Days and times have four digits at least, and can be read by themselves: 00/00/0000 is none."""
    return sum(character.isdigit() for character in text) > 3 and find_dates([text]) is not None


def kind_of_texts(texts: Sequence[str], name: str, hints: TextHints) -> Kind:
    """Numbers, then dates and times, in one of the ways to write them; categories if they are neither."""
    told = hints.dates.get(name)
    if told is None:
        numbers = _numbers(texts, hints.marks)
        if numbers is not None:
            return numbers
    if told is not None or texts[0][:1].isdigit() or texts[0][:1].isalpha():
        dates = find_dates(sorted(texts), hints.date_writing(name), hints.order)
        if dates is None and told is None and hints.dates:
            dates = find_dates(sorted(texts), None, hints.order)
        if dates is not None:
            return Moments(*dates)
    return named_kind(Categories.word)


def _numbers(texts: Sequence[str], marks: MarkHints) -> Numbers | None:
    if marks.decimal == "." and all(map(is_number, texts)):
        if not any("." in text for text in texts) or has_decimal_points(texts):
            return Numbers()
    elif not any(character.isdigit() for character in texts[0]):
        return None
    writing = find_writing([text for text in texts if text not in MISSING], marks)
    if writing is None:
        return Numbers() if all(map(is_number, texts)) else None
    is_plain = not writing.thousands and not writing.signs and writing.decimal == marks.decimal
    if is_plain and not writing.in_doubt:
        return Numbers()
    return Numbers(writing)


def _distinct(cells: Any) -> Any:
    """Each cell once, if that can be: columns of dates repeat theirs."""
    try:
        return dict.fromkeys(cells)
    except TypeError:  # lists in cells
        return cells


def _is_present(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell.strip() not in MISSING
    return cell is not None and cell == cell
