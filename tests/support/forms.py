"""The forms that a fitted model can take, each run as its user would run it: files, other stores, other runtimes, explanations.

A form gets a model and rows, and gives probabilities and labels; None for labels that it does not have. A slow form answers for the
first rows only. Where it cannot express the model, it raises the TypeError that its user would see.
"""

from __future__ import annotations

import ctypes
import io
import math
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

import rarewood as rw
from rarewood._core import split_kinds
from rarewood._tables.moments import MOMENTS
from rarewood.export import from_bytes, to_bytes, to_c, to_onnx, to_shap, to_treelite
from rarewood.inspection import explain

compiler = None if sys.platform == "win32" else shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

REFUSALS = (TypeError, ValueError)  # ModelFileError is one of them

Answer = tuple[np.ndarray, np.ndarray | None]

_OURS = Path(rw.__file__).parent
_FEW = 60  # rows, where each takes long


@dataclass(frozen=True)
class Form:
    """A form, how far its probabilities may be from those of the model, and which models it can express."""

    name: str
    answer: Callable[..., Answer]
    gap: float = 0.0
    expresses: Callable[..., bool] = lambda model: True
    dtype: type = np.float64  # of the numbers that it reads

    def __str__(self):
        return self.name


def _both(model, rows) -> Answer:
    return model.predict_proba(rows), model.predict(rows)


def _file(model, rows):
    return _both(from_bytes(to_bytes(model)), rows)


def _joblib(model, rows):
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    return _both(joblib.load(buffer), rows)


def _cloudpickle(model, rows):
    return _both(cloudpickle.loads(cloudpickle.dumps(model)), rows)


def _skops(model, rows):
    skops = pytest.importorskip("skops.io", reason="models are written by skops")
    data = skops.dumps(model)
    trusted = skops.get_untrusted_types(data=data)
    assert all(name.startswith(("rarewood.", "numpy.")) for name in trusted), trusted
    return _both(skops.loads(data, trusted=trusted), rows)


def columns_of(model):
    """The columns of a model, of the last step of a pipeline, or of the problems of a decomposition."""
    model = model[-1] if isinstance(model, Pipeline) else model
    return model._columns if hasattr(model, "_columns") else columns_of(model.estimators_[0])


def seconds(cells):
    """Dates and times as graphs take them."""
    if cells.dtype == object:
        cells = pd.to_timedelta(cells.astype(str))
    ticks = cells.to_numpy("m8[us]") if cells.dtype.kind == "m" else cells.to_numpy("M8[us]") - np.datetime64(0, "us")
    return ticks / np.timedelta64(1, "s")


def onnx_inputs(model, rows):
    """What a graph is given: a column per input, or all numbers at once where columns have no names."""
    columns = columns_of(model)
    if columns.names is None:
        return {"X": np.asarray(rows, dtype=np.float32)}
    given = {}
    for name, levels, kind in zip(columns.names, columns.categories, columns.kinds):
        if kind.word in MOMENTS:
            cells = seconds(rows[name])
        elif levels is not None and isinstance(levels.tolist()[0], str):
            cells = rows[name].astype(object).where(rows[name].notna(), "").to_numpy()
        else:
            cells = rows[name].astype(float).to_numpy(dtype=np.float32)
        given[name] = cells.reshape(-1, 1)
    return given


