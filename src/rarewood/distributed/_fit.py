"""Fitting on data in parts."""

from __future__ import annotations

import os
import uuid
from contextlib import closing
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from rarewood._progress import progress
from rarewood._validation import Labels, class_weights_of, import_optional
from rarewood.distributed._checkpoint import Checkpoint
from rarewood.distributed._engine import Engine, LocalEngine
from rarewood.distributed._growing import Pace, grow
from rarewood.distributed._job import Job
from rarewood.distributed._memory import Budget, parse_memory
from rarewood.distributed._parts import are_paths, parts_of
from rarewood.distributed._profile import Reading, Schema, merge_profiles
from rarewood.ensemble.base import BaseForest, thread_count
from rarewood.tree.base import TrainingData, draw_seed

Forest = TypeVar("Forest", bound=BaseForest)

_FINISH_ROWS = 20_000
_GROUP_ROWS = 1_000_000
_TREES = 100


def fit(
    estimator: Forest,
    data: Any,
    target: str,
    *,
    sample_weight: str | None = None,
    client: Any = None,
    memory: str | int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    finish_rows: int | None = None,
    trees_at_once: int | None = None,
    max_model_bytes: int | None = None,
) -> Forest:
    """Fit a forest to data in parts: files larger than memory, or a data frame on a cluster.

    The trees are, bit for bit, those that ``estimator.fit`` grows on all rows in one table, however the rows are divided, whoever
    holds them, and whatever workers are lost on the way.

    Parameters
    ----------
    estimator : HeDExClassifier, HeDExhClassifier, ForestClassifier, BalancedForestClassifier or BEATClassifier
        What to fit; it stays as it is. Forests that try every threshold (``splitter="best"``) need the rows that a tree sees in
        memory, one tree at a time; those of random cuts or lines do not.
    data : paths of Parquet files, data frame, list of data frames, or Dask data frame
        A path, a glob, a folder, or a list of them; pandas, polars or pyarrow data frames, one per partition; with `client`, a
        Dask data frame, too. Columns are read as in ``estimator.fit``; where partitions have different categories, those of all
        of them count, sorted.
    target : str
        Column of the labels.
    sample_weight : str, optional
        Column of the weights, which must be whole numbers.
    client : dask.distributed.Client, optional
        The cluster; None stays in this process.
    memory : str or int, optional
        About what this process may take in all, such as "4GB". Parts are then read again in every pass rather than kept. None
        keeps everything. Not used with a client.
    checkpoint : path, optional
        File to which grown trees are written; a fit that finds it goes on from there.
    finish_rows : int, optional
        A node of at most as many rows is gathered in one place and grown to the end. Shows in time and memory, never in trees.
    trees_at_once : int, optional
        How many trees grow together. None takes what memory allows.
    max_model_bytes : int, optional
        Largest model to accept; it is estimated after the first trees. None is a quarter of `memory`, or no limit.

    Returns
    -------
    estimator
        A fitted clone of `estimator`, an ordinary one.

    See Also
    --------
    rarewood.distributed.predict_proba : Probabilities, part by part.

    Notes
    -----
    A node needs no rows to be split, only counts of them, and counts of parts add up: parts say between which values a column lies,
    the cuts are drawn by the random stream of node and column, parts count, the criterion chooses. Not supported:
    ``oob_score=True``, ``warm_start=True``, fractional weights.

    Examples
    --------
    >>> import numpy as np, pandas as pd, rarewood as rw
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.normal(size=(600, 4)), columns=list("abcd"))
    >>> frame["rare"] = (frame["a"] + frame["b"] > 2).astype(int)
    >>> model = rw.HeDExClassifier(10, random_state=0)
    >>> parts = [frame[:100], frame[100:100], frame[100:]]
    >>> in_parts = rw.distributed.fit(model, parts, "rare", finish_rows=50)
    >>> at_once = model.fit(frame[list("abcd")], frame["rare"])
    >>> bool(np.all(in_parts.predict_proba(frame[list("abcd")]) == at_once.predict_proba(frame[list("abcd")])))
    True
    """
    _check_supported(estimator)
    model: Forest = clone(estimator)
    model._check_parameters()
    n_threads = thread_count(model.n_jobs)
    limit = parse_memory(memory)
    if client is not None and limit is not None:
        raise ValueError(
            "memory= is for fits in this process; with client=, workers have the memory they were started with."
        )
    if limit is not None and are_paths(data):
        import_optional("pyarrow.parquet", "data", "reading Parquet")  # counted with what the process takes already
    budget = None if limit is None else Budget.of(limit)
    reading = Reading(target, sample_weight, model.categorical_features)
    with closing(_engine(data, client, budget, n_threads)) as engine:
        schema = merge_profiles(engine.profile(reading), reading, model)
        job, labels, class_weights = _job(model, schema)
        pace = _pace(job, budget, finish_rows, trees_at_once, max_model_bytes)
        saved = None if checkpoint is None else Checkpoint(checkpoint, job)
        with progress(model.n_estimators, "growing trees", model.verbose) as report:
            forest = grow(job, engine, pace, saved, report)
    dataset: Any = None  # there is none: the rows are in the parts
    fitted = TrainingData(dataset, dataset, schema.columns, labels, None, class_weights)
    model._finish_fit(forest, fitted, job.plan(), n_threads)
    return model


