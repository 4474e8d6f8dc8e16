"""How text files write tables: found out, not assumed."""

import io

import numpy as np
import pandas as pd
import pytest

from rarewood import datasets
from rarewood._table_files.dialects import Dialect, find_encoding, find_separator
from rarewood._table_files.formats import recognise
from rarewood._table_files.reading import ColumnRoles, guess, read
from rarewood._table_files.sources import Source, open_blocks
from rarewood.exceptions import RarewoodWarning


def dialect(text, told=None, encoding="utf-8"):
    return (told or Dialect()).of_file(text.encode(encoding), "x")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"])
def test_encodings_are_found(encoding):
    text = "größe;ort\n" + "1;Köln\n" * 50
    found = dialect(text, encoding=encoding)
    assert text.encode(encoding).decode(found.encoding).removeprefix("\ufeff") == text
    assert found.separator == ";"


def test_a_character_cut_off_is_no_reason_to_doubt():
    assert find_encoding("aé".encode()[:-1]) == "utf-8"


@pytest.mark.parametrize("separator", list(",;\t|"))
def test_separators_are_found_among_others(separator):
    rows = [["name, first", "b;c", "d|e\tf"], ["Li, Bo", "1;2", "x|y"]]
    text = "\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows)
    assert find_separator(text + "\n") == separator


def test_decimal_commas_are_no_separators():
    assert find_separator("a;b;c\n1,5;2,5;3,5\n1,5;2,5;3,5\n") == ";"


@pytest.mark.parametrize(
    ("text", "decimal", "thousands"),
    [
        ("a;b\n1,5;x\n2,25;y\n", ",", ""),
        ("a;b\n1.5;x\n2.25;y\n", ".", ""),
        ("a;b\n1.234,5;x\n", ",", "."),
        ('a,b\n"1,234.5",x\n"12,345",y\n', ".", ","),
        ("a;b\n1'234.5;x\n", ".", "'"),
        ("a;b\n1 234,5;x\n", ",", " "),
        ("a;b\n31.12.2024;x\n10.0.0.1;y\n", ".", ""),
        ("a;b\n0,125;x\n", ",", ""),
        ('a,b\n"1,234",x\n', ".", ","),
        ("a,b\n1,x\n", ".", ""),
    ],
)
def test_marks_in_numbers(text, decimal, thousands):
    found = dialect(text)
    assert (found.decimal, found.thousands) == (decimal, thousands)


def test_only_whole_numbers_are_rewritten():
    found = Dialect(";", ",", "utf-8", ".")
    cells = ["1.234,5", "-1.234", "12,5", "10.0.0.1", "31.12.2024", "1.23", "x", "", "1e3"]
    assert found.plain_cells(cells) == ["1234.5", "-1234", "12.5", "10.0.0.1", "31.12.2024", "1.23", "x", "", "1e3"]


def test_what_is_told_is_not_looked_for():
    assert dialect("a;b\n1,5;2\n", Dialect(separator=",", decimal=".")) == Dialect(",", ".", "utf-8", "", skip=0)
    with pytest.raises(ValueError, match="no encoding 'klingon'"):
        dialect("a", Dialect(encoding="klingon"))
    with pytest.raises(ValueError, match="not text in UTF-8"):
        dialect("né\n", Dialect(encoding="utf-8"), encoding="latin-1")


def test_ordinary_files_need_no_words():
    assert dialect("a,b\n1.5,x\n").in_words() is None
    assert "semicolons between cells, decimal commas" in dialect("a;b\n1,5;x\n").in_words()


@pytest.mark.parametrize(
    ("start", "suffix"),
    [
        (b"PAR1", ".parquet"),
        (b"ARROW1", ".arrow"),
        (b"PK\x03\x04", ".xlsx"),
        (b"SQLite format 3\x00", ".sqlite"),
        (bytes(8) + b"DUCK", ".duckdb"),
        (b'{"a": 1}', ".jsonl"),
        (b'[\n {"a": 1}]', ".json"),
        (b"@relation x", ".arff"),
        (b"% comment\n@RELATION x", ".arff"),
        (b"@timestamp,b\n1,2", ".csv"),
        (b"a,b\n1,2", ".csv"),
    ],
)
def test_first_bytes_decide(start, suffix):
    assert recognise(io.BytesIO(start), "x")[1].suffixes[0] == suffix


def source(tmp_path, contents):
    path = tmp_path / "x"
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return Source(path, "x")


def columns_of(tmp_path, contents, **roles):
    return read(source(tmp_path, contents), ColumnRoles(**roles))


def categories_of(found, name, *, ordered=False):
    rows = found.learned.build(ordered=ordered)
    return rows.columns.categories[rows.names.index(name)].tolist()


