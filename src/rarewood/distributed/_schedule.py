"""The schedule of a fit: how much of it is done at once, which never affects the trees."""

from __future__ import annotations

from dataclasses import dataclass

from rarewood.distributed._engine import Engine
from rarewood.distributed._job import Job
from rarewood.distributed.memory import Budget, MemoryTooSmallError

_GROUP_ROWS = 1_000_000
_TREES = 100
_OUT_OF_BAG_TREES = 64
_LITTLE = 2**26  # bytes that need no thought
_WAITING = 12  # groups that would take half of a place's columns: two at a time, each as messages and as a table
_BESIDE = 32  # share of the rows that are gathered at a time beside a table that is in memory


@dataclass(frozen=True)
class FitLimits:
    """The limits that a caller sets; None leaves the choice to the schedule."""

    finish_rows: int | None = None
    trees_at_once: int | None = None
    max_model_bytes: int | None = None

    def check(self) -> None:
        for name, value in vars(self).items():
            if value is not None and (isinstance(value, bool) or value < (0 if name == "finish_rows" else 1)):
                raise ValueError(f"{name}={value!r} is not accepted; give a positive whole number, or None.")


@dataclass(frozen=True)
class Schedule:
    """The amounts that are grown and gathered at once, as far as memory allows."""

    trees: int  # that grow together
    finish_rows: int  # a node of at most as many is gathered and grown to the end
    group_rows: int  # that are gathered at a time
    out_of_bag_trees: int  # whose draws are known at a time

    @classmethod
    def of(cls, job: Job, limits: FitLimits, budget: Budget | None, engine: Engine) -> Schedule:
        """Plan a job; raises where memory is too small for it."""
        schema = job.schema
        n_rows = sum(schema.n_rows)
        trees, group_rows, out_of_bag_trees = _TREES, _GROUP_ROWS, _OUT_OF_BAG_TREES
        draws = schema.roles.weight is not None or job.plan.sampling != "all"
        list_bytes = 14 if draws else 4  # per row and tree: where it is, how often it was drawn, its weight
        if budget is not None:
            trees = budget.trees(n_rows, list_bytes)
            group_rows = budget.group_rows(schema.row_bytes + 12)
            out_of_bag_trees = min(out_of_bag_trees, max(1, budget.quarter // (2 * n_rows)))
            _check_exact(job, n_rows, group_rows)
        elif engine.in_this_process:  # the columns are in memory, and little beside them
            trees = max(1, schema.row_bytes // (4 * list_bytes), _LITTLE // (n_rows * list_bytes))
            trees = limits.trees_at_once or min(trees, _TREES)
            group_rows = max(engine.finish_rows, n_rows // _BESIDE)
        trees = min(trees, job.plan.n_trees, limits.trees_at_once or trees)
        if not engine.in_this_process:  # some groups for each place
            # what waits there takes little, or half as much as the columns
            n_places = engine.n_places()
            some = -(-n_rows * trees // (4 * n_places))
            light = max(n_rows // n_places, _LITTLE // schema.row_bytes) // _WAITING
            group_rows = min(group_rows, some, max(engine.finish_rows, light))
        finish = min(engine.finish_rows, group_rows) if limits.finish_rows is None else limits.finish_rows
        return cls(trees, finish, group_rows, out_of_bag_trees)


def _check_exact(job: Job, n_rows: int, group_rows: int) -> None:
    """Raise where every threshold would be tried on more rows than memory holds."""
    sizes = [size for size in job.class_sizes if size > 0]
    seen = min(sizes) * len(job.class_sizes) if job.plan.sampling == "balanced" else n_rows
    if job.plan.splitter == "best" and seen > group_rows:
        raise MemoryTooSmallError(
            f"splitter='best' tries every threshold and so needs the rows of a tree in memory: about {seen} of them, "
            f"but memory leaves room for {group_rows}. Use HeDExClassifier or HeDExhClassifier, which draw cuts, or "
            "BalancedForestClassifier, whose trees see few rows, or give more memory."
        )
