"""Files that are read, `-` among them, and files that appear whole or not at all."""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from rarewood._files import is_special, written_whole
from rarewood._table_files.formats import TABLE_SUFFIXES, split_table, suffix_of
from rarewood._table_files.packing import DAMAGED
from rarewood._terminal import printable
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._program import drop, in_words

STANDARD = "-"
_SLASHES = tuple(slash for slash in (os.sep, os.altsep) if slash)


def name_of(source: str) -> str:
    """What to call it in messages."""
    return "standard input" if source == STANDARD else Path(split_table(source)[0]).name


def check_readable(source: str) -> None:
    """Raise unless there is such a file, and nothing that is printed goes into it."""
    check_not_printed_to(source)
    if source == STANDARD:
        return
    if not source:
        raise CommandError(ExitCode.USAGE, "the name of a file is empty; use - to read standard input")
    try:
        file = split_table(source)[0]
    except OSError:  # a name that the system does not take, of which it says so below
        file = source
    check_there(file, "file", "use - to read standard input", "name a file with a table in it")


def check_there(file: str, what: str, otherwise: str, no_folder: str) -> None:
    """Raise unless there is something to read under this name that is no folder; what to do instead is said then."""
    path = Path(file)
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except OSError as error:  # a folder on the way that is closed, or a name that the system does not take
        raise CommandError(ExitCode.UNREADABLE, f"{file} cannot be read: {error.strerror}") from error
    if is_folder:
        raise CommandError(ExitCode.UNREADABLE, f"{file} is a folder; {no_folder}")
    _check_no_slash(file, ExitCode.UNREADABLE)
    if not is_there:
        raise CommandError(ExitCode.UNREADABLE, f"there is no {what} {file}{_near(path)}; {otherwise}")


def _check_no_slash(path: str, code: ExitCode) -> None:
    """Raise for `t.csv/`, which is a folder to the system and would be a file here, for paths lose a slash at their end."""
    if path.endswith(_SLASHES):
        raise CommandError(code, f"{path} ends in a slash, as only folders do; name a file")


def is_read_once(source: str) -> bool:
    """Whether what has been read is gone: of standard input, a pipe and the like."""
    return source == STANDARD or is_special(split_table(source)[0])


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
        where = name_of(source)
        with open_binary(source) as file:
            try:
                with path.open("wb") as copy:
                    copy.writelines(_pieces(file, where))
            except OSError as error:
                raise CommandError(
                    ExitCode.UNWRITABLE,
                    f"{where} is read twice and cannot be kept in {tempfile.gettempdir()}: {error.strerror}; "
                    "set TMPDIR to another folder, or name a file",
                ) from error
        yield path


def _pieces(file: BinaryIO, where: str) -> Iterator[bytes]:
    with reading(where):
        while piece := file.read(2**20):
            yield piece


@contextmanager
def open_binary(source: str) -> Iterator[BinaryIO]:
    """A file or standard input, open for reading."""
    check_readable(source)
    if source == STANDARD:
        if sys.stdin is None:
            raise CommandError(ExitCode.UNREADABLE, "standard input is closed; name a file, or pipe a table in")
        yield sys.stdin.buffer
        return
    try:
        opened = Path(split_table(source)[0]).open("rb", buffering=2**18)  # noqa: SIM115
    except OSError as error:
        raise CommandError(ExitCode.UNREADABLE, f"{source} cannot be read: {error.strerror}") from error
    with opened:
        yield opened


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
    except OSError as error:
        raise CommandError(ExitCode.UNREADABLE, f"cannot read {where}: {error.strerror or error}") from error
    except ValueError as error:
        raise CommandError(ExitCode.UNREADABLE, f"cannot read {where}: {error}") from error


def check_writable(target: str, reads: Iterable[str | None], option: str = "--output") -> None:
    """Raise unless a file can be made there that is none of those the command `reads`; asked before long work, not after it."""
    if target == STANDARD:
        for source in reads:
            if source is not None:
                check_not_printed_to(source)
        return
    if not target:
        raise CommandError(ExitCode.USAGE, f"{option} has an empty name; name a file")
    try:
        real = Path(os.path.realpath(target))
        real.exists()
    except OSError as error:  # no folder any more that names begin in, or a name that the system does not take
        raise CommandError(ExitCode.UNWRITABLE, f"{target} cannot be written: {error.strerror}") from error
    if real.is_symlink():
        raise CommandError(ExitCode.UNWRITABLE, f"{target} is a link that leads back to itself; name another file")
    if real.is_dir():
        raise CommandError(ExitCode.UNWRITABLE, f"{target} is a folder; name a file")
    _check_no_slash(target, ExitCode.UNWRITABLE)
    if is_special(target):
        if not os.access(target, os.W_OK):
            raise CommandError(ExitCode.UNWRITABLE, f"{target} cannot be written to; name another place")
        return
    for source in reads:
        if source is not None and any(_is_same(target, each) for each in _files_of(source)):
            told = name_of(source) if source == STANDARD else source
            raise CommandError(
                ExitCode.USAGE, f"{option} {target} would write over {told}, which is read; name another file"
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
    known = _identity(target), _identity(source)
    if None in known:  # one of them is not there yet
        return os.path.realpath(target) == os.path.realpath(source)
    return known[0] == known[1]


def check_not_printed_to(source: str) -> None:
    """Raise if standard output is the file that is to be read: it would grow while it is read, or is empty already."""
    known = _identity(split_table(source)[0])
    if known is not None and known == _identity_of(sys.stdout):
        raise CommandError(
            ExitCode.USAGE,
            f"standard output goes to the file of {name_of(source)}, which is read; send it elsewhere (`>` has emptied the file, `>>` has "
            "not)",
        )


def _identity(path: str) -> tuple[int, int] | None:
    """What all names of a file have in common, `-` among them; None unless it is one."""
    if path == STANDARD:
        return _identity_of(sys.stdin)
    try:
        return _known_by(Path(path).stat())
    except (OSError, ValueError):
        return None


def _identity_of(stream: Any) -> tuple[int, int] | None:
    try:
        return _known_by(os.fstat(stream.fileno()))
    except (OSError, ValueError, AttributeError):  # closed, or a stream of a test
        return None


def _known_by(status: os.stat_result) -> tuple[int, int] | None:
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def check_model_name(target: str) -> None:
    """Raise for the name of a table: a model in a file called .xlsx would be taken for a workbook."""
    suffix = Path(target).suffix.lower()
    if suffix in TABLE_SUFFIXES:
        raise CommandError(
            ExitCode.USAGE,
            f"--output {target} is for the model, which is not a {suffix} file; use a name such as "
            f"{Path(target).stem}.rarewood",
        )


def check_table_name(target: str, writable: Collection[str], named: str) -> None:
    """Raise for names that promise what is not written; a CSV file called .xlsx opens in no spreadsheet."""
    suffix = suffix_of(target)
    if suffix in TABLE_SUFFIXES and suffix not in writable:
        raise CommandError(ExitCode.USAGE, f"--output {target}: {suffix} files cannot be written; name {named}")


@contextmanager
def whole_file(target: str) -> Iterator[BinaryIO]:
    """A file to write that appears under its name only when all is written; an interruption leaves nothing behind."""
    if target == STANDARD:
        try:
            yield cast("BinaryIO", _Shown()) if sys.stdout.isatty() else sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            drop(sys.stdout)
            raise CommandError(
                ExitCode.UNWRITABLE, f"standard output cannot be written: {in_words(error)}; name a file with --output"
            ) from error
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
