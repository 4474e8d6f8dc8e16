"""Numbers as people write them: with marks between thousands, currencies, percent signs, brackets, a minus sign behind.

One cell may have several readings (2.775 and 1,234), so a whole column decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}'\N{RIGHT SINGLE QUOTATION MARK}"
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|INR|BRL|MXN|ZAR|TRY|kr\\.?|zł|Kč|Fr\\.?"
_CURRENCY = rf"(?:(?:US|A|C|R|NZ)?\$|[€£¥₹₽₩₺₪₫฿]|{_CODES})"
_CELL = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+\-−])?\s*(?P<front>{_CURRENCY})?\s*(?P<inner>[+\-−])?"
    rf"(?P<digits>\d(?:[\d.,{SPACES}]*\d)?[.,]?|[.,]\d+)(?P<power>[eE][+-]?\d+)?"
    rf"\s*(?P<back>{_CURRENCY}|%)?\s*(?P<behind>-)?\s*(?P<close>\))?"
)
_ONE_GROUP = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")
_GROUPS = re.compile(rf"[1-9]\d{{0,2}}(?:(?P<mark>[.,{SPACES}])\d{{3}})(?:(?P=mark)\d{{3}})*(?:(?P<decimal>[.,])\d*)?")
_DECIMALS = re.compile(r"\d*([.,])\d*")
_MANY = 5  # different cells with a mark and three digits behind it: worth a word
_CERTAIN = 20  # no chance: one number of ten that are rounded to three decimals ends in a zero, and is written with two


@dataclass(frozen=True)
class NumberWriting:
    """How a column writes numbers that `float` does not read.

    Parameters
    ----------
    decimal : str
        The decimal mark.
    thousands : str
        Marks between groups of three digits, each character one of them.
    signs : tuple of str
        What else belongs to numbers: "currency", "percent", "brackets", "minus behind".
    example : str
        A cell that is written so.
    in_doubt : bool
        Whether the cells could be read in another way as well.
    without_percent : str
        A cell without a percent sign, where others have one.
    """

    decimal: str = "."
    thousands: str = ""
    signs: tuple[str, ...] = ()
    example: str = field(default="", compare=False)
    in_doubt: bool = field(default=False, compare=False)
    without_percent: str = field(default="", compare=False)

    def number(self, text: str) -> float:
        """The number that is written so; a percentage is the number before the sign."""
        cell = _CELL.fullmatch(text.strip())
        if cell is None or (cell["open"] is None) != (cell["close"] is None):
            raise ValueError(f"{text!r} is not a number")
        digits = cell["digits"]
        whole, mark, fraction = digits.partition(self.decimal)
        bare = whole
        for each in self.thousands:
            bare = bare.replace(each, "")
        if bare != whole and not _GROUPS.fullmatch(whole):
            raise ValueError(f"{text!r} is not a number")
        minus = "-" if any((cell["open"], cell["behind"], _is_minus(cell["sign"]), _is_minus(cell["inner"]))) else ""
        return float(f"{minus}{bare}{'.' if mark else ''}{fraction}{cell['power'] or ''}")

    @property
    def in_words(self) -> str:
        """What is unusual, for a note."""
        parts = [f"{_NAMES.get(self.thousands[:1], 'marks')} between thousands"] if self.thousands else []
        parts += ["decimal commas"] if self.decimal == "," else []
        parts += [_SIGNS[sign] for sign in self.signs]
        return ", ".join(parts) or "decimal points"

    def to_json(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {"decimal": self.decimal, "thousands": self.thousands, "signs": list(self.signs)}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; raises ValueError for what `to_json` does not write."""
        decimal, thousands, signs = told.get("decimal"), told.get("thousands"), told.get("signs")
        if decimal not in (".", ",") or not isinstance(thousands, str) or not set(thousands) <= set(MARKS) - {decimal}:
            raise ValueError("the marks of a column of numbers are not valid")
        if not isinstance(signs, list) or not all(isinstance(sign, str) and sign in _SIGNS for sign in signs):
            raise ValueError("the signs of a column of numbers are not valid")
        return cls(decimal, thousands, tuple(signs))


MARKS = ".," + SPACES
_NAMES = {".": "points", ",": "commas"} | dict.fromkeys(SPACES[:3], "spaces") | dict.fromkeys(SPACES[3:], "apostrophes")
_SIGNS = {
    "currency": "signs of a currency left out",
    "percent": "percent signs left out, so that 5% is 5",
    "brackets": "brackets as minus signs",
    "minus behind": "minus signs behind the number",
}


@dataclass(frozen=True)
class MarkHints:
    """What is known of the marks in numbers before a column is looked at.

    Parameters
    ----------
    decimal : str
        The decimal mark of most numbers of the file.
    is_told : bool
        Whether a user has said so.
    thousands : str
        Marks between thousands that a user has named.
    has_points : bool
        Whether other columns of the file have numbers whose points can only be decimal marks.
    """

    decimal: str = "."
    is_told: bool = False
    thousands: str = ""
    has_points: bool = False


