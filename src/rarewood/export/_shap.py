"""Models for SHAP's TreeExplainer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._pipelines import last_step
from rarewood.export._binary_trees import BinaryTree, Limit, Members, Side
from rarewood.export._lowering import LoweredModel, Mixture, lower

_MOST_NODES = 2**22
_LARGEST = float(np.finfo(np.float64).max)


class ShapModel(dict[str, Any]):
    """A forest in the form that `shap.TreeExplainer` accepts, with a method to encode rows.

    Parameters
    ----------
    trees : list of dict
        The arrays of each tree.
    model : classifier
        The model, which `encode` uses to read tables.
    """

    def __init__(self, trees: list[dict[str, NDArray[Any]]], model: Any) -> None:
        super().__init__(trees=trees, tree_output="probability", input_dtype=np.float64, internal_dtype=np.float64)
        self._read_by = model

    def encode(self, X: Any) -> NDArray[np.float64]:
        """Encode rows as numbers: categories as codes, NaN where missing.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The input of `shap_values`.
        """
        return np.asarray(self._read_by._columns.read(self._read_by, X), dtype=np.float64)


def to_shap(model: Any) -> ShapModel:
    """Export a fitted tree or forest in the form that ``shap.TreeExplainer`` accepts.

    :func:`rarewood.inspection.explain` gives the same values, faster; use this one for SHAP's plots and tools.

    Parameters
    ----------
    model : classifier
        A fitted tree or forest of this package whose probabilities are a mean over trees with tests on single columns.

    Returns
    -------
    ShapModel
        A dictionary. ``shap.TreeExplainer(found).shap_values(found.encode(X))`` has the shape (rows, columns, classes).

    Raises
    ------
    TypeError
        For lines through two columns, and for probabilities that are calibrated, moved to another prior, or combined from
        several problems: SHAP cannot express them.

    Notes
    -----
    SHAP's trees only compare numbers. A set of categories becomes comparisons of codes, and the subtree below is repeated for
    every run of consecutive codes; categories are ordered so that most sets are a single run, which keeps trees small.

    Examples
    --------
    >>> import numpy as np
    >>> import rarewood as rw
    >>> X, y = np.arange(8.0).reshape(-1, 1), [0, 0, 0, 0, 0, 0, 1, 1]
    >>> found = rw.export.to_shap(rw.TreeClassifier().fit(X, y))
    >>> found["trees"][0]["thresholds"].tolist()
    [5.5, -1.0, -1.0]
    """
    lowered = lower(model)
    mixture = sum_over_trees(lowered, "shap.TreeExplainer")
    n_categories = mixture.columns.n_categories
    trees = [_arrays(tree, weight, n_categories) for tree, weight in zip(mixture.trees, mixture.shares, strict=True)]
    return ShapModel(trees, last_step(model))


def sum_over_trees(model: LoweredModel, target: str) -> Mixture:
    """The mixture that a model is; raises where it is more, or has lines."""
    if not isinstance(model.root, Mixture):
        raise TypeError(
            f"{target} adds up the values of trees; the probabilities of this model are calibrated, moved to another prior or "
            "combined from several problems. Use rarewood.inspection.explain or to_onnx, which can express them."
        )
    if any(isinstance(test, Side) for tree in model.root.trees for test in tree.tests):
        raise TypeError(
            f"{target} has trees whose tests read one column each, but this model has lines through two columns "
            "(splitter='hyperplane'). Use rarewood.inspection.explain or to_onnx, which can express them, or a forest that cuts "
            "along the columns."
        )
    return model.root


def _arrays(tree: BinaryTree, weight: float, n_categories: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    names = ("children_left", "children_right", "children_default", "features", "thresholds", "node_sample_weight")
    lists: dict[str, list[float]] = {name: [] for name in names}
    values: list[NDArray[np.float64]] = []
    nothing = np.zeros(tree.leaf_values.shape[1])
    nearly_nothing = 1e-15 * (
        tree.weights[0] or 1.0
    )  # SHAP refuses leaves without weight, such as that of a category never seen

    def add(row_weight: float) -> int:
        for name, empty in zip(names, (-1, -1, -1, -1, -1.0, row_weight or nearly_nothing), strict=True):
            lists[name].append(empty)
        values.append(nothing)
        if len(values) > _MOST_NODES:
            raise ValueError(
                f"with sets of categories written as comparisons of numbers, a tree has more than {_MOST_NODES} "
                "nodes; use rarewood.inspection.explain, which handles sets directly."
            )
        return len(values) - 1

    def split(at: int, column: int, bound: float, missing_left: bool, left: float, right: float) -> tuple[int, int]:
        children = add(left), add(right)
        default = children[0] if missing_left else children[1]
        for name, value in zip(names, (*children, default, column, bound), strict=False):
            lists[name][at] = value
        return children

    # (place, node, its share of the node's weight; a part of a set: runs of codes with the child of each)
    waiting: list[tuple[int, int, float, list[tuple[float, int]] | None]] = [(add(tree.weights[0]), 0, 1.0, None)]
    while waiting:
        at, node, share, runs = waiting.pop()
        test = tree.tests[node]
        if runs is None and test is None:
            values[at] = weight * tree.leaf_values[tree.leaf[node]]
        elif runs is None and isinstance(test, Limit):
            pair = tree.left[node], tree.right[node]
            children = split(
                at, test.column, test.bound, tree.missing_left[node], *(share * tree.weights[child] for child in pair)
            )
            waiting += [(place, child, share, None) for place, child in zip(children, pair, strict=True)]
        else:
            assert isinstance(test, Members)
            every = _runs(tree, node, test, int(n_categories[test.column]))
            copies = {
                side: sum(1 for _, child in every if child == side) for side in (tree.left[node], tree.right[node])
            }
            takes_missing = tree.left[node] if tree.missing_left[node] else tree.right[node]
            if runs is None and not copies[takes_missing]:  # only missing values go there
                other = tree.right[node] if tree.missing_left[node] else tree.left[node]
                weights = [share * tree.weights[child] for child in (other, takes_missing)]
                children = split(at, test.column, _LARGEST, False, *weights)
                waiting += [(children[0], node, share, every), (children[1], takes_missing, share, None)]
                continue
            runs = every if runs is None else runs
            if len(runs) == 1:
                child = runs[0][1]
                waiting.append((at, child, share / copies[child], None))
                continue
            middle = len(runs) // 2
            halves = runs[:middle], runs[middle:]
            weights = [sum(share * tree.weights[child] / copies[child] for _, child in half) for half in halves]
            missing_left = any(child == takes_missing for _, child in halves[0])
            children = split(at, test.column, runs[middle - 1][0], missing_left, *weights)
            waiting += [(place, node, share, half) for place, half in zip(children, halves, strict=True)]
    found = {name: np.array(numbers) for name, numbers in lists.items()}
    for name in names[:4]:
        found[name] = found[name].astype(np.int32)
    return {**found, "values": np.array(values)}


def _runs(tree: BinaryTree, node: int, test: Members, n_categories: int) -> list[tuple[float, int]]:
    """Upper bounds of runs of codes that go to the same child, and the child; the code past the last is a category never seen."""
    inside = np.zeros(n_categories + 1, dtype=bool)
    inside[list(test.codes)] = True
    ends = [*np.flatnonzero(inside[1:] != inside[:-1]).tolist(), n_categories]
    return [(end + 0.5, tree.left[node] if inside[end] else tree.right[node]) for end in ends]
