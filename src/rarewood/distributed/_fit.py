"""Fitting on data in parts."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from rarewood.decomposition.base import BaseDecomposition, check_base
from rarewood.distributed._checkpoint import Checkpoint
from rarewood.distributed._opening import opened
from rarewood.distributed._profile import ColumnRoles
from rarewood.distributed._reading import read_parts
from rarewood.distributed._schedule import FitLimits
from rarewood.ensemble import RareClassifier
from rarewood.ensemble.base import BaseForest, thread_count
from rarewood.tree import TreeClassifier

Model = TypeVar("Model", bound=Any)


def fit(
    estimator: Model,
    data: Any,
    target: str,
    *,
    sample_weight: str | None = None,
    groups: str | None = None,
    drop: Sequence[str] = (),
    client: Any = None,
    memory: str | int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    finish_rows: int | None = None,
    trees_at_once: int | None = None,
    max_model_bytes: int | None = None,
) -> Model:
    """Fit a forest to data in parts: files larger than memory, or a data frame on a cluster.

    The trees are, bit for bit, those that ``estimator.fit`` grows on all rows in one table, however the rows are divided among
    files or workers, and even if workers are lost on the way.

    Parameters
    ----------
    estimator : forest, tree or decomposition
        What to fit: a `RareClassifier`, `HeDExClassifier`, `HeDExhClassifier`, `ForestClassifier`, `BalancedForestClassifier`,
        `BEATClassifier` or `TreeClassifier`, or a `OneVsAllClassifier` or `ECOCClassifier` of such; it is not changed.
        Whatever is learned from out-of-bag rows (`RareClassifier`, ``oob_score``, ``calibration``) needs the scores of all
        rows in the memory of this process. Trees that try every threshold (``splitter="best"``) need the rows of one of
        them at a time in memory; trees of random cuts or lines do not.
    data : paths of Parquet files, data frame, list of data frames, or Dask data frame
        A path, a glob, a folder, or a list of them; pandas, polars or pyarrow data frames, one per partition; with `client`, a
        Dask data frame, too. Columns are read as by ``estimator.fit``; if partitions have different categories, the sorted
        union is used. Words of files are read as :func:`rarewood.datasets.read_file` does: spaces around them do not count,
        and empty ones, ``NA`` and the like are missing.
    target : str
        Name of the column of labels.
    sample_weight : str, optional
        Name of the column of weights, which must be whole numbers.
    groups : str, optional
        Name of the column that says which rows belong together, such as the customer: every tree leaves out a fifth of the groups, as
        ``estimator.fit(X, y, groups=...)`` does. It is not learned from. Needs out-of-bag scores.
    drop : list of str, optional
        Columns to leave out, such as row identifiers.
    client : dask.distributed.Client, optional
        The cluster. None fits in this process.
    memory : str or int, optional
        Approximate memory limit for this process, such as "4GB". Columns are then kept in temporary files instead of in memory.
        None keeps everything in memory. Not for use with a client.
    checkpoint : path, optional
        File to which finished trees are written; a fit that finds it resumes from there.
    finish_rows : int, optional
        Nodes of at most this many rows are gathered in one place and grown to the end there. Affects time and memory, never
        the trees.
    trees_at_once : int, optional
        Number of trees grown at the same time. None takes as many as memory allows.
    max_model_bytes : int, optional
        Largest accepted size of the model, estimated after the first trees; the error says which `min_samples_leaf` would do.
        None means a quarter of `memory`, or no limit without `memory`.

    Returns
    -------
    estimator
        A fitted clone of `estimator`, which can be used like any other.

    See Also
    --------
    rarewood.distributed.predict_proba : Probabilities, part by part.
    rarewood.distributed.find_rules : Rules that hold, from the same data.

    Notes
    -----
    Splitting a node needs only counts of rows, and the counts of the parts add up. Each part reports the range of a column,
    cuts are drawn from the random stream of the node and column, each part counts, and the criterion chooses. Fractional
    weights are refused, because their sums would depend on how the rows are divided.

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
    limits = FitLimits(finish_rows, trees_at_once, max_model_bytes)
    limits.check()
    goes_on = getattr(estimator, "warm_start", False) and hasattr(estimator, "forest_")
    model: Model = copy.copy(estimator) if goes_on else clone(estimator)
    is_decomposition = isinstance(model, BaseDecomposition)
    reader = check_base(model.estimator) if is_decomposition else model
    if is_decomposition:
        model._check_in_parts()
    _check_checkpoint(reader, checkpoint)
    reader._check_parameters()
    if groups is not None:
        _check_groups(model)
    keeps_labels = is_decomposition or reader._looks_back()
    roles = ColumnRoles(target, sample_weight, reader.categorical_features, tuple(drop), groups, keeps_labels)
    saved = None if checkpoint is None else Checkpoint(checkpoint)
    with opened(data, client, memory, thread_count(getattr(model, "n_jobs", None))) as (engine, budget):
        fitted: Model = model._learn_from(partial(read_parts, engine, roles, limits, budget, saved))
    return fitted


_SUPPORTED = (RareClassifier.fit, BaseForest.fit, TreeClassifier.fit, BaseDecomposition.fit)


def _check_supported(estimator: Any) -> None:
    if getattr(type(estimator), "fit", None) in _SUPPORTED:
        return
    raise TypeError(
        f"{type(estimator).__name__} cannot be fitted to data in parts; RareClassifier, HeDExClassifier, HeDExhClassifier, "
        "ForestClassifier, BalancedForestClassifier, BEATClassifier, TreeClassifier, OneVsAllClassifier and ECOCClassifier can."
    )


def _check_groups(model: Any) -> None:
    if not isinstance(model, BaseForest):
        raise ValueError(
            f"groups are for out-of-bag scores, which {type(model).__name__} does not have; leave them out."
        )
    model._check_groups()


def _check_checkpoint(estimator: Any, checkpoint: Any) -> None:
    if checkpoint is not None and not isinstance(estimator.random_state, (int, np.integer)):
        raise ValueError(
            f"checkpoint= needs an integer random_state, got {estimator.random_state!r}: otherwise the remaining "
            "trees would belong to another forest."
        )
