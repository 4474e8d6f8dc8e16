"""Whether a model becomes too large for use, and what larger leaves would make of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rarewood._core import Forest
from rarewood.distributed._job import Job
from rarewood.distributed.memory import MemoryTooSmallError, megabytes

LEAVES = (5, 20, 80, 320, 1280, 5120)
"""Rows that a leaf may have at least: the fewest that make a model small enough are offered."""

_TRIED = 8  # trees that are grown again with larger leaves


def check_size(forests: Sequence[Forest], n_trees: int, most: int | None, remedy: Callable[[float], str]) -> None:
    """Raise if `n_trees` trees like those of `forests` take more than `most` bytes.

    `remedy` is asked for a sentence on what makes a tree take at most so many bytes.
    """
    size, n_done = sum(map(_size, forests)), sum(map(len, forests))
    expected = size / n_done * n_trees
    if most is None or expected <= most:
        return
    raise MemoryTooSmallError(
        f"after {n_done} of {n_trees} trees the model is expected to take {megabytes(expected)}, more than the {megabytes(most)} "
        f"allowed. {remedy(most / n_trees)}Raise max_model_bytes or memory, or make smaller trees: a larger min_samples_leaf, a "
        "max_depth, fewer trees, or a forest that samples rows."
    )


def offer_larger_leaves(
    job: Job,
    done: Forest,
    most_of_tree: float,
    grow: Callable[[Job], Forest],
    judge: Callable[[Forest, Job], float | None],
    n_trees: int,
) -> str:
    """The smallest leaves with which trees are small enough, by growing some of them again, and what these say of rows left out.

    `judge` tells the average precision of trees, or None where they leave no rows out. Empty if no leaves are large enough.
    """
    n_tried = min(_TRIED, len(done))
    before = done.part(0, n_tried)
    for leaf in LEAVES:
        if (
            leaf <= int(job.plan.min_samples_leaf)
            or _size(before) * _share_of_nodes(before, leaf) > most_of_tree * n_tried
        ):
            continue
        smaller = job.with_leaves(leaf, n_tried)
        after = grow(smaller)
        if _size(after) > most_of_tree * n_tried:
            continue
        offer = f"With min_samples_leaf={leaf} it would take about {megabytes(_size(after) / n_tried * n_trees)}"
        precisions = judge(before, job), judge(after, smaller)
        if None in precisions:
            return f"{offer}. "
        was, would_be = precisions
        return (
            f"{offer}; for rows that {n_tried} such trees did not see, average precision is {would_be:.3f}, and {was:.3f} for as "
            "many trees as they are now. "
        )
    return ""


def _size(forest: Forest) -> int:
    return int(forest.__sizeof__())


def _share_of_nodes(forest: Forest, leaf: int) -> float:
    """About which part of the nodes is left if a leaf has at least so many rows."""
    counts = [forest[number].n_node_samples for number in range(len(forest))]
    return sum(int(np.count_nonzero(own >= leaf)) for own in counts) / sum(map(len, counts))
