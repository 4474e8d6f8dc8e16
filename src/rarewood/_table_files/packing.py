"""Files packed by gzip, which are recognised by their first bytes."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from rarewood._table_files.dialects import SAMPLE

_GZIP = b"\x1f\x8b"


class UnreadableFileError(ValueError):
    """A file that is damaged, cut off, or not what its name says."""


def unpacked(file: BinaryIO) -> Any:
    """An open file, unpacked if need be, with a `peek` method that shows much of it."""
    ready: Any = file if hasattr(file, "peek") else io.BufferedReader(file, SAMPLE)
    if not ready.peek(2).startswith(_GZIP):
        return ready
    return io.BufferedReader(gzip.GzipFile(fileobj=ready), SAMPLE)


def unpacked_bytes(path: Path) -> bytes:
    """The contents of a file, unpacked if need be."""
    contents = path.read_bytes()
    if not contents.startswith(_GZIP):
        return contents
    try:
        return gzip.decompress(contents)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"{path.name} is a damaged or incomplete gzip file: {error}") from error
