"""Short rules of the rare class that hold."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from rarewood._core import Forest
from rarewood._rules import Limits, RuleSet, SearchTable, make_rules
from rarewood._tables import Columns, LabelledRows, Rows, read_table
from rarewood._validation import SEED, check_parameter, column_of, encode_labels, rarest_class
from rarewood.ensemble.base import BaseForest, thread_count
from rarewood.tree.base import draw_seed

_SHALLOW = 5


def find_rules(
    X: Any,
    y: Any,
    *,
    n_rules: int = 10,
    max_conditions: int = 4,
    min_precision: float = 0.0,
    min_lift: float = 1.0,
    min_support: float = 3,
    positive: Any = None,
    model: Any = None,
    held_out: tuple[Any, Any] | None = None,
    categorical_features: Any = "from_dtype",
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> RuleSet:
    r"""Find a few short rules that together cover the rare class, with honest estimates of their precision.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Training rows: a NumPy array, nested lists, or a pandas, polars or pyarrow table. NaN and None are missing values.
    y : array-like of shape (n_samples,)
        Their labels.
    n_rules : int, default=10
        Maximum number of rules; often a few find all that can be found.
    max_conditions : int, default=4
        Maximum number of conditions in a rule, one per column.
    min_precision : float, default=0.0
        Minimum precision of a rule: the share of rare rows among those for which it holds, from 0 to 1.
    min_lift : float, default=1.0
        Minimum lift of a rule: its precision divided by the share of rare rows in `y`, at least 1.
    min_support : int or float, default=3
        Minimum number of rare rows of `X` that a rule must find.
    positive : label, default=None
        The class to describe; None takes the rarest of `y`; if several are equally rare, the first label.
    model : fitted model, default=None
        A forest of this package with trees at most 5 splits deep adds candidates (in the folds, clones of it do). Any other
        model is ignored, and the rules come from the rows alone.
    held_out : tuple (X, y), default=None
        Held-out rows to count the rules on.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed.

    Returns
    -------
    RuleSet
        The rules, the most useful first, with `text()`, `frame()`, `plot()`, `covers(X)`, `to_sql()` and `to_python()`; empty,
        with a `reason`, if no rule is reliable.

    See Also
    --------
    extract_patterns : The papers' patterns: every leaf of a forest in which the rare class has the majority.
    rarewood.RuleSetClassifier : A list of rules as a classifier.

    Notes
    -----
    Candidates are the nodes of Hellinger trees with at most five splits above them, grown on halves of the rows. A rule is
    chosen by how far its precision is reliably above the share of the rare class, times the square root of the number of rare
    rows that it adds to those of the rules chosen before. Conditions that add nothing are dropped, and cuts are rounded where
    that changes next to nothing.

    Precision, lift and recall are estimates for new rows: the search is repeated on five folds, and how much the counts of its
    rules change on the rows left out shows how far to trust the counts of the final rules. Rules are listed if the lower end of
    the 90 % interval of their precision is above the share of the rare class, and only if the rules of the folds do better than
    chance on the rows left out (a permutation test, p <= 0.05). A category that training did not see meets no condition.

    Examples
    --------
    >>> from rarewood.datasets import make_planted_rules
    >>> from rarewood.inspection import find_rules
    >>> payments = make_planted_rules(4000, random_state=0)
    >>> rules = find_rules(payments.X, payments.y)
    >>> 0 < len(rules) <= 10
    True
    >>> all(payments.y.mean() < rule.low < rule.precision < rule.high for rule in rules)
    True

    In a database:

    >>> rules.to_sql("payments").startswith("SELECT *")
    True
    """
    limits = Limits.read(n_rules, max_conditions, min_precision, min_lift, min_support)
    check_parameter("random_state", random_state, *SEED)
    owner: Any = BaseEstimator()
    table = _read(owner, X, y, positive, categorical_features)
    rules, _ = make_rules(
        SearchTable.of(table),
        limits,
        purpose="cover",
        seed=draw_seed(random_state),
        n_threads=thread_count(n_jobs),
        more=_more_trees(model, X, y),
        held_out=None if held_out is None else _held_out(owner, table, held_out),
        backend=backend_of(X),
    )
    return rules


def _read(owner: Any, X: Any, y: Any, positive: Any, categorical_features: Any) -> LabelledRows:
    if isinstance(X, Rows):
        rows = X
        rows.columns.put_on(owner)
    else:
        table = read_table(owner, X, reset=True)
        columns, matrix = Columns.learn(table, categorical_features, getattr(owner, "feature_names_in_", None))
        rows = Rows(matrix, columns)
    labels = encode_labels(owner, y, len(rows))
    counts = np.bincount(labels.codes, minlength=labels.n_classes)
    label = rarest_class(counts) if positive is None else column_of(positive, labels.classes)
    return LabelledRows(rows, labels, labels.classes[label])


def backend_of(X: Any) -> Any:
    """The data-frame library of a table, None if it is not a data frame."""
    frame = nw.from_native(X, pass_through=True)
    return frame.implementation if isinstance(frame, nw.DataFrame) else None


def _held_out(owner: Any, table: LabelledRows, held_out: Any) -> LabelledRows:
    if not isinstance(held_out, (tuple, list)) or len(held_out) != 2:
        raise TypeError(f"held_out must be a pair (X, y); got {type(held_out).__name__}.")
    matrix = table.columns.read(table.columns.put_on(owner), held_out[0])
    labels = encode_labels(owner, held_out[1], len(matrix))
    return LabelledRows(Rows(matrix, table.columns), labels, table.positive)


def _more_trees(model: Any, X: Any, y: Any) -> Any:
    """What grows trees like those of a model on some of the rows; None unless they are shallow."""
    if model is None:
        return None
    check_is_fitted(model)
    if (
        not isinstance(model, BaseForest)
        or model.splitter == "hyperplane"
        or (model.max_depth or _SHALLOW + 1) > _SHALLOW
    ):
        return None

    def grow(rows: NDArray[np.bool_]) -> Forest:
        forest: Forest = clone(model).fit(X, y, sample_weight=rows.astype(np.float64)).forest_
        return forest

    return grow
