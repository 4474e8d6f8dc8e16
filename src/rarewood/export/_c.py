"""Models as C source text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import LEAST_PROBABILITY
from rarewood._tables import Columns
from rarewood._tables.moments import OF_A_DAY
from rarewood.export._binary_trees import BinaryTree, Limit, Members, Side
from rarewood.export._lowering import Finished, Logistic, LoweredModel, Mixture, lower

_WIDTH = 12  # numbers in a line


def to_c(model: Any, *, name: str = "model") -> str:
    """Export a fitted tree or forest as one C source file that needs only the standard library.

    Parameters
    ----------
    model : classifier
        A fitted tree, forest or rule set of this package, :class:`rarewood.RareClassifier` with its calibration and threshold
        included, or a pipeline of samplers and one.
    name : str, default="model"
        Prefix of the function names.

    Returns
    -------
    str
        C99 with the functions ``void NAME_predict_proba(const double *row, double *probabilities)``, ``int
        NAME_predict(const double *row)``, which gives the position of the label in ``NAME_labels``, and ``double
        NAME_code(int column, const char *text)``, which gives the code of a category. NaN is a missing value. Link with
        ``-lm``.

    Raises
    ------
    ValueError
        For a category or label with the character NUL, where a string of C ends, or with half a character.
    TypeError
        For a decomposition into several problems, or a ranking.

    Notes
    -----
    Numbers are written in hexadecimal, so none is rounded, and each row reaches the same leaves as in `predict_proba`. Compile
    without ``-ffast-math``, and with ``-ffp-contract=off`` if the model has lines through two columns: a fused multiply-add
    may put a row that lies on a line on the other side.

    Examples
    --------
    >>> import rarewood as rw
    >>> tree = rw.TreeClassifier().fit([[0.0], [1.0], [2.0]], ["ok", "ok", "fault"])
    >>> source = rw.export.to_c(tree, name="valve")
    >>> "int valve_predict(const double *row)" in source
    True
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ValueError(f"name={name!r} cannot begin the name of a C function; give letters, digits and underscores.")
    lowered = lower(model)
    if not isinstance(lowered.root, Mixture | Finished | Logistic):
        raise TypeError(
            "to_c writes trees and forests; the probabilities of this model are combined from several of them. Export its "
            "estimators_ one by one, or use to_onnx."
        )
    return _source(lowered, lowered.root, name)


def _source(model: LoweredModel, root: Mixture | Finished | Logistic, name: str) -> str:
    inner = root if isinstance(root, Mixture) else root.inner
    finished = root if isinstance(root, Finished) else Finished(inner, False, None, None)
    trees, weights = finished.inner.trees, finished.inner.weights
    if finished.effects is not None:  # behind the others, in the same tables
        trees, weights = [*trees, *finished.effects.trees], np.concatenate([weights, finished.effects.weights])
    tables = _tables(trees, weights)
    n_classes = len(model.classes)
    finish = []
    if finished.inner.divisor != 1.0:
        finish.append(f"  for (k = 0; k < CLASSES; k++) p[k] /= {_number(finished.inner.divisor)};\n")
    if isinstance(root, Logistic):
        finish.append(_LOGISTIC)
        tables["offsets"] = ("double", list(map(_number, root.offsets)))
    if finished.calibration is not None:
        shift = "" if finished.effects is None else _SHIFT.substitute(n_effects=len(finished.effects.trees))
        ends = {"least": _number(LEAST_PROBABILITY), "most": _number(1.0 - LEAST_PROBABILITY)}
        finish.append(_CALIBRATE.substitute(ends, shift=shift))
        tables["slopes"], tables["offsets"] = (
            ("double", list(map(_number, values))) for values in finished.calibration
        )
    elif finished.normalised:
        finish.append("  shares(p);\n")
    if finished.label_rate is not None:
        column, rate = finished.label_rate
        finish.append(_LABEL_RATE.substitute(rare=column, rest=1 - column, rate=_number(rate)))
    if finished.factors is not None:
        tables["factors"] = ("double", list(map(_number, finished.factors)))
        finish.append("  for (k = 0; k < CLASSES; k++) p[k] *= factors[k];\n  shares(p);\n")
    decide = (
        _BY_THRESHOLD.substitute(positive=model.positive, threshold=_number(model.threshold))
        if model.threshold is not None
        else ""
    )
    labels = ", ".join(_text(label) for label in model.classes.tolist())
    return _FILE.substitute(
        name=name,
        n_columns=len(model.columns),
        n_classes=n_classes,
        n_trees=len(finished.inner.trees),
        columns="\n".join(_comment(model.columns)),
        tables="\n".join(_array(kind, table, values) for table, (kind, values) in tables.items()),
        labels=labels,
        categories=_categories(model.columns),
        finish="".join(finish),
        decide=decide,
        most=-1 if model.threshold is None else model.positive,
    )


