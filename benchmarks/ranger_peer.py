"""R's ranger as a contestant. It is timed inside R, around the call itself; reading the table does not count."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from timing import Contestant, Elapsed
from workloads import Workload

_PROGRAM = """
library(ranger)
args <- commandArgs(trailingOnly = TRUE)
folder <- args[1]; rows <- as.integer(args[2]); columns <- as.integer(args[3])
trees <- as.integer(args[4]); threads <- as.integer(args[5]); rule <- args[6]
values <- readBin(file.path(folder, "X.bin"), "double", rows * columns, size = 4)
x <- matrix(values, rows, columns, dimnames = list(NULL, paste0("x", seq_len(columns))))
y <- factor(readBin(file.path(folder, "y.bin"), "integer", rows, size = 8))
common <- list(x = x, y = y, num.trees = trees, num.threads = threads, min.node.size = 1, seed = 1,
               probability = TRUE, oob.error = FALSE, splitrule = rule)
if (rule == "extratrees")
  common <- c(common, list(num.random.splits = 10, replace = FALSE, sample.fraction = 1))
spent <- system.time(do.call(ranger, common))
cat(spent["user.self"] + spent["sys.self"], spent["elapsed"], "\\n")
"""


@functools.cache
def installed() -> bool:
    if shutil.which("Rscript") is None:
        return False
    done = subprocess.run(
        ["Rscript", "-e", 'library(ranger); cat("found")'], check=False, capture_output=True, text=True
    )
    return "found" in done.stdout


def ranger(data: Workload, rule: str, trees: int, threads: int) -> Contestant:
    """A forest of ranger with sqrt features; `rule` is "hellinger" or "extratrees" (10 random cuts, all rows)."""

    def fresh() -> Callable[[], Elapsed]:
        return lambda: _fit(data, rule, trees, threads)

    return fresh


def _fit(data: Workload, rule: str, trees: int, threads: int) -> Elapsed:
    rows, columns = data.X.shape
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "X.bin").write_bytes(data.X.astype("<f4").tobytes(order="F"))
        (folder / "y.bin").write_bytes(data.y.astype("<i8").tobytes())
        (folder / "fit.R").write_text(_PROGRAM)
        arguments = [str(folder), str(rows), str(columns), str(trees), str(threads), rule]
        done = subprocess.run(
            ["Rscript", str(folder / "fit.R"), *arguments], capture_output=True, text=True, check=True
        )
    cpu, wall = map(float, done.stdout.split())
    return Elapsed(cpu, wall)