class TestReading:
    def test_kinds(self, tmp_path):
        found = columns_of(tmp_path, "n,w,d,t,y\n1,a,2024-01-31,10:00,u\n,,,,v\n2.5,b,2024-02-01,11:30,u\n", text=["y"])
        frame = found.learned.build().frame()
        assert {name: kind.word for name, kind in found.learned.kinds.items()} == {
            "n": "number", "w": "nominal", "d": "date", "t": "time",
        }  # fmt: skip
        assert found.text == {"y": ["u", "v", "u"]}
        np.testing.assert_array_equal(frame["n"], [1, np.nan, 2.5])
        assert frame["w"].tolist()[::2] == ["a", "b"]
        assert frame["d"].tolist()[0] == pd.Timestamp("2024-01-31")
        assert frame["t"].tolist()[2] == pd.Timedelta(hours=11.5)

    @pytest.mark.parametrize(
        ("last", "word"), [("7", "number"), ("x", "nominal"), ("", "number"), ("2024-01-01", "nominal")]
    )
    def test_late_cells_refute_a_guess(self, tmp_path, monkeypatch, last, word):
        monkeypatch.setattr("rarewood._table_files.reading._ROWS_AT_ONCE", 3)
        found = columns_of(tmp_path, "a\n" + "".join(f"{i}\n" for i in range(8)) + f'"{last}"\n')
        assert found.learned.kinds["a"].word == word
        if word == "nominal":
            assert categories_of(found, "a") == [*map(str, range(8)), last]
        else:
            assert found.learned.build().frame()["a"][:8].tolist() == list(range(8))

    def test_late_dates_and_times_of_day(self, tmp_path, monkeypatch):
        monkeypatch.setattr("rarewood._table_files.reading._ROWS_AT_ONCE", 2)
        found = columns_of(tmp_path, "a,b\n,1\n,1\n2024-01-01,1\n2024-01-02,1\n2024-01-02 10:00,1\n")
        assert found.learned.kinds["a"].word == "datetime"

    def test_a_guess_is_of_the_first_rows(self, tmp_path, monkeypatch):
        monkeypatch.setattr("rarewood._table_files.reading._ROWS_AT_ONCE", 2)
        kinds = guess(source(tmp_path, "a,b,c\n1,x,1\n2,y,1\nz,z,1\n"), ColumnRoles(nominal=["c"])).kinds
        assert {name: kind.word for name, kind in kinds.items()} == {"a": "number", "b": "nominal", "c": "nominal"}

    def test_kinds_that_are_given_are_not_doubted(self, tmp_path):
        file = source(tmp_path, "a,b\n1,1\nx,2\n")
        kinds = guess(file, ColumnRoles(numeric=["a"])).kinds
        with pytest.raises(ValueError, match="column 'a' should hold numbers, but row 2 has 'x'"):
            read(file, ColumnRoles(), kinds)

    def test_columns_apart_are_rows_of_their_own(self, tmp_path):
        found = columns_of(tmp_path, "a,b,c\n1,x,2024-01-01\n2,y,2024-01-02\n", apart=["c"])
        assert found.learned.build().names == ["a", "b"]
        assert found.apart.build().frame()["c"].tolist() == [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")]

    def test_numbers_that_are_asked_for(self, tmp_path):
        with pytest.raises(ValueError, match="column 'a' should hold numbers, but row 2 has 'x'"):
            columns_of(tmp_path, "a,b\n1,1\nx,2\n", numeric=["a"])

    def test_a_late_character_of_another_encoding(self, tmp_path):
        text = b"a,b\n" + b"1,x\n" * 100_000 + "1,ö\n".encode("latin-1")
        found = columns_of(tmp_path, text)
        assert categories_of(found, "b") == ["x", "ö"]
        assert "Windows-1252" in found.notes[0].text

    def test_decimal_commas_beside_words_with_spaces_around(self, tmp_path):
        path = tmp_path / "x.csv"
        rows = [f"{i % 40},{i % 7};{('Graz', 'wien ')[i % 3 == 0]};{i % 2}\n" for i in range(300)]
        path.write_text("grad;ort;y\n" + "".join(rows))
        with pytest.warns(RarewoodWarning, match="decimal commas"):
            X = datasets.read_file(path, target="y").X
        assert X["grad"].tolist() == [float(f"{i % 40}.{i % 7}") for i in range(300)]

    def test_decimal_commas(self, tmp_path):
        found = columns_of(tmp_path, "a;b\n1,5;x,5\n-2,25;y\n")
        rows = found.learned.build()
        assert rows.frame()["a"].tolist() == [1.5, -2.25]
        assert rows.columns.categories[1].tolist() == ["x,5", "y"]


def test_blocks_of_a_european_file_keep_text_as_it_is():
    data = b"id;a\n1,50;1,5\n"
    with open_blocks(io.BytesIO(data), "x", 5, {"id": "text", "a": "number"}) as (_, blocks):
        block = next(blocks)
    assert list(block.columns["id"]) == ["1,50"]
    assert list(map(float, block.columns["a"])) == [1.5]
