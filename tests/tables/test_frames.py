"""Every `frame()` follows one rule: the first installed of pandas, polars and pyarrow, or the library asked for."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rarewood as rw
from rarewood._tables import frames
from rarewood.evaluation import compare
from rarewood.inspection import explain, extract_patterns, find_rules

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = (X[:, 0] + X[:, 1] > 1.5).astype(int)


@pytest.fixture(scope="module")
def results():
    """What has a method `frame`, made from arrays, which belong to no library of data frames."""
    forest = rw.HeDExClassifier(5, max_depth=3, random_state=0).fit(X, Y)
    comparison = compare({"tree": rw.TreeClassifier(max_depth=2)}, {"made": (X, Y)}, protocol="10fold", metrics=["auc"])
    return [
        explain(forest, X[:3]),
        extract_patterns(forest, X, Y),
        find_rules(X, Y, random_state=0),
        comparison,
        comparison.table("auc"),
    ]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", None])
def test_the_library_asked_for(results, backend):
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table, None: pd.DataFrame}[backend]
    for result in results:
        assert isinstance(result.frame(backend), kind), result


@pytest.mark.parametrize(
    ("installed", "kind"), [({"polars", "pyarrow"}, pl.DataFrame), ({"pyarrow"}, pa.Table), (set(), dict)]
)
def test_the_first_installed(results, installed, kind, monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda name: name in installed or None)
    for result in results:
        assert isinstance(result.frame(), kind), result


def test_patterns_of_a_frame_come_in_its_library():
    table = pl.DataFrame(X, schema=["a", "b", "c"])
    assert isinstance(find_rules(table, Y, random_state=0).frame(), pl.DataFrame)
