"""Lines of text in UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO


def lines_of(file: BinaryIO) -> Iterator[str]:
    """The lines of an open file, without a byte order mark."""
    for line in file:
        yield line.decode("utf-8").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
