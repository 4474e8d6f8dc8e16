"""What a part does when it is asked: pure functions of the part, the schema and messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import CriterionSpec, Dataset, ForestPlan, PartRows
from rarewood._tables import read_table
from rarewood.distributed._profile import PartReader, Schema, check_whole


@dataclass(frozen=True)
class Job:
    """A forest to grow on parts; can be sent to other processes."""

    name: str
    schema: Schema
    criteria: list[CriterionSpec | Callable[..., Any]]
    options: dict[str, Any]

    def plan(self) -> ForestPlan:
        return ForestPlan(self.criteria, **self.options)


@dataclass(frozen=True)
class LoadedPart:
    """A part in the form the core reads."""

    dataset: Dataset
    weights: list[float]

    def rows(self, job: Job, number: int) -> PartRows:
        """Which of its rows are in which node: at first, all in the roots."""
        return PartRows(job.plan(), job.schema.class_sizes, job.schema.before(number), self.weights)


def load(frame: Any, schema: Schema, number: int) -> LoadedPart:
    """Part `number` as columns; raises when its rows are no longer those that were profiled."""
    X, y, weights = schema.reading.split(frame)
    if len(y) != schema.n_rows[number]:
        raise ValueError(
            f"partition {number} had {schema.n_rows[number]} rows when it was first read and has {len(y)} now; the data must not "
            "change while a forest is grown on them."
        )
    whole = None if weights is None or len(y) == 0 else check_whole(weights, schema.reading.weight)
    codes = _codes(y, schema.classes, number)
    positive = codes if whole is None else codes[whole > 0]
    if not np.array_equal(np.bincount(positive, minlength=len(schema.classes)), schema.class_rows[number]):
        raise ValueError(f"partition {number} has other labels than when it was first read; the data must not change.")
    dataset = schema.shape.table(codes)
    if len(y) > 0:
        _fill(dataset, X, schema)
    return LoadedPart(dataset, [] if whole is None else whole.tolist())


def _fill(dataset: Dataset, X: Any, schema: Schema) -> None:
    table = read_table(PartReader(), X, reset=True)
    for index, (column, kind) in enumerate(zip(table.columns, schema.columns.kinds, strict=True)):
        cells = np.asarray(kind.read(column))
        if cells.dtype != np.float32:
            cells = cells.astype(np.float64, copy=False)
        dataset.fill(index, 0, np.ascontiguousarray(cells))


def _codes(y: NDArray[Any], classes: NDArray[Any], number: int) -> NDArray[np.int32]:
    if len(y) == 0:
        return np.empty(0, dtype=np.int32)
    labels, inverse = np.unique(y, return_inverse=True)
    known = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.tolist() if label not in known]
    if unknown:
        raise ValueError(
            f"partition {number} has the labels {unknown[:5]}, which it had not when it was first read; the data must not change."
        )
    codes = np.array([known[label] for label in labels.tolist()], dtype=np.int32)
    return codes[inverse.reshape(-1)]
