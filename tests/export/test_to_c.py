"""C source: what is particular to it. `test_same_answer` compiles all models."""

import ctypes
import subprocess

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.export import to_c
from support.forms import compiled, compiler
from support.models import case

needs_compiler = pytest.mark.skipif(compiler is None, reason="needs a C compiler that makes shared libraries")


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
    model = case("OneVsAllClassifier, plain, 3 classes").fitted()
    with pytest.raises(TypeError, match="one by one"):
        to_c(model)
    tree = case("TreeClassifier, plain").fitted()
    with pytest.raises(ValueError, match="cannot begin"):
        to_c(tree, name="2fast; system")


@pytest.mark.parametrize("where", ["category", "label"])
def test_a_text_with_nul_is_refused_since_c_would_cut_it(where):
    X = pd.DataFrame({"c": pd.Categorical(["a\0b" if where == "category" else "a", "c"] * 10)})
    tree = rw.TreeClassifier().fit(X, ["x\0y" if where == "label" else "x", "z"] * 10)
    with pytest.raises(ValueError, match="NUL"):
        rw.export.to_c(tree)


def test_names_that_would_begin_or_end_a_comment(tmp_path):
    X = pd.DataFrame({"a/*b": [0.0, 1.0] * 9, "c*/d": [1.0, 0.0] * 9, "??/*/*/": 1.0})
    compiled(to_c(rw.TreeClassifier().fit(X, [0, 1] * 9)), tmp_path)


@needs_compiler
@pytest.mark.parametrize("flags", [["-std=c99", "-O3"], ["-std=c11", "-O2"]], ids=" ".join)
@pytest.mark.parametrize(
    "name", ["RareClassifier, float32", "TreeClassifier, float32", "TreeClassifier, plain", "HeDExhClassifier, plain"]
)
def test_optimising_compilers_have_nothing_to_warn_of(tmp_path, name, flags):
    (tmp_path / "model.c").write_text(to_c(case(name).fitted()), encoding="utf-8")
    strict = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    subprocess.run([compiler, *flags, *strict, "-c", "-o", tmp_path / "model.o", tmp_path / "model.c"], check=True)
