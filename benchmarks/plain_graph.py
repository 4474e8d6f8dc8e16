"""A forest of thresholds as the simplest ONNX graph there is: one TreeEnsembleRegressor whose leaves add up to a probability.

`rarewood.export.to_onnx` looks leaves up by number, so that its sums are those of rarewood to the last bit but a few, and takes missing
values and categories. Some programs know only graphs like this one. It is for two classes, numbers without gaps and plain averages.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def plain_graph(model: Any) -> Any:
    """An onnx.ModelProto of a fitted HeDExClassifier: from input X to the probability of the second class."""
    import onnx
    from onnx import helper

    trees = [tree.tree_ for tree in model.estimators_]
    inner = [tree.children_left >= 0 for tree in trees]

    def every(of_tree: Any) -> list[Any]:
        return np.concatenate(
            [of_tree(tree, has_children) for tree, has_children in zip(trees, inner, strict=True)]
        ).tolist()

    numbers = np.repeat(np.arange(len(trees)), [tree.node_count for tree in trees])
    places = np.concatenate([np.arange(tree.node_count) for tree in trees])
    is_leaf = ~np.concatenate(inner)
    counts = np.concatenate([tree.value.reshape(tree.node_count, -1) for tree in trees])[is_leaf] + model.smoothing
    shares = counts[:, 1] / counts.sum(axis=1) / len(trees)
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["X"],
        ["probability"],
        domain="ai.onnx.ml",
        post_transform="NONE",
        n_targets=1,
        nodes_treeids=numbers.tolist(),
        nodes_nodeids=places.tolist(),
        nodes_featureids=every(lambda tree, has: np.where(has, tree.feature, 0)),
        nodes_values=every(lambda tree, has: np.where(has, tree.threshold, 0.0)),
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_truenodeids=every(lambda tree, has: np.where(has, tree.children_left, 0)),
        nodes_falsenodeids=every(lambda tree, has: np.where(has, tree.children_right, 0)),
        target_treeids=numbers[is_leaf].tolist(),
        target_nodeids=places[is_leaf].tolist(),
        target_ids=[0] * len(shares),
        target_weights=shares.tolist(),
    )
    rows = helper.make_tensor_value_info("X", onnx.TensorProto.FLOAT, [None, model.n_features_in_])
    sums = helper.make_tensor_value_info("probability", onnx.TensorProto.FLOAT, [None, 1])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    graph = helper.make_graph([node], "forest", [rows], [sums])
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)