@dataclass
class _Evidence:
    """What the cells of a column say of its marks."""

    decimals: set[str]
    groups: set[str]
    either: dict[str, int]
    signs: set[str]
    currencies: set[str]
    short: bool = False
    long: bool = False


def has_decimal_points(texts: Iterable[str]) -> bool:
    """Whether a number among texts that `float` reads has a point that no thousands have."""
    return any("." in text and not _ONE_GROUP.fullmatch(text.lstrip("+-")) for text in texts)


def looks_like_number(text: str) -> bool:
    """Whether a text is a number in some way to write them."""
    return _CELL.fullmatch(text) is not None


def find_writing(texts: Sequence[str], hints: MarkHints) -> NumberWriting | None:
    """How some texts write numbers; None if they are not all numbers, or have no common reading."""
    found = _Evidence(set(), set(), {}, set(), set())
    for text in texts:
        if not _look_at(text, found):
            return None
    marks = _settled(found, hints)
    if marks is None or len(found.currencies) > 1:
        return None
    decimal, thousands, in_doubt = marks
    example = max(sorted(texts), key=_tells, default="")
    signs = tuple(sign for sign in _SIGNS if sign in found.signs)
    bare = next((text for text in sorted(texts) if "%" not in text), "") if "percent" in signs else ""
    writing = NumberWriting(decimal, thousands, signs, example, in_doubt, bare)
    try:
        for text in texts:
            writing.number(text)
    except ValueError:
        return None
    return writing


def _tells(text: str) -> tuple[int, bool]:
    """How much a cell says of the way it is written: by its marks, and rather if it is not 0."""
    return sum(not character.isdigit() for character in text), any(digit in text for digit in "123456789")


def currencies_in(texts: Iterable[str]) -> list[str]:
    """The signs of currencies in texts that are all amounts of money; none if some are not."""
    found = _Evidence(set(), set(), {}, set(), set())
    return sorted(found.currencies) if all(_look_at(text, found) for text in texts) else []


def _look_at(text: str, found: _Evidence) -> bool:
    """Add what a cell says; False if it is no number."""
    cell = _CELL.fullmatch(text)
    if cell is None or (cell["open"] is None) != (cell["close"] is None) or (cell["sign"] and cell["inner"]):
        return False
    found.currencies.update(each for each in (cell["front"], cell["back"]) if each and each != "%")
    has_currency = cell["front"] or cell["back"] not in (None, "%")
    is_there = (has_currency, cell["back"] == "%", cell["open"], cell["behind"])
    found.signs.update(sign for sign, is_so in zip(_SIGNS, is_there, strict=True) if is_so)
    digits = cell["digits"]
    if digits.isdigit():
        found.short |= len(digits) <= 3
        found.long |= len(digits) > 3
        return True
    either = None if cell["power"] else _ONE_GROUP.fullmatch(digits)
    if either is not None:
        found.either[either[1]] = found.either.get(either[1], 0) + 1
        return True
    grouped = _GROUPS.fullmatch(digits)
    if grouped is not None and grouped["mark"] != grouped["decimal"]:
        found.groups.add(grouped["mark"])
        found.decimals.update(grouped["decimal"] or "")
        return True
    decimals = _DECIMALS.fullmatch(digits)
    if decimals is not None:
        found.decimals.add(decimals[1])
    return decimals is not None


def _settled(found: _Evidence, hints: MarkHints) -> tuple[str, str, bool] | None:
    """The decimal mark, the marks between thousands, and whether another reading is possible."""
    decimals, groups, in_doubt = set(found.decimals), found.groups | set(hints.thousands), False
    if hints.is_told:
        decimals.add(hints.decimal)
    open_marks = [mark for mark in found.either if mark not in decimals | groups]
    if len(open_marks) > 1:
        return None
    for mark in open_marks:
        is_decimal, in_doubt = _is_decimal(mark, found, hints, decimals, groups)
        (decimals if is_decimal else groups).add(mark)
    if len(decimals) > 1 or decimals & groups:
        return None
    decimal = next(iter(decimals), "," if "." in groups else "." if "," in groups else hints.decimal)
    return decimal, "".join(sorted(groups & set(MARKS) - {decimal})), in_doubt


def _is_decimal(
    mark: str, found: _Evidence, hints: MarkHints, decimals: set[str], groups: set[str]
) -> tuple[bool, bool]:
    """Whether a mark with three digits behind it, wherever it is, is a decimal mark, and whether that is in doubt."""
    if decimals:
        return False, False
    if groups & {".", ","}:
        return True, False
    if mark == ",":
        return hints.decimal == ",", True
    if found.long:
        return True, False
    if hints.decimal == "," or (found.short and (found.either[mark] >= _CERTAIN or not hints.has_points)):
        return False, True
    return True, found.either[mark] >= _MANY


def _is_minus(sign: str | None) -> bool:
    return sign is not None and sign != "+"
