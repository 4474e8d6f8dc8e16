"""Small files that become large: refused in words before they fill memory or never end."""

import json
import tracemalloc
import zipfile

import numpy as np
import pytest

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


def test_a_row_at_the_end_of_the_world(workbook):
    path = workbook(lambda text: text.replace(b'<dimension ref="A1:B3" />', b"").replace(b'r="3"', b'r="3000000000"'))
    with pytest.raises(ValueError, match=r"t\.xlsx: sheet 'Sheet' names a row beyond 1,048,576"):
        read_file(path)


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
