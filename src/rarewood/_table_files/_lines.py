"""Lines of text, no longer than memory can bear: a small packed file may unpack to a single line of any length."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

LONGEST_LINE = 2**23
"""In bytes: a hundred thousand columns have lines a tenth as long."""


class BoundedLines(io.BufferedIOBase):
    """An open file that is read as it is, up to a line that is too long."""

    def __init__(self, file: BinaryIO, where: str) -> None:
        self._file, self._where, self._length = file, where, 0

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Some bytes, or all that are left."""
        return self._checked(self._file.read(-1 if size is None else size))

    def read1(self, size: int = -1, /) -> bytes:
        """Some bytes, in one go."""
        return self._checked(self._file.read1(size))  # type: ignore[attr-defined]

    def _checked(self, some: bytes) -> bytes:
        end = max(some.rfind(b"\n"), some.rfind(b"\r"))
        self._length = len(some) - end - 1 if end >= 0 else self._length + len(some)
        if self._length > LONGEST_LINE:
            raise _too_long(self._where)
        return some


def lines_of(file: BinaryIO, where: str) -> Iterator[str]:
    """The lines of an open file in UTF-8, without a byte order mark."""
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise _too_long(where)
        yield line.decode("utf-8").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")


def _too_long(where: Any) -> ValueError:
    return ValueError(f"{where} has a line of more than {LONGEST_LINE:,} bytes, so it is hardly a table of text.")
