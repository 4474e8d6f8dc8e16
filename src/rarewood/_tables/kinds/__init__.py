"""What a column can hold, one module per kind.

To add a kind, write its module and list it here: `learn_kind` chooses it for a column of a table, `described_kind` and
`named_kind` for one of a file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._sources import Column
from rarewood._tables.kinds._categories import Categories
from rarewood._tables.kinds._kind import Kind
from rarewood._tables.kinds._numbers import Numbers, WholeNumbers

__all__ = ["Categories", "Kind", "Numbers", "WholeNumbers", "described_kind", "learn_kind", "named_kind"]


def learn_kind(column: Column, nominal: bool) -> Kind:
    """The kind of a column of a training table; whether it is nominal has been settled."""
    return Categories.learn(column) if nominal else Numbers()


def described_kind(categories: NDArray[Any] | None) -> Kind:
    """The kind that a model file describes by its `categories`."""
    return Numbers() if categories is None else Categories(categories)


def named_kind(word: str) -> Kind:
    """The kind that goes by this word, where a file says no more of a column."""
    return Categories(np.empty(0, dtype=object)) if word == Categories.word else Numbers()
