"""Small files that become large: refused in words before they fill memory or never end."""

import contextlib
import decimal
import gzip
import json
import sqlite3
import tracemalloc
import uuid
import zipfile

import numpy as np
import pytest

import rarewood as rw
from rarewood import distributed
from rarewood._table_files import _columns, proportion
from rarewood._table_files import csv as _csv
from rarewood.datasets import read_file

SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def peak():
    """The most memory taken so far, in bytes."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


@pytest.mark.parametrize("form", ["jsonl", "feather"])
def test_a_long_name_around_many_columns(tmp_path, peak, form):
    path, around = tmp_path / f"t.{form}", "L" * 200_000
    inside = {f"k{number}": 1 for number in range(1000)}
    if form == "jsonl":
        path.write_text("\n".join(map(json.dumps, [{"bad": 0}, {around: inside, "bad": 1}])))
    else:
        pa = pytest.importorskip("pyarrow")
        feather = pytest.importorskip("pyarrow.feather")
        feather.write_feather(pa.table({around: pa.array([inside] * 2), "bad": [0, 1]}), str(path))
    with pytest.raises(ValueError, match=r"names of more than 16,777,216 characters together"):
        read_file(path, target="bad")
    assert peak() < 2**26  # the names are 200 MB


def test_names_full_of_points_cost_no_more_than_others(tmp_path, peak):
    rows = [{"." * 300_000: number, "bad": number % 2} for number in range(2)]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    assert read_file(tmp_path / "t.json", target="bad").X.shape == (2, 1)
    assert peak() < 2**26  # all beginnings of the name that end at a point are 45 GB


@pytest.fixture
def workbook(tmp_path):
    """Makes a workbook whose sheet is changed."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["a", "y"], [1, "no"], [2, "yes"]):
        book.active.append(row)
    book.save(tmp_path / "plain.xlsx")

    def make(change):
        with (
            zipfile.ZipFile(tmp_path / "plain.xlsx") as old,
            zipfile.ZipFile(tmp_path / "t.xlsx", "w", 8, True, 1) as new,
        ):
            for name in old.namelist():
                new.writestr(name, change(old.read(name)) if name == SHEET else old.read(name))
        return tmp_path / "t.xlsx"

    return make


def test_a_workbook_of_one_endless_text(workbook, peak):
    path = workbook(lambda text: text.replace(b">no<", b">" + b" " * 70_000_000 + b"no<"))
    before = peak()
    with pytest.raises(ValueError, match=r"t\.xlsx: its part xl/worksheets/sheet1\.xml becomes 70,\d+,\d+ bytes from"):
        read_file(path)
    assert peak() == pytest.approx(before, rel=0.01)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"</row>", b"<c/>" * 1_100_000 + b"</row>", 1),
        lambda text: text.replace(b"</row>", (b"<c/>" * 500_000 + b"<row/>") * 3 + b"</row>", 1),
        lambda text: text.replace(b"<sheetData>", b"<a/>" * 1_100_000 + b"<sheetData>", 1),
    ],
    ids=["a row", "rows in a row", "no row"],
)
def test_more_elements_than_a_row_has(workbook, peak, change):
    with pytest.raises(
        ValueError, match=r"sheet1\.xml has more than 1,048,576 elements in one row, or outside of rows"
    ):
        read_file(workbook(change))
    assert peak() < 2**25  # the elements are 400 MB


@pytest.mark.parametrize("seed", range(30))
def test_damaged_workbooks_are_read_or_refused(workbook, tmp_path, seed):
    rng = np.random.default_rng(seed)
    path = workbook(lambda text: text)
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    damaged = sorted(parts)[seed % len(parts)]
    with zipfile.ZipFile(tmp_path / "d.xlsx", "w") as new:
        for name, text in parts.items():
            if name != damaged:
                new.writestr(name, text)
            elif seed % 4:
                place = int(rng.integers(len(text)))
                new.writestr(name, text[:place] + bytes(rng.integers(32, 127, 3).tolist()) + text[place + seed % 5 :])
    with contextlib.suppress(ValueError):
        read_file(tmp_path / "d.xlsx")


