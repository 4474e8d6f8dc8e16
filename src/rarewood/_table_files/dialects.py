"""How a text file writes a table: in which encoding, with what between cells, with which marks in numbers.

What is not told is found out from the beginning of the file.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rarewood._tables.date_texts import DateWriting
from rarewood._tables.kinds.guessing import TextHints
from rarewood._tables.number_texts import SPACES, MarkHints

SEPARATORS = ",;\t|"
SAMPLE = 2**18
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
_ENCODINGS = {"utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "cp1252": "Windows-1252 (latin-1)"}
_ORDINARY_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Dialect:
    """How a text file writes a table.

    Parameters
    ----------
    separator, decimal, encoding : str or None
        What stands between cells, the decimal mark, the encoding of the text; None is found out.
    thousands : str
        Marks between groups of three digits, each character one of them; empty if there are none, or not told.
    dates : dict
        How dates are written, in all columns (under None) or by the name of a column, where a user has said so.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    thousands: str = ""
    dates: Mapping[str | None, DateWriting] = field(default_factory=dict, compare=False)

    @property
    def is_plain(self) -> bool:
        """Whether `float` reads its numbers."""
        return self.decimal != "," and not self.thousands

    def of_file(self, sample: bytes, where: str) -> Dialect:
        """Fill in the fields that are not set from the first bytes of a file."""
        encoding = self.encoding or find_encoding(sample)
        try:
            text = codecs.getincrementaldecoder(encoding)("strict").decode(sample)
        except LookupError:
            raise ValueError(f"there is no encoding {encoding!r}; common ones are utf-8, latin-1 and utf-16.") from None
        except UnicodeDecodeError as error:
            raise ValueError(f"{where} is not text in {encoding.upper()} ({error.reason}).") from None
        text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
        separator = self.separator or find_separator(text)
        decimal, thousands = _marks(_cells(text, separator), separator, self.decimal)
        return replace(
            self, separator=separator, encoding=encoding, decimal=decimal, thousands=self.thousands or thousands
        )

    def text_hints(self, told: Dialect) -> TextHints:
        """What it says of texts in cells; `told` is what a user has said of the file."""
        marks = MarkHints(self.decimal or told.decimal or ".", told.decimal is not None, told.thousands)
        return TextHints(marks, told.dates)

    def in_words(self) -> str | None:
        """What is not as in most files, None if nothing is."""
        parts = []
        if self.encoding in _ENCODINGS or self.encoding not in (None, "utf-8", "utf-8-sig"):
            parts.append(f"text in {_ENCODINGS.get(str(self.encoding), str(self.encoding).upper())}")
        if self.separator != ",":
            parts.append(f"{_NAMES.get(str(self.separator), repr(self.separator))} between cells")
        if self.decimal == ",":
            parts.append("decimal commas")
        if self.thousands:
            parts.append("thousands separators")
        if not parts:
            return None
        return f"read with {', '.join(parts)}"

    def plain_cells(self, cells: Sequence[str]) -> Sequence[str]:
        """Cells whose numbers `float` reads; those that are no numbers stay as they are."""
        return cells if self.is_plain else [self._plain_cell(cell) for cell in cells]

    def _plain_cell(self, cell: str) -> str:
        match = self._number.fullmatch(cell.strip())
        if match is None:
            return cell
        text = match[0]
        for mark in self.thousands:
            text = text.replace(mark, "")
        return text.replace(",", ".") if self.decimal == "," else text

    @property
    def _number(self) -> re.Pattern[str]:
        decimal = re.escape(self.decimal or ".")
        groups = rf"\d{{1,3}}([{re.escape(self.thousands)}]\d{{3}})+|" if self.thousands else ""
        return re.compile(rf"[+-]?({groups}\d+)({decimal}\d*)?([eE][+-]?\d+)?")


ORDINARY = Dialect()
"""All of it is found out."""


