"""Every classifier in every form for other programs, on 100,000 rows next to thresholds: how far from the model, how large.

python benchmarks/exports.py [rows]      writes docs/exports.md; needs the groups `test` and `peers`
"""

from __future__ import annotations

import ctypes
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path

import joblib
import numpy as np
import onnxruntime
import pandas as pd
import skops.io
import treelite

import rarewood as rw

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "exports.md"
TREES = 100

CLASSIFIERS = {
    "TreeClassifier": rw.TreeClassifier(),
    "ForestClassifier": rw.ForestClassifier(TREES, random_state=0),
    "HeDExClassifier": rw.HeDExClassifier(TREES, random_state=0),
    "HeDExhClassifier": rw.HeDExhClassifier(TREES, random_state=0),
    "BEATClassifier": rw.BEATClassifier(random_state=0),
    "BalancedForestClassifier": rw.BalancedForestClassifier(TREES, random_state=0),
    "RareClassifier": rw.RareClassifier(random_state=0),
    "RuleSetClassifier": rw.RuleSetClassifier(random_state=0),
    "BiasedRankingClassifier": rw.BiasedRankingClassifier(random_state=0),
    "OneVsAllClassifier": rw.OneVsAllClassifier(rw.HeDExClassifier(30, random_state=0)),
    "ECOCClassifier": rw.ECOCClassifier(rw.HeDExClassifier(10, random_state=0)),
}
SEVERAL = ("OneVsAllClassifier", "ECOCClassifier")

Answers = tuple[np.ndarray, np.ndarray, int]  # probabilities, labels, bytes


