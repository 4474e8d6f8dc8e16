"""The file a comparison is kept in: one JSON object per line, appended and flushed to the disk as results come.

The first line names the format. A line of kind "run" says what was compared and with what; the lines of kind "result" after it
hold one method on one fold each. A run that is stopped, even in the middle of a line, loses that line only.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Self

from rarewood._files import lock, written_whole
from rarewood._warnings import warn

_FORMAT = {"format": "rarewood-comparison", "version": 1}

# What is read of a record before it is asked which comparison it belongs to.
_WANTED: dict[str, dict[str, Any]] = {
    "result": {
        "key": str,
        "measures": dict,
        "scores": dict,
        "undefined": dict,
        "warnings": list,
        "error": (str, type(None)),
    },
    "run": {"datasets": dict, "methods": dict, "metrics": dict, "n_learner_repeats": int},
}


class RecordFile:
    """Appends records to a file; use it in a `with` statement. One process at a time: a second one is refused.

    The lock ends with the process that holds it, however that dies; nothing has to be cleaned up after it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            self._file = stack.enter_context(self._path.open("ab"))
            if not lock(self._file):
                raise BlockingIOError(
                    f"another comparison is writing to {self._path}; wait until it is done, or name another file"
                )
            if self._path.stat().st_size > 0:
                _check_format(self._path)
                _cut_torn_line(self._path)
            if self._path.stat().st_size == 0:
                self.append(_FORMAT)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def append(self, record: dict[str, Any]) -> None:
        """Write one line and wait until the disk has it."""
        assert self._file is not None
        self._file.write(json.dumps(_plain(record), allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def write_records(path: str | os.PathLike[str], records: Iterable[dict[str, Any]]) -> None:
    """A new file with these records, replacing what was there once all is written."""
    with written_whole(path) as beside, RecordFile(beside) as file:
        for record in records:
            file.append(record)


def read_records(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """All whole records of a file. A torn last line is left out; a damaged one elsewhere, too, with a warning."""
    path = Path(path)
    _check_format(path)
    *lines, _ = path.read_bytes().split(b"\n")  # the last piece is empty unless the last line is torn
    records, damaged = [], 0
    for line in lines[1:]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            damaged += 1
            continue
        if _is_whole(record):
            records.append(record)
        else:
            damaged += 1
    if damaged:
        warn(f"{path}: {damaged} damaged lines were skipped.")
    return records


def _is_whole(record: Any) -> bool:
    """Whether a record has what is asked of its kind; records of later kinds are whole, too."""
    if not isinstance(record, dict):
        return False
    kind = record.get("kind")
    wanted = _WANTED.get(kind, {}) if isinstance(kind, str) else {}
    if kind == "result" and not all(isinstance(each, (int, float, type(None))) for each in _scores(record)):
        return False
    return all(isinstance(record.get(name), types) for name, types in wanted.items())


def _scores(record: dict[str, Any]) -> Iterable[Any]:
    scores = record.get("scores")
    return scores.values() if isinstance(scores, dict) else ()


def _check_format(path: Path) -> None:
    """Refuse files that are not ours before anything is read from or written to them."""
    with path.open("rb") as file:
        first = file.readline(1000)
    if not first.endswith(b"\n") and json.dumps(_FORMAT).encode().startswith(first):
        return  # stopped while the very first line was written
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != _FORMAT["format"]:
        raise ValueError(f"{path} is not a record of a comparison; choose another file name or remove it.")
    if found.get("version") != _FORMAT["version"]:
        raise ValueError(
            f"{path} has version {found.get('version')} of the record format, but this release reads version "
            f"{_FORMAT['version']}."
        )


def _cut_torn_line(path: Path) -> None:
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with path.open("r+b") as file:
            file.truncate(whole)


def _plain(value: Any) -> Any:
    """NaN as null; whatever JSON lacks as text."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