def run_in_onnxruntime(graph, given):
    runtime = pytest.importorskip("onnxruntime", reason="the graphs are run by onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, given)


def run_in_reference(graph, given):
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(graph).run(None, given)


def _onnx(model, rows):
    pytest.importorskip("onnx", reason="ONNX graphs are made by onnx")
    labels, probabilities = run_in_onnxruntime(to_onnx(model), onnx_inputs(model, rows))
    return probabilities, labels


def compiled(source, folder, name="model"):
    """C source as a library, made by whatever compiler there is."""
    path = folder / f"{name}.c"
    path.write_text(source, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", folder / f"{name}.so", path, "-lm"], check=True)
    return ctypes.CDLL(str(folder / f"{name}.so"))


def _c(model, rows):
    source = to_c(model)
    if compiler is None:
        pytest.skip("needs a C compiler that makes shared libraries")
    last = model[-1] if isinstance(model, Pipeline) else model
    cells = np.ascontiguousarray(columns_of(last).read(last, rows), dtype=np.float64)
    probabilities, labels = np.empty((len(cells), len(model.classes_))), np.empty(len(cells), dtype=int)
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(source, Path(folder))
        library.model_predict_proba.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.model_predict.argtypes = [ctypes.c_void_p]
        for number in range(len(cells)):  # addresses: an array per call would take most of the time
            row = cells.ctypes.data + number * cells.strides[0]
            library.model_predict_proba(row, probabilities.ctypes.data + number * probabilities.strides[0])
            labels[number] = library.model_predict(row)
    return probabilities, model.classes_[labels]


def shap_sum(tree, row):
    """The value of one of SHAP's trees for a row, by its arrays alone."""
    node = 0
    while tree["children_left"][node] != -1:
        cell = row[tree["features"][node]]
        side = "children_left" if cell <= tree["thresholds"][node] else "children_right"
        node = tree["children_default" if np.isnan(cell) else side][node]
    return tree["values"][node]


def _shap(model, rows):
    found = to_shap(model)
    rows = rows[:_FEW]
    return np.array([sum(shap_sum(tree, row) for tree in found["trees"]) for row in found.encode(rows)]), None


def _treelite(model, rows):
    treelite = pytest.importorskip("treelite", reason="predictions are made by treelite")
    given = to_treelite(model)
    last = model[-1] if isinstance(model, Pipeline) else model
    cells = np.ascontiguousarray(columns_of(last).read(last, rows), dtype=np.float64)
    return treelite.gtil.predict(given, cells).reshape(len(cells), -1), None


def _explanation(model, rows):
    told = explain(model, rows[:_FEW])
    total = told.base_values + told.values.sum(axis=1)
    np.testing.assert_allclose(told.scores, total, atol=1e-12, rtol=0)
    if total.ndim == 1:
        other = model.classes_.tolist()[0] == told.positive
        total = np.column_stack([total, 1.0 - total] if other else [1.0 - total, total])
    return total, None


def _parts(model, rows):
    parts = [rows[:70], rows[70:70], rows[70:]]
    return np.concatenate(list(rw.distributed.predict_proba(model, parts))), None


def sums_over_trees(model):
    """Whether probabilities are made from one sum over trees, whatever follows."""
    if hasattr(model, "code_book_"):
        return len(model.classes_) == 2 and sums_over_trees(model.estimators_[0])
    return hasattr(model, "tree_") or hasattr(model, "forest_")


def _one_problem(model):
    return not (hasattr(model, "code_book_") and len(model.classes_) > 2) and not hasattr(model, "forests_")


def plain_sum(model):
    """Whether the sum over the trees is the probability, and no tree has a line."""
    if hasattr(model, "code_book_"):
        return len(model.classes_) == 2 and plain_sum(model.estimators_[0])
    if not sums_over_trees(model) or getattr(model, "calibration_", None) is not None or hasattr(model, "prior_"):
        return False
    if hasattr(model, "family_weights_"):
        return False
    trees = (
        [model.tree_] if hasattr(model, "tree_") else [model.forest_[number] for number in range(len(model.forest_))]
    )
    plane = split_kinds().index("hyperplane")
    return not any((tree.split_kinds == plane).any() for tree in trees)


FORMS = [
    Form("rarewood.save", _file),
    Form("joblib", _joblib),
    Form("cloudpickle", _cloudpickle),
    Form("skops", _skops),
    Form("ONNX", _onnx, 1e-6, dtype=np.float32),
    Form("C", _c, 1e-14, _one_problem),
    Form("Treelite", _treelite, 1e-12, plain_sum),
    Form("SHAP", _shap, 1e-12, plain_sum),
    Form("explain", _explanation, 1e-12, sums_over_trees),
    Form("distributed", _parts, expresses=lambda model: hasattr(model, "feature_names_in_")),
]


def check_answer(form, model, rows):
    """The form answers as the model does, for the rows that it answers at all; for no rows, with none."""
    shares, labels = form.answer(model, rows)
    expected = np.empty((0, len(model.classes_))), np.empty(0)
    if len(rows):
        expected = model.predict_proba(rows), model.predict(rows)
    np.testing.assert_allclose(shares, expected[0][: len(shares)], rtol=0, atol=max(form.gap, 1e-12))
    assert len(shares) in (len(rows), _FEW)
    if labels is not None:
        np.testing.assert_array_equal(labels, expected[1][: len(labels)])


def check_refusal(error):
    """An error is one of ours, in a sentence; not one that the test itself or another program ran into."""
    where = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    if not where.is_relative_to(_OURS):
        raise error
    assert not isinstance(error, UnicodeError), "an error that nobody thought of"
    assert str(error).strip()
    assert "\n" not in str(error)


def thresholds(model):
    """Per column of numbers, the thresholds of all trees and effects, or the bounds of all rules."""
    pairs = [np.empty((0, 2))]  # of column and threshold

    def add(columns, bounds):
        bounds = np.asarray(bounds, dtype=float)
        pairs.append(np.column_stack([np.broadcast_to(columns, bounds.shape), bounds]))

    effects = getattr(model, "column_effects_", None)
    if effects is not None:
        for column, bounds in enumerate(effects.bounds):
            add(column, bounds)
        for pair in effects.pairs:
            for column, bounds in zip(pair.columns, pair.bounds):
                add(column, bounds)
    if hasattr(model, "rules_"):
        flat = model.rules_.found.conditions
        add(flat.column, flat.lower)
        add(flat.column, flat.upper)
    for inner in model.estimators_ if hasattr(model, "estimators_") else [model]:
        if hasattr(inner, "tree_"):
            add(inner.tree_.feature, inner.tree_.threshold)
        elif hasattr(inner, "estimators_"):
            for column, bounds in thresholds(inner).items():
                add(column, bounds)
    columns, bounds = np.concatenate(pairs).T
    numbers = np.flatnonzero(~np.asarray(columns_of(model).nominal))
    found = {int(column): np.unique(bounds[(columns == column) & np.isfinite(bounds)]) for column in numbers}
    return {column: bounds for column, bounds in found.items() if len(bounds)}


def hard_rows(model, X, dtype=np.float32, n_rows=300):
    """Training rows with cells on thresholds and on both sides of them, as near as `dtype` allows; in frames, unknown categories."""
    rng = np.random.default_rng(0)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    rows = frame.iloc[rng.integers(len(frame), size=n_rows)].reset_index(drop=True)
    found = thresholds(model)
    for column, name in enumerate(frame.columns):
        if isinstance(rows[name].dtype, pd.CategoricalDtype):
            is_text = rows[name].cat.categories.dtype.kind not in "if"
            cells = rows[name].astype(object).where(rows[name].notna(), None).to_numpy(copy=True)
            cells[rng.integers(n_rows, size=n_rows // 20)] = "Nowhere" if is_text else 99
            rows[name] = cells if is_text else pd.Categorical(cells)
            continue
        if rows[name].dtype.kind in "mM":
            rows[name] = _beside_moments(rng, rows[name], found.get(column, [math.nan]))
            continue
        cells = rows[name].to_numpy(copy=True).astype(dtype)
        if column in found:
            near = rng.choice(found[column], n_rows).astype(dtype)
            way = rng.choice(np.array([-np.inf, np.nan, np.inf], dtype=dtype), n_rows)
            near = np.where(np.isnan(way), near, np.nextafter(near, way))
            cells = np.where(rng.random(n_rows) < 0.4, near, cells)
        rows[name] = cells.astype(np.float64)
    return rows if isinstance(X, pd.DataFrame) else rows.to_numpy().astype(X.dtype)


def _beside_moments(rng, cells, bounds):
    """Dates or times of which some are a microsecond beside bounds, or on them."""
    bounds = rng.choice(bounds, len(cells))
    ticks = np.where(np.isnan(bounds), 0, np.round(np.nan_to_num(bounds) * 1e6)).astype(np.int64)
    near = pd.Series((ticks + rng.integers(-1, 2, len(cells))).view("m8[us]" if cells.dtype.kind == "m" else "M8[us]"))
    if isinstance(cells.dtype, pd.DatetimeTZDtype):
        near = near.dt.tz_localize("UTC").dt.tz_convert(cells.dt.tz)
    return cells.mask((rng.random(len(cells)) < 0.4) & ~np.isnan(bounds), near.astype(cells.dtype))
