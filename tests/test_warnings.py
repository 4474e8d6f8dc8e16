"""Warnings point at the code of whoever called the package: Python shows that line, and files and filters go by it."""

import re
import runpy
from pathlib import Path

import imblearn.pipeline
import numpy as np
import pandas as pd
import pytest
import sklearn.pipeline
from sklearn.base import clone

import rarewood as rw
from rarewood.exceptions import RarewoodWarning
from support.models import CLASSIFIERS

PACKAGE = Path(rw.__file__).parent
SAMPLERS = {
    name: getattr(rw, name)(random_state=0) for name in rw.__all__ if hasattr(getattr(rw, name), "fit_resample")
}
ODD = "holds numbers written as text"


def table(n_classes=2, n_rows=120):
    """Rows whose second column is odd: every model says so that reads them."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "b": [f"{number},5" for number in range(n_rows)]})
    return X, np.arange(n_rows) % 5 % n_classes


def numbers(n_classes=3):
    X, y = table(n_classes)
    return X[["a"]].to_numpy(), y


def places(call, message):
    """The files at which the warnings point that say so."""
    with pytest.warns(RarewoodWarning, match=message) as caught:
        call()
    return {warning.filename for warning in caught if re.search(message, str(warning.message))}


@pytest.mark.filterwarnings("ignore::rarewood.exceptions.RarewoodWarning")
@pytest.mark.parametrize("name", CLASSIFIERS)
class TestClassifiers:
    def test_alone(self, name):
        assert places(lambda: clone(CLASSIFIERS[name]).fit(*table()), ODD) == {__file__}

    def test_in_a_pipeline(self, name):
        model = sklearn.pipeline.make_pipeline("passthrough", clone(CLASSIFIERS[name]))
        assert places(lambda: model.fit(*table()), ODD) == {sklearn.pipeline.__file__}


@pytest.mark.parametrize("name", SAMPLERS)
class TestSamplers:
    def test_alone(self, name):
        assert places(lambda: clone(SAMPLERS[name]).fit_resample(*table()), ODD) == {__file__}

    def test_in_a_pipeline(self, name):
        model = imblearn.pipeline.make_pipeline(clone(SAMPLERS[name]), rw.TreeClassifier())
        assert places(lambda: model.fit(*table()), ODD) == {imblearn.pipeline.__file__}


@pytest.mark.parametrize("model", [rw.TreeClassifier(), rw.ForestClassifier(3), rw.HeDExClassifier(3)])
def test_what_is_said_deep_inside_a_fit(model, monkeypatch):
    monkeypatch.setattr("rarewood.tree.leaf_memory.MOST_LEAF_BYTES", 0)
    assert places(lambda: clone(model).fit(*numbers()), "of memory") == {__file__}
    pipeline = sklearn.pipeline.make_pipeline("passthrough", clone(model))
    assert places(lambda: pipeline.fit(*numbers()), "of memory") == {sklearn.pipeline.__file__}


def test_what_other_libraries_call_for_the_package():
    """joblib stands between a decomposition and the fits of its problems."""
    model = rw.OneVsAllClassifier(rw.RareClassifier(3, random_state=0))
    assert places(lambda: model.fit(*numbers()), "out-of-bag score") == {__file__}
    pipeline = sklearn.pipeline.make_pipeline("passthrough", model)
    assert places(lambda: pipeline.fit(*numbers()), "out-of-bag score") == {sklearn.pipeline.__file__}


@pytest.mark.several_threads
def test_threads_of_other_libraries():
    model = rw.OneVsAllClassifier(rw.RareClassifier(3, random_state=0), n_jobs=2)
    found = places(lambda: model.fit(*numbers()), "out-of-bag score")
    assert not any(PACKAGE in Path(file).parents or file == "sys" for file in found)


def test_methods_and_functions():
    X, y = table()
    y = (y == 1).astype(int)
    model = rw.RareClassifier(12, random_state=0).fit(X[["a"]], y)
    assert places(lambda: model.set_label_rate(1e-9), "no threshold calls the same rows") == {__file__}
    scores = np.random.default_rng(0).random(len(y))
    choose = rw.metrics.choose_threshold
    assert places(lambda: choose(y, scores, rule="precision=0.99@90%"), "precision") == {__file__}


def test_a_script_is_named_with_its_line(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, rarewood as rw\nX = [f'{number},5' for number in range(120)]\n"
        "rw.TreeClassifier().fit(np.array(X, dtype=object)[:, None],\n    np.arange(120) % 2)\n"
    )
    with pytest.warns(RarewoodWarning, match=ODD) as caught:
        runpy.run_path(str(script))
    assert [(warning.filename, warning.lineno) for warning in caught] == [(str(script), 3)]


def test_only_one_place_warns():
    """Nobody counts frames by hand: that is wrong as soon as a function moves."""
    sources = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    assert [name for name, text in sources.items() if re.search(r"warnings\.warn\w*\(", text)] == ["_warnings.py"]
    assert [name for name, text in sources.items() if "stacklevel" in text] == []
