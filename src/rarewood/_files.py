"""Files that appear whole or not at all, files that one process at a time may write, hashes of files, and how our own begin."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

MODEL_MAGIC = b"\x89RWD\r\n\x1a\n"
"""How model files begin. A transfer that changes line ends or drops the eighth bit shows in these bytes."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A place to write to that gets the name `path` at the end: a reader sees the old file or the new one, never a part.

    If the writing fails or is interrupted, what was there stays and nothing is left behind. A file that is replaced keeps its
    permissions and owner, a symbolic link keeps pointing where it did. A device or a pipe cannot be replaced by a file, so it is
    written to straight away.
    """
    if is_special(path):  # by its name as given: /dev/stdout leads to a pipe that has no other
        yield Path(path)
        return
    target = Path(os.path.realpath(path))
    before = _status(target)
    # So many random digits that no other thread, process or container has the name: what is there at the end is ours, even if an
    # interrupt comes in the moment the file is made.
    beside = target.with_name(f".{target.name[:50]}.{secrets.token_hex(16)}.part")
    try:
        beside.touch(exist_ok=False)
        yield beside
        _flush(beside, os.O_RDWR)  # before the name: a crash must not leave an empty file under it
        if before is not None:
            _copy_permissions(before, beside)
        beside.replace(target)
        if os.name != "nt":  # where folders cannot be opened
            _flush(target.parent, os.O_RDONLY)
    finally:
        beside.unlink(missing_ok=True)


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether there is something at `path` that is no file and no folder: a device, a pipe, a socket."""
    found = _status(Path(path))
    return found is not None and not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The hash of a file, as `sha256sum` prints it."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return digest.hexdigest()


def lock(file: IO[Any]) -> bool:
    """Keep other processes from locking an open file; False if one has. Ends with the file or the process, however it dies.

    Where the operating system has no such lock, nobody is kept away.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _copy_permissions(before: os.stat_result, beside: Path) -> None:
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # only root may give files away
            os.chown(beside, before.st_uid, before.st_gid)
    beside.chmod(stat.S_IMODE(before.st_mode))


def _flush(path: Path, mode: int) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
