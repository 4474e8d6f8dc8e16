"""A tree as indented text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rarewood._terminal import shown
from rarewood._validation import Integer, check_parameter
from rarewood.inspection._node_words import NodeWords


@shown
def export_text(
    estimator: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int = 10,
    decimals: int = 3,
    show_weights: bool = False,
) -> str:
    """Write the rules of a fitted tree as text.

    Parameters
    ----------
    estimator : TreeClassifier
        A fitted tree.
    feature_names : list of str, default=None
        Names of the columns; None takes those of the training table, or x0, x1, ...
    class_names : list of str, default=None
        Names of the classes in the order of `classes_`; None takes the labels.
    max_depth : int, default=10
        Branches below this depth are summarised.
    decimals : int, default=3
        Digits after the decimal point.
    show_weights : bool, default=False
        Whether to write the weighted class counts of each leaf.

    Returns
    -------
    str
        One line per branch and per leaf. "or missing" marks the branch that missing values take, in columns that had
        missing values in training.

    See Also
    --------
    plot_tree : The same as a picture.

    Examples
    --------
    >>> import pandas as pd
    >>> from rarewood import TreeClassifier
    >>> from rarewood.inspection import export_text
    >>> table = pd.DataFrame(
    ...     {
    ...         "amount": [12, 1823, None, 40, 95, 2500, 2600, 3000],
    ...         "country": ["DE", "NG", "RO", "FR", "RO", "FR", "DE", "RO"],
    ...     }
    ... ).astype({"country": "category"})
    >>> y = ["legit", "fraud", "fraud", "legit", "legit", "legit", "legit", "fraud"]
    >>> tree = TreeClassifier().fit(table, y)
    >>> print(export_text(tree, show_weights=True))
    |--- country in {DE, FR}
    |   |--- class: legit [fraud 0, legit 4]
    |--- country not in {DE, FR}
    |   |--- amount <= 959
    |   |   |--- class: legit [fraud 0, legit 1]
    |   |--- amount > 959 or missing
    |   |   |--- class: fraud [fraud 3, legit 0]
    """
    check_parameter("max_depth", max_depth, Integer(1))
    rules = NodeWords.of(estimator, feature_names, class_names, decimals)
    return "\n".join(_lines(rules, max_depth, show_weights))


def _lines(rules: NodeWords, max_depth: int, show_weights: bool) -> Iterator[str]:
    # An explicit stack instead of recursion: an unpruned tree on rare data may be thousands of nodes deep.
    stack = [(0, 0, "")]
    while stack:
        node, depth, condition = stack.pop()
        if condition:
            yield _indented(depth - 1, condition)
        if not rules.children(node):
            yield _indented(depth, _leaf(rules, node, show_weights))
        elif depth >= max_depth:
            yield _indented(depth, f"... {_leaf(rules, node, show_weights)}, {rules.n_below(node)} nodes below")
        else:
            stack.extend((branch.child, depth + 1, branch.condition) for branch in reversed(rules.branches(node)))


def _indented(depth: int, text: str) -> str:
    return "|   " * depth + "|--- " + text


def _leaf(rules: NodeWords, node: int, show_weights: bool) -> str:
    counts = f" [{rules.class_counts(node)}]" if show_weights else ""
    return f"class: {rules.decision(node)}{counts}"
