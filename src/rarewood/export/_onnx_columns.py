"""Columns of a table in an ONNX graph: its inputs, and their cells in the coding of a model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import Columns
from rarewood._tables.moments import MOMENTS
from rarewood._warnings import warn
from rarewood.export._onnx_values import GraphValues


class GraphColumns(GraphValues):
    """A graph that has its inputs: all columns come in one input "X", or each has an input of its name."""

    def __init__(self, onnx: Any, columns: Columns, *, one_input: bool) -> None:
        super().__init__(onnx)
        self._one_input = one_input
        self._inputs: list[Any] = []
        self._cells: list[str] = []
        self._encoded: dict[int, list[str]] = {}
        self._moments = [number for number, kind in enumerate(columns.kinds) if kind.word in MOMENTS]
        self._make_inputs(columns)

    def _make_inputs(self, columns: Columns) -> None:
        """Inputs, and the cells of each column as they come, of shape (n, 1). They take their names before all other values."""
        make, kinds = self._onnx.helper, self._onnx.TensorProto
        if self._one_input:
            self._taken.add("X")
            kind = kinds.DOUBLE if self._moments else kinds.FLOAT
            self._inputs = [make.make_tensor_value_info("X", kind, ["n", len(columns)])]
            for column in range(len(columns)):
                cells = self._node("Gather", ["X", self._constant([column], np.int64)], axis=1)
                is_narrow = column in self._moments or not self._moments
                self._cells.append(cells if is_narrow else self._cast(cells, np.float32))
            return
        for number, levels in enumerate(columns.categories):
            name = writable(columns.name(number))
            if not name or name in self._taken:
                raise ValueError(
                    f"inputs of ONNX need names of their own, but column {number} is called {name!r}; rename it."
                )
            self._taken.add(name)
            kind = kinds.DOUBLE if number in self._moments else kinds.FLOAT
            if levels is not None and _are_text(levels, name):
                kind = kinds.STRING
            self._inputs.append(make.make_tensor_value_info(name, kind, ["n", 1]))
            self._cells.append(name)

    def _columns(self, columns: Columns) -> list[str]:
        """The cells of a table in the coding of `columns`, column by column: float64 for dates and times, float32 for the others."""
        if id(columns) not in self._encoded:
            self._encoded[id(columns)] = [self._encode(columns, number) for number in range(len(columns))]
        return self._encoded[id(columns)]

    def _encode(self, columns: Columns, number: int) -> str:
        levels, cells = columns.categories[number], self._cells[number]
        if levels is None:
            return cells
        unseen = float(columns.n_categories[number])
        codes = [float(code) for code in range(len(levels))]
        if _are_text(levels, columns.name(number)):
            if self._one_input:
                raise TypeError(
                    f"column {columns.name(number)} has text categories, but the graph has one input of numbers for all columns: "
                    "the model was fitted to an array, or skl2onnx gives it one. Fit the model to a data frame and use to_onnx."
                )
            words = [writable(level) for level in levels.tolist()]
            if "" not in words:
                words, codes = [*words, ""], [*codes, math.nan]
            else:
                warn(
                    f"Empty text is a category of column {columns.name(number)!r}, so the graph cannot be given a missing cell "
                    "there; rename the category and fit again if cells may be missing.",
                )
            words, codes = (words, codes) if words else ([""], [math.nan])
            return self._node(
                "LabelEncoder",
                [cells],
                domain="ai.onnx.ml",
                keys_strings=words,
                values_floats=codes,
                default_float=unseen,
            )
        keys = [float(level) for level in levels.tolist()]
        if [float(np.float32(key)) for key in keys] != levels.tolist():  # as they are: a float may have rounded them
            raise TypeError(
                f"column {columns.name(number)!r} has categories that are not float32 numbers; convert them to text."
            )
        found = self._node(
            "LabelEncoder", [cells], domain="ai.onnx.ml", keys_floats=keys, values_floats=codes, default_float=unseen
        )
        return self._node("Where", [self._node("IsNaN", [cells]), cells, found])

    def _category_numbers(self, columns: Columns, number: int) -> str:
        """Codes as integers of shape (n,); the last stands for missing values."""
        code = self._columns(columns)[number]
        missing = self._constant([[float(columns.n_categories[number] + 1)]], np.float32)
        whole = self._node("Where", [self._node("IsNaN", [code]), missing, code])
        return self._node("Squeeze", [self._cast(whole, np.int64), self._constant([1], np.int64)])


def writable(text: str) -> str:
    """The text, if a graph can hold it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"ONNX cannot hold the half of a character in {text!r}; rename the column, category or label."
        ) from None
    return text


def _are_text(levels: NDArray[Any], name: Any) -> bool:
    values = levels.tolist()
    if all(isinstance(value, str) for value in values):
        return True
    if all(isinstance(value, bool) for value in values):  # 0 and 1 in a graph
        return False
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return False
    raise TypeError(
        f"column {name!r} has categories that are neither all text nor all numbers, which ONNX cannot express; convert them to text."
    )
