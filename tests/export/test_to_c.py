"""C source: compiled by whatever compiler there is, and compared with the model."""

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

import rarewood as rw
from rarewood.export import to_c
from support.exports import HARD_ROWS, MODELS, fitted, hard_rows, table

compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(
    compiler is None or sys.platform == "win32", reason="needs a C compiler that makes shared libraries"
)


def compiled(source, folder, name="model"):
    path = folder / f"{name}.c"
    path.write_text(source, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", folder / f"{name}.so", path, "-lm"], check=True)
    return ctypes.CDLL(str(folder / f"{name}.so"))


def predictions(library, matrix, n_classes, name="model"):
    numbers = np.ctypeslib.ndpointer(dtype=np.float64, flags="C")
    proba, decide = getattr(library, f"{name}_predict_proba"), getattr(library, f"{name}_predict")
    proba.argtypes, decide.argtypes = [numbers, numbers], [numbers]
    rows = np.ascontiguousarray(matrix, dtype=np.float64)
    found = np.empty((len(rows), n_classes))
    labels = np.empty(len(rows), dtype=int)
    for i in range(len(rows)):
        proba(rows[i], found[i])
        labels[i] = decide(rows[i])
    return found, labels


SUMS = {name: model for name, model in MODELS.items() if not name.startswith(("OneVsAll", "ECOC", "Ranking"))}


@needs_compiler
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", SUMS)
def test_the_compiled_model_is_the_model(name, n_classes, tmp_path):
    model, X = fitted(name, n_classes)
    rows = hard_rows(model, X, np.float64)[:HARD_ROWS]
    library = compiled(to_c(model), tmp_path)
    found, labels = predictions(library, model._columns.read(model, rows), n_classes)
    np.testing.assert_allclose(found, model.predict_proba(rows), atol=1e-14, rtol=0)
    np.testing.assert_array_equal(model.classes_[labels], model.predict(rows))


@needs_compiler
def test_the_compiled_rule_set_is_the_rule_set(tmp_path):
    X, y = table(2, 1200)
    model = rw.RuleSetClassifier(random_state=0).fit(X, y)
    assert len(model.rules_) > 1
    rows = hard_rows(model, X, np.float64)
    found, labels = predictions(compiled(to_c(model), tmp_path), model._columns.read(model, rows), 2)
    np.testing.assert_allclose(found, model.predict_proba(rows), atol=1e-14, rtol=0)
    np.testing.assert_array_equal(model.classes_[labels], model.predict(rows))


@needs_compiler
def test_categories_and_labels_by_name(tmp_path):
    levels = ["plain", 'with "quotes"', "back\\slash", "Größe ??/", "7"]
    X = [[level] for level in levels] * 2
    y = ["a\nb", "ja", "nein", "ja", "nein"] * 2
    tree = rw.TreeClassifier(categorical_features=[0]).fit(np.array(X, dtype=object), y)
    library = compiled(to_c(tree, name="valve"), tmp_path, "valve")
    library.valve_code.restype = ctypes.c_double
    codes = {level: library.valve_code(0, level.encode()) for level in levels}
    assert codes == {level: code for code, level in enumerate(tree.categories_[0].tolist())}
    assert library.valve_code(0, b"none such") == len(levels)
    labels = (ctypes.c_char_p * 3).in_dll(library, "valve_labels")
    assert [label.decode() for label in labels] == tree.classes_.tolist()


def test_what_c_cannot_express_is_refused():
    model, _ = fitted("OneVsAll", 3)
    with pytest.raises(TypeError, match="one by one"):
        to_c(model)
    tree, _ = fitted("TreeClassifier", 2)
    with pytest.raises(ValueError, match="cannot begin"):
        to_c(tree, name="2fast; system")
