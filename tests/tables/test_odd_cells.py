"""A few cells that are not of the kind of their column are counted and missing; many of them make it another kind."""

import numpy as np
import pytest

from rarewood._table_files.dialects import Dialect, told_dialect
from rarewood._table_files.reading import ColumnRoles, read
from rarewood._table_files.sources import Source
from rarewood._tables.cells import CellError, InfiniteCellError
from rarewood._tables.kinds import Numbers
from rarewood._tables.kinds.guessing import TextHints, guess_among_odd
from rarewood._tables.kinds.odd_cells import OddCells, are_few
from rarewood._tables.number_texts import NumberWriting


@pytest.mark.parametrize(
    ("n_odd", "n_words", "n_present", "few"),
    [(1, 1, 12, True), (2, 1, 12, False), (10, 5, 100, True), (10, 6, 100, False), (10, 10, 10_000, True)],
)
def test_a_few_words_or_hardly_any_cell(n_odd, n_words, n_present, few):
    assert are_few(n_odd, n_words, n_present) is few


@pytest.mark.parametrize(
    ("cells", "word"),
    [
        ([*map(str, range(30)), "unknown"], "number"),
        ([*(f"{i},5 %" for i in range(30)), "k.A."], "number"),
        ([*(f"2024-01-{i:02d}" for i in range(1, 31)), "-", "-"], "date"),
        ([*range(30), "unknown"], "number"),
        ([*map(str, range(9)), "unknown"], None),
        ([*map(str, range(30)), *(f"V{i}" for i in range(20))], None),
        ([*"abcdefghijklmnopqrstuvwxyz", "1"], None),
        ([[1], "x"], None),
    ],
)
def test_the_kind_of_nearly_all_cells(cells, word):
    kind = guess_among_odd(cells, "a", TextHints())
    assert (None if kind is None else kind.word) == word


def test_half_of_the_cells_are_not_odd():
    odd, parse = OddCells(), Numbers().parse
    found, kept = odd.parse(parse, ["1", "x", "3"], "a", "t", 11, 0)
    np.testing.assert_array_equal(found, [1, np.nan, 3])
    assert kept == ["1", None, "3"]
    assert odd.first == {"a": (12, "x")}
    with pytest.raises(CellError, match="row 3 has 'y'"):
        odd.parse(parse, ["1", "y"], "a", "t", 2, 0)
    odd.parse(parse, ["y"], "a", "t", 30, 29)
    assert odd.counts["a"] == 2
    with pytest.raises(CellError, match="infinite"):
        odd.parse(parse, ["1", "inf", "2", "3"], "a", "t", 1, 0)


@pytest.mark.parametrize("writing", [None, NumberWriting(signs=("currency",))], ids=["plain", "currency"])
def test_an_infinite_cell_is_no_odd_one_whatever_is_beside_it(writing):
    odd = OddCells()
    with pytest.raises(InfiniteCellError, match="column 'a' is infinite in row 2"):
        odd.parse(Numbers(writing).parse, ["1", "1e400", "x", "2", "3"], "a", "t", 1, 0)
    assert not odd.counts


def columns_of(tmp_path, contents, dialect=None, **roles):
    (tmp_path / "x").write_text(contents)
    return read(Source(tmp_path / "x", "x", dialect or Dialect()), ColumnRoles(**roles))


def numbers_and(*last):
    return "a\n" + "".join(f"{i}\n" for i in (*range(40), *last))


def test_late_cells_are_counted_over_the_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr("rarewood._table_files.reading._ROWS_AT_ONCE", 10)
    found = columns_of(tmp_path, numbers_and("x", "y"))
    assert found.learned.odd.counts == {"a": 2}
    assert "'a' holds numbers, but 2 of 42 cells do not, such as 'x' in row 41" in str(found.notes[0])
    assert found.learned.build().frame()["a"].isna().sum() == 2
    found = columns_of(tmp_path, numbers_and(*["x"] * 9))  # more than a tenth
    assert found.learned.kinds["a"].word == "nominal"
    found = columns_of(tmp_path, numbers_and(*["x"] * 9), numeric=["a"])  # a user says so
    assert found.learned.kinds["a"].word == "number"
    with pytest.raises(ValueError, match="row 41 has 'x'"):
        columns_of(tmp_path, numbers_and("x"), Dialect(strict=True))