def test_columns_that_a_database_computes(tmp_path, peak, monkeypatch):
    monkeypatch.setattr(proportion, "LEAST", 2**26)
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "create table t(x, y, g text generated always as (printf('%.*c', 100000, 'x') || x) virtual)"
        )
        connection.executemany("insert into t(x, y) values (?, ?)", [(row, row % 2) for row in range(3000)])
    connection.close()
    with pytest.raises(ValueError, match=r"with [\d,]+ characters in words, which take"):
        read_file(path, target="y")
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.execute("create table t(x int, y int, g varchar generated always as (repeat('x', 10) || x) virtual)")
        connection.execute("insert into t select i, i % 2 from range(60) rows(i)")
    with pytest.raises(ValueError, match=r"has the column 'g', which DuckDB computes .* t\.duckdb::t"):
        read_file(tmp_path / "t.duckdb", target="y")
    assert peak() < 2**28  # the words are 300 MB, and were there several times
    assert read_file(f"{tmp_path / 't.duckdb'}::t", target="y").X.shape == (60, 2)


def test_a_row_at_the_end_of_the_world(workbook):
    path = workbook(lambda text: text.replace(b'<dimension ref="A1:B3" />', b"").replace(b'r="3"', b'r="3000000000"'))
    with pytest.raises(ValueError, match=r"t\.xlsx: sheet 'Sheet' names a row beyond 1,048,576"):
        read_file(path)


OWN = [{f"k{number}": 1, "y": number % 2} for number in range(3000)]
SPARSE = "\n".join(
    [
        "@relation t",
        *(f"@attribute a{n} numeric" for n in range(1000)),
        "@attribute y {0,1}",
        "@data",
        *["{0 1, 1000 1}"] * 4000,
    ]
)
SMALL_FILES = {
    "own.jsonl": "\n".join(map(json.dumps, OWN)),
    "own.json": json.dumps(OWN),
    "own.jsonl.gz": gzip.compress("\n".join(map(json.dumps, OWN)).encode()),
    "sparse.arff": SPARSE,
    "long.csv.gz": gzip.compress(b"a,y\n" + b"".join(b"%s%d,%d\n" % (b"x" * 100_000, n, n % 2) for n in range(400))),
}


