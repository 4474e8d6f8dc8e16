"""Time several contestants against each other, and measure the peak memory of one fit.

`race` runs the contestants in turn, again and again, in an order that rotates: a machine that slows down for
a while slows everybody. A ratio is taken within one round and its median over the rounds is reported with
the smallest and the largest, so a noisy figure shows as one.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from workloads import make_workload

Clock = Literal["cpu", "wall"]
Contestant = Callable[[], Callable[[], object]]
"""Makes a fresh estimator (not timed) and returns the call to be timed."""


@dataclass(frozen=True)
class Elapsed:
    """Seconds of one call. A contestant that works in another process returns one and is believed."""

    cpu: float
    wall: float


@dataclass
class Times:
    """The rounds of one contestant, in order."""

    name: str
    rounds: list[Elapsed] = field(default_factory=list)
    result: object = None
    """What the last call returned, e.g. the fitted estimator."""

    def seconds(self, clock: Clock = "cpu") -> list[float]:
        return [getattr(elapsed, clock) for elapsed in self.rounds]

    def best(self, clock: Clock = "cpu") -> float:
        return min(self.seconds(clock))

    def median(self, clock: Clock = "cpu") -> float:
        return statistics.median(self.seconds(clock))


@dataclass(frozen=True)
class Ratio:
    """How many times faster, over the rounds: median, smallest, largest."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3g}x ({self.low:.3g}-{self.high:.3g})"


def race(contestants: Mapping[str, Contestant], repeats: int) -> dict[str, Times]:
    """Run every contestant `repeats` times, interleaved, and return what each took."""
    times = {name: Times(name) for name in contestants}
    order = list(contestants)
    for _ in range(repeats):
        for name in order:
            times[name].result = None
            call = contestants[name]()
            elapsed, times[name].result = _timed(call)
            times[name].rounds.append(elapsed)
        order = order[1:] + order[:1]
    return times


def ratio(peer: Times, ours: Times, clock: Clock = "cpu") -> Ratio:
    """`peer` over `ours`, round by round."""
    each = [p / max(o, 1e-9) for p, o in zip(peer.seconds(clock), ours.seconds(clock), strict=True)]
    return Ratio(statistics.median(each), min(each), max(each))


def repeat_call(call: Callable[[], object], *, at_least: float = 0.2, most: int = 2000) -> Callable[[], Elapsed]:
    """A contestant's call for something short: run it many times and report the mean of one."""

    def many() -> Elapsed:
        count, wall, cpu = 0, time.perf_counter(), time.process_time()
        while count < most and (time.perf_counter() - wall < at_least or count < 5):
            call()
            count += 1
        return Elapsed((time.process_time() - cpu) / count, (time.perf_counter() - wall) / count)

    return many


def _timed(call: Callable[[], object]) -> tuple[Elapsed, object]:
    gc.collect()
    gc.disable()
    try:
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        elapsed = Elapsed(time.process_time() - cpu, time.perf_counter() - wall)
    finally:
        gc.enable()
    return (result if isinstance(result, Elapsed) else elapsed), result


# ---------------------------------------------------------------------------------------------------------
# memory


@dataclass(frozen=True)
class Memory:
    """Bytes beyond what the process held before the fit."""

    peak: int
    kept: int
    exact: bool
    """False where the kernel cannot reset the peak: then the figure is only a lower bound."""


def fit_memory(estimator: object, workload: str, *, rows: int | None = None) -> Memory:
    """Peak and kept memory of fitting `estimator` (picklable, unfitted) to a workload, in a fresh process.

    The input is made and a small fit is run before the measurement starts, so neither the input nor the code
    of the libraries counts.
    """
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_fit_memory_here, (estimator, workload, rows))


def _fit_memory_here(estimator: object, workload: str, rows: int | None) -> Memory:
    data = make_workload(workload, rows=rows)
    small = make_workload(workload, rows=500)
    type(estimator)(**estimator.get_params()).fit(small.X, small.y)  # type: ignore[attr-defined]
    del small
    _return_freed_memory()
    before = _status("VmRSS")
    exact = _reset_peak()
    peak_before = before if exact else _highest_ever()
    estimator.fit(data.X, data.y)  # type: ignore[attr-defined]
    peak = (_status("VmHWM") if exact else _highest_ever()) - peak_before
    _return_freed_memory()
    return Memory(peak, _status("VmRSS") - before, exact)


def _return_freed_memory() -> None:
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _reset_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _status(key: str) -> int:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return _highest_ever()


def _highest_ever() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
