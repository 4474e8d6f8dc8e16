"""Names of columns below titles and empty rows."""

import datetime as dt

import pytest

from rarewood._table_files._header import rows_above_header
from rarewood._table_files.dialects import Dialect, find_separator, told_dialect
from rarewood._table_files.reading import ColumnRoles, read
from rarewood._table_files.sources import Source

TABLE = [["day", "town", "n"], ["2024-01-01", "Aix", "1"], ["2024-01-02", "Bern", "2"], ["2024-01-03", "", "3"]]
DAY = dt.date(2024, 1, 1)


@pytest.mark.parametrize(
    ("above", "rows"),
    [
        ([], TABLE),
        ([["Report"]], TABLE),
        ([["Report", "", ""], ["", "", ""]], TABLE),
        ([[None, None, None], ["Report 2024", None, None], []], TABLE),
        ([[], [], []], [["town", "n"], ["Aix", 1.5], ["Bern", 2.5]]),
        ([[None], ["made", None, None, None]], [[None, "town", "n"], [None, "Aix", DAY], [None, "Bern", DAY]]),
    ],
)
def test_titles_and_empty_rows(above, rows):
    assert rows_above_header([*above, *rows]) == len(above)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [["a"], ["b"], ["c"]],
        [["a", "b"], ["1", "2", "3"], ["4", "5", "6"]],  # a name is missing: an error elsewhere
        [["", "x"], ["0", "1.5"], ["1", "2.5"]],  # an index without a name
        [["x"], ["1", "2"], ["3", "4"]],
        [["title"], ["a", "a"], ["1", "2"], ["3", "4"]],
        [["title"], ["2024-01-01", "x"], ["2024-01-02", "y"], ["2024-01-03", "z"]],
    ],
)
def test_what_is_not_certain_is_left_alone(rows):
    assert rows_above_header(rows) == 0


def test_separators_below_a_title():
    assert find_separator("Report, by the office\na;b;c\n1;2;3\n4;5;6\n7;8;9\n") == ";"
    assert find_separator("Report\n\na\tb\n1\t2\n3\t4\n5\t6\n") == "\t"


def columns_of(tmp_path, data, dialect=None):
    (tmp_path / "x").write_bytes(data)
    return read(Source(tmp_path / "x", "x", dialect or Dialect()), ColumnRoles())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("title", ["Report\n\n", '"Report\nof two lines";;\n', "\n"])
def test_text_files(tmp_path, encoding, title):
    found = columns_of(tmp_path, (title + "a;b;c\n1;2;x\n3;4;y\n").encode(encoding))
    assert found.learned.build().names == ["a", "b", "c"]
    assert "the names of the columns are in line" in " ".join(map(str, found.notes))


def test_what_a_user_says_and_the_lines_of_errors(tmp_path):
    data = b"# made by x\n# 2024,1,2\na,b\n1,2\n3,4\n"
    found = columns_of(tmp_path, data, told_dialect(skip=2))
    assert found.learned.build().matrix.tolist() == [[1, 2], [3, 4]]
    assert not found.notes
    with pytest.raises(ValueError, match=r"\(line 6\): 1 cells, but the header has 2"):
        columns_of(tmp_path, data + b"5\n", told_dialect(skip=2))
    with pytest.raises(ValueError, match=r"\(line 5\): 1 cells"):
        columns_of(tmp_path, b"Title\na,b,c\n1,2,3\n4,5,6\n5\n")
    with pytest.raises(ValueError, match="skip -1 should be"):
        told_dialect(skip=-1)
