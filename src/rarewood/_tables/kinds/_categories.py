"""Columns of categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarewood._tables._factors import Factor, in_order
from rarewood._tables._sources import Column
from rarewood._tables.cells import TRUTH_NUMBERS, TRUTH_WORDS, Form, as_text, truth_word, word_of, words_of
from rarewood._tables.kept_values import warn_of_lost
from rarewood._validation import import_optional
from rarewood._wording import category_in_words

_FLOAT32_INTEGERS = 2**24  # every whole number up to here is a float32


@dataclass(frozen=True, eq=False)
class Categories:
    """Values without an order; a cell is the position of its value in `categories`, one past the last if it is not there."""

    word: ClassVar[str] = "nominal"
    whole: ClassVar[bool] = False

    categories: NDArray[Any]

    @classmethod
    def learn(cls, column: Column) -> Categories:
        """Those that some row has, in the one order of categories."""
        factor = column.factor
        levels = _in_order(factor.used(), column.name, factor, is_listed=column.type == "nominal")
        warn_of_lost(levels, column.name)
        return cls(_as_array(levels))

    @classmethod
    def of(cls, values: Iterable[Any], name: str | int, *, is_listed: bool = False) -> Categories:
        """These values, in the one order of categories; types that list them (`is_listed`) may mix what has no common order."""
        levels = _in_order(list(values), name, is_listed=is_listed)
        warn_of_lost(levels, name)
        return cls(_as_array(levels))

    @property
    def n_categories(self) -> int:
        """A column without any value still counts one."""
        return max(1, len(self.categories))

    def can_read(self, column: Column) -> bool:  # noqa: ARG002
        return True

    def fits_float32(self, column: Column) -> bool:  # noqa: ARG002
        return self.n_categories < _FLOAT32_INTEGERS

    def read(self, column: Column) -> NDArray[np.float64]:
        factor, known, unseen = column.factor, self.codes, self.n_categories
        values = [*(known.get(level, unseen) for level in factor.levels), np.nan]
        if self._truths and unseen in values:  # written in another way
            values = [*(known.get(self._truth(as_text([level])[0]), unseen) for level in factor.levels), np.nan]
        return np.array(values, dtype=np.float64)[factor.codes]  # code -1, missing, is the last

    def widened(self, columns: Sequence[Column]) -> Categories:
        levels = dict.fromkeys(self.categories.tolist())
        known = len(levels)
        for column in columns:
            levels.update(dict.fromkeys(column.factor.levels))
        return self if len(levels) == known else Categories(_as_array(list(levels)))

    def in_words(self, value: float, decimals: int) -> str:
        return category_in_words(self.categories[int(value)], decimals)

    def parse(self, cells: Any, column: str, where: str, first: int) -> Any:  # noqa: ARG002
        """Text, or the categories that are written so where they are not text."""
        if hasattr(cells, "categories"):  # a pandas Categorical already
            if not self._truths or set(cells.categories) <= self._truths.keys():
                return cells
            cells = cells.tolist()
        words, known = self.words(cells), self._by_text
        if self._truths:
            return [None if word is None else self._truth(word) for word in words]
        return words if known is None else [None if word is None else known.get(word, word) for word in words]

    def words(self, cells: Any) -> list[str | None]:
        """Cells of a file as text, None where missing; a category is none of the words for missing values."""
        return words_of(cells, self.written)

    def values(self, cells: NDArray[Any]) -> Any:
        """A pandas Categorical with these categories."""
        pandas = import_optional("pandas", "data", "a table with nominal columns")
        return pandas.Categorical.from_codes(codes_of(cells), self.categories.tolist())

    @property
    def are_truths(self) -> bool:
        """Whether these are truth values, which files write in several ways."""
        return bool(self._truths)

    def listed(self, texts: Iterable[str]) -> Categories:
        """Categories in the order of these texts, each as it is known here where it is."""
        known = self._by_text
        return Categories(_as_array([text if known is None else known.get(text, text) for text in texts]))

    @property
    def form(self) -> Form:
        is_plain = self._by_text is None and all(word_of(text) == text for text in self.written)
        return "nominal" if is_plain else "text"

    @cached_property
    def written(self) -> frozenset[str]:
        """How files write the categories."""
        levels = self.categories.tolist()
        return frozenset(levels if self._by_text is None else self._by_text)

    @cached_property
    def _by_text(self) -> dict[str, Any] | None:
        """The categories by how files write them; None where that is what they are."""
        levels = self.categories.tolist()
        if all(isinstance(level, str) for level in levels):
            return None
        return {as_text([level])[0]: level for level in levels}

    @cached_property
    def _truths(self) -> dict[str, Any]:
        """The categories by their words, where they are truth values; nothing otherwise."""
        known = {as_text([level])[0]: level for level in self.categories.tolist()}
        return known if set(known) <= set(TRUTH_WORDS) else {}

    def _truth(self, text: str) -> Any:
        """A truth value as it is known here, whether a file has a word or, as some databases do, a number; other text as it is."""
        return self._truths.get(TRUTH_NUMBERS.get(text) or truth_word(text), text)

    @cached_property
    def codes(self) -> dict[Any, int]:
        """The code of each category."""
        return {level: code for code, level in enumerate(self.categories.tolist())}

    def __getstate__(self) -> dict[str, Any]:
        return {"categories": self.categories}  # the rest is made again rather than pickled


def codes_of(cells: NDArray[Any]) -> NDArray[np.int32]:
    """Floats of a nominal column as whole numbers, -1 for missing."""
    return np.where(np.isnan(cells), -1, cells).astype(np.int32)


def _in_order(
    levels: list[Any], name: str | int, factor: Factor | None = None, *, is_listed: bool = False
) -> list[Any]:
    try:
        return in_order(levels)
    except TypeError:
        if is_listed:
            return sorted(levels, key=lambda level: (type(level).__name__, repr(level)))
        first = {type(level).__name__: level for level in reversed(levels)}
        named = ", ".join(f"{kind} ({_place(factor, level)}{level!r:.40})" for kind, level in sorted(first.items()))
        raise TypeError(
            f"The categories of column {name!r} mix types that have no common order: {named}. "
            "Convert them to one type, for example with astype(str), or give the column a categorical dtype."
        ) from None


def _place(factor: Factor | None, level: Any) -> str:
    return "" if factor is None else f"row {int(np.argmax(factor.codes == factor.levels.index(level)))} has "


def _as_array(levels: list[Any]) -> NDArray[Any]:
    """Numbers in the smallest type that holds them all as they are: NumPy alone would make floats of 1 and 2**63."""
    if levels and all(isinstance(level, (int, float)) for level in levels):
        for dtype in (None, np.uint64) if min(levels) >= 0 and max(levels) < 2**64 else (None,):
            array = np.array(levels, dtype=dtype)
            if array.dtype != object and array.tolist() == levels:
                return array
    return np.fromiter(levels, dtype=object, count=len(levels))
