"""Data sets of a folder with a manifest.json: where it is, which sets suit a comparison, how to read one."""

import csv
import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("RAREWOOD_DATA", PROJECT.parent / "shared" / "data"))
MANIFEST = FOLDER / "manifest.json"


@dataclass(frozen=True)
class Table:
    """Columns as in the file; numeric ones as floats, nominal ones as codes into `categories`."""

    name: str
    X: np.ndarray
    y: np.ndarray  # class numbers
    classes: list[str]
    columns: list[str]
    categories: dict[int, list[str]]  # column number -> its values, in order of first appearance

    @property
    def nominal(self):
        return sorted(self.categories)


def missing(*names):
    """Why the sets cannot be read, or None."""
    if not MANIFEST.is_file():
        return "no data folder: set RAREWOOD_DATA to a folder with a manifest.json"
    absent = [name for name in names if name not in _manifest()]
    return f"the data folder lacks {', '.join(absent)}" if absent else None


def read_table(name):
    entry = _manifest()[name]
    path = FOLDER / entry["file"]
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", newline="") as handle:
        header, *rows = csv.reader(handle)
    *columns, label = header
    assert label == "class", f"{path.name}: the last column is {label!r}"
    nominal = {columns.index(column) for column in entry["nominal"]}
    cells = list(zip(*rows, strict=True))
    categories = {j: list(dict.fromkeys(cells[j])) for j in sorted(nominal)}
    X = np.column_stack(
        [_codes(cells[j], categories[j]) if j in nominal else _floats(cells[j]) for j in range(len(columns))]
    )
    classes = list(entry["classes"])
    return Table(name, X, _codes(cells[-1], classes).astype(int), classes, columns, categories)


def _codes(cells, values):
    number = {value: i for i, value in enumerate(values)}
    return np.array([number[cell] for cell in cells], dtype=float)


def _floats(cells):
    return np.array([float(cell) if cell else np.nan for cell in cells])


def _manifest():
    return json.loads(MANIFEST.read_text())
