"""Cells of files: text that is a number, a category or nothing, and tables made of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._tables.row_numbers import FIRST_OF_FILE
from rarewood._validation import import_optional

ERRORS = frozenset({"#VALUE!", "#REF!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!"})
"""What a spreadsheet shows where a formula has gone wrong; such a cell says nothing, and its user should know."""

MISSING = frozenset({"", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "<null>", "null", "NULL"}) | ERRORS
"""How files write that a value is missing."""

TRUTH_WORDS = ("False", "True")
"""How truth values are written everywhere, whatever a file has for them."""

TRUTH_NUMBERS = {"0": "False", "1": "True"}
"""How databases and programs without truth values write them."""

Cells = Sequence[str]

Form = Literal["number", "nominal", "text"]
"""How cells are handed over: as an array of numbers, as a pandas Categorical, as a list of text."""

_FLOAT64_INTEGERS = 2.0**53  # beyond, not every whole number is a float64


class CellError(ValueError):
    """A cell that is not of the kind of its column."""


class NotNumbersError(CellError):
    """A cell that should hold a number, and does not."""


class InfiniteCellError(CellError):
    """A cell that is a number, and infinite."""


def number_of(text: str) -> float:
    """The number that a text is; ValueError if it is none.

    What `float` reads, but for underscores between digits: these are Python's, and `1_2` in a table is a code. Digits may be of any script.
    """
    if "_" in text:
        raise ValueError(f"could not convert string to float: {text!r}")
    return float(text)


def numbers(cells: Cells, column: str, where: str) -> NDArray[np.float64]:
    """Text -> numbers, NaN where missing."""
    try:
        return np.array([np.nan if cell in MISSING else number_of(cell) for cell in cells])
    except ValueError as error:
        raise NotNumbersError(f"{where}: column {column!r} should hold numbers: {error}") from error


def make_table(columns: Mapping[str, ArrayLike], categories: Mapping[str, Sequence[str]], where: str) -> Any:
    """Columns of numbers and, for those in `categories`, of text -> a data frame with category dtypes.

    Text that is not among the categories of its column is missing. Without pandas numbers alone give an array.
    """
    if find_spec("pandas") is None and not categories:
        return np.column_stack([np.asarray(values, dtype=float) for values in columns.values()])
    pandas = import_optional("pandas", "data", f"a table with nominal columns ({where})")

    def nominal(name: str) -> Any:
        number = {level: code for code, level in enumerate(categories[name])}
        codes = [number.get(cell, -1) for cell in np.asarray(columns[name], dtype=object)]
        return pandas.Categorical.from_codes(codes, list(categories[name]))

    return pandas.DataFrame({name: nominal(name) if name in categories else values for name, values in columns.items()})


def levels(cells: Sequence[Any]) -> list[Any]:
    """The distinct values of a nominal column in order of appearance, missing left out."""
    return [cell for cell in dict.fromkeys(cells) if cell is not None and cell not in MISSING]


def blanked(cells: Any, words: Collection[str]) -> Any:
    """Cells of a file, empty where they are one of `words`; a number is one if the word stands for it."""
    numbers = {number_of(word) for word in words if is_number(word) and word not in MISSING}
    if isinstance(cells, np.ndarray):
        if not numbers or cells.dtype.kind not in "iuf":
            return cells
        return np.where(np.isin(cells, list(numbers)), np.nan, cells)

    def is_blank(cell: Any) -> bool:
        if isinstance(cell, str):
            text = cell.strip()
            return text in words or (
                bool(numbers) and text[-1:].isdigit() and is_number(text) and float(text) in numbers
            )
        return bool(numbers) and isinstance(cell, (int, float)) and not isinstance(cell, bool) and cell in numbers

    return [("" if isinstance(cell, str) else None) if is_blank(cell) else cell for cell in cells]


def are_exact(numbers: NDArray[Any]) -> bool:
    """Whether a float array can still represent the integers it was made from (no value beyond 2**53)."""
    return numbers.dtype.kind != "f" or not bool((np.abs(numbers) >= _FLOAT64_INTEGERS).any())


def as_numbers(values: Any, column: str, where: str, first: int = FIRST_OF_FILE) -> NDArray[np.float64]:
    """Cells -> numbers, NaN where missing; the first cell that is no number is an error that says which row it is in."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        found = values.astype(np.float64)
    elif _has_underscores(values):  # no number, but perhaps a word for missing cells
        found = _slowly(values, column, where, first)
    else:
        try:
            found = np.array([float(value or "nan") if value != 0 else 0.0 for value in values])
        except (TypeError, ValueError):  # missing in other words than an empty cell, or no number
            found = _slowly(values, column, where, first)
    infinite = np.flatnonzero(np.isinf(found))
    if len(infinite):
        raise InfiniteCellError(
            f"{where}: column {column!r} is infinite in row {first + infinite[0]}; leave the cell empty."
        )
    return found


def _has_underscores(values: Sequence[Any]) -> bool:
    try:
        return "_" in "".join(values)
    except TypeError:  # not all of them are text
        return any(isinstance(value, str) and "_" in value for value in values)


def _slowly(values: Sequence[Any], column: str, where: str, first: int) -> NDArray[np.float64]:
    cells = ["" if value is None else str(int(value) if isinstance(value, bool) else value).strip() for value in values]
    try:
        return numbers(cells, column, where)
    except ValueError:
        row = next(i for i, cell in enumerate(cells) if not is_number(cell))
        raise NotNumbersError(
            f"{where}: column {column!r} should hold numbers, but row {first + row} has {cells[row]!r}."
        ) from None


def word_of(text: str, known: Collection[str] = ()) -> str | None:
    """What a text cell of a file stands for: the word without spaces around it, None where it is missing.

    This is the one reading of words, whatever the format of the file. Those that are `known`, the categories of a model, stand for
    themselves, even if others mean a missing value by them.
    """
    if text in known:
        return text
    word = text.strip()
    return None if word in MISSING and word not in known else word


def words_of(cells: Any, known: Collection[str] = ()) -> list[str | None]:
    """`word_of` each cell; a number or truth value is read as it would be written, None and NaN are missing."""
    given = cells.tolist() if isinstance(cells, np.ndarray) else list(cells)
    if set(map(type, given)) == {str}:  # a cell that comes again is looked at once
        words = {text: word_of(text, known) for text in dict.fromkeys(given)}
        return list(map(words.__getitem__, given))
    return [
        None if cell is None or cell != cell else word_of(cell if isinstance(cell, str) else _word(cell), known)
        for cell in given
    ]


def as_text(values: Any) -> list[str]:
    """Cells -> text, empty where missing; a whole number has no decimal point, whatever its type."""
    try:
        return [value.strip() for value in values]
    except AttributeError:  # not all of them are text
        return [_word(value) for value in (values.tolist() if isinstance(values, np.ndarray) else values)]


def _word(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value).strip()


def truth_word(text: str) -> str:
    """A truth value, such as TRUE or false, as it is written everywhere; other text as it is."""
    return text.capitalize() if text.lower() in ("false", "true") else text


def is_number(cell: str) -> bool:
    """Whether a cell of text holds a number or nothing."""
    try:
        number_of(cell or "nan")
    except ValueError:
        return cell in MISSING
    return True
