"""What a column can hold, one module per kind.

To add a kind, write its module and list it here: `learn_kind` chooses it for a column of a table, `described_kind` and
`named_kind` for one of a file. `guessing` finds the kind of cells that nobody has named.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import Column
from rarewood._tables.date_texts import DateWriting
from rarewood._tables.kinds._categories import Categories, codes_of
from rarewood._tables.kinds._kind import Kind
from rarewood._tables.kinds._moments import Moments
from rarewood._tables.kinds._numbers import Numbers, WholeNumbers
from rarewood._tables.moments import MOMENTS
from rarewood._tables.number_texts import NumberWriting

__all__ = [
    "Categories",
    "Kind",
    "Moments",
    "Numbers",
    "WholeNumbers",
    "codes_of",
    "described_kind",
    "learn_kind",
    "named_kind",
    "writing_of",
    "written_kind",
]


_TRUTH = np.array([False, True])


def learn_kind(column: Column, nominal: bool) -> Kind:
    """The kind of a column of a training table; whether it is nominal has been settled."""
    if nominal:
        return Categories(_TRUTH) if column.type == "boolean" else Categories.learn(column)
    return Moments.learn(column) if column.type == "moment" else Numbers()


def described_kind(categories: NDArray[Any] | None, word: str | None = None) -> Kind:
    """The kind that a model file describes by its `categories` and, for dates and times, by a word."""
    if categories is not None:
        return Categories(categories)
    return _moments(word) or Numbers()


def named_kind(word: str) -> Kind:
    """The kind that goes by this word, where a file says no more of a column."""
    if word == Categories.word:
        return Categories(np.empty(0, dtype=object))
    return _moments(word) or Numbers()


def writing_of(kind: Kind) -> NumberWriting | DateWriting | None:
    """How a file writes the cells of a column; None if in the usual way."""
    return kind.writing if isinstance(kind, (Numbers, Moments)) else None


def written_kind(word: str, told: object) -> Kind:
    """The kind that goes by this word, whose cells are written in the way that a model file tells; ValueError if it makes no sense."""
    kind = named_kind(word)
    if not isinstance(told, dict) or not isinstance(kind, (Numbers, Moments)):
        raise ValueError("how the cells of a column are written is not valid")
    if isinstance(kind, Numbers):
        return Numbers(NumberWriting.from_json(told))
    return replace(kind, writing=DateWriting.from_json(told))


def _moments(word: str | None) -> Moments | None:
    return next((Moments(known) for known in MOMENTS if known == word), None)
