"""One fitted forest through our predict_proba and through programs that do nothing but predict, fed by our exports.

Every program gets the same trees and the same rows, and must give the same probabilities. Programs that are not installed are left out:
pip install onnxruntime treelite snapml timber-compiler; gcc.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rarewood as rw
from plain_graph import plain_graph
from report import Table
from timing import race, repeat_call
from workloads import Workload, make_workload

TREES = 100
ROWS = (1, 1_000, 100_000)
TAKE_CODES = ("Treelite, GTIL", "C, gcc -O2")
"""Programs that get float64 rows with categories as codes; the others look categories up themselves."""
ONNX_BLOCK = 1_000
"""Rows at a time: our graph answers every test of categories for every row, in about half a megabyte per row on workload e."""
PACKAGES = {"onnxruntime": "onnxruntime", "Treelite": "treelite", "snapml": "snapml", "timber": "timber-compiler"}
Predict = Callable[[np.ndarray], np.ndarray]


def run(quick: bool = False) -> list[Table]:
    sizes = ROWS[:2] if quick else ROWS
    table = Table(
        "Prediction: the same trees in other programs",
        ["workload", "program", *(f"{size:,} row{'s' * (size > 1)}" for size in sizes), "largest difference"],
        f"CPU time per row and tree, one thread: HeDEx with {TREES} trees; workload e has categories, which rarewood and ONNX look up and "
        "Treelite and C are given as codes. Rows are float32, for C and Treelite float64; our own graph takes 1,000 at a time. A plain "
        "graph is one TreeEnsembleRegressor whose leaves add up in float32 (`benchmarks/plain_graph.py`), for numbers without gaps: snapml "
        "and timber understand no more. They take our own graph, which looks leaves up by number, for a sum of these, or refuse it. "
        f"nvforest needs CUDA libraries that were not installed. {_versions()}.",
    )
    for name in ("a", "e"):
        data = make_workload(name, rows=3_000 if quick else None)
        model = rw.HeDExClassifier(TREES, random_state=0, categorical_features=list(data.categorical_features) or None)
        model.set_params(n_jobs=1).fit(data.X, data.y)
        rows = np.resize(make_workload(name, part="test").X, (max(sizes), data.X.shape[1]))
        codes = np.ascontiguousarray(model._encode(rows), dtype=np.float64)
        _measure(table, name, _programs(model, data), rows, codes, sizes)
    return [table]


def _versions() -> str:
    found = []
    for name, package in PACKAGES.items():
        try:
            found.append(f"{name} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found) or "None of the programs is installed"


def _measure(
    table: Table, name: str, programs: dict[str, Predict], rows: np.ndarray, codes: np.ndarray, sizes: tuple[int, ...]
) -> None:
    expected = programs["rarewood"](rows[:1000])
    programs["rarewood"](rows)  # prepares
    for program, predict in programs.items():
        cells = []
        given = codes if program in TAKE_CODES else rows
        for size in sizes:
            part = given[:size].copy()
            times = race({program: lambda part=part, p=predict: repeat_call(lambda: p(part), at_least=0.1)}, 3)
            cells.append(f"{times[program].best() / size / TREES * 1e9:.3g} ns")
        table.add(name, program, *cells, f"{np.abs(predict(given[:1000]) - expected).max():.0e}")


def _programs(model: Any, data: Workload) -> dict[str, Predict]:
    makers = {"onnxruntime": _onnxruntime, "Treelite, GTIL": _gtil, "C, gcc -O2": _compiled}
    if not data.categorical_features:
        makers |= {
            "onnxruntime, plain graph": _onnxruntime_plain,
            "snapml, plain graph": _snapml,
            "timber, plain graph": _timber,
        }
    found: dict[str, Predict] = {"rarewood": model.predict_proba}
    for title, make in makers.items():
        try:
            found[title] = make(model)
        except (ImportError, TypeError, OSError, subprocess.CalledProcessError) as error:
            print(f"  left out on {data.name}: {title}: {str(error)[:100]}")
    return found


def _onnxruntime(model: Any) -> Predict:
    session = _session(rw.export.to_onnx(model))

    def predict(rows: np.ndarray) -> np.ndarray:
        blocks = np.split(rows, range(ONNX_BLOCK, len(rows), ONNX_BLOCK))
        return np.concatenate([session.run(["probabilities"], {"X": block})[0] for block in blocks])

    return predict


def _onnxruntime_plain(model: Any) -> Predict:
    session = _session(plain_graph(model))
    return lambda rows: _two_columns(session.run(["probability"], {"X": rows})[0][:, 0])


def _session(graph: Any) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(graph.SerializeToString(), options)


def _two_columns(second: np.ndarray) -> np.ndarray:
    return np.stack([1.0 - second, second], axis=1)


def _gtil(model: Any) -> Predict:
    import treelite

    forest = rw.export.to_treelite(model)
    return lambda rows: treelite.gtil.predict(forest, rows, nthread=1).reshape(len(rows), -1)


def _compiled(model: Any) -> Predict:
    """The rows of a batch one after the other, as a caller would."""
    folder = Path(tempfile.mkdtemp())
    loop = (
        "\nvoid batch(const double *rows, double *out, long n, int width)\n"
        "{ for (long i = 0; i < n; ++i) model_predict_proba(rows + i * width, out + 2 * i); }\n"
    )
    (folder / "model.c").write_text(rw.export.to_c(model) + loop)
    library = folder / "model.so"
    subprocess.run(
        ["gcc", "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", library, folder / "model.c", "-lm"], check=True
    )
    batch = ctypes.CDLL(str(library)).batch

    def predict(rows: np.ndarray) -> np.ndarray:
        wide = np.ascontiguousarray(rows, dtype=np.float64)
        out = np.empty((len(rows), 2))
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (wide, out)]
        batch(*pointers, ctypes.c_long(len(rows)), ctypes.c_int(rows.shape[1]))
        return out

    return predict


def _snapml(model: Any) -> Predict:
    import onnx
    import snapml

    path = Path(tempfile.mkdtemp()) / "model.onnx"
    onnx.save(plain_graph(model), path)
    forest = snapml.RandomForestRegressor()
    forest.import_model(str(path), "onnx")
    return lambda rows: _two_columns(forest.predict(rows, n_jobs=1))


def _timber(model: Any) -> Predict:
    """The C that it writes, compiled by the Makefile beside it."""
    import onnx

    folder = Path(tempfile.mkdtemp())
    onnx.save(plain_graph(model), folder / "model.onnx")
    command = [Path(sys.executable).with_name("timber"), "compile", "--model", folder / "model.onnx", "--out", folder]
    subprocess.run(command, check=True, capture_output=True)
    subprocess.run(["make", "-C", folder, "libtimber_model.so"], check=True, capture_output=True)
    library, context = ctypes.CDLL(str(folder / "libtimber_model.so")), ctypes.c_void_p()
    library.timber_init(ctypes.byref(context))

    def predict(rows: np.ndarray) -> np.ndarray:
        given, out = np.ascontiguousarray(rows, dtype=np.float32), np.empty(len(rows), dtype=np.float32)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (given, out)]
        library.timber_infer(pointers[0], ctypes.c_int(len(rows)), pointers[1], context)
        return _two_columns(out)

    return predict


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables: a check that everything runs")
    run(parser.parse_args().quick)
