"""Which category a dtype, a file or the first row has in front plays no role: the same table gives the same trees."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rarewood as rw
from rarewood.datasets import read_file
from rarewood.distributed import fit
from support.parted import check_same

LANDS = ["RO", "DE", "FR", "NG", "US", "XX"]  # the last is in no row


def table(n=300):
    rng = np.random.default_rng(3)
    land = rng.choice(LANDS[:-1], n).astype(object)
    size = rng.choice(["10", "9", "8.5"], n)
    x = rng.normal(size=n).round(2)
    y = np.where((land == "NG") & (x > 0) | (size == "10") & (x > 1), "bad", "good").astype(object)
    land[::17] = None
    return pd.DataFrame({"land": land, "size": size, "x": x}), y


def as_category(X, levels, **options):
    return X.assign(land=pd.Categorical(X["land"], levels, **options), size=pd.Categorical(X["size"], **options))


def as_dictionaries(X):
    text = pa.Table.from_pandas(X, preserve_index=False)
    for place, name in enumerate(("land", "size")):
        text = text.set_column(place, name, text[name].dictionary_encode())
    return text


CONTAINERS = {
    "pandas, category": lambda X: as_category(X, sorted(LANDS)),
    "pandas, another order": lambda X: as_category(X, LANDS),
    "pandas, ordered": lambda X: as_category(X, LANDS[::-1], ordered=True),
    "polars, text": pl.from_pandas,
    "polars, Categorical": lambda X: pl.from_pandas(X).cast({"land": pl.Categorical, "size": pl.Categorical}),
    "polars, Enum": lambda X: pl.from_pandas(X).cast({"land": pl.Enum(LANDS)}),
    "pyarrow, dictionaries": as_dictionaries,
    "nested lists": lambda X: X.astype(object).to_numpy().tolist(),
}


@pytest.fixture(scope="module")
def of_text():
    X, y = table()
    return rw.RareClassifier(12, random_state=0).fit(X, y)


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers(name, of_text):
    X, y = table()
    model = rw.RareClassifier(12, random_state=0).fit(CONTAINERS[name](X), y)
    check_same(model, of_text, saved=name != "nested lists")  # which have no names of columns


@pytest.mark.parametrize("levels", [LANDS, sorted(LANDS)[::-1]])
def test_parts_and_parquet_files(levels, of_text, tmp_path):
    X, y = table()
    frame = as_category(X, levels).assign(y=y)
    model = rw.RareClassifier(12, random_state=0)
    check_same(fit(model, [frame[:100], X.assign(y=y)[100:]], "y"), of_text)
    frame.to_parquet(tmp_path / "t.parquet")
    data = read_file(tmp_path / "t.parquet")
    check_same(rw.RareClassifier(12, random_state=0).fit(data.X, data.y.astype(object)), of_text)


def test_the_command_line_with_and_without_little_memory(of_text, tmp_path, program):
    X, y = table()
    as_category(X, LANDS).assign(y=y).to_parquet(tmp_path / "t.parquet")
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    for name, options in (("t.parquet", []), ("t.parquet", ["--memory", "8GB"]), ("t.csv", ["--nominal", "size"])):
        out = tmp_path / "m.rarewood"
        command = ["fit", tmp_path / name, "-s", "n_estimators=12", "--rules", "0", "--json", "-o", out, *options]
        assert program(*command).json["columns"] == {"land": "nominal", "size": "nominal", "x": "number"}
        check_same(rw.load(out), of_text, saved=False)
