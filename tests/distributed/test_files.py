"""Parquet files that are damaged or strange, read in parts."""

import contextlib

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import rarewood as rw

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def fit(path):
    return rw.distributed.fit(rw.HeDExClassifier(2, random_state=0), path, "y")


def table(n=60):
    return pa.table({"x": np.arange(n) % 7, "word": [f"w{row % 3}" for row in range(n)], "y": np.arange(n) % 2})


@pytest.mark.parametrize("name", ["data[1].parquet", "what?.parquet", "a*.parquet"])
def test_a_name_that_looks_like_a_glob(tmp_path, name):
    pq.write_table(table(), tmp_path / name)
    pq.write_table(table().slice(0, 10), tmp_path / "data1.parquet")
    assert fit(str(tmp_path / name)).n_features_in_ == 2


def test_a_name_that_comes_twice(tmp_path):
    pq.write_table(pa.table([[1, 2], [3, 4], [0, 1]], names=["a", "a", "y"]), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet has more than one column named 'a'; give each a different name"):
        fit(tmp_path / "t.parquet")


def test_fields_of_structures_are_columns(tmp_path):
    user = pa.struct([("country", pa.string()), ("age", pa.int64())])
    people = [None if row == 5 else {"country": "DE" if row % 3 else "NG", "age": row} for row in range(60)]
    pq.write_table(table().append_column("user", pa.array(people, user)), tmp_path / "t.parquet", row_group_size=25)
    assert fit(tmp_path / "t.parquet").feature_names_in_.tolist() == ["x", "word", "user.country", "user.age"]


def test_what_no_cell_can_hold_is_named_with_its_type(tmp_path):
    pq.write_table(table().append_column("tags", pa.array([["a"]] * 60)), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"neither numbers nor words: 'tags' \(List\(String\)\)"):
        fit(tmp_path / "t.parquet")


@pytest.mark.parametrize("inner", [rw.TreeClassifier(), rw.RareClassifier(30, random_state=0)], ids=str)
def test_problems_that_read_tables_each_for_itself_know_the_words_of_the_model(tmp_path, inner):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=90), "word": rng.choice(["NA", "a", "b"], 90)})
    model = rw.OneVsAllClassifier(inner).fit(X, np.array(["p", "q", "r"])[rng.integers(0, 3, 90)])
    pq.write_table(pa.Table.from_pandas(X), tmp_path / "t.parquet", row_group_size=25)
    found = np.concatenate(list(rw.distributed.predict_proba(model, str(tmp_path / "t.parquet"))))
    np.testing.assert_array_equal(found, model.predict_proba(X))


def test_problems_of_other_libraries_know_no_words():
    X = pd.DataFrame({"x": np.arange(30.0)})
    model = rw.OneVsAllClassifier(LogisticRegression()).fit(X, np.arange(30) % 3)
    found = np.concatenate(list(rw.distributed.predict_proba(model, [X[:9], X[9:]])))
    np.testing.assert_allclose(found, model.predict_proba(X), rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_are_read_or_refused(tmp_path, seed):
    rng = np.random.default_rng(seed)
    pq.write_table(table(), tmp_path / "t.parquet", row_group_size=25, compression="none")
    data = bytearray((tmp_path / "t.parquet").read_bytes())
    for place in rng.integers(4, len(data) // 3, 5).tolist():  # what follows describes the columns
        data[place] = int(rng.integers(256))
    (tmp_path / "t.parquet").write_bytes(bytes(data[: len(data) - seed % 2]))
    with contextlib.suppress(ValueError, TypeError):
        fit(tmp_path / "t.parquet")