def _tables(trees: list[BinaryTree], weights: NDArray[np.float64]) -> dict[str, tuple[str, list[str]]]:
    """Arrays of all nodes, leaves, sets and lines; a node of another kind than a limit says where its own numbers stand."""
    nodes: dict[str, list[str]] = {name: [] for name in ("kinds", "columns", "bounds", "lefts", "rights")}
    roots: list[str] = []
    leaves: list[str] = []
    sets: list[str] = []
    lines: list[str] = []
    maps: list[str] = []
    first, first_leaf = 0, 0
    for tree, weight in zip(trees, weights, strict=True):
        roots.append(str(first))
        for node, test in enumerate(tree.tests):
            kind, column, bound = 0, tree.leaf[node] + first_leaf, 0.0
            if isinstance(test, Limit):
                kind, column, bound = 1, test.column, test.bound
            elif isinstance(test, Members):
                kind, column, bound = 2, test.column, float(len(sets))
                sets += [str(len(test.codes)), *map(str, test.codes)]
            elif isinstance(test, Side):
                kind, column, bound = 3, 0, float(len(lines) // _LINE)
                at = []
                for places in test.places:
                    at.append("-1" if places is None else str(len(maps)))
                    if places is not None:
                        pairs = [number for pair in sorted(places.items()) for number in pair]
                        maps += [str(len(places)), *map(str, pairs)]
                lines += [
                    *map(str, test.columns),
                    *map(_number, (*test.weights, test.offset)),
                    *at,
                    str(int(test.unseen_left)),
                ]
            missing = 4 if tree.missing_left[node] else 0
            row = (
                str(kind + missing),
                str(column),
                _number(bound),
                str(tree.left[node] + first),
                str(tree.right[node] + first),
            )
            for values, value in zip(nodes.values(), row, strict=True):
                values.append(value)
        first += len(tree)
        first_leaf += len(tree.leaf_values)
        leaves += [_number(value) for value in (weight * tree.leaf_values).ravel()]
    return {
        "roots": ("int", roots),
        "kinds": ("unsigned char", nodes["kinds"]),
        "columns": ("int", nodes["columns"]),
        "bounds": ("double", nodes["bounds"]),
        "lefts": ("int", nodes["lefts"]),
        "rights": ("int", nodes["rights"]),
        "leaves": ("double", leaves),
        # Where there is none, one that nothing refers to: optimising compilers warn of an array too short for any.
        "sets": ("int", sets or ["0"] * 2),
        "lines": ("double", lines or ["0"] * _LINE),
        "maps": ("int", maps or ["0"] * 3),
    }


_LINE = 8  # numbers of a line: two columns, two weights, offset, two maps, side of what has no place


def _number(value: Any) -> str:
    number = float(value)
    if math.isinf(number):
        return "INFINITY" if number > 0 else "-INFINITY"
    return str(int(number)) if number == int(number) and abs(number) < 1e6 else number.hex()


def _text(value: Any) -> str:
    """A C string; bytes beyond ASCII are written as octal numbers, which no following digit can prolong."""
    if "\0" in str(value):
        raise ValueError(f"a C string ends at the character NUL of {value!r}; rename the category or the label.")
    try:
        encoded = str(value).encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"a C string cannot hold the half of a character in {value!r}; rename the category or the label."
        ) from None
    return (
        '"'
        + "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in encoded)
        + '"'
    )


def _array(kind: str, name: str, values: list[str]) -> str:
    lines = [", ".join(values[at : at + _WIDTH]) for at in range(0, len(values), _WIDTH)]
    return f"static const {kind} {name}[] = {{\n  " + ",\n  ".join(lines) + "};"


def _comment(columns: Columns) -> Iterable[str]:
    for number in range(len(columns)):
        words = json.dumps(columns.name(number)).replace("*", "\\u002a")  # begins and ends comments
        yield f" *   row[{number}]: {words}{_coding(columns.kinds[number].word)}"


def _coding(kind: str) -> str:
    """How a cell is told as a number, where it is none."""
    if kind in OF_A_DAY:
        return ", in seconds"
    return {"nominal": ", a category, by its code", "number": ""}.get(kind, ", in seconds since 1970 (UTC)")


def _categories(columns: Columns) -> str:
    """Lists of categories, and which column has which."""
    found = []
    for number, levels in enumerate(columns.categories):
        if levels is not None:
            names = ", ".join(map(_text, levels.tolist())) or '""'
            found.append(
                f"  static const char *const of_{number}[] = {{{names}}};\n"
                f"  if (column == {number}) {{ names = of_{number}; n = {len(levels)}; unseen = {int(columns.n_categories[number])}; }}"
            )
    return "\n".join(found)


