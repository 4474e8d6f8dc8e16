"""Reading rows in parts for a model, with the checks and in the order of a model that reads a table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.found_groups import rows_together
from rarewood._tables.groups import GroupNames, RowGroups
from rarewood._tables.made_rows import made_rows
from rarewood._tables.row_source import Numbers, RowFunction
from rarewood._validation import class_weights_of
from rarewood.distributed._checkpoint import Checkpoint
from rarewood.distributed._data import PartedData
from rarewood.distributed._engine import Engine
from rarewood.distributed._profile import ColumnRoles, PartProfile, Schema, labels_of, merge_profiles
from rarewood.distributed._schedule import FitLimits
from rarewood.distributed._scratch import room_on_disk
from rarewood.distributed.memory import Budget, MemoryTooSmallError


def read_parts(
    engine: Engine,
    roles: ColumnRoles,
    limits: FitLimits,
    budget: Budget | None,
    checkpoint: Checkpoint | None,
    model: Any,
) -> PartedData:
    """The training data of a model."""
    profiles = engine.profile(roles)
    schema = merge_profiles(profiles, roles, model)
    if model._looks_back():
        _check_out_of_bag(schema, budget, model)
    schema.columns.put_on(model)
    labels, weights = labels_of(profiles, schema.classes)
    class_weights = class_weights_of(model.class_weight, schema.classes, schema.class_totals)
    data = PartedData(labels, weights, class_weights, schema, engine, limits, budget, checkpoint)
    if not model._looks_back():
        return data
    _refuse_made(data)
    return data.with_groups(_groups(data, profiles, model._rare_class(labels, weights)))


def _groups(data: PartedData, profiles: Sequence[PartProfile], rare: int | None) -> RowGroups | None:
    """Rows that must stay together, whatever parts they are in."""
    if data.schema.roles.groups is not None:
        names = GroupNames.joined([profile.groups for profile in profiles if profile.groups is not None])
        return RowGroups.of(names.alone(), data.labels, data.weights, rare)
    return rows_together(data, data.columns, data.labels, data.weights, rare)


def _check_out_of_bag(schema: Schema, budget: Budget | None, model: Any) -> None:
    """Raise where memory does not hold what is learned from, scores of all rows by trees that did not see them."""
    if budget is None:
        return
    n_rows, n_classes = sum(schema.n_rows), len(schema.classes)
    of_row = 8 * model._out_of_bag_sums * n_classes
    needed = n_rows * (64 + model._out_of_bag_bytes * n_classes) + max(schema.n_rows) * of_row // 2
    if n_rows * (of_row + schema.row_bytes) > room_on_disk():
        needed += n_rows * of_row
    if needed > budget.available // 2:
        raise MemoryTooSmallError(
            f"the out-of-bag scores of {sum(schema.n_rows)} rows take about {needed / 1e6:,.0f} MB, but memory leaves "
            f"only {budget.available / 2e6:,.0f} MB for them. Use HeDExClassifier or HeDExhClassifier, which need no "
            f"such scores, or give at least {budget.enough(2 * needed)}."
        )


def _refuse_made(data: PartedData) -> None:
    """Raise where a sampler made the last rows: they must not judge, and parts cannot leave them out."""
    made = made_rows(None, _RowsOfLastClass(data), data.columns.n_categories, data.labels.codes)
    if made is not None:
        raise ValueError(
            f"the last {np.count_nonzero(made):,} of {len(made):,} rows were made by a sampler: they repeat rows before them, or lie "
            "between two. Out-of-bag scores, and all that is learned from them, would be far too good. Fit without these rows and choose a "
            "threshold instead."
        )


@dataclass(frozen=True)
class _RowsOfLastClass:
    """Rows that are needed in one place only if the table ends with a run of one class, and there is room for them."""

    data: PartedData

    def rows(self, numbers: NDArray[np.int64], columns: NDArray[np.int64] | None = None) -> Numbers:
        budget, needed = self.data.budget, 3 * len(numbers) * len(self.data.columns) * 8
        if budget is not None and needed > budget.available:
            raise MemoryTooSmallError(
                f"the table ends with rows of one class. To see whether a sampler made them, the {len(numbers):,} rows of this class must "
                f"be in memory; give at least {budget.enough(needed)}, or rows in another order."
            )
        return self.data.rows(numbers, columns)

    def map_rows(self, function: RowFunction, columns: NDArray[np.int64] | None = None) -> NDArray[Any]:
        return self.data.map_rows(function, columns)
