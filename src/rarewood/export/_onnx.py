"""Models as ONNX graphs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import LEAST_PROBABILITY
from rarewood._tables import Columns
from rarewood._validation import import_optional
from rarewood.export._binary_trees import Side
from rarewood.export._lowering import (
    VOTE,
    Coded,
    Finished,
    Logistic,
    Lowered,
    LoweredModel,
    Mixture,
    OneVsAll,
    Ranked,
    lower,
)
from rarewood.export._onnx_columns import GraphColumns, writable
from rarewood.export._onnx_trees import WidenedTests, ensemble, membership

OPSET, ML_OPSET, _IR_VERSION = 17, 3, 8  # of 2022: read by every runtime since


def to_onnx(model: Any) -> Any:
    """Export a fitted classifier as an ONNX model.

    The graph computes what `predict_proba` and `predict` compute: categories, missing values, lines, calibration, label rate, prior and
    threshold included. It uses standard operators only.

    Parameters
    ----------
    model : classifier
        Any fitted classifier of this package, or a pipeline of samplers and one.

    Returns
    -------
    onnx.ModelProto
        Inputs: one per column, named as in `fit`, of shape (n, 1), float32 for numbers, float64 for dates and times, in seconds, and
        text for categories that are text; for a model fitted to an array, one input "X" of shape (n, columns) and float32, or float64
        if dates or times are among them. NaN is missing; so is empty text, unless it is a category. Outputs: "label" of shape (n,) and
        "probabilities", float32, of shape (n, classes), each with an underscore behind it where a column has that name. Write it to a
        file with ``onnx.save``.

    Raises
    ------
    TypeError
        For a model or for categories that ONNX cannot express; the message names them.
    ValueError
        For a column without a name, for texts with half characters, and for labels of 2**63 or more.

    Notes
    -----
    Numbers are float32. Thresholds are rounded down to float32, so that every float32 value is on the same side of the rounded
    threshold as of the original one: for rows of float32 the graph reaches the same leaves as the model, even next to
    thresholds. Sums, lines, calibration and the comparison with the decision threshold are computed in float64.

    Dates and times are seconds: points in time since 1970 (UTC), times of day since midnight, lengths of time as they are. They are
    compared in float64, as the model compares them. A graph is given
    ``(X[["day"]].to_numpy("M8[us]") - np.datetime64(0, "us")) / np.timedelta64(1, "s")``, which makes NaN of missing dates.

    A batch needs memory for one number per row and tree, and one per row and line, set of categories or different date in the trees: about
    half a megabyte per row for a hundred trees on many columns of categories. Hand over a thousand rows at a time.

    Examples
    --------
    >>> import numpy as np
    >>> import pytest
    >>> onnx = pytest.importorskip("onnx")
    >>> import rarewood as rw
    >>> X, y = np.float32([[0.0], [1.0], [2.0], [3.0]]), ["ok", "ok", "fault", "fault"]
    >>> graph = rw.export.to_onnx(rw.TreeClassifier().fit(X, y))
    >>> from onnx.reference import ReferenceEvaluator
    >>> label, probabilities = ReferenceEvaluator(graph).run(None, {"X": X})
    >>> label.tolist()
    ['ok', 'ok', 'fault', 'fault']
    """
    onnx = import_optional("onnx", "onnx", "to_onnx")
    lowered = lower(model)
    return GraphWriter(onnx, lowered, one_input=lowered.columns.names is None).write()


class GraphWriter(GraphColumns):
    """The graph of a model in the making. Methods take and give names of values."""

    def __init__(self, onnx: Any, model: LoweredModel, *, one_input: bool) -> None:
        super().__init__(onnx, model.columns, one_input=one_input)
        self._model = model

    def write(self) -> Any:
        make, kinds = self._onnx.helper, self._onnx.TensorProto
        label, probabilities = self._free_name("label"), self._free_name("probabilities")
        scores = self._lowered(self._model.root)
        self._node("Identity", [self._label(scores)], output=label)
        self._node("Cast", [scores], output=probabilities, to=kinds.FLOAT)
        classes = self._labels()
        outputs = [
            make.make_tensor_value_info(label, make.np_dtype_to_tensor_dtype(classes.dtype), ["n"]),
            make.make_tensor_value_info(probabilities, kinds.FLOAT, ["n", len(classes)]),
        ]
        graph = make.make_graph(self._nodes, "rarewood", self._inputs, outputs, self._constants)
        opsets = [make.make_opsetid("", OPSET), make.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = make.make_model(graph, producer_name="rarewood", opset_imports=opsets, ir_version=_IR_VERSION)
        self._onnx.checker.check_model(model)
        return model

    # -----------------------------------------------------------------------------------------------------
    # trees

    def _leaves(self, mixture: Mixture) -> str:
        """Numbers of the leaf rows that rows end in, over all trees: (n, trees), int64."""
        tests = WidenedTests(mixture, self._moments)
        columns = self._columns(mixture.columns)
        parts = [
            self._ranks(cells, tests.bounds.get(number)) if number in self._moments else cells
            for number, cells in enumerate(columns)
        ]
        for column, sets in tests.sets.items():
            table = membership(sets, int(mixture.columns.n_categories[column]))
            parts.append(
                self._node(
                    "Gather",
                    [self._constant(table, np.float32), self._category_numbers(mixture.columns, column)],
                    axis=0,
                )
            )
        if tests.lines:
            parts.append(self._sides(mixture.columns, tests.lines))
        matrix = self._node("Concat", parts, axis=1) if len(parts) > 1 else parts[0]
        found = self._node(
            "TreeEnsembleRegressor", [matrix], domain="ai.onnx.ml", **ensemble(mixture, tests, len(columns))
        )
        return self._cast(found, np.int64)

    def _ranks(self, cells: str, bounds: NDArray[np.float64] | None) -> str:
        """How many bounds are below each cell, NaN for missing: (n, 1), float32."""
        if bounds is None:
            return self._cast(cells, np.float32)
        below = self._cast(self._node("Greater", [cells, self._float64(bounds)]), np.float32)
        nothing = self._constant([[math.nan]], np.float32)
        return self._node("Where", [self._node("IsNaN", [cells]), nothing, self._sum(below, 1)])

    def _sides(self, columns: Columns, lines: list[Side]) -> str:
        """1 for the right side of each line, 0 for the left, NaN if a column is missing: (n, lines), float32."""
        total = self._node("Add", [self._terms(columns, lines, axis) for axis in (0, 1)])
        right = self._node("Greater", [total, self._float64([line.offset for line in lines])])
        missing = self._node("IsNaN", [total])
        return self._node("Where", [missing, self._constant([[math.nan]], np.float32), self._cast(right, np.float32)])

    def _terms(self, columns: Columns, lines: list[Side], axis: int) -> str:
        """Weight times coordinate, of each line: (n, lines), float64.

        A category without a place is infinitely far to the side where it goes; NaN still wins over it.
        """
        groups: dict[int | None, list[int]] = {}
        for number, line in enumerate(lines):
            groups.setdefault(None if line.places[axis] is None else line.columns[axis], []).append(number)
        parts = []
        for column, numbers in groups.items():
            if column is None:
                read = [lines[number].columns[axis] for number in numbers]
                used, chosen = np.unique(read, return_inverse=True)
                wide = [self._cast(self._columns(columns)[place], np.float64) for place in used.tolist()]
                cells = self._node("Concat", wide, axis=1)
                cells = self._node("Gather", [cells, self._constant(chosen, np.int64)], axis=1)
                parts.append(
                    self._node("Mul", [cells, self._float64([lines[number].weights[axis] for number in numbers])])
                )
            else:
                n_categories = int(columns.n_categories[column])
                table = np.empty((n_categories + 2, len(numbers)))
                for at, number in enumerate(numbers):
                    line = lines[number]
                    table[:, at] = -math.inf if line.unseen_left else math.inf
                    for code, place in (line.places[axis] or {}).items():
                        table[code, at] = line.weights[axis] * place
                table[-1] = math.nan
                parts.append(
                    self._node("Gather", [self._float64(table), self._category_numbers(columns, column)], axis=0)
                )
        together = self._node("Concat", parts, axis=1) if len(parts) > 1 else parts[0]
        order = np.argsort(np.concatenate([np.array(numbers) for numbers in groups.values()]))
        return self._node("Gather", [together, self._constant(order, np.int64)], axis=1)

    def _mixture(self, mixture: Mixture) -> str:
        table = np.concatenate(
            [weight * tree.leaf_values for tree, weight in zip(mixture.trees, mixture.weights, strict=True)]
        )
        total = self._in_order(self._node("Gather", [self._float64(table), self._leaves(mixture)], axis=0))
        return total if mixture.divisor == 1.0 else self._node("Div", [total, self._float64(mixture.divisor)])

    def _in_order(self, terms: str) -> str:
        """The sum over the second of three axes, term by term: a runtime may add up in any order, which shows where classes tie."""
        sums = self._node("CumSum", [terms, self._constant(1, np.int64)])
        return self._node("Gather", [sums, self._constant(-1, np.int64)], axis=1)

    def _votes(self, mixture: Mixture) -> str:
        table = np.concatenate([tree.leaf_values[:, VOTE] for tree in mixture.trees])
        return self._sum(self._node("Gather", [self._float64(table), self._leaves(mixture)], axis=0), 1)

    # -----------------------------------------------------------------------------------------------------
    # what is made of sums over trees

    def _lowered(self, root: Lowered) -> str:
        """Probabilities: (n, classes), float64."""
        if isinstance(root, Mixture):
            return self._mixture(root)
        if isinstance(root, Finished):
            return self._finished(root)
        if isinstance(root, Logistic):
            sums = self._node("Add", [self._mixture(root.inner), self._float64(root.offsets)])
            return self._node("Softmax", [sums], axis=1)
        if isinstance(root, OneVsAll | Coded):
            return self._combined(root)
        if isinstance(root, Ranked):
            return self._ranked(root)
        rows = self._node("Shape", [self._cells[0]], end=1)
        shape = self._node("Concat", [rows, self._constant([2], np.int64)], axis=0)
        return self._node("Expand", [self._float64(np.eye(2)[root.label : root.label + 1]), shape])

    def _finished(self, root: Finished) -> str:
        scores = self._mixture(root.inner)
        if root.calibration is not None:
            slopes, offsets = root.calibration
            ends = [self._float64(LEAST_PROBABILITY), self._float64(1.0 - LEAST_PROBABILITY)]
            logs = self._node("Log", [self._node("Clip", [scores, *ends])])
            steep = self._node("Mul", [logs, self._float64(slopes)])
            logs = self._node("Add", [steep, self._float64(offsets)])
            if root.effects is not None:
                logs = self._node("Add", [logs, self._mixture(root.effects)])
            scores = self._node("Softmax", [logs], axis=1)
        elif root.normalised:
            scores = self._node("Div", [scores, self._sum(scores, 1)])
        if root.label_rate is not None:
            column, rate = root.label_rate
            rare = self._node("Gather", [scores, self._constant([column], np.int64)], axis=1)
            rare = self._node("Min", [self._node("Div", [rare, self._float64(rate)]), self._float64(1.0)])
            rest = self._node("Sub", [self._float64(1.0), rare])
            scores = self._node("Concat", [rest, rare] if column else [rare, rest], axis=1)
        if root.factors is not None:
            scores = self._shares(self._node("Mul", [scores, self._float64(root.factors)]), scores)
        return scores

    def _shares(self, scores: str, otherwise: str) -> str:
        """Divided by their sum; `otherwise` where that is 0."""
        total = self._sum(scores, 1)
        some = self._node("Greater", [total, self._float64(0.0)])
        safe = self._node("Where", [some, total, self._float64(1.0)])
        return self._node("Where", [some, self._node("Div", [scores, safe]), otherwise])

    def _combined(self, root: OneVsAll | Coded) -> str:
        one = self._constant([1], np.int64)
        each = [self._node("Gather", [self._lowered(problem), one], axis=1) for problem in root.problems]
        scores = self._node("Concat", each, axis=1)
        if isinstance(root, Coded):
            constant = np.sum(root.signs == -1.0, axis=1) + np.sum(root.signs == 0.0, axis=1) / 2.0
            tall = self._node("Unsqueeze", [scores, self._constant([2], np.int64)])
            signed = self._in_order(self._node("Mul", [tall, self._float64(root.signs.T)]))
            scores = self._node("Add", [signed, self._float64(constant)])
            return self._node("Div", [scores, self._sum(scores, 1)])
        if root.weka:
            others = self._sum(self._node("Sub", [self._float64(1.0), scores]), 1)
            twice = self._node("Mul", [scores, self._float64(2.0)])
            scores = self._node("Sub", [self._node("Add", [twice, others]), self._float64(1.0)])
        return self._shares(scores, self._float64(1.0 / len(each)))

    def _ranked(self, root: Ranked) -> str:
        score = alive = ""
        for forest, bound in zip(root.forests, root.bounds, strict=True):
            votes = self._votes(forest)
            counted = self._node("Mul", [votes, alive]) if alive else votes
            score = self._node("Add", [score, counted]) if score else counted
            reached = self._cast(self._node("GreaterOrEqual", [votes, self._float64(bound)]), np.float64)
            alive = self._node("Mul", [alive, reached]) if alive else reached
        share = self._node("Div", [score, self._float64(float(sum(len(forest.trees) for forest in root.forests)))])
        rest = self._node("Sub", [self._float64(1.0), share])
        if root.rest is not None:
            rest = self._node("Mul", [rest, self._mixture(root.rest)])
        both = self._node("Concat", [share, rest], axis=1)  # the positive class, then the others in their order
        others = [number for number in range(root.n_classes) if number != root.positive]
        order = np.argsort([root.positive, *others])
        return self._node("Gather", [both, self._constant(order, np.int64)], axis=1)

    # -----------------------------------------------------------------------------------------------------
    # decisions

    def _labels(self) -> NDArray[Any]:
        classes = self._model.classes
        if classes.dtype.kind in "biuf":
            if classes.dtype.kind == "u" and int(classes.max()) > np.iinfo(np.int64).max:
                raise ValueError(
                    f"the label {classes.max()} is more than the int64 of ONNX holds; make text of the labels, and fit again."
                )
            return classes.astype(np.int64) if classes.dtype.kind in "iu" else classes
        if all(isinstance(label, str) for label in classes.tolist()):
            return np.array(list(map(writable, classes.tolist())), dtype=object)
        raise TypeError(f"the labels {classes.tolist()} are neither numbers nor text, which ONNX cannot express.")

    def _label(self, scores: str) -> str:
        model = self._model
        others = scores
        if model.threshold is not None:
            positive = np.arange(len(model.classes))[np.newaxis, :] == model.positive
            others = self._node("Where", [self._constant(positive), self._float64(-math.inf), scores])
        chosen = self._node("ArgMax", [others], axis=1, keepdims=0)
        if model.threshold is not None and len(model.classes) > 1:
            column = self._node("Gather", [scores, self._constant(model.positive, np.int64)], axis=1)
            called = self._node("GreaterOrEqual", [column, self._float64(model.threshold)])
            chosen = self._node("Where", [called, self._constant(model.positive, np.int64), chosen])
        return self._node("Gather", [self._constant(self._labels()), chosen], axis=0)
