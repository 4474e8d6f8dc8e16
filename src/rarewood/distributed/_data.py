"""Rows in parts as the training data of a forest, which plans, grows and scores on them as it does on a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from rarewood._core import Forest, ForestPlan
from rarewood._tables import Columns
from rarewood._tables.groups import RowGroups
from rarewood._validation import Labels, Weights
from rarewood.distributed._checkpoint import Checkpoint
from rarewood.distributed._engine import Engine
from rarewood.distributed._job import Job, OutOfBagTask
from rarewood.distributed._profile import Schema
from rarewood.distributed._schedule import FitLimits, Schedule
from rarewood.distributed._waves import grow
from rarewood.distributed.memory import Budget
from rarewood.tree.base import Criteria, OutOfBag, SeveralPseudoCounts


@dataclass(frozen=True)
class PartedData:
    """The `TrainingData` of rows in parts. Labels and weights are known where something is learned from them."""

    in_memory: ClassVar[bool] = False

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
        assert class_map is None
        strata = None if self.groups is None else list(self.groups.strata)
        return Job.new(self.schema, ForestPlan(criteria, class_weights=self.class_weights, strata=strata, **options))

    def grow(self, plans: Sequence[Job], n_threads: int, report: Any) -> list[Forest]:  # noqa: ARG002
        forests: list[Forest] = []
        for number, job in enumerate(plans):
            done = None if self.checkpoint is None else self.checkpoint.read(number, job)
            before = sum(len(forest) for forest in forests)
            keep = self._keep(number, job, before, report)
            forests.append(grow(job, self.engine, Schedule.of(job, self.limits, self.budget, self.engine), done, keep))
        return forests

    def release(self) -> None:
        """Parts are kept by the engine, which needs them for out-of-bag scores."""

    def _keep(self, number: int, job: Job, before: int, report: Any) -> Callable[[Forest], None]:
        def keep(done: Forest) -> None:
            if self.checkpoint is not None:
                self.checkpoint.write(number, job, done)
            if report is not None:
                report(before + len(done))

        return keep

    def out_of_bag(
        self,
        forest: Forest,
        plan: Job,
        pseudo_counts: SeveralPseudoCounts,
        n_threads: int,  # noqa: ARG002
        *,
        by_half: bool = False,
    ) -> list[OutOfBag]:
        width = len(self.schema.classes) * (len(pseudo_counts) if isinstance(pseudo_counts, list) else 1)
        parts = [OutOfBag.none(n_rows, width) for n_rows in self.schema.n_rows]
        at_once = Schedule.of(plan, self.limits, self.budget, self.engine).out_of_bag_trees
        ends = [len(forest) // 2, len(forest)] if by_half else [len(forest)]
        found: list[OutOfBag] = []
        for begin, end in pairwise([0, *ends]):
            for first in range(begin, end, at_once):
                some = forest.part(first, min(first + at_once, end))
                parts = self.engine.add_out_of_bag(OutOfBagTask(plan, some, first, pseudo_counts), parts)
            sums, n_trees = [part.sums for part in parts], [part.n_trees for part in parts]
            found.append(OutOfBag(np.concatenate(sums), np.concatenate(n_trees)))
        return found[::-1]
