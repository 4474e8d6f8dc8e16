"""The program around the commands: its standard streams and its signals, from the first import to the last.

Nothing that is printed ends a command, and a signal ends it in one line, whenever it comes. Only the standard library is imported here.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO

_UNWRITABLE = 7  # as in `ExitCode`, which comes with typer
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # the last is not known everywhere
STOPPED = "stopped; output files are complete or absent"


def run_program(command: Callable[[], object]) -> NoReturn:
    """Run what ends with an exit code, and end with it, or with that of lost output."""
    _fill_closed_places()
    sys.stdout, sys.stderr = _shielded(sys.stdout), _shielded(sys.stderr)
    if not os.environ.get("COLUMNS", "80").strip("0"):  # no width, in which nothing would be shown
        del os.environ["COLUMNS"]
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _on_signal)  # one that is ignored, under nohup for instance, still is
    sys.unraisablehook = _on_lost_error
    try:
        command()
        code: Any = 0
    except SystemExit as stop:
        code = stop.code or 0
    except OSError as error:  # of help, which the libraries below print past our streams where they cannot encode it
        code = _told_loss(error)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    lost = getattr(sys.stdout, "lost", None)
    told = 0 if lost is None else _told_loss(lost)
    _State.code = code or told
    # Python keeps in mind that an interrupt has left an `exec`, and `python -m` would end by the signal; another one makes it forget.
    exec("")
    raise SystemExit(_State.code)


# ---------------------------------------------------------------------------------------------------------
# streams


class Shielded(io.TextIOWrapper):
    r"""A standard stream for text: what its encoding lacks is written as \xe4, and what cannot be written is lost.

    The first loss is kept as `lost`, for the end. Bytes written to `buffer` are results, whose loss is an error at once.
    """

    lost: OSError | None = None

    def write(self, text: str, /) -> int:
        """The text, or nothing."""
        try:
            return super().write(text)
        except OSError as error:
            self._lose(error)
            return len(text)

    def flush(self) -> None:
        """Whatever waits, or nothing."""
        try:
            super().flush()
        except OSError as error:
            self._lose(error)

    def close(self) -> None:
        """Write what waits; the file below is closed by those who opened it, not when this is collected."""
        if not self.buffer.closed:
            self.flush()

    def _lose(self, error: OSError) -> None:
        self.lost = self.lost or error
        drop(self)


def drop(stream: TextIO) -> None:
    """Send what is written from now on, and what still waits, nowhere."""
    with suppress(OSError):  # a stream of a test has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def in_words(error: OSError) -> str:
    """What is wrong with a stream."""
    return "it is closed" if error.errno == errno.EBADF else error.strerror or str(error)


def _shielded(stream: Any) -> Any:
    if not hasattr(stream, "buffer") or isinstance(stream, Shielded):
        return stream
    is_by_lines = getattr(stream, "line_buffering", True)
    return Shielded(stream.buffer, stream.encoding, errors="backslashreplace", line_buffering=is_by_lines)


def _fill_closed_places() -> None:
    """Put something unusable in the place of closed standard streams, whose numbers otherwise go to files that are opened."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        # Python has no object for it, but what is opened next would get its number.
        try:
            os.fstat(number)
        except OSError:
            unusable = os.open(os.devnull, os.O_WRONLY if name == "stdin" else os.O_RDONLY)
            if unusable != number:
                os.dup2(unusable, number)
                os.close(unusable)
        if name != "stdin":  # who reads it finds None
            stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)  # which keeps it open


def _told_loss(error: OSError) -> int:
    """The exit code of lost output; a reader that has seen enough, `head` for instance, loses nothing."""
    if isinstance(error, BrokenPipeError):
        drop(sys.stdout)
        return 0
    sys.stderr.write(f"rarewood: standard output cannot be written: {in_words(error)}; the rest is done\n")
    return _UNWRITABLE


# ---------------------------------------------------------------------------------------------------------
# signals


class _State:
    """What a signal means just now."""

    is_working = False
    received: int | None = None
    code: int | None = None


@contextmanager
def stoppable() -> Iterator[None]:
    """While a command works, a signal is KeyboardInterrupt, so that it can clean up; before and after, it ends the program at once.

    Libraries make other errors of it, while they are imported for instance.
    """
    _State.is_working, _State.received = True, None
    try:
        yield
    except Exception as error:
        if _State.received is not None:
            raise KeyboardInterrupt from error
        raise
    finally:
        _State.is_working = False


def stopped_code() -> int:
    """The exit code after a signal, as shells have it."""
    return 128 + (_State.received or signal.SIGINT)


def _on_signal(number: int, _frame: object) -> None:
    if _State.is_working:
        _State.received = number
        raise KeyboardInterrupt
    if _State.code is not None:  # all is done and told
        os._exit(_State.code)
    with suppress(OSError):
        os.write(2, f"rarewood: {STOPPED}\n".encode())
    os._exit(128 + number)


def _on_lost_error(lost: Any) -> None:
    """Where Python discards an interrupt, in a destructor or a callback, it is raised again a moment later."""
    if isinstance(lost.exc_value, KeyboardInterrupt) and _State.received is not None:
        import threading

        again = threading.Timer(0.01, _interrupt_again, [threading.main_thread().ident, _State.received])
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(lost)


def _interrupt_again(thread: int, number: int) -> None:
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, number)  # a real signal, which ends a wait
    else:
        import _thread

        _thread.interrupt_main(signal.Signals(number))
