"""Weka's J48 (C4.5) and its error estimate, asked through the command line."""

import functools
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

JARS = [os.environ.get("WEKA_JAR", ""), "/usr/share/java/weka.jar"]

ADD_ERRS = """
import weka.classifiers.trees.j48.Stats;

class AddErrs {
    public static void main(String[] a) {
        for (int i = 0; i + 2 < a.length; i += 3)
            System.out.println(Stats.addErrs(
                Double.parseDouble(a[i]), Double.parseDouble(a[i + 1]), Float.parseFloat(a[i + 2])));
    }
}
"""


@dataclass(frozen=True)
class J48Leaf:
    cases: float
    errors: float


@dataclass(frozen=True)
class J48Tree:
    """Leaves and number of nodes. A branch for a category that no training row of the node has is left out."""

    leaves: list[J48Leaf]
    n_nodes: int
    n_empty: int
    root: str
    """The first line of the printed tree, e.g. `width <= 0.6`; a single leaf has its own text."""

    @property
    def n_leaves(self):
        return len(self.leaves)


def jar():
    return next((path for path in JARS if path and Path(path).is_file()), None)


@functools.cache
def missing(compiler=False):
    """Why Weka cannot be asked, or None."""
    if shutil.which("java") is None:
        return "java is not installed"
    if compiler and shutil.which("javac") is None:
        return "javac is not installed"
    return None if jar() else "weka.jar was not found (set WEKA_JAR)"


def j48(table, *, pruned):
    """J48 -M 2 without subtree raising, on all rows of a `folder.Table`."""
    options = ["-C", "0.25", "-M", "2", "-S"] if pruned else ["-U", "-M", "2"]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "data.arff"
        path.write_text(to_arff(table))
        text = _run("java", "-Xmx1g", "-cp", jar(), "weka.classifiers.trees.J48", "-t", str(path), "-no-cv", *options)
    return parse(text)


def to_arff(table):
    lines = ["@relation data"]
    for j, column in enumerate(table.columns):
        kind = _values(table.categories[j]) if j in table.categories else "numeric"
        lines.append(f"@attribute {_quoted(column)} {kind}")
    lines += [f"@attribute class {_values(table.classes)}", "@data"]
    for row, label in zip(table.X.tolist(), table.y.tolist(), strict=True):
        cells = [_quoted(table.categories[j][int(x)]) if j in table.categories else repr(x) for j, x in enumerate(row)]
        lines.append(",".join([*cells, _quoted(table.classes[label])]))
    return "\n".join(lines) + "\n"


def parse(text):
    """Reads the printed tree. A leaf ends in `: class (cases/errors)`, `/errors` only if there are any."""
    body = text.split("------------------\n", 1)[1].split("Number of Leaves", 1)[0]
    lines = [line for line in body.splitlines() if line.strip()]
    found = [re.search(r": .*\(([\d.]+)(?:/([\d.]+))?\)$", line) for line in lines]
    every = [J48Leaf(float(m[1]), float(m[2] or 0)) for m in found if m]
    leaves = [leaf for leaf in every if leaf.cases > 0]
    n_nodes = int(re.search(r"Size of the tree :\s+(\d+)", text)[1])
    assert len(every) == int(re.search(r"Number of Leaves\s+:\s+(\d+)", text)[1])
    return J48Tree(
        leaves, n_nodes - (len(every) - len(leaves)), len(every) - len(leaves), lines[0].split(":")[0].strip()
    )


def add_errs(points):
    """`Stats.addErrs(N, e, CF)` for each (N, e, CF)."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "AddErrs.java").write_text(ADD_ERRS)
        classpath = os.pathsep.join([jar(), folder])
        _run("javac", "-cp", classpath, "-d", folder, str(Path(folder) / "AddErrs.java"))
        text = _run("java", "-cp", classpath, "AddErrs", *(repr(float(x)) for point in points for x in point))
    return [float(line) for line in text.split()]


def _run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _values(values):
    return "{" + ",".join(_quoted(value) for value in values) + "}"


def _quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
