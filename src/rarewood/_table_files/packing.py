"""Files packed by gzip, which are recognised by their first bytes."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import Any, BinaryIO

from rarewood._table_files.dialects import SAMPLE

_GZIP = b"\x1f\x8b"

DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)
"""What reading a damaged or incomplete gzip file raises."""


def unpacked(file: BinaryIO) -> Any:
    """An open file, unpacked if need be, with a `peek` method that shows much of it."""
    ready: Any = file if hasattr(file, "peek") else io.BufferedReader(file, SAMPLE)
    if not ready.peek(2).startswith(_GZIP):
        return ready
    return io.BufferedReader(gzip.GzipFile(fileobj=ready), SAMPLE)
