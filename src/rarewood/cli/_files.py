"""Files that are read, `-` among them, and files that appear whole or not at all."""

from __future__ import annotations

import glob
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from rarewood._files import is_special, written_whole
from rarewood._table_files.formats import TABLE_SUFFIXES, split_table
from rarewood._table_files.packing import DAMAGED
from rarewood._terminal import printable
from rarewood.cli._errors import CommandError, ExitCode

STANDARD = "-"


def name_of(source: str) -> str:
    """What to call it in messages."""
    return "standard input" if source == STANDARD else Path(split_table(source)[0]).name


def check_readable(source: str) -> None:
    """Raise unless there is such a file."""
    if source == STANDARD:
        return
    source, _ = split_table(source)
    path = Path(source)
    if path.is_dir():
        raise CommandError(ExitCode.UNREADABLE, f"{source} is a folder; name a file with a table in it")
    if not path.exists():
        near = _near(path)
        raise CommandError(ExitCode.UNREADABLE, f"there is no file {source}{near}; use - to read standard input")


def _near(path: Path) -> str:
    import difflib

    beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, beside, n=1)
    return f" (did you mean {path.with_name(close[0])}?)" if close else ""


@contextmanager
def as_file(source: str) -> Iterator[Path]:
    """A file that can be read twice: the one named, or standard input copied to a temporary one."""
    check_readable(source)
    if source != STANDARD:
        path = Path(split_table(source)[0])
        if path.is_file():
            yield path
            return
    with tempfile.TemporaryDirectory() as folder:  # a pipe can be read once
        path = Path(folder) / "standard-input"
        with reading(name_of(source)), open_binary(source) as file, path.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        yield path


@contextmanager
def open_binary(source: str) -> Iterator[BinaryIO]:
    """A file or standard input, open for reading."""
    check_readable(source)
    if source == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        with Path(split_table(source)[0]).open("rb", buffering=2**18) as file:
            yield file
    except PermissionError as error:
        raise CommandError(ExitCode.UNREADABLE, f"{source} cannot be read: {error.strerror}") from error


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Whatever a damaged or strange table makes its readers raise, as one line."""
    try:
        yield
    except DAMAGED as error:
        raise CommandError(
            ExitCode.UNREADABLE,
            f"cannot read {where}: it is a damaged or incomplete gzip file: {error}",
        ) from error
    except (ValueError, OSError) as error:
        raise CommandError(ExitCode.UNREADABLE, f"cannot read {where}: {error}") from error


def check_writable(target: str, reads: Iterable[str | None], option: str = "--output") -> None:
    """Raise unless a file can be made there that is none of those the command `reads`; asked before long work, not after it."""
    if target == STANDARD:
        return
    real = Path(os.path.realpath(target))
    if real.is_symlink():
        raise CommandError(ExitCode.UNWRITABLE, f"{target} is a link that leads back to itself; name another file")
    if real.is_dir():
        raise CommandError(ExitCode.UNWRITABLE, f"{target} is a folder; name a file")
    if is_special(target):
        if not os.access(target, os.W_OK):
            raise CommandError(ExitCode.UNWRITABLE, f"{target} cannot be written to; name another place")
        return
    for source in reads:
        if source is not None and any(_is_same(target, each) for each in _files_of(source)):
            raise CommandError(
                ExitCode.USAGE, f"{option} {target} would write over {source}, which is read; name another file"
            )
    folder = real.parent
    if not folder.is_dir():
        raise CommandError(
            ExitCode.UNWRITABLE, f"there is no folder {folder} to write {Path(target).name} to; make it first"
        )
    if not os.access(folder, os.W_OK):
        raise CommandError(ExitCode.UNWRITABLE, f"the folder {folder} cannot be written to; name another place")


def _files_of(source: str) -> list[str]:
    """The files that a source stands for: a file, a table in one, all files of a folder or of a glob."""
    file, _ = split_table(source)
    if Path(file).is_dir():
        return [str(each) for each in Path(file).rglob("*")]
    return [file, *([] if Path(file).exists() else glob.glob(file, recursive=True))]  # noqa: PTH207


def _is_same(target: str, source: str) -> bool:
    try:
        return Path(target).samefile(source)
    except OSError:  # one of them is not there yet
        return os.path.realpath(target) == os.path.realpath(source)


def check_model_name(target: str) -> None:
    """Raise for the name of a table: a model in a file called .xlsx would be taken for a workbook."""
    suffix = Path(target).suffix.lower()
    if suffix in TABLE_SUFFIXES:
        raise CommandError(
            ExitCode.USAGE,
            f"--output {target} is for the model, which is not a {suffix} file; use a name such as "
            f"{Path(target).stem}.rarewood",
        )


@contextmanager
def whole_file(target: str) -> Iterator[BinaryIO]:
    """A file to write that appears under its name only when all is written; an interruption leaves nothing behind."""
    if target == STANDARD:
        yield cast("BinaryIO", _Shown()) if sys.stdout.isatty() else sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_writable(target, ())
    try:
        with written_whole(target) as beside, beside.open("wb") as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(ExitCode.UNWRITABLE, f"{target} cannot be written: {error.strerror or error}") from error


class _Shown(io.RawIOBase):
    """Standard output where it is a terminal: what is written there is read by somebody, and must not be obeyed."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        text = bytes(data).decode("utf-8", "surrogateescape")
        sys.stdout.buffer.write(printable(text).encode())
        return len(data)
