"""Structures in files: the same columns from JSON objects inside each other, Parquet and Arrow."""

import json

import numpy as np
import pytest

from rarewood.datasets import read_file

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS = [
    {"x": i, "user": None if i == 7 else {"country": "DE" if i % 3 else "NG", "home": {"zip": i % 5}}, "bad": i % 2}
    for i in range(40)
]


@pytest.mark.parametrize("form", ["json", "jsonl", "parquet", "feather"])
def test_fields_become_columns(tmp_path, form):
    path = tmp_path / f"t.{form}"
    if form == "json":
        path.write_text(json.dumps(ROWS))
    elif form == "jsonl":
        path.write_text("\n".join(map(json.dumps, ROWS)))
    elif form == "parquet":
        parquet.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=9)
    else:
        feather.write_feather(pa.Table.from_pylist(ROWS), path)
    X = read_file(path, target="bad").X
    assert X.columns.tolist() == ["x", "user.country", "user.home.zip"]
    assert X["user.country"].isna().tolist() == X["user.home.zip"].isna().tolist() == [i == 7 for i in range(40)]
    assert X["user.country"].dropna().tolist() == [row["user"]["country"] for row in ROWS if row["user"]]


def test_categories_of_a_field(tmp_path):
    words = pa.array([row["user"]["country"] if row["user"] else None for row in ROWS]).dictionary_encode()
    table = pa.table({"user": pa.StructArray.from_arrays([words], ["country"]), "bad": np.arange(40) % 2})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=9)
    assert set(read_file(tmp_path / "t.parquet", target="bad").X["user.country"].cat.categories) == {"DE", "NG"}


def test_what_has_no_columns_is_named_at_once(tmp_path):
    rows = [{**row, "user": {"names": ["a"]}, "tags": [1, 2]} for row in ROWS]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    with pytest.raises(
        ValueError, match=r"'user.names' holds lists \(list<.*>\), column 'tags' lists \(list<.*int64>\)"
    ):
        read_file(tmp_path / "t.parquet", target="bad")
    twice = pa.Table.from_pylist(ROWS).append_column("user.country", pa.array(range(40)))
    parquet.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"more than one column named 'user\.country'"):
        read_file(tmp_path / "t.parquet", target="bad")
