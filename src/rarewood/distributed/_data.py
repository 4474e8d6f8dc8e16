"""Rows in parts as the training data of a forest, which plans, grows and scores on them as it does on a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, ForestPlan
from rarewood._tables import Columns
from rarewood._tables.groups import RowGroups
from rarewood._tables.row_source import Numbers, RowFunction
from rarewood._validation import Labels, Weights, rarest_class
from rarewood.distributed._checkpoint import Checkpoint
from rarewood.distributed._engine import Engine
from rarewood.distributed._job import Job
from rarewood.distributed._model_size import check_size, offer_larger_leaves
from rarewood.distributed._out_of_bag import OutOfBagTask, PartedScores
from rarewood.distributed._profile import Schema
from rarewood.distributed._schedule import FitLimits, Schedule
from rarewood.distributed._waves import grow
from rarewood.distributed.memory import Budget
from rarewood.metrics import rare_average_precision
from rarewood.tree.base import Criteria, SeveralPseudoCounts
from rarewood.tree.leaf_memory import warn_of_large_leaves


@dataclass(frozen=True)
class PartedData:
    """The `TrainingData` of rows in parts. Labels and weights are known where something is learned from them."""

    made: ClassVar[None] = None  # rows that a sampler made are refused

    labels: Labels
    weights: Weights
    class_weights: Weights
    schema: Schema
    engine: Engine
    limits: FitLimits
    budget: Budget | None
    checkpoint: Checkpoint | None
    groups: RowGroups | None = None

    @property
    def columns(self) -> Columns:
        return self.schema.columns

    def plan(self, criteria: Criteria, class_map: list[int] | None = None, **options: Any) -> Job:
        strata = None if self.groups is None else list(self.groups.strata)
        plan = ForestPlan(criteria, class_weights=self.class_weights, strata=strata, **options)
        return Job.new(self.schema, plan, class_map)

    def rows(self, numbers: NDArray[np.int64], columns: NDArray[np.int64] | None = None) -> Numbers:
        order = np.argsort(numbers, kind="stable")
        found = self.engine.cells(self.schema, self.schema.by_part(np.asarray(numbers)[order]), columns)
        cells = np.concatenate(found)
        cells[order] = cells.copy()
        return cells

    def map_rows(self, function: RowFunction, columns: NDArray[np.int64] | None = None) -> NDArray[Any]:
        return np.concatenate(self.engine.map_rows(self.schema, function, columns))

    def with_groups(self, groups: RowGroups | None) -> PartedData:
        """The same where rows belong together."""
        return self if groups is None else replace(self, schema=self.schema.with_groups(groups), groups=groups)

    def grow(self, plans: Sequence[Job], n_threads: int, report: Any) -> list[Forest]:  # noqa: ARG002
        warn_of_large_leaves([(job.plan, job.class_map) for job in plans], self.schema.class_totals)
        forests: list[Forest] = []
        n_trees = sum(job.plan.n_trees for job in plans)
        for number, job in enumerate(plans):
            done = None if self.checkpoint is None else self.checkpoint.read(number, job)
            forests.append(self._grown(job, done, self._keep(number, job, tuple(forests), n_trees, report)))
        return forests

    def _grown(self, job: Job, done: Forest | None = None, keep: Callable[[Forest], None] = lambda _: None) -> Forest:
        return grow(job, self.engine, Schedule.of(job, self.limits, self.budget, self.engine), done, keep)

    def release(self) -> None:
        """Parts are kept by the engine, which needs them for out-of-bag scores."""

    def _keep(
        self, number: int, job: Job, before: Sequence[Forest], n_trees: int, report: Any
    ) -> Callable[[Forest], None]:
        most = self.limits.max_model_bytes or (None if self.budget is None else self.budget.quarter)

        def keep(done: Forest) -> None:
            def remedy(most_of_tree: float) -> str:
                return offer_larger_leaves(job, done, most_of_tree, self._grown, self._average_precision, n_trees)

            check_size([*before, done], n_trees, most, remedy)
            if self.checkpoint is not None:
                self.checkpoint.write(number, job, done)
            if report is not None:
                report(sum(map(len, before)) + len(done))

        return keep

    def _average_precision(self, forest: Forest, job: Job) -> float | None:
        """Of the rarest class, by rows that trees did not see; None where they see all, or labels are not known."""
        codes = self.labels.codes
        if len(codes) == 0 or job.class_map is not None or (job.plan.sampling == "all" and self.groups is None):
            return None
        shares = np.asarray(job.class_sizes) / sum(job.class_sizes)
        rare = rarest_class(np.bincount(codes, minlength=job.n_classes))
        scores = self.out_of_bag(forest, job, shares, 1)[0].means()[:, rare]
        scored = ~np.isnan(scores) & (True if self.weights is None else self.weights > 0)
        return rare_average_precision(codes[scored] == rare, scores[scored], positive=True)

    def out_of_bag(
        self,
        forest: Forest,
        plan: Job,
        pseudo_counts: SeveralPseudoCounts,
        n_threads: int,  # noqa: ARG002
        *,
        by_half: bool = False,
    ) -> list[PartedScores]:
        at_once = Schedule.of(plan, self.limits, self.budget, self.engine).out_of_bag_trees
        ends = (len(forest) // 2, len(forest)) if by_half else (len(forest),)
        parts = self.engine.out_of_bag(OutOfBagTask(plan, forest, pseudo_counts, ends, at_once))
        return [PartedScores(found) for found in reversed(list(zip(*parts, strict=True)))]
