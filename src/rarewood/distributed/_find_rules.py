"""Rules from data in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator

from rarewood._rules import Limits, RuleSet, SearchTable, make_rules
from rarewood._validation import SEED, check_parameter, column_of, rarest_class
from rarewood.distributed._data import PartedData
from rarewood.distributed._opening import opened
from rarewood.distributed._profile import ColumnRoles, labels_of, merge_profiles
from rarewood.distributed._schedule import FitLimits
from rarewood.distributed.memory import Budget, MemoryTooSmallError
from rarewood.ensemble.base import thread_count
from rarewood.tree.base import draw_seed

_OF_ROW, _OF_RULE = 64, 4  # bytes: copies, folds and scores; where a rule of each fold holds


def find_rules(
    data: Any,
    target: str,
    *,
    n_rules: int = 10,
    max_conditions: int = 4,
    min_precision: float = 0.0,
    min_lift: float = 1.0,
    min_support: float = 3,
    positive: Any = None,
    categorical_features: Any = "from_dtype",
    drop: Sequence[str] = (),
    client: Any = None,
    memory: str | int | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> RuleSet:
    """Find rules of the rare class in data in parts, as :func:`rarewood.inspection.find_rules` does in memory.

    Parameters
    ----------
    data : paths of Parquet files, data frame, list of data frames, or Dask data frame
        What :func:`rarewood.distributed.fit` takes.
    target : str
        Name of the column of labels.
    n_rules : int, default=10
        Maximum number of rules; often a few find all that can be found.
    max_conditions : int, default=4
        Maximum number of conditions in a rule, one per column.
    min_precision : float, default=0.0
        Minimum precision of a rule: the share of rare rows among those for which it holds, from 0 to 1.
    min_lift : float, default=1.0
        Minimum lift of a rule: its precision divided by the share of rare rows, at least 1.
    min_support : int or float, default=3
        Minimum number of rare rows that a rule must find.
    positive : label, default=None
        The class to describe; None takes the rarest; if several are equally rare, the first label.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    drop : list of str, optional
        Columns to leave out, such as row identifiers.
    client : dask.distributed.Client, optional
        The cluster. None searches in this process.
    memory : str or int, optional
        Approximate memory limit for this process, such as "4GB". None keeps everything in memory. Not for use with a client.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed.

    Returns
    -------
    RuleSet
        The rules, those that the search in memory finds; empty, with a `reason`, if no rule is reliable.

    See Also
    --------
    rarewood.inspection.find_rules : The same for a table in memory.

    Notes
    -----
    Also in memory, of more than 20,000 rows the search looks at a sample, in which up to half of the rows are rare and count for what
    they stand for. The rows of the sample are gathered from the parts. The rules are then counted on all rows, part by part, so their
    figures need no correction.

    Examples
    --------
    >>> import numpy as np, pandas as pd, rarewood as rw
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.normal(size=(3000, 4)), columns=list("abcd"))
    >>> frame["rare"] = ((frame["a"] > 1) & (frame["b"] > 1)).astype(int)
    >>> rules = rw.distributed.find_rules([frame[:1000], frame[1000:]], "rare")
    >>> sorted(condition.column for condition in rules[0].conditions)
    ['a', 'b']
    """
    limits = Limits.read(n_rules, max_conditions, min_precision, min_lift, min_support)
    check_parameter("random_state", random_state, *SEED)
    roles = ColumnRoles(target, None, categorical_features, tuple(drop), keeps_labels=True)
    n_threads = thread_count(n_jobs)
    with opened(data, client, memory, n_threads) as (engine, budget):
        profiles = engine.profile(roles)
        schema = merge_profiles(profiles, roles, BaseEstimator())
        labels, _ = labels_of(profiles, schema.classes)
        counts = schema.class_rows.sum(axis=0)
        label = rarest_class(counts) if positive is None else column_of(positive, labels.classes)
        row_bytes = _OF_ROW + _OF_RULE * n_rules
        _check_memory(budget, len(labels.codes) * row_bytes + int(counts[label]) * 8 * len(schema.columns))
        rows = PartedData(labels, None, None, schema, engine, FitLimits(), budget, None)
        rules, _ = make_rules(
            SearchTable(rows, schema.columns, labels, labels.classes[label]),
            limits,
            purpose="cover",
            seed=draw_seed(random_state),
            n_threads=n_threads,
        )
    return rules


def _check_memory(budget: Budget | None, needed: int) -> None:
    """Raise where memory does not hold what is kept of all rows, and the rows of the class."""
    if budget is not None and needed > budget.available // 2:
        raise MemoryTooSmallError(
            f"the search for rules keeps about {needed / 1e6:,.0f} MB in memory, but memory leaves only {budget.available / 2e6:,.0f} MB "
            f"for it; give at least {budget.enough(2 * needed)}, or search in a part of the rows."
        )