def _check_supported(estimator: Any) -> None:
    name = type(estimator).__name__
    if not isinstance(estimator, BaseForest) or type(estimator).fit is not BaseForest.fit:
        raise TypeError(
            f"{name} cannot be fitted to data in parts yet; HeDExClassifier, HeDExhClassifier, ForestClassifier, "
            "BalancedForestClassifier and BEATClassifier can."
        )
    for parameter, reason in (
        ("oob_score", "needs all rows for every tree; score rows that were set aside instead"),
        ("warm_start", "is not supported; to go on after an interruption give a checkpoint"),
    ):
        if getattr(estimator, parameter, False):
            raise ValueError(f"{parameter}=True on data in parts {reason}.")


def _engine(data: Any, client: Any, budget: Budget | None, n_threads: int) -> Engine:
    if client is not None:
        from rarewood.distributed._dask import DaskEngine

        return DaskEngine(client, data)
    parts = parts_of(data, None if budget is None else budget.part_bytes)
    if budget is not None:
        largest = max(part.size_in_bytes for part in parts)
        if largest > 2 * budget.part_bytes:
            raise MemoryError(
                f"the largest part, a row group of a Parquet file or a data frame, takes about {largest / 1e6:,.0f} MB, and memory "
                f"leaves {2 * budget.part_bytes / 1e6:,.0f} MB for one; write the file with smaller row groups, or give more memory."
            )
    return LocalEngine(parts, keep=budget is None, n_threads=n_threads)


def _job(model: BaseForest, schema: Schema) -> tuple[Job, Labels, Any]:
    schema.columns.put_on(model)
    model._seed = draw_seed(model.random_state)
    class_weights = class_weights_of(model.class_weight, schema.classes, schema.class_totals)
    criteria, options = model._recipe(len(schema.classes), class_weights)
    name = f"{type(model).__name__}-{uuid.uuid4().hex}"
    return Job(name, schema, criteria, options), Labels(schema.classes, np.empty(0, dtype=np.int32)), class_weights


def _pace(
    job: Job, budget: Budget | None, finish_rows: int | None, trees_at_once: int | None, max_model_bytes: int | None
) -> Pace:
    for name, value in (
        ("finish_rows", finish_rows),
        ("trees_at_once", trees_at_once),
        ("max_model_bytes", max_model_bytes),
    ):
        if value is not None and (isinstance(value, bool) or value < (0 if name == "finish_rows" else 1)):
            raise ValueError(f"{name}={value!r} is not accepted; give a positive whole number, or None.")
    schema = job.schema
    n_rows = sum(schema.n_rows)
    trees, group_rows = _TREES, _GROUP_ROWS
    if budget is not None:
        weighted = schema.reading.weight is not None or job.options["sampling"] != "all"
        trees = budget.trees(n_rows, 12 if weighted else 4)
        group_rows = budget.group_rows(schema.row_bytes + 12)
        max_model_bytes = max_model_bytes or budget.quarter
        _check_exact(job, n_rows, group_rows)
    finish = min(_FINISH_ROWS, group_rows) if finish_rows is None else finish_rows
    return Pace(min(trees, trees_at_once or trees), finish, group_rows, max_model_bytes)


def _check_exact(job: Job, n_rows: int, group_rows: int) -> None:
    """Raise where every threshold would be tried on more rows than memory holds."""
    smallest = min(size for size in job.schema.class_sizes if size > 0)
    seen = smallest * len(job.schema.class_sizes) if job.options["sampling"] == "balanced" else n_rows
    if job.options["splitter"] == "best" and seen > group_rows:
        raise MemoryError(
            f"splitter='best' tries every threshold, for which the rows of a tree must be in memory: about {seen} of them, and "
            f"memory leaves room for {group_rows}. Take HeDExClassifier or HeDExhClassifier, which draw cuts, or "
            "BalancedForestClassifier, whose trees see few rows, or give more memory."
        )
