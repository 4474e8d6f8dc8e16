"""Larger tables: one split each, four fifths to train on; the workloads have fresh rows of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quality.cells import fitted, key_of, rows_of
from quality.measures import measure, two_columns
from quality.methods import Method
from quality.problems import FRESH_ROWS, Problem
from quality.store import Store, unpack


def split(data: Problem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not data.name.startswith("workload "):
        return rows_of(data.name, 0)
    rows = np.arange(len(data.y))
    return rows[:-FRESH_ROWS], rows[-FRESH_ROWS:]


def compute_large(store: Store, data: Problem, method: Method) -> None:
    """With its measures, so that the page needs not read a million rows."""
    key = key_of(method, data.name, 0, "large")
    if key in store:
        return
    train, test = split(data)
    cell = fitted(data, train, test, method, seed=0)
    found = measure(data.y[test], two_columns(unpack(cell["p"])), unpack(cell["labels"]))
    store.add(key, **cell, **found, rows=len(train))
