"""The loop of growing: wave after wave of trees, each by questions first and gathered rows at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, LevelGrower
from rarewood.distributed._engine import Engine
from rarewood.distributed._job import Job
from rarewood.distributed._pace import Pace
from rarewood.distributed._scratch import Group


def grow(job: Job, engine: Engine, pace: Pace, done: Forest | None, keep: Callable[[Forest], None]) -> Forest:
    """The forest of a job, of which the trees `done` are known; `keep` is told of every wave."""
    engine.begin(job)
    n_trees = job.n_trees
    while done is None or len(done) < n_trees:
        first = 0 if done is None else len(done)
        wave = _grow_wave(job, engine, pace, first, min(first + pace.trees, n_trees))
        done = wave if done is None else done + wave
        pace.check_model(done.__sizeof__(), len(done), n_trees)
        keep(done)
    return done


def _grow_wave(job: Job, engine: Engine, pace: Pace, first: int, end: int) -> Forest:
    grower = LevelGrower(job.schema.shape, job.plan(), first, end, float(pace.finish_rows))
    while grower.n_questions:
        grower.hear(engine.ask(grower.splits(), grower.questions()))
    sizes = np.asarray(grower.small_cases)
    groups = list(grouped(sizes, pace.group_rows))
    finished = engine.finish(
        grower.splits(), [Group(grower.tasks(group), float(sizes[group].sum())) for group in groups]
    )
    for group, subtrees in zip(groups, finished, strict=True):
        for node, subtree in zip(group, subtrees, strict=True):
            grower.graft(node, subtree)
    return grower.finish()


def grouped(sizes: NDArray[np.float64], most: float) -> Iterator[list[int]]:
    """Neighbours together as long as their sizes add up to at most `most`; one alone may be larger."""
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
