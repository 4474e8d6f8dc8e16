"""Every classifier in every mode, in every form that it can take: how far from the model; and how large the forms are.

python benchmarks/exports.py [rows]      writes docs/exports.md; needs the groups `test` and `peers`
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import skops.io

import rarewood as rw

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.forms import FORMS, Form, compiled, hard_rows  # noqa: E402
from support.models import CASES, mixed_table  # noqa: E402

PAGE = ROOT / "docs" / "exports.md"
TREES = 100

LARGE = {
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
REFUSED = -1.0


def gap(form: Form, model: Any, rows: Any) -> tuple[float, int]:
    """The largest difference of a probability, `REFUSED` where the form cannot express the model; and the labels that differ."""
    try:
        probabilities, labels = form.answer(model, rows)
    except (TypeError, ValueError):
        return REFUSED, 0
    n_rows = len(probabilities)
    wrong = 0 if labels is None else int((labels != model.predict(rows)[:n_rows]).sum())
    return float(np.abs(probabilities - model.predict_proba(rows)[:n_rows]).max()), wrong


def in_words(found: tuple[float, int]) -> str:
    difference, wrong = found
    if difference == REFUSED:
        return "refused"
    return ("0" if difference == 0 else f"{difference:.0e}") + (f", {wrong:,} labels" if wrong else "")


def bytes_of_joblib(model: Any) -> int:
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    return buffer.tell()


def bytes_of_c(model: Any) -> int:
    with tempfile.TemporaryDirectory() as folder:
        compiled(rw.export.to_c(model), Path(folder))
        return Path(folder, "model.so").stat().st_size


SIZES: dict[str, Callable[[Any], int]] = {
    "rarewood.save": lambda model: len(rw.export.to_bytes(model)),
    "joblib": bytes_of_joblib,
    "skops": lambda model: len(skops.io.dumps(model)),
    "ONNX": lambda model: len(rw.export.to_onnx(model).SerializeToString()),
    "Treelite": lambda model: len(rw.export.to_treelite(model).serialize_bytes()),
    "C": bytes_of_c,
}


def kilobytes(size: Callable[[Any], int], model: Any) -> str:
    try:
        return f"{size(model) / 1000:,.0f}"
    except TypeError:
        return "-"


def lines(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows])


def measured(n_rows: int) -> list[tuple[Any, list[tuple[float, int]]]]:
    found = []
    for case in CASES:
        model = case.fitted()
        rows = {dtype: hard_rows(model, case.rows()[0], dtype, n_rows) for dtype in (np.float32, np.float64)}
        found.append((case, [gap(form, model, rows[form.dtype]) for form in FORMS]))
        print(case, *map(in_words, found[-1][1]), flush=True)
    return found


def worst(cells: list[tuple[float, int]]) -> str:
    """Over the modes of a classifier."""
    expressed = [cell for cell in cells if cell[0] != REFUSED]
    if not expressed:
        return "refused"
    refused = len(cells) - len(expressed)
    told = in_words((max(each for each, _ in expressed), sum(wrong for _, wrong in expressed)))
    return told + (f" ({refused} refused)" if refused else "")


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    found = measured(n_rows)
    names = [form.name for form in FORMS]
    by_classifier = []
    for name, group in groupby(found, key=lambda each: each[0].classifier):
        rows = [cells for _, cells in group]
        by_classifier.append([name, str(len(rows)), *(worst([cells[i] for cells in rows]) for i in range(len(names)))])
    each_mode = [[str(case), *map(in_words, cells)] for case, cells in found]
    sizes = []
    for name, classifier in LARGE.items():
        model = classifier.fit(*mixed_table(3 if name in SEVERAL else 2, 3000))
        sizes.append([name, *(kilobytes(size, model) for size in SIZES.values())])
        print(sizes[-1], flush=True)
    used = ", ".join(f"{name} {version(name)}" for name in ("onnxruntime", "treelite", "skops", "joblib"))
    PAGE.write_text(
        f"""# Exports: the same answers?

Does a model give the same answers in another form as it gives itself? Every public classifier is fitted in every mode that it has:
calibrated, with class weights, with weighted rows, moved to another prior, with each kind of threshold, with effects of columns, with every
kind of split on categories, for two and for three classes, and so on. The rows have missing values and categories that the model has
never seen; four tenths of the numbers in a column are on a threshold of the model or right beside one. The tables show the largest
difference of a probability from `predict_proba`. Labels are equal to those of `predict` unless a number of labels is given. *Refused*
means an error with the reason: Treelite and SHAP only know plain sums over trees with tests on one column, C knows one sum over trees,
`explain` needs a sum over trees, and data in parts need names of columns.

## The largest difference over all modes

{lines(["", "modes", *names], by_classifier)}

ONNX gives float32 probabilities. Treelite, SHAP, `explain` and `distributed` give no labels. SHAP is the sum of the trees that
`to_shap` gives, `explain` the sum of base value and contributions, both for the first 60 rows.

## Sizes in kB

{lines(["", *SIZES], sizes)}

{TREES} trees (RareClassifier 300, BEATClassifier 30, the decompositions 30 or 10 for each problem) grown on 3,000 rows.
OneVsAllClassifier and ECOCClassifier have three classes, the others two. The size for C is that of the compiled library.

## Each mode

{lines(["", *names], each_mode)}

Made by `python benchmarks/exports.py {n_rows}` on {date.today()}: rarewood {version("rarewood")}, {used}. Generated; do not edit.
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
