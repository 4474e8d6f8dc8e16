"""Models for Treelite."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarewood._validation import import_optional
from rarewood.export._binary_trees import Limit, Members
from rarewood.export._lowering import lower
from rarewood.export._shap import sum_over_trees


def to_treelite(model: Any) -> Any:
    """Export a fitted tree or forest as a Treelite model.

    Parameters
    ----------
    model : classifier
        A fitted tree or forest of this package whose probabilities are a mean over trees with tests on single columns.

    Returns
    -------
    treelite.Model
        Takes rows of numbers, with categories as codes (positions in `categories_`) and NaN where missing;
        ``treelite.gtil.predict`` gives the probabilities, float64.

    Raises
    ------
    TypeError
        For lines through two columns, and for probabilities that are calibrated, moved to another prior, or combined from
        several problems: Treelite cannot express them.
    ValueError
        For a single class.

    Examples
    --------
    >>> import numpy as np
    >>> import pytest
    >>> treelite = pytest.importorskip("treelite")
    >>> import rarewood as rw
    >>> X, y = np.arange(8.0).reshape(-1, 1), [0, 0, 0, 0, 0, 0, 1, 1]
    >>> forest = rw.export.to_treelite(rw.TreeClassifier().fit(X, y))
    >>> forest.num_tree, forest.num_feature
    (1, 1)
    """
    lowered = lower(model)
    mixture = sum_over_trees(lowered, "Treelite")
    build = import_optional("treelite", "treelite", "to_treelite").model_builder
    n_classes, n_trees = len(lowered.classes), len(mixture.trees)
    if n_classes < 2:
        raise ValueError("Treelite needs at least two classes; this model has one.")
    builder = build.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=build.Metadata(
            num_feature=len(mixture.columns),
            task_type="kMultiClf",
            average_tree_output=False,
            num_target=1,
            num_class=[n_classes],
            leaf_vector_shape=(1, n_classes),
        ),
        tree_annotation=build.TreeAnnotation(num_tree=n_trees, target_id=[0] * n_trees, class_id=[-1] * n_trees),
        postprocessor=build.PostProcessorFunc(name="identity_multiclass"),
        base_scores=[0.0] * n_classes,
    )
    for tree, weight in zip(mixture.trees, mixture.shares, strict=True):
        builder.start_tree()
        for node, test in enumerate(tree.tests):
            builder.start_node(node)
            places = {"left_child_key": tree.left[node], "right_child_key": tree.right[node]}
            if isinstance(test, Limit):
                builder.numerical_test(
                    test.column, _finite(test.bound), default_left=tree.missing_left[node], opname="<=", **places
                )
            elif isinstance(test, Members):
                builder.categorical_test(
                    test.column,
                    default_left=tree.missing_left[node],
                    category_list=list(test.codes),
                    category_list_right_child=False,
                    **places,
                )
            else:
                builder.leaf((weight * tree.leaf_values[tree.leaf[node]]).tolist())
            builder.end_node()
        builder.end_tree()
    return builder.commit()


def _finite(bound: float) -> float:
    largest = float(np.finfo(np.float64).max)
    return min(max(bound, -largest), largest)
