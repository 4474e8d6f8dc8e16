"""The bricks of an ONNX graph: nodes, constants and their names."""

from __future__ import annotations

from typing import Any

import numpy as np


class GraphValues:
    """Nodes and constants of a graph in the making. Methods take and give names of values."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._taken: set[str] = set()

    def _free_name(self, wanted: str) -> str:
        """A name that no column and no other value of the graph has."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted

    def _node(self, kind: str, inputs: list[str], *, output: str = "", domain: str = "", **attributes: Any) -> str:
        name = output or self._free_name(f"value_{len(self._nodes)}")
        self._nodes.append(self._onnx.helper.make_node(kind, inputs, [name], domain=domain, **attributes))
        return name

    def _constant(self, value: Any, dtype: Any = None) -> str:
        name = self._free_name(f"constant_{len(self._constants)}")
        array = np.asarray(value) if dtype is None else np.asarray(value, dtype=dtype)
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def _cast(self, value: str, dtype: Any) -> str:
        return self._node("Cast", [value], to=self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def _sum(self, value: str, axis: int) -> str:
        return self._node("ReduceSum", [value, self._constant([axis], np.int64)], keepdims=1)

    def _float64(self, value: Any) -> str:
        return self._constant(value, np.float64)