@pytest.mark.parametrize("name", list(SMALL_FILES))
def test_more_rows_and_columns_than_a_file_spells(tmp_path, peak, monkeypatch, name):
    monkeypatch.setattr(proportion, "LEAST", 2**23)  # it would take long to reach the real one
    monkeypatch.setattr(proportion, "TIMES", 20)
    monkeypatch.setattr(_columns, "MOST_IN_BLOCK", 2**16)
    monkeypatch.setattr(_columns, "MOST_CHARACTERS", 2**21)
    monkeypatch.setattr(_csv, "MOST_CHARACTERS", 2**21)
    contents = SMALL_FILES[name]
    (tmp_path / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    with pytest.raises(
        ValueError, match=rf"{name} has [\d,]+ bytes, but at least .* MB in memory: more than 20 times its size"
    ):
        read_file(tmp_path / name, target="y")
    assert peak() < 4 * 2**23


@pytest.mark.parametrize("name", ["t.json", "t.json.gz", "t.jsonl", "t.jsonl.gz"])
def test_a_packed_list_of_objects_is_not_unpacked_in_memory(tmp_path, peak, name):
    rows = ['{"x": 7, "y": 0}', '{"x": 8, "y": 1}'] * 5000
    text = ("\n".join(rows) if ".jsonl" in name else f"[{','.join(rows)}]").encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert read_file(tmp_path / name, target="y").X.shape == (10_000, 1)
    assert peak() < 2**23


def test_a_wide_sparse_table_is_read(tmp_path):
    rows = [{f"k{number % 300}": number, "y": number % 2} for number in range(2000)]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read_file(tmp_path / "t.jsonl", target="y").X.shape == (2000, 300)


def test_a_long_category_in_all_rows(tmp_path):
    """Read as text, it would be 20 GB."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    words = pa.DictionaryArray.from_arrays(pa.array(np.arange(100_000, dtype=np.int32) % 2), ["x" * 200_000, "b"])
    table = pa.table({"word": words, "y": np.arange(100_000) % 2})
    for name, store in (("declared.parquet", True), ("plain.parquet", False)):
        pq.write_table(table, tmp_path / name, store_schema=store)
        assert read_file(tmp_path / name, target="y").X.shape == (100_000, 1)
        model = distributed.fit(rw.HeDExClassifier(1, random_state=0), tmp_path / name, "y")
        assert model._columns.kinds[0].n_categories == 2
    pytest.importorskip("pyarrow.feather").write_feather(table, str(tmp_path / "t.feather"))
    assert read_file(tmp_path / "t.feather", target="y").X.shape == (100_000, 1)


def test_a_label_as_long_as_a_book(tmp_path):
    """An array of labels has room for the longest one in every row."""
    (tmp_path / "t.csv").write_text("a,y\n" + "1,x\n" * 1000 + "1," + "y" * 100_000)
    with pytest.raises(ValueError, match=r"row 1001 of the target 'y' has 'yyy.*100,000 characters, which is no label"):
        read_file(tmp_path / "t.csv")


def test_a_cell_that_is_too_long_says_so(tmp_path):
    for text in ('a,y\n"' + "x" * 200_000, '"' + "x" * 200_000):
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(
            ValueError, match=r"line \d+: a cell has more than 131,072 characters; perhaps a quotation mark"
        ):
            read_file(tmp_path / "t.csv")


def test_offsets_that_leave_an_arrow_file(tmp_path):
    """Arrow would read outside of its buffers."""
    pa = pytest.importorskip("pyarrow")
    offsets = pa.py_buffer(np.array([0, 1, 2**30, 3], dtype=np.int32).tobytes())
    words = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"abc")])
    table = pa.table({"word": words, "y": [0, 1, 0]})
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table)
    with pytest.raises(ValueError, match=r"t\.arrow is not a valid Arrow file: .*out of bounds"):
        read_file(tmp_path / "t.arrow", target="y")


@pytest.mark.parametrize("name", ["t.feather", "t.arrow", "t.parquet"])
def test_zeros_that_are_packed_a_thousandfold(tmp_path, monkeypatch, name):
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr(proportion, "LEAST", 2**19)
    monkeypatch.setattr(proportion, "TIMES", 100)
    table = pa.table({"x": np.zeros(200_000), "y": np.zeros(200_000)})
    path = tmp_path / name
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    elif name == "t.feather":
        pytest.importorskip("pyarrow.feather").write_feather(table, str(path), compression="zstd")
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_stream(path, table.schema, options=options) as file:
            file.write_table(table)
    with pytest.raises(ValueError, match=r"more than [\d,]+ times its size"):
        read_file(path, target="y")
    if name == "t.parquet":
        with pytest.raises(ValueError, match=r"more than [\d,]+ times its size"):
            distributed.fit(rw.HeDExClassifier(1), path, "y")


def test_types_of_arrow_that_are_read(tmp_path):
    pa = pytest.importorskip("pyarrow")
    if not hasattr(pa, "uuid"):
        pytest.skip("does not apply: this pyarrow has no such types")
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([10, 25, 40], pa.int32()), pa.array(["a", None, "b"]))
    table = pa.table({
        "runs": runs,
        "thousands": pa.array([decimal.Decimal(1000 * (row % 7)) for row in range(40)], pa.decimal128(9, -3)),
        "id": pa.array([uuid.UUID(int=row % 3).bytes for row in range(40)], pa.uuid()),
        "y": np.arange(40) % 2,
    })  # fmt: skip
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=15)
    X = read_file(tmp_path / "t.arrow", target="y").X
    assert X["runs"].astype(object).where(X["runs"].notna(), None).tolist() == runs.to_pylist()
    assert X["thousands"].tolist() == [1000 * (row % 7) for row in range(40)]
    assert X["id"].nunique() == 3


@pytest.mark.parametrize("kind", ["list", "map", "binary", "interval", "fixed binary"])
def test_types_of_arrow_that_no_cell_can_hold(tmp_path, kind):
    pa = pytest.importorskip("pyarrow")
    cells = {
        "list": pa.array([[1]] * 40),
        "map": pa.array([[("a", 1)]] * 40, pa.map_(pa.string(), pa.int64())),
        "binary": pa.array([b"x"] * 40),
        "interval": pa.array([(1, 2, 3)] * 40, pa.month_day_nano_interval()),
        "fixed binary": pa.array([b"xyz"] * 40, pa.binary(3)),
    }[kind]
    table = pa.table({"cells": cells, "x": np.arange(40) % 7, "y": np.arange(40) % 2})
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table)
    with pytest.raises(ValueError, match=rf"t\.arrow: column 'cells' holds .*{str(cells.type)[:8]}.*--drop cells"):
        read_file(tmp_path / "t.arrow", target="y")
