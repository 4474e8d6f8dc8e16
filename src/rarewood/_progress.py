"""Progress of long work on the terminal: a bar with rate and time left where rich is installed, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rarewood._terminal import printable

Report = Callable[[int], None]


@contextmanager
def progress(total: int, what: str, verbose: int, already: int = 0) -> Iterator[Report | None]:
    """Yield a function to call with the number of things done, or None when `verbose` is 0.

    Things that were `already` done before, in an earlier run, count as done but not for the rate.
    """
    if not verbose:
        yield None
        return
    what = printable(what)
    try:
        import rich.progress as bars
    except ImportError:
        yield from _lines(total, what, already)
        return
    columns: list[Any] = [
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[rate]}"),
        bars.TimeRemainingColumn(),
    ]
    with bars.Progress(*columns, console=_console()) as bar:
        task = bar.add_task(what, total=total, completed=already, rate="")
        start = time.perf_counter()

        def report(done: int) -> None:
            bar.update(task, completed=done, rate=_rate(done - already, start))

        yield report
        report(total)


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True)


def _rate(done: int, start: float) -> str:
    seconds = time.perf_counter() - start
    if seconds <= 0 or done <= 0:
        return "0.0/s"
    return f"{done / seconds:.1f}/s" if done >= seconds else f"{seconds / done:.1f} s each"


def _lines(total: int, what: str, already: int, every_seconds: float = 1.0) -> Iterator[Report]:
    start = last = time.perf_counter()
    printed = -1

    def report(done: int) -> None:
        nonlocal last, printed
        now = time.perf_counter()
        if done == printed or (now - last < every_seconds and done < total):
            return
        last, printed = now, done
        new = done - already
        left = (now - start) / max(new, 1) * (total - done)
        sys.stderr.write(f"{what}: {done} of {total}, {_rate(new, start)}, {left:.0f} s left\n")
        sys.stderr.flush()

    yield report
    report(total)
