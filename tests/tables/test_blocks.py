import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood._table_files._plain_lines import parse_plain
from rarewood._table_files.sources import open_blocks
from rarewood._tables.cells import MISSING, as_numbers, as_text

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0\ufeff", exclude_categories=["Cs"]), max_size=6)


@st.composite
def csv_files(draw):
    width = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=12))
    return [f"c{i}" for i in range(width)], rows, draw(st.sampled_from(",;\t"))


@given(csv_files(), st.integers(1, 15), st.booleans())
def test_blocks_joined_are_the_file(file, n_rows, packed):
    header, rows, delimiter = file
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, *rows])
    data = text.getvalue().encode()
    with open_blocks(io.BytesIO(gzip.compress(data) if packed else data), "x", n_rows) as (names, blocks):
        found = list(blocks)
    assert names == header
    assert [list(row) for block in found for row in zip(*block.columns.values())] == rows
    assert [block.first for block in found] == list(range(1, len(rows) + 1, n_rows))
    assert all(block.n_rows <= n_rows for block in found)


def test_empty_lines_are_passed_over():
    with open_blocks(io.BytesIO(b"a,b\n\n1,2\n\n\n\n3,4\n\n\n"), "x", 2) as (_, blocks):
        assert [list(zip(*block.columns.values())) for block in blocks] == [[("1", "2")], [("3", "4")]]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("1", " 2.5 ", "1e3"), [1, 2.5, 1000]),
        (("1", "", "NA", "?", " nan "), [1, np.nan, np.nan, np.nan, np.nan]),
        ([1, None, True, False, 0, 2.5], [1, np.nan, 1, 0, 0, 2.5]),
        (np.array([1, 2], dtype=np.int8), [1, 2]),
    ],
)
def test_cells_to_numbers(cells, expected):
    np.testing.assert_array_equal(as_numbers(cells, "a", "x"), expected)


def test_cells_that_are_no_numbers_are_named():
    with pytest.raises(ValueError, match="x: column 'a' should hold numbers, but row 12 has 'two'"):
        as_numbers(["1", "", "two"], "a", "x", first=10)
    with pytest.raises(ValueError, match="x: column 'a' is infinite in row 2"):
        as_numbers(["1", "-inf"], "a", "x")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ((" a", "b ", ""), ["a", "b", ""]),
        ([1, None, 2.5, "x ", float("nan")], ["1", "", "2.5", "x", ""]),
        (np.array([1.0, np.nan, 2.5]), ["1", "", "2.5"]),
        (np.array([3, 4]), ["3", "4"]),
    ],
)
def test_cells_to_text(cells, expected):
    assert as_text(cells) == expected


TRICKY = [
    "",
    "1",
    "-0",
    "2.50",
    "1e3",
    "1e400",
    "-inf",
    "nan",
    "NaN",
    "NA",
    "?",
    " 3",
    "4 ",
    "1_0",
    "0x1",
    "1.",
    ".5",
    "+7",
]
TRICKY += [
    "5e-324",
    "0.1",
    "9007199254740993",
    "1e22",
    "True",
    "null",
    "None",
    "<null>",
    "N/A",
    "x",
    " x",
    "é",
    "#",
    "'",
    "\\",
]
KINDS = {"a": "number", "b": "nominal", "d": "text"}


@given(
    st.lists(st.lists(st.sampled_from(TRICKY), min_size=4, max_size=4), min_size=1, max_size=6), st.sampled_from(";\t")
)
def test_lines_parsed_at_once_are_those_read_carefully(rows, delimiter):
    lines = [delimiter.join(row) + "\n" for row in rows]
    found = parse_plain(lines, list("abcd"), delimiter, KINDS)
    if found is None:
        return
    a, b, _, d = zip(*rows)
    assert list(found) == ["a", "b", "d"]
    cells = [np.nan if cell in MISSING else float(cell) for cell in a]
    np.testing.assert_array_equal(found["a"], cells)
    assert [None if cell != cell else cell for cell in found["b"].tolist()] == [
        None if cell in MISSING else cell for cell in b
    ]
    assert found["d"] == list(d)


def test_plain_numbers_and_categories_are_parsed_at_once():
    found = parse_plain(["1.5,x,,NA\r\n", ",?,2, u\r\n"], list("abcd"), ",", KINDS)
    np.testing.assert_array_equal(found["a"], [1.5, np.nan])
    assert found["b"].categories.tolist() == ["x"]
    assert found["b"].codes.tolist() == [0, -1]
    assert found["d"] == ["NA", " u"]


@pytest.mark.parametrize(
    "lines",
    [
        ["1,x\n", '2,"y"\n'],
        ["1,x\n", "2\n"],
        ["1,x\n", "2,y,z\n"],
        ["1,x,u\n", "2\n"],
        ["1,x\n", "\n"],
        ["1,x\n", "two,y\n"],
        ["True,x\n", "False,y\n"],
        ["1,x\n", "2, y\n"],
        ["1,x\n", "2,\0\n"],
        [],
    ],
)
def test_peculiar_lines_are_left_to_a_careful_reader(lines):
    assert parse_plain(lines, ["a", "b"], ",", KINDS) is None


def test_careful_and_plain_blocks_follow_each_other():
    lines = ["1,x,p", '2,"y', 'y",q', "3,z,r", "4,x,s", "", "5,y,t"]
    data = ("a,b,d\n" + "\n".join(lines)).encode()
    with open_blocks(io.BytesIO(data), "x", 2, KINDS) as (_, blocks):
        found = [(block.first, block.n_rows, hasattr(block.columns["b"], "categories")) for block in blocks]
    assert found == [(1, 2, False), (3, 2, True), (5, 1, False)]
    with open_blocks(io.BytesIO(data), "x", 2, KINDS) as (_, blocks):
        assert [cell for block in blocks for cell in block.columns["d"]] == list("pqrst")


def test_errors_name_the_line_after_blocks_that_were_plain():
    data = b"a,b,d\n1,x,p\n2,y,q\n3,z,r\n4,x\n"
    with (
        open_blocks(io.BytesIO(data), "x", 2, KINDS) as (_, blocks),
        pytest.raises(ValueError, match=r"x, row 4 \(line 5\): 2 cells, but the header has 3"),
    ):
        list(blocks)
