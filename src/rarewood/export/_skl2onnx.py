"""Our classifiers as steps of pipelines that skl2onnx converts."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from sklearn.base import ClassifierMixin

from rarewood import decomposition, ensemble, tree
from rarewood._validation import import_optional
from rarewood.export._lowering import lower
from rarewood.export._onnx import ML_OPSET, OPSET, GraphWriter


def register_with_skl2onnx() -> None:
    """Let ``skl2onnx.to_onnx`` convert pipelines that end with a classifier of this package.

    Call it once, before the first conversion. The steps before the classifier must be ones that skl2onnx knows, such as scalers
    and encoders. Their output is numbers, so categories of the classifier must be numbers, too. Graphs need ONNX operators of
    version 17 or later. For a classifier alone, also with text categories, use :func:`to_onnx`.

    Examples
    --------
    >>> import numpy as np
    >>> import pytest
    >>> skl2onnx = pytest.importorskip("skl2onnx")
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import rarewood as rw
    >>> X, y = np.float32([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 0, 1]
    >>> model = make_pipeline(StandardScaler(), rw.TreeClassifier()).fit(X, y)
    >>> rw.export.register_with_skl2onnx()
    >>> graph = skl2onnx.to_onnx(model, X, options={"zipmap": False})
    >>> from onnx.reference import ReferenceEvaluator
    >>> ReferenceEvaluator(graph).run(None, {"X": X})[0].tolist()
    [0, 0, 0, 1]
    """
    skl2onnx = import_optional("skl2onnx", "onnx", "register_with_skl2onnx")
    shapes = import_optional("skl2onnx.common.shape_calculator", "onnx", "register_with_skl2onnx")
    for kind in _classifiers():
        with warnings.catch_warnings():  # of being registered twice
            warnings.simplefilter("ignore")
            skl2onnx.update_registered_converter(
                kind,
                f"Rarewood{kind.__name__}",
                shapes.calculate_linear_classifier_output_shapes,
                _convert,
                options={"zipmap": [True, False, "columns"], "nocl": [True, False]},
            )


def _classifiers() -> list[type[Any]]:
    public = [getattr(module, name) for module in (tree, ensemble, decomposition) for name in module.__all__]
    return [each for each in public if inspect.isclass(each) and issubclass(each, ClassifierMixin)]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Copy the graph of the classifier into that of the pipeline, under names of its own."""
    onnx = import_optional("onnx", "onnx", "register_with_skl2onnx")
    given = [variable.full_name for variable in operator.inputs]
    graph = GraphWriter(onnx, lower(operator.raw_operator), one_input=len(given) == 1).write().graph
    outputs = (variable.full_name for variable in operator.outputs)
    names = dict(zip((output.name for output in graph.output), outputs, strict=True))
    for name, wanted in zip(given, graph.input, strict=True):
        names[wanted.name] = name
        type_ = wanted.type.tensor_type.elem_type
        if type_ in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE):
            names[wanted.name] = scope.get_unique_variable_name("cells")
            container.add_node(
                "Cast",
                [name],
                [names[wanted.name]],
                op_version=OPSET,
                name=scope.get_unique_operator_name("Cast"),
                to=type_,
            )
    for constant in graph.initializer:
        names[constant.name] = scope.get_unique_variable_name(constant.name)
        constant.name = names[constant.name]
        container.initializers.append(constant)
    for node in graph.node:
        for value in node.output:
            names.setdefault(value, scope.get_unique_variable_name(value))
        container.add_node(
            node.op_type,
            [names[value] for value in node.input],
            [names[value] for value in node.output],
            op_domain=node.domain,
            op_version=ML_OPSET if node.domain else OPSET,
            name=scope.get_unique_operator_name(node.op_type),
            **{attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute},
        )