def find_encoding(sample: bytes) -> str:
    """By a mark at the beginning, by zero bytes, or because the bytes are no UTF-8."""
    if sample.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    start = sample[:2000]
    for zeros, encoding in ((start[1::2], "utf-16-le"), (start[0::2], "utf-16-be")):
        if len(zeros) > 1 and zeros.count(0) > 0.7 * len(zeros):
            return encoding
    return "utf-8" if is_text_in("utf-8", sample) else legacy_encoding(sample)


def shows_in_first_bytes(encoding: str) -> bool:
    """Whether a file in this encoding cannot be mistaken for one in another."""
    return encoding.startswith("utf-16") or encoding == "utf-8-sig"


def legacy_encoding(sample: bytes) -> str:
    """One byte per character: as Windows writes it or, where that has no such character, latin-1."""
    return "cp1252" if is_text_in("cp1252", sample) else "latin-1"


def is_text_in(encoding: str, sample: bytes) -> bool:
    """Whether bytes are text in an encoding; the last character may be cut off."""
    try:
        codecs.getincrementaldecoder(encoding)("strict").decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def find_separator(text: str) -> str:
    """What stands between cells: what comes equally often in most lines, and most often."""
    lines = [line for line in _without_quoted(text[:SAMPLE]).splitlines()[:200] if line]
    whole = lines[:-1] or lines  # the last may be cut off
    if not whole:
        return ","

    def rank(separator: str) -> tuple[float, int]:
        wanted = whole[0].count(separator)
        same = sum(line.count(separator) == wanted for line in whole) / len(whole)
        return (same if wanted else 0.0, wanted)

    best = max(SEPARATORS, key=rank)
    return best if rank(best)[0] > 0.5 else max(SEPARATORS, key=whole[0].count)


def _without_quoted(text: str) -> str:
    return re.sub(r'"(?:[^"]|"")*"', "", text)


def _cells(text: str, separator: str) -> list[str]:
    lines = text.splitlines()[1:-1] or text.splitlines()[1:]
    try:
        return [cell.strip() for row in csv.reader(lines[:2000], delimiter=separator) for cell in row]
    except csv.Error:
        return []


def _marks(cells: Sequence[str], separator: str, decimal: str | None) -> tuple[str, str]:
    """The decimal mark and those between thousands."""
    odd = [cell for cell in cells if cell[-1:].isdigit() and not _ORDINARY_NUMBER.fullmatch(cell)]
    if decimal is None:
        decimal = _decimal(odd, cells, separator)
    others = "." if decimal == "," else ","
    found = Counter(mark for cell in odd for mark in _grouping(cell, decimal, others + SPACES))
    points = "".join(sorted(found))
    if points == "." and all(re.fullmatch(r"\d+(\.\d+)+", cell) and "," not in cell for cell in odd if "." in cell):
        points = ""  # 10.0.0.1 or 31.12.2024, not 1.234,5
    return decimal, points


def _decimal(odd: Sequence[str], cells: Sequence[str], separator: str) -> str:
    commas = [cell for cell in odd if re.fullmatch(rf"[+-]?\d{{1,3}}([.{SPACES}]?\d{{3}})*,\d+|[+-]?\d+,\d+", cell)]
    if not commas:
        return "."
    points = sum(bool(re.fullmatch(r"[+-]?\d+\.\d+", cell)) for cell in cells)
    surely = any(not re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", cell) for cell in commas)
    grouped = any(
        re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", cell) and cell.count(",") + cell.count(".") > 1 for cell in odd
    )
    if grouped or (separator == "," and (points or not surely)):
        return "."
    return "," if len(commas) > points or not points else "."


def _grouping(cell: str, decimal: str, marks: str) -> str:
    """The marks that divide the digits of a number into groups of three."""
    mark = rf"[{re.escape(marks)}]"
    match = re.fullmatch(rf"[+-]?\d{{1,3}}(?:({mark})\d{{3}})+(?:{re.escape(decimal)}\d+)?", cell)
    return match[1] if match else ""