def training_rows(n_classes: int, n_rows: int = 3000) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, some of them missing, and categories."""
    rng = np.random.default_rng(n_classes)
    X = pd.DataFrame(rng.normal(size=(n_rows, 6)).astype(np.float32), columns=list("abcdef"))
    X["city"] = pd.Categorical(rng.choice(["Ulm", "Kiel", "Bonn", "Hof", "Trier"], n_rows))
    score = X["a"] * X["b"] + X["c"] + X["city"].isin(["Ulm", "Hof"]) + rng.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, [0.9] if n_classes == 2 else [0.6, 0.9]))
    X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "city"] = None
    return X, np.array(["calm", "odd", "wild"])[y]


def thresholds(model: object) -> dict[int, np.ndarray]:
    """Of all trees that can be had, per column."""
    found: dict[int, set[float]] = {}
    for each in getattr(model, "estimators_", [model]):
        for inner in getattr(each, "estimators_", [each]):
            if hasattr(inner, "tree_"):
                for column, bound in zip(inner.tree_.feature, inner.tree_.threshold):
                    if column >= 0 and np.isfinite(bound):
                        found.setdefault(int(column), set()).add(float(bound))
    return {column: np.array(sorted(bounds)) for column, bounds in found.items()}


def hard_rows(model: object, X: pd.DataFrame, n_rows: int) -> pd.DataFrame:
    """Rows of the table, most with a cell on a threshold or right beside it."""
    rng = np.random.default_rng(0)
    rows = X.iloc[rng.integers(len(X), size=n_rows)].reset_index(drop=True)
    for column, bounds in thresholds(model).items():
        name = X.columns[column]
        if name == "city":
            continue
        cells = rows[name].to_numpy(copy=True)
        chosen = np.flatnonzero(rng.random(n_rows) < 0.3)
        near = rng.choice(bounds, len(chosen)).astype(np.float32)
        step = rng.choice(np.float32([-np.inf, np.inf]), len(chosen))
        cells[chosen] = np.where(rng.random(len(chosen)) < 1 / 3, near, np.nextafter(near, step))
        rows[name] = cells
    return rows


def of_file(model: object, rows: pd.DataFrame) -> Answers:
    data = rw.export.to_bytes(model)
    again = rw.export.from_bytes(data)
    return again.predict_proba(rows), again.predict(rows), len(data)


def of_joblib(model: object, rows: pd.DataFrame) -> Answers:
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    size = buffer.tell()
    buffer.seek(0)
    again = joblib.load(buffer)
    return again.predict_proba(rows), again.predict(rows), size


def of_skops(model: object, rows: pd.DataFrame) -> Answers:
    data = skops.io.dumps(model)
    again = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    return again.predict_proba(rows), again.predict(rows), len(data)


def of_onnx(model: object, rows: pd.DataFrame) -> Answers:
    data = rw.export.to_onnx(model).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    parts = []
    for first in range(0, len(rows), 5000):
        block = rows.iloc[first : first + 5000]
        given = {
            name: block[name].astype(object).where(block[name].notna(), "").to_numpy().reshape(-1, 1)
            if name == "city"
            else block[name].to_numpy(dtype=np.float32).reshape(-1, 1)
            for name in rows
        }
        parts.append(session.run(None, given))
    return np.concatenate([p for _, p in parts]), np.concatenate([label for label, _ in parts]), len(data)


def of_treelite(model: object, rows: pd.DataFrame) -> Answers:
    found = rw.export.to_treelite(model)
    encoded = rw.export.to_shap(model).encode(rows)
    p = treelite.gtil.predict(found, encoded.astype(np.float64)).reshape(len(rows), -1)
    p = np.column_stack([1 - p, p]) if p.shape[1] == 1 else p
    return p, model.classes_[p.argmax(axis=1)], len(found.serialize_bytes())


def of_c(model: object, rows: pd.DataFrame) -> Answers:
    source = rw.export.to_c(model)
    encoded = np.ascontiguousarray(model._columns.read(model, rows), dtype=np.float64)
    p, labels = np.empty((len(rows), len(model.classes_))), np.empty(len(rows), dtype=int)
    with tempfile.TemporaryDirectory() as folder:
        path, library = Path(folder, "model.c"), Path(folder, "model.so")
        path.write_text(source, encoding="utf-8")
        flags = ["-std=c99", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([str(shutil.which("cc")), *flags, "-o", library, path, "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
        loaded.model_predict_proba.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        loaded.model_predict.argtypes = [ctypes.c_void_p]
        first, found = encoded.ctypes.data, p.ctypes.data  # addresses: an array per call would take most of the time
        for number in range(len(rows)):
            row = first + number * encoded.strides[0]
            loaded.model_predict_proba(row, found + number * p.strides[0])
            labels[number] = loaded.model_predict(row)
        size = library.stat().st_size
    return p, model.classes_[labels], size


FORMS: dict[str, Callable[[object, pd.DataFrame], Answers]] = {
    "rarewood.save": of_file,
    "joblib": of_joblib,
    "skops": of_skops,
    "ONNX": of_onnx,
    "Treelite": of_treelite,
    "C": of_c,
}


def cell(form: str, model: object, rows: pd.DataFrame) -> tuple[str, str]:
    """The largest difference, with labels that differ if there are any, and the size."""
    try:
        p, labels, size = FORMS[form](model, rows)
    except TypeError:
        return "refused", "-"
    gap = float(np.abs(p - model.predict_proba(rows)).max())
    wrong = int((labels != model.predict(rows)).sum())
    told = "0" if gap == 0 else f"{gap:.0e}"
    return told + (f", {wrong:,} labels" if wrong else ""), f"{size / 1000:,.0f}"


def lines(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows])


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    gaps, sizes = [], []
    for name, classifier in CLASSIFIERS.items():
        X, y = training_rows(3 if name in SEVERAL else 2)
        model = classifier.fit(X, y)
        rows = hard_rows(model, X, n_rows)
        found = [cell(form, model, rows) for form in FORMS]
        gaps.append([name, *(told for told, _ in found)])
        sizes.append([name, *(size for _, size in found)])
        print(gaps[-1], sizes[-1], flush=True)
    used = ", ".join(f"{name} {version(name)}" for name in ("onnxruntime", "treelite", "skops", "joblib"))
    PAGE.write_text(
        f"""# Exports: the same answers?

Does an exported model give the same answers as the original? The test has {n_rows:,} rows with missing values and categories. In
each column, three tenths of the numbers are on a threshold of the model or on the float32 next to one. The table shows the largest
difference of a probability from `predict_proba`. Labels are equal to those of `predict` unless a number of labels is given. *Refused*
means a `TypeError` with the reason. OneVsAllClassifier and ECOCClassifier have three classes, the others two.

{lines(["", *FORMS], gaps)}

ONNX gives float32 probabilities. Treelite has no decision threshold, so its labels are those of the largest probability.

## Sizes in kB

{lines(["", *FORMS], sizes)}

{TREES} trees (RareClassifier 300, BEATClassifier 30, the decompositions 30 or 10 for each problem) grown on 3,000 rows.
The size for C is that of the compiled library.

Made by `python benchmarks/exports.py {n_rows}` on {date.today()}: rarewood {version("rarewood")}, {used}. Generated; do not edit.
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
