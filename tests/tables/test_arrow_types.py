"""Numbers and dates that no float is equal to, and dictionaries, are read alike from every container."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood import distributed

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

N = 120
RNG = np.random.default_rng(0)
WHOLE = RNG.integers(2**60, 2**62, N)
DAYS = [dt.date(9999, 12, 31), dt.date(2024, 1, 1), dt.date(1, 1, 1), dt.date(2500, 6, 1)]
COLUMNS = {
    "int64": pa.array(WHOLE, pa.int64()),
    "negative": pa.array(-WHOLE, pa.int64()),
    "uint64": pa.array(WHOLE.astype(np.uint64) + np.uint64(2**63), pa.uint64()),
    "date32": pa.array([DAYS[i % 4] for i in range(N)], pa.date32()),
    "date64": pa.array([DAYS[i % 4] for i in range(N)], pa.date64()),
    "timestamp": pa.array([dt.datetime(9999 - i, 12, 31, 23, 59, 59) for i in range(N)], pa.timestamp("us")),
    "zoned": pa.array([dt.datetime(9998 - i, 12, 31) for i in range(N)], pa.timestamp("us", "UTC")),
    "duration": pa.array([dt.timedelta(days=10**6 + i, microseconds=1) for i in range(N)], pa.duration("us")),
    "dictionary": pa.array(["b", "a", "c", None] * (N // 4)).dictionary_encode(),
}
CONTAINERS = {
    "arrow": lambda table: table,
    "pandas of Arrow types": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "batches": lambda table: pa.Table.from_batches(table.to_batches(max_chunksize=7)),
}
Y = RNG.integers(0, 2, N)


def tables(kind, missing):
    column = COLUMNS[kind]
    cells = column.to_pylist()
    if missing:
        column = pa.array([None if row % 7 == 0 else cell for row, cell in enumerate(cells)], column.type)
        cells = column.to_pylist()
    plain = pd.DataFrame({"c": pd.Series(cells, dtype=object)})
    return plain, pa.table({"c": column})


@pytest.mark.parametrize("missing", [False, True], ids=["full", "missing"])
@pytest.mark.parametrize("container", list(CONTAINERS))
@pytest.mark.parametrize("kind", list(COLUMNS))
def test_every_container_gives_the_same_tree(kind, container, missing):
    plain, table = tables(kind, missing)
    model = rw.TreeClassifier(random_state=0)
    expected = model.fit(plain, Y).predict_proba(plain)
    found = model.fit(CONTAINERS[container](table), Y).predict_proba(CONTAINERS[container](table))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("container", [*CONTAINERS, "pandas"])
def test_decimals_are_the_nearest_floats(container):
    """As a division makes them: Arrow itself multiplies by 1e-9, which makes 0.30000000000000004 of 0.3."""
    tenths = RNG.integers(0, 100, N)
    table = pa.table({"c": pa.array([decimal.Decimal(int(k)) / 10 for k in tenths], pa.decimal128(20, 9))})
    X = {"pandas": pa.Table.to_pandas, **CONTAINERS}[container](table)
    trees = [rw.TreeClassifier().fit(each, Y).tree_ for each in (X, pd.DataFrame({"c": tenths / 10}))]
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)


@pytest.mark.parametrize("container", [*CONTAINERS, "pandas"])
def test_parts_of_a_microsecond_are_cut_off_alike(container):
    nanoseconds = RNG.integers(-3000, 3000, N)
    table = pa.table({"c": pa.array(nanoseconds, pa.duration("ns"))})
    X = {"pandas": pa.Table.to_pandas, **CONTAINERS}[container](table)
    trees = [rw.TreeClassifier().fit(each, Y).tree_ for each in (X, nanoseconds.astype("m8[ns]").reshape(-1, 1))]
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)


@pytest.mark.parametrize("kind", list(COLUMNS))
def test_parts_of_a_parquet_file_are_read_as_the_table_is(kind, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    _, table = tables(kind, missing=True)
    parquet.write_table(table.append_column("y", pa.array(Y)), tmp_path / "t.parquet", row_group_size=50)
    forest = rw.ForestClassifier(n_estimators=3, random_state=0)
    found = distributed.fit(forest, str(tmp_path / "t.parquet"), target="y")
    expected = forest.fit(table, Y)
    np.testing.assert_array_equal(found.predict_proba(table), expected.predict_proba(table))


def test_what_a_container_refuses_names_the_column():
    table = pa.table({"far": pa.array([2**62] * 4, pa.int64()).cast(pa.timestamp("s"))})
    with pytest.raises(ValueError, match="Column 'far' of type Datetime"):
        rw.TreeClassifier().fit(table.to_pandas(types_mapper=pd.ArrowDtype), [0, 1, 0, 1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.int64, bool, "M8[s]", "U3", object])
def test_a_masked_cell_is_a_missing_one(dtype):
    cells = np.random.default_rng(0).integers(0, 9, (60, 3)).astype(dtype if dtype is not object else int).astype(dtype)
    mask = np.random.default_rng(1).random((60, 3)) < 0.2
    y = np.where(mask[:, 0], "masked", "not")
    masked = np.ma.MaskedArray(cells, mask)
    model = rw.TreeClassifier(random_state=0).fit(masked, y)
    assert model.score(masked, y) == 1.0
    plain = cells.astype(object)
    plain[mask] = None
    np.testing.assert_array_equal(model.predict_proba(plain), model.predict_proba(masked))
    np.testing.assert_array_equal(
        rw.TreeClassifier(random_state=0).fit(plain, y).predict_proba(plain), model.predict_proba(masked)
    )


def test_masked_whole_numbers_of_any_size_and_masked_labels_and_weights():
    X = np.ma.MaskedArray([[2**60], [2**60 + 1024], [5], [7]], [[False], [False], [True], [False]])
    y = np.ma.MaskedArray([0, 1, 0, 1], [False, False, False, True])
    assert rw.TreeClassifier().fit(X[:3], y[:3]).predict(X[:2]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="row 3 has no label"):
        rw.TreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        rw.TreeClassifier().fit(X[:3], y[:3], np.ma.MaskedArray([1.0, 1.0, 1.0], [False, True, False]))


@pytest.mark.parametrize("kind", [pa.timestamp, pa.duration])
@pytest.mark.parametrize(("unit", "ticks"), [("s", 2**62), ("s", -(2**44)), ("ms", 2**60)])
def test_moments_beyond_all_years_are_refused(kind, unit, ticks):
    """Their microseconds would be more than 64 bits hold, and what is left of them a date of our days."""
    table = pa.table({"c": pa.array([ticks, 0, None] * 20, kind(unit))})
    y = [0, 1, 1] * 20
    parts = [table.append_column("y", pa.array(y))]
    with pytest.raises(ValueError, match=r"'c'.* out of range"):
        rw.TreeClassifier().fit(table, y)
    with pytest.raises(ValueError, match=r"'c'.* out of range"):
        rw.TreeClassifier().fit(table.to_pandas(types_mapper=pd.ArrowDtype), y)
    with pytest.raises(ValueError, match=r"'c'.* out of range"):
        distributed.fit(rw.HeDExClassifier(1, random_state=0), parts, "y")
    years = pa.table({"c": pa.array([2**40, 0, None] * 20, kind("s"))})
    assert rw.TreeClassifier().fit(years, y).tree_.threshold[0] == 2.0**39
