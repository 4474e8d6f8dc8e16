"""What can go wrong, as exit codes and lines that say what to do."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from typing import Any, ParamSpec

import typer

from rarewood._terminal import printable
from rarewood.cli._program import STOPPED, drop, stoppable, stopped_code
from rarewood.exceptions import ModelFileError, RarewoodWarning

Given = ParamSpec("Given")
SHOW_ERRORS = "RAREWOOD_TRACEBACK"


class ExitCode(IntEnum):
    """Exit codes of the program; docs/command-line.md explains them."""

    DONE = 0
    FAILED = 1
    ATTENTION = 1  # of `rarewood monitor`
    USAGE = 2
    UNREADABLE = 3
    DATA = 4
    MODEL_FILE = 5
    MISMATCH = 6
    UNWRITABLE = 7
    NOT_INSTALLED = 8
    HUNG_UP = 129  # as shells count signals
    STOPPED = 130
    TERMINATED = 143


class CommandError(Exception):
    """Something the user can put right, told in one line."""

    def __init__(self, code: ExitCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def told_in_one_line(command: Callable[Given, None], failed: ExitCode = ExitCode.FAILED) -> Callable[Given, None]:
    """Turn what a command raises into a line on standard error and an exit code, and warnings into notes.

    `failed` is the code of what has none of its own, for a command that means something else by 1.
    """

    @wraps(command)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> None:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            warnings.simplefilter("default", RarewoodWarning)  # ends no command, whatever Python was told of warnings
            try:
                with stoppable():
                    command(*args, **kwargs)
            except CommandError as error:
                _stop(error.code, str(error))
            except KeyboardInterrupt:
                _stop(stopped_code(), STOPPED)
            except BrokenPipeError:  # the reader of our output, `head` for instance, has seen enough
                drop(sys.stdout)
                raise typer.Exit(ExitCode.DONE) from None
            except ImportError as error:
                _stop(ExitCode.NOT_INSTALLED, str(error))
            except OSError as error:  # a full disk, a folder where a file should be: the system says which
                _stop(failed, str(error))
            except MemoryError:
                _stop(failed, "not enough memory; try fewer rows, columns or trees")
            except ModelFileError as error:
                _stop(ExitCode.MODEL_FILE, str(error))
            except Exception as error:
                if isinstance(error, (typer.Exit, typer.Abort)) or os.environ.get(SHOW_ERRORS):
                    raise
                _stop(
                    failed,
                    f"this should not happen; please report it: {type(error).__name__}: {error} ({SHOW_ERRORS}=1 shows where)",
                )

    return run


def _stop(code: int, message: str) -> None:
    sys.stderr.write(f"rarewood: {printable(' '.join(message.split()))}\n")
    raise typer.Exit(int(code))


def _note(message: Any, *_where: Any, **_file: Any) -> None:
    sys.stderr.write(f"note: {printable(' '.join(str(message).split()))}\n")
