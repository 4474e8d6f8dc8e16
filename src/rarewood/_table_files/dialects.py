"""How a text file writes a table: in which encoding, with what between cells, with which marks in numbers.

What is not told is found out from the beginning of the file.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from rarewood._table_files._header import LOOKED_AT, rows_above_header
from rarewood._tables.date_texts import DateWriting, read_date_format
from rarewood._tables.kinds.guessing import TextHints
from rarewood._tables.number_texts import MARKS, SPACES, MarkHints

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
    missing : dict
        Words that stand for missing cells besides the usual ones, in all columns (under None) or by the name of a column.
    skip : int or None
        Lines or rows above the names of the columns; None is found out.
    table : str or None
        The table of a database or the sheet of a workbook.
    strict : bool
        Whether a cell that is not of the kind of its column is an error, and not a missing value.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    thousands: str = ""
    dates: Mapping[str | None, DateWriting] = field(default_factory=dict, compare=False)
    missing: Mapping[str | None, frozenset[str]] = field(default_factory=dict, compare=False)
    skip: int | None = None
    table: str | None = None
    strict: bool = False

    def missing_in(self, column: str) -> frozenset[str]:
        """Words that stand for missing cells of a column, besides the usual ones."""
        return self.missing.get(None, frozenset()) | self.missing.get(column, frozenset())

    def with_missing(self, words: Mapping[str | None, frozenset[str]]) -> Dialect:
        """The same with more words for missing cells."""
        both = {
            name: self.missing.get(name, frozenset()) | words.get(name, frozenset()) for name in (*self.missing, *words)
        }
        return replace(self, missing=both) if words else self

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
        text = _below(text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"), self.skip or 0)
        separator = self.separator or find_separator(text)
        skip = _lines_above_header(text, separator) if self.skip is None else self.skip
        decimal, thousands = _marks(_cells(_below(text, skip - (self.skip or 0)), separator), separator, self.decimal)
        return replace(
            self,
            separator=separator,
            encoding=encoding,
            decimal=decimal,
            thousands=self.thousands or thousands,
            skip=skip,
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


def told_dialect(
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    thousands: str = "",
    date_format: Mapping[str | None, str] | None = None,
    missing: Mapping[str | None, Iterable[str]] | None = None,
    sheet: str | None = None,
    skip: int | None = None,
    strict: bool = False,
) -> Dialect:
    """What a user says of a file; ValueError, which begins with the name of a parameter, for what cannot be."""
    if sep is not None and len(sep) != 1:
        raise ValueError(f"sep {sep} should be a single character, or tab")
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal {decimal} should be . or ,")
    if len(thousands) > 1 or thousands not in MARKS:
        raise ValueError(f"thousands {thousands} should be . , ' or space")
    if thousands and thousands == decimal:
        raise ValueError(f"thousands and decimal are both {thousands}")
    if thousands in (".", ",") and decimal is None:
        decimal = "," if thousands == "." else "."
    if skip is not None and skip < 0:
        raise ValueError(f"skip {skip} should be a number of lines or rows, at least 0")
    try:
        dates = {name: read_date_format(text) for name, text in (date_format or {}).items()}
    except ValueError as error:
        raise ValueError(f"date_format: {error}") from error
    words = {name: frozenset(word.strip() for word in each) for name, each in (missing or {}).items()}
    return Dialect(sep, decimal, encoding, thousands, dates, words, skip, sheet, strict)


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

    def rank_without_title(separator: str) -> tuple[int, int]:
        counts = Counter(line.count(separator) for line in whole if separator in line)
        return max(((lines, count) for count, lines in counts.items()), default=(0, 0))

    best = max(SEPARATORS, key=rank)
    if rank(best)[0] > 0.5:
        return best
    below = max(SEPARATORS, key=rank_without_title)
    is_titled = whole[0].count(below) < rank_without_title(below)[1]
    return below if is_titled and 2 * rank_without_title(below)[0] > len(whole) else max(SEPARATORS, key=whole[0].count)


def _below(text: str, n_lines: int) -> str:
    """A text without its first lines."""
    return "".join(list(io.StringIO(text, newline=""))[n_lines:]) if n_lines else text


def _lines_above_header(text: str, separator: str) -> int:
    """How many lines are above the names of the columns; cells may hold line ends."""
    reader = csv.reader(islice(io.StringIO(text, newline=""), 4 * LOOKED_AT), delimiter=separator)
    rows, ends = [], [0]
    try:
        for row in islice(reader, LOOKED_AT):
            rows.append(row)
            ends.append(reader.line_num)
    except csv.Error:
        return 0
    return ends[rows_above_header(rows)]


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
