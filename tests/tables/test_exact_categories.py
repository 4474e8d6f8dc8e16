"""Whole numbers that are categories stay what they are, however large: in fit, predict, files and rules."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import rarewood as rw
from rarewood._table_files.reading import ColumnRoles, read
from rarewood._table_files.sources import Source
from rarewood.inspection import export_text

BEYOND_DOUBLE = [2**53, 2**53 + 1]
UNSIGNED = [2**63, 2**63 + 1, 2**64 - 1]
ACROSS = [1, 2**53 + 1, 2**63]  # NumPy alone makes floats of them
HUGE = [-1, 2**63, 2**64, 2**80, 2**80 + 1]

CONTAINERS = {
    "array": lambda ids: np.array(ids)[:, None] if np.array(ids).dtype.kind in "iu" else np.array(ids, object)[:, None],
    "objects": lambda ids: np.array(ids, dtype=object)[:, None],
    "lists": lambda ids: [[each] for each in ids],
    "lists beside fractions": lambda ids: [[each, 0.5] for each in ids],
    "pandas": lambda ids: pd.DataFrame({"id": ids}),
    "polars": lambda ids: pl.DataFrame({"id": pl.Series(ids, dtype=_polars_type(ids))}),
    "pyarrow": lambda ids: pa.table({"id": pa.array(ids, pa.int64() if max(ids) < 2**63 else pa.uint64())}),
}
WITH_MISSING = {
    "objects": lambda ids: np.array([*ids, None], dtype=object)[:, None],
    "pandas": lambda ids: pd.DataFrame({"id": pd.array([*ids, None], dtype="Int64" if max(ids) < 2**63 else "UInt64")}),
    "polars": lambda ids: pl.DataFrame({"id": pl.Series([*ids, None], dtype=_polars_type(ids))}),
    "pyarrow": lambda ids: pa.table({"id": pa.array([*ids, None], pa.int64() if max(ids) < 2**63 else pa.uint64())}),
}


def _polars_type(ids):
    return pl.Int64 if max(ids) < 2**63 else pl.UInt64 if max(ids) < 2**64 and min(ids) >= 0 else pl.Int128


def fitted(X, n_ids):
    """One class per value, so that every value needs its own branch."""
    y = [f"class {i:02}" for i in range(n_ids)]
    y += ["missing"] * (len(X) - n_ids)
    return rw.TreeClassifier("gini", nominal="multiway", smoothing=0, categorical_features=[0]).fit(X, y), y


@pytest.mark.parametrize("ids", [BEYOND_DOUBLE, UNSIGNED, ACROSS], ids=["2**53", "2**63", "across"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_every_number_is_a_category(container, ids, tmp_path):
    X = CONTAINERS[container](ids)
    tree, y = fitted(X, len(ids))
    assert tree.categories_[0].tolist() == ids
    assert tree.predict(X).tolist() == y
    rw.save(tree, tmp_path / "model")
    again = rw.load(tmp_path / "model")
    assert again.categories_[0].tolist() == ids
    assert again.predict(X).tolist() == y
    for each in ids:
        assert f"= {each}\n" in export_text(again)


@pytest.mark.parametrize("ids", [BEYOND_DOUBLE, UNSIGNED, ACROSS], ids=["2**53", "2**63", "across"])
@pytest.mark.parametrize("container", WITH_MISSING)
def test_missing_cells_make_no_floats_of_the_others(container, ids):
    X = WITH_MISSING[container](ids)
    tree, y = fitted(X, len(ids))
    assert tree.categories_[0].tolist() == ids
    assert tree.predict(X).tolist() == y


@pytest.mark.parametrize("container", ["objects", "lists", "pandas"])
def test_numbers_of_any_size(container, tmp_path):
    X = CONTAINERS[container](HUGE)
    tree, y = fitted(X, len(HUGE))
    assert tree.categories_[0].tolist() == HUGE
    assert tree.predict(X).tolist() == y
    rw.save(tree, tmp_path / "model")
    again = rw.load(tmp_path / "model")
    assert again.categories_[0].tolist() == HUGE
    assert again.predict(X).tolist() == y


def test_polars_has_128_bits():
    ids = [-1, 2**80, 2**80 + 1]
    X = pl.DataFrame({"id": pl.Series(ids, dtype=pl.Int128)})
    tree, y = fitted(X, 3)
    assert tree.predict(X).tolist() == y


def test_rules_of_forests_tell_neighbours_apart():
    X = pd.DataFrame({"id": np.array([*BEYOND_DOUBLE, 2**53 + 2] * 20, dtype=np.uint64)}).astype("category")
    y = (X["id"] == 2**53 + 1).to_numpy().astype(int)
    forest = rw.HeDExClassifier(n_estimators=5, random_state=0).fit(X, y)
    patterns = rw.inspection.extract_patterns(forest, X, y)
    assert patterns[0].rule == f"id = {2**53 + 1}"


def test_parquet_files_with_missing_cells(tmp_path):
    path = tmp_path / "ids.parquet"
    pa.parquet.write_table(pa.table({"id": pa.array([*BEYOND_DOUBLE, None]), "x": [1.0, 2.0, 3.0]}), path)
    rows = read(Source(path, "ids.parquet"), ColumnRoles(nominal=["id"])).learned.build()
    assert rows.columns.categories[0].tolist() == [str(each) for each in BEYOND_DOUBLE]
    assert rows.frame()["id"].cat.codes.tolist() == [0, 1, -1]
