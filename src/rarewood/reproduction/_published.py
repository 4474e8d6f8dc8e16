"""The figures that papers print, kept as data beside their citation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class PublishedTable:
    """Scores of methods on data sets as a paper prints them.

    Parameters
    ----------
    key : str
        Number of the table.
    caption : str
        What it shows.
    metric : str
        The measure.
    methods : tuple of str
        Names of the columns.
    scores : mapping of str to tuple of float
        A row per data set, in units of 1; NaN where a cell is not legible or not defined.
    """

    key: str
    caption: str
    metric: str
    methods: tuple[str, ...]
    scores: Mapping[str, tuple[float, ...]]

    def get(self, dataset: str, method: str) -> float:
        """One cell, NaN if the table has none."""
        if dataset not in self.scores or method not in self.methods:
            return float("nan")
        return self.scores[dataset][self.methods.index(method)]

    def matrix(self, datasets: Sequence[str], methods: Sequence[str]) -> NDArray[np.float64]:
        """Scores of shape (n_datasets, n_methods), NaN where the table has none."""
        return np.array([[self.get(dataset, method) for method in methods] for dataset in datasets])


@cache
def published(paper: str) -> dict[str, Any]:
    """Everything transcribed from a paper: `citation` and `tables`."""
    text = (files("rarewood.reproduction") / "published" / f"{paper}.json").read_text(encoding="utf-8")
    contents: dict[str, Any] = json.loads(text)
    return contents


def published_table(paper: str, key: str) -> PublishedTable:
    """A table of scores."""
    table = published(paper)["tables"][key]
    unit = table.get("unit", 1.0)
    scores = {
        name: tuple(float("nan") if cell is None else round(cell * unit, 6) for cell in row)
        for name, row in table["scores"].items()
    }
    return PublishedTable(key, table["caption"], table["metric"], tuple(table["methods"]), scores)
