"""Time of `import rarewood.ensemble` in a fresh interpreter, beside `import sklearn.ensemble`.

`import rarewood` alone loads nothing yet and would win without a race.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from functools import partial

from report import Table, at_most, duration
from timing import Elapsed, race, ratio

_OURS, _PEER = "rarewood.ensemble", "sklearn.ensemble"
_PROGRAM = """
import time
wall, cpu = time.perf_counter(), time.process_time()
import {}
print(time.process_time() - cpu, time.perf_counter() - wall)
"""


def run(quick: bool = False) -> list[Table]:
    table = Table(
        "Import",
        ["module", "CPU", "against sklearn.ensemble", "target", "verdict"],
        "Fresh interpreter, files already in the cache.",
    )
    times = race(
        {name: partial(_importer, name) for name in (_OURS, _PEER)},
        5 if quick else 15,
    )
    factor = ratio(times[_OURS], times[_PEER])
    table.add(_OURS, duration(times[_OURS].median()), str(factor), *at_most(factor.median, 1.2, "x"))
    return [table]


def _importer(module: str) -> Callable[[], Elapsed]:
    def call() -> Elapsed:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM.format(module)], check=True, capture_output=True, text=True
        )
        cpu, wall = map(float, done.stdout.split())
        return Elapsed(cpu, wall)

    return call


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    run(parser.parse_args().quick)
