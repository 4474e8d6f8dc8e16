"""Waves of trees, grown by questions to the parts first and on gathered rows at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, LevelGrower
from rarewood.distributed._engine import Engine, Splits
from rarewood.distributed._job import Job
from rarewood.distributed._schedule import Schedule
from rarewood.distributed._scratch import Group


def grow(job: Job, engine: Engine, schedule: Schedule, done: Forest | None, keep: Callable[[Forest], None]) -> Forest:
    """Grow the forest of a job behind the trees that are `done`; `keep` is called after every wave."""
    engine.begin(job)
    n_trees = job.plan.n_trees
    while done is None or len(done) < n_trees:
        first = 0 if done is None else len(done)
        wave = _grow_wave(job, engine, schedule, first, min(first + schedule.trees, n_trees))
        done = wave if done is None else done + wave
        keep(done)
    return done


def _grow_wave(job: Job, engine: Engine, schedule: Schedule, first: int, end: int) -> Forest:
    grower = LevelGrower(job.shape, job.plan, first, end, float(schedule.finish_rows))
    while grower.n_questions:
        grower.hear(engine.ask(Splits.of(grower), grower.questions()))
    sizes = np.asarray(grower.small_cases)
    groups = list(grouped(sizes, schedule.group_rows))
    finished = engine.finish(
        Splits.of(grower), [Group(grower.tasks(group), float(sizes[group].sum())) for group in groups]
    )
    for group, subtrees in zip(groups, finished, strict=True):
        for node, subtree in zip(group, subtrees, strict=True):
            grower.graft(node, subtree)
    return grower.finish()


def grouped(sizes: NDArray[np.float64], most: float) -> Iterator[list[int]]:
    """Groups of neighbours whose sizes add up to at most `most`; a single one may be larger."""
    group: list[int] = []
    total = 0.0
    for number, size in enumerate(sizes.tolist()):
        if group and total + size > most:
            yield group
            group, total = [], 0.0
        group.append(number)
        total += size
    if group:
        yield group
