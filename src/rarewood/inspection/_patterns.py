"""The rules by which a forest finds the rare class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rarewood._core import Tree
from rarewood._progress import progress
from rarewood._rules import Origin, Patterns, find_patterns
from rarewood._tables import LabelledRows, Rows
from rarewood._validation import Integer, Number, check_parameter, column_of, encode_labels, rarest_class
from rarewood.ensemble.base import BaseForest, check_flag, thread_count
from rarewood.inspection._find_rules import backend_of
from rarewood.tree import TreeClassifier


def extract_patterns(
    forest: Any,
    X: Any = None,
    y: Any = None,
    *,
    positive: Any = None,
    min_support: float = 1,
    deduplicate: bool = True,
    held_out: tuple[Any, Any] | None = None,
    decimals: int = 3,
) -> Patterns:
    r"""Read the rules of the rare class from the leaves of a forest.

    A leaf in which the class outnumbers all others together gives a pattern: all conditions on the path from the root to
    the leaf, merged into one interval or one set of categories per column.

    Parameters
    ----------
    forest : TreeClassifier, ForestClassifier, HeDExClassifier, BEATClassifier or BalancedForestClassifier
        A fitted tree or forest that splits along single columns.
    X, y : array-like or data frame of shape (n_samples, n_features), array-like of shape (n_samples,), default=None
        Rows to count the patterns on, usually those of `fit`. None takes the training counts stored in the leaves, which are
        weighted and count a row as often as the tree drew it.
    positive : label, default=None
        The class to describe; None takes the rarest of `y`; if several are equally rare, the first label.
    min_support : int or float, default=1
        Patterns that hold for fewer rows of the class are left out.
    deduplicate : bool, default=True
        Whether to list a rule only once, however many leaves have it. Bounds are equal if no value of `X` lies between them.
    held_out : tuple (X, y), default=None
        Rows that the forest has not seen, to count the same patterns on.
    decimals : int, default=3
        Digits after the decimal point in rules.

    Returns
    -------
    Patterns
        A sequence of patterns, the strongest first, with `text()`, `frame()`, `plot()` and `covers(X)`.

    See Also
    --------
    rarewood.PatternOversampler : New rows made from such patterns.
    export_text : All rules of one tree.

    Notes
    -----
    With :math:`s_+` rows of the class and :math:`s_-` others in the leaf, the growth rate is :math:`g = s_+ / s_-` and

    .. math:: \mathrm{strength} = s_+ \frac{g}{g + 1} = \frac{s_+^2}{s_+ + s_-} ,

    between :math:`s_+ / 2` and :math:`s_+`. The supports count the rows that end in the leaf. The lower bound of an
    interval is excluded, the upper one included. "or missing" marks columns in which a missing value meets the condition;
    columns that had none in training are not marked.

    References
    ----------
    S. Kang and K. Ramamohanarao, "A Robust Classifier for Imbalanced Datasets", PAKDD 2014.

    Examples
    --------
    >>> from rarewood import HeDExClassifier
    >>> from rarewood.datasets import make_planted_rules
    >>> from rarewood.inspection import extract_patterns
    >>> payments = make_planted_rules(4000, random_state=0)
    >>> forest = HeDExClassifier(max_depth=4, random_state=0).fit(payments.X, payments.y)
    >>> patterns = extract_patterns(forest, payments.X, payments.y)
    >>> print(patterns.text(top=1))
    amount > 829.019 and country in {NG, RO} and (payments_today > 0.951 or missing)  |  27 of 37 rare, strength 19.7
    ... 152 more

    Shallow trees make short rules; a fully grown forest makes more and longer ones. The conditions of the first rule, and
    the number of payments for which it holds:

    >>> for condition in patterns[0].conditions:
    ...     print(condition)
    amount > 829.019
    country in {NG, RO}
    payments_today > 0.951 or missing
    >>> len(payments.X[patterns[:1].covers(payments.X)[:, 0]])
    37

    As a table, in the data-frame library of `X`:

    >>> patterns.frame()[["rare", "rest", "growth_rate", "strength"]].head(2).round(1)
       rare  rest  growth_rate  strength
    0    27    10          2.7      19.7
    1    27    10          2.7      19.7
    """
    check_parameter("min_support", min_support, Number(0.0))
    check_parameter("decimals", decimals, Integer(0, 20))
    check_flag("deduplicate", deduplicate)
    trees = _trees_of(forest)
    rows = _read(forest, X, y, "X and y")
    rarest = _rarest(forest, trees, rows)
    label = rarest if positive is None else column_of(positive, forest.classes_)
    rows = _about(rows, forest.classes_[label])
    held_rows = _about(_read(forest, *_pair(held_out), "held_out"), forest.classes_[label])
    with progress(len(trees), "reading patterns", getattr(forest, "verbose", 0)) as report:
        table = find_patterns(
            trees,
            forest._columns,
            label,
            rows=rows,
            held_out=held_rows,
            min_support=min_support,
            n_threads=thread_count(getattr(forest, "n_jobs", None)),
            report=report,
        )
    matrix = None if rows is None else rows.matrix
    table = table.ranked_without_duplicates(matrix) if deduplicate else table.ranked()
    rare_rows = None if rows is None else rows.matrix[rows.is_rare]
    return Patterns(table, Origin(forest._columns, forest.classes_, rarest, backend_of(X), decimals, rare_rows))


def _trees_of(forest: Any) -> list[Tree]:
    """The trees of a fitted model of ours."""
    if isinstance(forest, (TreeClassifier, BaseForest)):
        check_is_fitted(forest)
        if isinstance(forest, TreeClassifier):
            return [forest.tree_]
        return [forest.forest_[i] for i in forest._readable()]
    raise TypeError(
        f"forest must be a fitted tree or forest of rarewood, such as HeDExClassifier; got {forest!r}. For a "
        "pipeline, pass the step that holds the forest."
    )


def _pair(held_out: Any) -> tuple[Any, Any]:
    if held_out is None:
        return None, None
    if not isinstance(held_out, (tuple, list)) or len(held_out) != 2:
        raise TypeError(f"held_out must be a pair (X, y); got {type(held_out).__name__}.")
    return held_out[0], held_out[1]


def _read(forest: Any, X: Any, y: Any, name: str) -> LabelledRows | None:
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError(f"{name} must be given together: rows and their labels, or neither.")
    rows = Rows(forest._encode(X), forest._columns)
    labels = encode_labels(forest, y, len(rows))
    unknown = np.setdiff1d(labels.classes, forest.classes_)
    if len(unknown):
        raise ValueError(
            f"y of {name} has labels that the forest does not know: {unknown.tolist()}; its classes are "
            f"{forest.classes_.tolist()}."
        )
    return LabelledRows(rows, labels)


def _about(rows: LabelledRows | None, positive: Any) -> LabelledRows | None:
    """The same rows with the class that the patterns are about."""
    return None if rows is None else replace(rows, positive=positive)


def _rarest(forest: Any, trees: list[Tree], rows: LabelledRows | None) -> int:
    """Number of the class with fewest rows, among those that have any; the first of equals."""
    if rows is None:
        counts = np.sum([tree.value[0] for tree in trees], axis=0)
    else:
        counts = np.zeros(len(forest.classes_))
        counts[np.searchsorted(forest.classes_, rows.labels.classes)] = np.bincount(rows.labels.codes)
    return rarest_class(counts)
