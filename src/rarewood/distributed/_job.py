"""The work on a single part: pure functions of the part, the schema and messages."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Dataset, ForestPlan, PartRows, TableDraws, TableShape
from rarewood._tables import read_table
from rarewood._tables.row_source import Numbers, RowFunction
from rarewood.distributed._profile import PartReader, Schema, check_whole

_BLOCK_CELLS = 2**22  # that a function of rows gets at a time


@dataclass(frozen=True)
class Job:
    """A forest to grow on parts; can be sent to other processes.

    With a `class_map`, class j of the table counts as class class_map[j], and rows of a class of -1 take no part.
    """

    name: str
    schema: Schema
    plan: ForestPlan
    class_map: tuple[int, ...] | None = None

    @classmethod
    def new(cls, schema: Schema, plan: ForestPlan, class_map: Sequence[int] | None = None) -> Job:
        return cls(uuid.uuid4().hex, schema, plan, None if class_map is None else tuple(class_map))

    def rest(self, first: int) -> Job:
        """The same forest from tree number `first` on."""
        return Job.new(self.schema, self.plan.rest(first), self.class_map)

    def with_leaves(self, n_rows: int, n_trees: int) -> Job:
        """The first trees of the same forest, with leaves of at least so many rows."""
        criteria, options = self.plan.__getstate__()
        plan = ForestPlan(criteria[:n_trees], **{**options, "min_samples_leaf": n_rows, "n_trees": n_trees})
        return Job.new(self.schema, plan, self.class_map)

    def draws(self) -> TableDraws:
        return TableDraws(self.plan, self.class_sizes)

    @property
    def n_classes(self) -> int:
        return len(self.schema.classes) if self.class_map is None else max(self.class_map) + 1

    @property
    def shape(self) -> TableShape:
        return self.schema.shape(self.n_classes)

    @property
    def class_sizes(self) -> list[int]:
        """Rows of positive weight."""
        return self._regrouped(self.schema.class_rows)

    def before(self, part: int) -> list[int]:
        """Rows of each class in the parts before this one."""
        return self._regrouped(self.schema.class_rows[:part])

    def table(self, dataset: Dataset) -> Dataset:
        """A part with the classes of the job."""
        return dataset if self.class_map is None else dataset.relabelled(list(self.class_map))

    def _regrouped(self, class_rows: NDArray[np.int64]) -> list[int]:
        totals: list[int] = class_rows.sum(axis=0).tolist()
        if self.class_map is None:
            return totals
        return [
            sum(n for n, own in zip(totals, self.class_map, strict=True) if own == each)
            for each in range(self.n_classes)
        ]


@dataclass(frozen=True)
class LoadedPart:
    """A part in the form the core reads: columns, and the weights of its rows if there are any."""

    dataset: Dataset
    weights: list[float]

    def rows(self, job: Job, number: int, draws: TableDraws) -> PartRows:
        """Which of its rows are in which node: at first, all in the roots."""
        return PartRows(draws, job.before(number), self.weights, job.schema.groups_of(number))

    def cells(self, numbers: NDArray[np.int64], columns: NDArray[np.int64] | None) -> Numbers:
        """Some rows as a matrix, or some columns of them."""
        return self.dataset.cells(numbers, np.arange(self.dataset.n_features) if columns is None else columns)

    def map_rows(self, function: RowFunction, columns: NDArray[np.int64] | None) -> NDArray[Any]:
        """What a function makes of all rows, or of some columns of them, some rows at a time."""
        n_cells = self.dataset.n_rows * (self.dataset.n_features if columns is None else len(columns))
        blocks = np.array_split(np.arange(self.dataset.n_rows), max(1, -(-n_cells // _BLOCK_CELLS)))
        return np.concatenate([function(self.cells(rows, columns)) for rows in blocks])


def load(frame: Any, schema: Schema, number: int) -> LoadedPart:
    """Part `number` as columns; raises when its rows are no longer those that were profiled."""
    X, codes, weights = read_rows(frame, schema, number)
    dataset = schema.shape(len(schema.classes)).table(codes)
    if len(codes) > 0:
        _fill(dataset, X, schema)
    dataset.end_filling()
    return LoadedPart(dataset, weights)


def read_rows(frame: Any, schema: Schema, number: int) -> tuple[Any, NDArray[np.int32], list[float]]:
    """The columns of part `number` as they are, the classes of its rows, and their weights if there are any."""
    X, y, weights = schema.roles.split(frame)
    if len(y) != schema.n_rows[number]:
        raise ValueError(
            f"partition {number} had {schema.n_rows[number]} rows when it was first read and has {len(y)} now; the data must not "
            "change while a forest is grown on them."
        )
    whole = None if weights is None or len(y) == 0 else check_whole(weights, schema.roles.weight)
    codes = _codes(y, schema.classes, number)
    positive = codes if whole is None else codes[whole > 0]
    if not np.array_equal(np.bincount(positive, minlength=len(schema.classes)), schema.class_rows[number]):
        raise ValueError(
            f"the labels of partition {number} have changed since it was first read; the data must not change while a "
            "forest is grown on them."
        )
    return X, codes, [] if whole is None else whole.tolist()


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
            f"partition {number} has the labels {unknown[:5]}, which it did not have when it was first read; the data "
            "must not change while a forest is grown on them."
        )
    codes = np.array([known[label] for label in labels.tolist()], dtype=np.int32)
    return codes[inverse.reshape(-1)]
