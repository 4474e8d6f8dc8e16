"""The loop of growing: wave after wave of trees, each by questions first and gathered rows at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, LevelGrower
from rarewood.distributed._checkpoint import Checkpoint
from rarewood.distributed._engine import Engine
from rarewood.distributed._job import Job


@dataclass(frozen=True)
class Pace:
    """How much is done at once. None of it shows in the trees."""

    trees: int  # that grow together
    finish_rows: int  # a node of at most as many is gathered and grown to the end
    group_rows: int  # that are gathered at a time
    most_model_bytes: int | None


def grow(
    job: Job, engine: Engine, pace: Pace, checkpoint: Checkpoint | None, report: Callable[[int], None] | None
) -> Forest:
    """The forest of a job."""
    engine.begin(job)
    plan = job.plan()
    n_trees = plan.n_trees
    done = None if checkpoint is None else checkpoint.read()
    while done is None or len(done) < n_trees:
        first = 0 if done is None else len(done)
        wave = _grow_wave(job, engine, pace, first, min(first + pace.trees, n_trees))
        done = wave if done is None else done + wave
        _check_size(done, n_trees, pace.most_model_bytes)
        if checkpoint is not None:
            checkpoint.write(done)
        if report is not None:
            report(len(done))
    return done


def _grow_wave(job: Job, engine: Engine, pace: Pace, first: int, end: int) -> Forest:
    grower = LevelGrower(job.schema.shape, job.plan(), first, end, float(pace.finish_rows))
    while grower.n_questions:
        grower.hear(engine.ask(grower.splits(), grower.questions()))
    groups = list(grouped(np.asarray(grower.small_cases), pace.group_rows))
    finished = engine.finish(grower.splits(), [grower.tasks(group) for group in groups])
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


def _check_size(done: Forest, n_trees: int, most_bytes: int | None) -> None:
    expected = done.__sizeof__() / len(done) * n_trees
    if most_bytes is not None and expected > most_bytes:
        raise MemoryError(
            f"after {len(done)} of {n_trees} trees the model is expected to take {expected / 1e6:,.0f} MB, more than the "
            f"{most_bytes / 1e6:,.0f} MB allowed. Raise max_model_bytes or memory, or make smaller trees: a larger "
            "min_samples_leaf, a max_depth, fewer trees, or a forest that samples rows."
        )
