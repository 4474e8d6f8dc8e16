"""A real table that is part of the package, so that examples need neither files nor a network."""

from __future__ import annotations

import csv
import gzip
import io
from importlib.resources import files

import numpy as np

from rarewood._tables.cells import make_table
from rarewood.datasets._dataset import Dataset

_TARGET = "block"
_CITATION = (
    "D. Malerba, Page Blocks Classification, UCI Machine Learning Repository, 1994, https://doi.org/10.24432/C5J590 (CC BY 4.0); as "
    "KEEL has it: horizontal and vertical lines, pictures and graphics are one class"
)


class Shipped:
    """Blocks of scanned pages: most are text, one in ten is something else."""

    prefix = "shipped"

    def names(self) -> list[str]:
        return ["page_blocks"]

    def load(self, name: str) -> Dataset:
        packed = files("rarewood.datasets").joinpath("tables", f"{name}.csv.gz").read_bytes()
        head, *rows = csv.reader(io.StringIO(gzip.decompress(packed).decode()))
        cells = dict(zip(head, zip(*rows, strict=True), strict=True))
        y = np.array(cells.pop(_TARGET))
        columns = {column: np.array(values, dtype=np.float64) for column, values in cells.items()}
        return Dataset(
            name=f"shipped:{name}",
            X=make_table(columns, {}, name),
            y=y,
            rare="other",
            target=_TARGET,
            source="part of rarewood",
            citation=_CITATION,
        )

    def describe(self, name: str) -> str:
        return f"part of rarewood: {name}"