def test_rows_without_a_label_keep_their_numbers(tmp_path):
    rows = [f"{i},{'' if i == 5 else 'no'}" for i in range(40)]
    text = "a,y\n" + "\n".join([*rows[:5], "Sum,", *rows[6:], "x,no"]) + "\n"
    found = columns_of(tmp_path, text, text=["y"], label="y")
    assert found.learned.odd.first == {"a": (41, "x")}  # and not the sum, which nobody uses


def test_points_that_come_late_say_what_they_mean(tmp_path, monkeypatch):
    """Read alone, 2.775 behind whole numbers below a thousand are thousands; behind larger ones they are not."""
    monkeypatch.setattr("rarewood._table_files.reading._ROWS_AT_ONCE", 10)
    small, large = [str(100 + i) for i in range(20)], [str(1000 + i) for i in range(20)]
    late = [f"{i}.{i * 7:03d}" for i in range(1, 9)]
    found = columns_of(tmp_path, "a\n" + "\n".join(small + late) + "\n")
    assert found.learned.build().frame()["a"].tolist()[-1] == 8056
    assert "points between thousands" in str(found.notes[0])
    found = columns_of(tmp_path, "a\n" + "\n".join(large + late) + "\n")
    assert found.learned.build().frame()["a"].tolist()[-1] == 8.056
    found = columns_of(tmp_path, "a\n" + "\n".join([*small, "1.5", *late]) + "\n")
    assert found.learned.build().frame()["a"].tolist()[-1] == 8.056


@pytest.mark.parametrize("quote", ["", '"'])
def test_words_for_missing_cells(tmp_path, quote):
    """Plain lines and careful ones are the same."""
    rows = [f"{quote}{i}{quote},w{i % 3},2024-01-{1 + i % 28:02d}" for i in range(40)]
    text = "\n".join(["a,b,c", *rows, "-999.0,w1,-", "k.A.,k.A.,2024-01-01", "7, - ,2024-01-01"]) + "\n"
    dialect = told_dialect(missing={None: ["k.A.", "-"], "a": ["-999"]})
    frame = columns_of(tmp_path, text, dialect).learned.build().frame()
    assert frame["a"].isna().tolist()[-3:] == [True, True, False]
    assert frame["b"].isna().tolist()[-3:] == [False, True, True]
    assert frame["c"].isna().tolist()[-3:] == [True, False, False]
    assert frame.isna().sum().sum() == 5


def test_truth_values_are_written_in_one_way(tmp_path):
    text = "a,b\nTRUE,true\nfalse,no\n,true\nTrue,no\n"
    rows = columns_of(tmp_path, text).learned.build()
    assert [kind.categories.tolist() for kind in rows.columns.kinds] == [["False", "True"], ["no", "true"]]
    np.testing.assert_array_equal(rows.matrix[:, 0], [1, 0, np.nan, 1])


def test_errors_of_a_spreadsheet_are_counted_where_rows_are_used(tmp_path):
    cells = ["#VALUE!", " #REF! ", "", "NA", "7", "#DIV/0!"]
    lines = [f"{cell},{'w' if i % 2 else cell},{'' if i == 5 else 'no'}" for i, cell in enumerate(cells * 4)]
    found = columns_of(tmp_path, "a,b,y\n" + "\n".join(lines) + "\n", text=["y"], label="y")
    assert dict(found.learned.errors) == {"a": 11, "b": 4}
    assert [str(note) for note in found.notes if "spreadsheet" in str(note)] == [
        f"column {name!r} has errors of a spreadsheet, such as #VALUE!, in {n} of 24 rows; they count as missing"
        for name, n in (("a", 11), ("b", 4))
    ]
