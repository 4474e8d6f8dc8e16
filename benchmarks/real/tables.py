"""Tables to learn from and rows to judge by, divided as users must: by time, by group, as given, or at random."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MOST_ROWS = 15_000  # to learn from
DRAWS = 2  # of the rows to learn from; where time or a mark divides a table, of those before
_LEARNED = 0.7  # of rows, or of groups


@dataclass(frozen=True, eq=False)
class Division:
    """Rows to learn from and rows to judge by."""

    table: str
    number: int
    X: Any
    y: NDArray[np.int64]
    fresh: Any
    truth: NDArray[np.int64]


def divisions(table: str, *, first: bool = False) -> Iterator[Division]:
    """All, or only the `first`."""
    for number in range(1 if first else DRAWS):
        yield _division(table, number)


def table_names() -> list[str]:
    return list(_index())


def kind_of(name: str) -> str:
    return str(_index()[name]["kind"])


def _folder() -> Path:
    return Path(os.environ["RAREWOOD_DATA"]) / "real"


def _index() -> dict[str, dict[str, Any]]:
    return dict(json.loads((_folder() / "index.json").read_text()))


def _division(name: str, number: int) -> Division:
    data = pd.read_parquet(_folder() / _index()[name]["file"])
    truth = data.pop("target").to_numpy().astype(np.int64)
    rng = np.random.default_rng(1000 + number)
    learned = _learned(data, kind_of(name), rng)
    train, test = np.flatnonzero(learned), np.flatnonzero(~learned)
    train = np.sort(rng.permutation(train)[:MOST_ROWS])
    X = data[[column for column in data if not column.startswith("_")]]
    words = X.select_dtypes(exclude="number").columns
    X = X.astype(dict.fromkeys(words, "category")).set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)
    return Division(
        name,
        number,
        X.iloc[train].reset_index(drop=True),
        truth[train],
        X.iloc[test].reset_index(drop=True),
        truth[test],
    )


def _learned(data: Any, kind: str, rng: np.random.Generator) -> NDArray[np.bool_]:
    if kind == "given":
        return ~data["_test"].to_numpy().astype(bool)
    if kind == "temporal":  # rows are in the order of time
        return np.arange(len(data)) < _LEARNED * len(data)
    of_row = np.arange(len(data)) if kind == "random" else pd.factorize(data["_group"])[0]
    return np.asarray(rng.permutation(of_row.max() + 1)[of_row] < _LEARNED * (of_row.max() + 1))
