"""The items of a JSON list, one after the other, so that the list need not be in memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from rarewood._table_files._lines import LONGEST_LINE

_AT_ONCE = 2**16
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def list_items(file: BinaryIO, where: str) -> Iterator[Any]:
    """The items of a list in UTF-8; raises ValueError at the first character that should not be there."""
    try:
        yield from _Text(file, where).items()
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where} is not valid JSON: {in_words(error)}.") from error


def in_words(error: Exception) -> str:
    """What is wrong with a text of JSON, and where."""
    if isinstance(error, RecursionError):
        return "too many brackets inside each other"
    return f"{error.msg} at its character {error.pos + 1:,}" if isinstance(error, json.JSONDecodeError) else str(error)


class _Text:
    """A text of which the part is in memory that is being read."""

    def __init__(self, file: BinaryIO, where: str) -> None:
        self._file, self._where = file, where
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._part, self._place, self._n_before, self._is_whole = "", 0, 0, False

    def items(self) -> Iterator[Any]:
        self._take("[", "Expecting value")
        if self._next() == "]":
            self._place += 1
        else:
            while True:
                self._next()
                yield self._item()
                if self._next() == "]":
                    self._place += 1
                    break
                self._take(",", "Expecting ',' delimiter")
        if self._next():
            raise self._error("Extra data", self._place)

    def _take(self, wanted: str, otherwise: str) -> None:
        if self._next() != wanted:
            raise self._error(otherwise, self._place)
        self._place += 1

    def _next(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            match = _SPACE.match(self._part, self._place)
            assert match is not None
            self._place = match.end()
            if self._place < len(self._part) or self._is_whole:
                return self._part[self._place : self._place + 1]
            self._read_on()

    def _item(self) -> Any:
        while True:
            try:
                item, end = _DECODER.raw_decode(self._part, self._place)
            except json.JSONDecodeError as error:
                if self._is_whole:
                    raise self._error(error.msg, error.pos) from error
            else:
                if end < len(self._part) or self._is_whole:  # a number may go on
                    self._place = end
                    return item
            if len(self._part) - self._place > LONGEST_LINE:
                raise ValueError(
                    f"the item at its character {self._n_before + self._place + 1:,} is wrong, or longer than {LONGEST_LINE:,} characters"
                )
            self._read_on()

    def _read_on(self) -> None:
        """At least double what is left, so that a long item is not read again and again."""
        left = self._part[self._place :]
        some = self._file.read(max(_AT_ONCE, len(left)))
        self._is_whole = not some
        self._n_before += self._place
        self._part, self._place = left + self._decoder.decode(some, final=not some), 0

    def _error(self, message: str, place: int) -> ValueError:
        return ValueError(f"{message} at its character {self._n_before + place + 1:,}")