_CALIBRATE = Template("""\
  for (k = 0; k < CLASSES; k++) {
    double q = p[k] < $least ? $least : p[k] > $most ? $most : p[k];
    p[k] = slopes[k] * log(q) + offsets[k];
  }
$shift  softmax(p);
""")

_SHIFT = Template("""\
  double shift[CLASSES] = {0};
  for (t = TREES; t < TREES + $n_effects; t++) add_leaf(t, row, shift);
  for (k = 0; k < CLASSES; k++) p[k] += shift[k];
""")

_LABEL_RATE = Template("""\
  p[$rare] /= $rate;
  if (p[$rare] > 1.0) p[$rare] = 1.0;
  p[$rest] = 1.0 - p[$rare];
""")

_LOGISTIC = """\
  for (k = 0; k < CLASSES; k++) p[k] += offsets[k];
  softmax(p);
"""

_BY_THRESHOLD = Template("""\
  if (p[$positive] >= $threshold) return $positive;
""")

_FILE = Template("""\
/* A classifier, written by rarewood. C99; link with -lm. Compile without -ffast-math and with -ffp-contract=off.
 *
 * A row is an array of $n_columns numbers; NAN where a value is missing:
$columns
 */
#include <math.h>
#include <string.h>

#define CLASSES $n_classes
#define TREES $n_trees

const char *const ${name}_labels[] = {$labels};

$tables

/* What a row holds for a category that is written so: its code, or that of a category never seen. */
double ${name}_code(int column, const char *text) {
  const char *const *names = 0;
  int n = 0, unseen = 0, i;
  (void)column; /* a model of numbers alone has no categories */
$categories
  for (i = 0; i < n; i++)
    if (strcmp(names[i], text) == 0) return i;
  return unseen;
}

/* Weight times coordinate; 0 in *seen for a category without a place. */
static double term(const double *row, const double *line, int axis, int *seen) {
  double cell = row[(int)line[axis]];
  int map = (int)line[5 + axis], i;
  if (map < 0 || isnan(cell)) return line[2 + axis] * cell;
  for (i = 0; i < maps[map]; i++)
    if (maps[map + 1 + 2 * i] == (int)cell) return line[2 + axis] * maps[map + 2 + 2 * i];
  *seen = 0;
  return 0;
}

static int goes_left(int node, const double *row) {
  int kind = kinds[node] & 3, missing_left = kinds[node] >> 2;
  if (kind == 3) {
    const double *line = lines + 8 * (int)bounds[node];
    int seen = 1;
    double a, b;
    if (isnan(row[(int)line[0]]) || isnan(row[(int)line[1]])) return missing_left;
    a = term(row, line, 0, &seen);
    b = term(row, line, 1, &seen);
    return seen ? a + b <= line[4] : (int)line[7];
  }
  if (isnan(row[columns[node]])) return missing_left;
  if (kind == 2) {
    const int *set = sets + (int)bounds[node];
    int i;
    for (i = 1; i <= set[0]; i++)
      if (set[i] == (int)row[columns[node]]) return 1;
    return 0;
  }
  return row[columns[node]] <= bounds[node];
}

static void shares(double *p) {
  double total = 0;
  int k;
  for (k = 0; k < CLASSES; k++) total += p[k];
  if (total > 0)
    for (k = 0; k < CLASSES; k++) p[k] /= total;
}

static void softmax(double *p) {
  double top = -INFINITY;
  int k;
  for (k = 0; k < CLASSES; k++)
    if (p[k] > top) top = p[k];
  for (k = 0; k < CLASSES; k++) p[k] = exp(p[k] - top);
  shares(p);
}

static void add_leaf(int tree, const double *row, double *sums) {
  int node = roots[tree], k;
  while (kinds[node] & 3) node = goes_left(node, row) ? lefts[node] : rights[node];
  for (k = 0; k < CLASSES; k++) sums[k] += leaves[columns[node] * CLASSES + k];
}

void ${name}_predict_proba(const double *row, double *p) {
  int t, k;
  (void)softmax;
  for (k = 0; k < CLASSES; k++) p[k] = 0;
  for (t = 0; t < TREES; t++) add_leaf(t, row, p);
$finish}

int ${name}_predict(const double *row) {
  double p[CLASSES];
  int best = -1, k;
  ${name}_predict_proba(row, p);
$decide  for (k = 0; k < CLASSES; k++)
    if (k != $most && (best < 0 || p[k] > p[best])) best = k;
  return best < 0 ? 0 : best;
}
""")
