"""One Hellinger tree grown by R's ranger, read back as nodes of the oracle."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from oracle.splits import Threshold
from oracle.tree import Node

# Usage: Rscript file folder rows columns. X.bin and y.bin hold doubles, X column by column.
#
# ranger looks at the candidate features in a random order and keeps the first of equal ones. Variables named in
# always.split.variables come after the drawn ones and in column order, so drawing only a constant extra column
# leaves the features in their order and makes the tree deterministic.
PROGRAM = """
library(ranger)
args <- commandArgs(trailingOnly = TRUE)
rows <- as.integer(args[2]); columns <- as.integer(args[3])
values <- readBin(file.path(args[1], "X.bin"), "double", rows * columns)
data <- as.data.frame(matrix(values, rows, columns))
names(data) <- paste0("x", seq_len(columns) - 1)
features <- names(data)
data$constant <- 0
data$y <- factor(readBin(file.path(args[1], "y.bin"), "double", rows))
forest <- ranger(dependent.variable.name = "y", data = data, num.trees = 1, splitrule = "hellinger",
                 mtry = 1, always.split.variables = features, replace = FALSE, sample.fraction = 1,
                 min.node.size = 1, num.threads = 1, seed = 1)
write.csv(treeInfo(forest, 1)[, c("leftChild", "rightChild", "splitvarName", "splitval")],
          file.path(args[1], "tree.csv"), row.names = FALSE)
writeBin(as.double(forest$forest$split.values[[1]]), file.path(args[1], "threshold.bin"))
"""


@functools.cache
def missing():
    """Why ranger cannot be asked, or None."""
    if shutil.which("Rscript") is None:
        return "R is not installed"
    found = subprocess.run(["Rscript", "-e", 'library(ranger); cat("found")'], capture_output=True, text=True)
    return None if "found" in found.stdout else "R has no package ranger"


def grow(problem):
    """The tree of ranger on all rows and features of an `oracle.tree.Problem`: no sampling, no minimum node size."""
    rows, columns = problem.X.shape
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "X.bin").write_bytes(problem.X.astype("<f8").tobytes(order="F"))
        (folder / "y.bin").write_bytes(problem.y.astype("<f8").tobytes())
        (folder / "grow.R").write_text(PROGRAM)
        command = ["Rscript", str(folder / "grow.R"), str(folder), str(rows), str(columns)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        lines = [line.split(",") for line in (folder / "tree.csv").read_text().splitlines()[1:]]
        thresholds = np.fromfile(folder / "threshold.bin", dtype="<f8")
    return _node(problem, lines, thresholds, 0, problem.rows, 0)


def _node(problem, lines, thresholds, number, rows, depth):
    node = Node(rows, problem.counts(rows), depth, id=number)
    left, right, name = lines[number][:3]
    if name != "NA":
        node.rule = Threshold(int(name.strip('"').removeprefix("x")), float(thresholds[number]))
        child = node.rule.assign(problem.X[rows])
        node.children = [
            _node(problem, lines, thresholds, int(next_number), rows[child == i], depth + 1)
            for i, next_number in enumerate((left, right))
        ]
    return node
