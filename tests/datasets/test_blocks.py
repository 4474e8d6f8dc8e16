import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood.datasets._blocks import as_numbers, as_text, open_blocks

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
