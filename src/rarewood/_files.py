"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A place beside `path` to write to, renamed to it at the end: a reader sees the old file or the new one, never a part.

    If the writing fails or is interrupted, what was there stays and nothing is left behind.
    """
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    beside.unlink(missing_ok=True)  # of a process of this number that was killed
    try:
        yield beside
        with beside.open("rb+") as file:
            os.fsync(file.fileno())  # before the name: a crash must not leave an empty file under it
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
