"""The work on a single part: pure functions of the part, the schema and messages."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Dataset, Forest, ForestPlan, PartRows, TableDraws, TableShape
from rarewood._tables import read_table
from rarewood._tables.repeats import Hashes, cell_hashes, row_hashes
from rarewood.distributed._profile import PartReader, Schema, check_whole
from rarewood.tree.base import OutOfBag, SeveralPseudoCounts


@dataclass(frozen=True)
class Job:
    """A forest to grow on parts; can be sent to other processes."""

    name: str
    schema: Schema
    plan: ForestPlan

    @classmethod
    def new(cls, schema: Schema, plan: ForestPlan) -> Job:
        return cls(uuid.uuid4().hex, schema, plan)

    def rest(self, first: int) -> Job:
        """The same forest from tree number `first` on."""
        return Job.new(self.schema, self.plan.rest(first))

    def draws(self) -> TableDraws:
        return TableDraws(self.plan, self.schema.class_sizes)


@dataclass(frozen=True)
class LoadedPart:
    """A part in the form the core reads."""

    dataset: Dataset
    weights: list[float]

    def rows(self, job: Job, number: int, draws: TableDraws) -> PartRows:
        """Which of its rows are in which node: at first, all in the roots."""
        return PartRows(draws, job.schema.before(number), self.weights, job.schema.groups_of(number))


@dataclass(frozen=True)
class OutOfBagTask:
    """Trees `first`, `first` + 1, ... of a job, and the pseudo-counts of their leaves."""

    job: Job
    forest: Forest
    first: int
    pseudo_counts: SeveralPseudoCounts


@dataclass(frozen=True)
class MatrixPart:
    """A part as the matrix that trees predict for, with the classes and the weights of its rows."""

    matrix: NDArray[Any]
    codes: NDArray[np.int32]
    weights: list[float]


def load_matrix(frame: Any, schema: Schema, number: int) -> MatrixPart:
    """Part `number` as a matrix; raises when its rows are no longer those that were profiled."""
    X, codes, weights = read_rows(frame, schema, number)
    if len(codes) == 0:
        return MatrixPart(np.empty((0, len(schema.columns.kinds))), codes, weights)
    return MatrixPart(schema.columns.encode(read_table(PartReader(), X, reset=True)), codes, weights)


def hashes_of(part: MatrixPart, column: int | None) -> Hashes:
    """Of the rows of a part, or of their cells in one column."""
    return row_hashes(part.matrix) if column is None else cell_hashes(part.matrix, column)


def add_out_of_bag(
    part: MatrixPart, number: int, task: OutOfBagTask, draws: TableDraws, before: OutOfBag, n_threads: int
) -> OutOfBag:
    """The out-of-bag sums of part `number` with what the trees of a task add to them."""
    if len(part.codes) == 0:
        return before
    without_columns = TableShape([], [], len(task.job.schema.classes)).table(part.codes)
    rows = LoadedPart(without_columns, part.weights).rows(task.job, number, draws)
    found = rows.out_of_bag(
        without_columns,
        part.matrix,
        task.forest,
        task.first,
        task.pseudo_counts,
        before.sums,
        before.n_trees,
        n_threads,
    )
    return OutOfBag(*found)


def load(frame: Any, schema: Schema, number: int) -> LoadedPart:
    """Part `number` as columns; raises when its rows are no longer those that were profiled."""
    X, codes, weights = read_rows(frame, schema, number)
    dataset = schema.shape.table(codes)
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
