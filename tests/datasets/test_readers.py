import datetime as dt
import gzip

import numpy as np
import pytest

from rarewood.datasets import load, read_file
from rarewood.exceptions import RarewoodWarning

CSV = "amount,country,fraud\n12.5,FR,0\n990,NG,1\n,,0\n"
ARFF = """@relation payments
@attribute amount numeric
@attribute country {FR, NG, RO}
@attribute fraud {no, yes}
@data
12.5,FR,no
990,NG,yes
?,?,no
"""


def write(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["payments.csv", "payments.csv.gz", "payments.CSV"])
def test_csv(tmp_path, name):
    data = read_file(write(tmp_path / name, CSV))
    assert data.name == "payments"
    assert data.y.tolist() == [0, 1, 0]
    assert data.rare == 1
    assert data.nominal == ["country"]
    np.testing.assert_array_equal(data.X["amount"], [12.5, 990, np.nan])
    assert data.X["country"].isna().tolist() == [False, False, True]


def test_tab_separated(tmp_path):
    assert read_file(write(tmp_path / "t.tsv", CSV.replace(",", "\t"))).X.shape == (3, 2)


@pytest.mark.parametrize("name", ["payments.arff", "payments.arff.gz"])
def test_arff_keeps_the_declared_categories(tmp_path, name):
    pytest.importorskip("arff")
    data = read_file(write(tmp_path / name, ARFF))
    assert data.X["country"].cat.categories.tolist() == ["FR", "NG", "RO"]
    assert data.X.isna().to_numpy().tolist() == [[False, False], [False, False], [True, True]]
    assert data.y.tolist() == ["no", "yes", "no"]


def test_damaged_arff(tmp_path):
    pytest.importorskip("arff")
    with pytest.raises(ValueError, match="not a valid ARFF file"):
        read_file(write(tmp_path / "x.arff", ARFF + "1,2\n"))


def test_parquet_round_trip(tmp_path):
    pytest.importorskip("pyarrow")
    csv = read_file(write(tmp_path / "payments.csv", CSV))
    csv.frame.to_parquet(tmp_path / "payments.parquet")
    data = load(tmp_path / "payments.parquet")
    assert data.X.dtypes.tolist() == csv.X.dtypes.tolist()
    np.testing.assert_array_equal(data.X["amount"], csv.X["amount"])
    assert data.y.tolist() == csv.y.tolist()
    assert data.rare == 1


def test_target_by_name_and_numbers_that_are_categories(tmp_path):
    file = write(tmp_path / "t.csv", "label,code,x\nyes,3,1\nno,4,2\nno,3,3\n")
    data = load(str(file), target="label", nominal=["code"], rare="no")
    assert (data.rare, data.target, data.nominal) == ("no", "label", ["code"])
    assert data.X.columns.tolist() == ["code", "x"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,2\n3\n", {}, r"row 2 \(line 3\): 1 cells, but the header has 2"),
        ("a,b\n", {}, "holds no rows"),
        ("a,b\n1,\n2,\n", {}, "no row has a label in column 'b'"),
        (CSV, {"target": "fruad"}, "no column target='fruad', did you mean 'fraud'"),
        (CSV, {"target": 7}, "target=7 is out of range; the table has 3 columns"),
        (CSV, {"rare": 2}, "no row has the label rare=2. The labels are 0, 1"),
        (CSV, {"nominal": ["contry"]}, "nominal names 'contry', which is not a column, did you mean 'country'"),
        (CSV, {"nominal": []}, "column 'country' should hold numbers"),
    ],
)
def test_wrong_files_and_options(tmp_path, text, options, message):
    with pytest.raises(ValueError, match=message):
        read_file(write(tmp_path / "x.csv", text), **options)


def test_rows_without_a_label_are_left_out_as_the_command_line_does(tmp_path):
    file = write(tmp_path / "t.csv", "x,town,y\n1,A,no\n2,B,\n3,A,yes\n")
    with pytest.warns(RarewoodWarning, match="1 of 3 rows has no label in column 'y' and is left out"):
        data = read_file(file)
    assert data.y.tolist() == ["no", "yes"]
    assert data.X["x"].tolist() == [1, 3]


def test_cells_are_read_as_the_command_line_reads_them(tmp_path):
    """Every column as `rarewood fit` reads it, and its notes as warnings."""
    pd = pytest.importorskip("pandas")
    text = (
        'amount,share,day,town,y\n"€1,234.50",5%,31/12/2024,B,no\n€12.00,7%,01/02/2024,A,yes\n€3.00,1%,15/06/2024,B,\n'
    )
    file = write(tmp_path / "t.csv", text)
    with pytest.warns(RarewoodWarning) as told:
        data = read_file(file)
    assert data.X["amount"].tolist() == [1234.5, 12]
    assert data.X["share"].tolist() == [5, 7]
    assert data.X["day"].tolist() == [pd.Timestamp(2024, 12, 31), pd.Timestamp(2024, 2, 1)]
    assert data.X["town"].cat.categories.tolist() == ["A", "B"]
    messages = [str(each.message) for each in told]
    assert [message.split(" is read")[0] for message in messages[:3]] == [
        "t.csv: column 'amount'",
        "t.csv: column 'share'",
        "t.csv: column 'day'",
    ]
    assert "1 of 3 rows has no label" in messages[-1]
    assert not any("--" in message for message in messages)  # options of the command line


def test_workbooks_and_their_sheets(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for name, amount in (("May", 1.5), ("June", 2.5)):
        sheet = book.create_sheet(name)
        for row in (["amount", "day", "y"], [amount, dt.date(2024, 5, 1), "a"], [3, None, "b"]):
            sheet.append(row)
    book.remove(book["Sheet"])
    book.save(tmp_path / "book.xlsx")
    with pytest.warns(RarewoodWarning, match="book.xlsx has 2 sheets, May, June; May is read"):
        assert read_file(tmp_path / "book.xlsx").X["amount"].tolist() == [1.5, 3]
    assert read_file(tmp_path / "book.xlsx", sheet="June").X["amount"].tolist() == [2.5, 3]
    data = load(f"{tmp_path / 'book.xlsx'}::June")
    assert data.X["amount"].tolist() == [2.5, 3]
    assert data.X["day"].dtype.kind == "M"
    assert data.name == "book"


def test_parquet_keeps_the_declared_order_and_numbers_of_any_type_are_floats(tmp_path):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"size": pd.Categorical(["S", "L", None], ["S", "M", "L"]), "n": [1, 2, 3], "y": [0, 1, 0]})
    frame.to_parquet(tmp_path / "t.parquet")
    data = read_file(tmp_path / "t.parquet")
    assert data.X["size"].cat.categories.tolist() == ["S", "M", "L"]
    assert data.X["size"].cat.codes.tolist() == [0, 2, -1]
    assert data.X["n"].dtype == "float64"


def test_dates_are_no_numbers_but_may_stand_beside_the_nominal_columns(tmp_path):
    file = write(tmp_path / "t.csv", "day,code,y\n2024-05-01,3,a\n2024-06-01,4,b\n")
    data = read_file(file, nominal=["code"])
    assert (data.nominal, data.X["day"].dtype.kind) == (["code"], "M")


def test_a_damaged_gzip_file(tmp_path):
    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(CSV.encode() * 100)[:-12])
    with pytest.raises(ValueError, match=r"t\.csv\.gz is a damaged or incomplete gzip file"):
        read_file(file)


def test_damaged_pages_of_a_parquet_file(tmp_path):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    file = tmp_path / "t.parquet"
    pd.DataFrame({"x": range(500), "y": [0, 1] * 250}).to_parquet(file)
    contents = bytearray(file.read_bytes())
    contents[60:200] = b"\xff" * 140
    file.write_bytes(contents)
    with pytest.raises(ValueError, match=r"t\.parquet is not a valid Parquet file: "):
        read_file(file)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather", "t.jsonl", "t.xlsx"])
def test_rows_are_those_that_the_command_line_reads(tmp_path, name):
    for needed in ("pandas", "pyarrow", "openpyxl", "typer"):
        pytest.importorskip(needed)
    import pandas as pd

    from rarewood.cli._training import TableOptions, read_training

    days = pd.to_datetime(["2024-05-01", None, "2024-05-03", "2024-05-04"])
    frame = pd.DataFrame({"n": [1, 2, 3, 4], "x": [0.5, None, 2, 3], "day": days, "word": ["b", "a", None, "b"]})
    frame = frame.assign(flag=[True, False, True, True], y=["no", "yes", "no", "yes"])
    write_as = {
        ".csv": lambda file: frame.to_csv(file, index=False),
        ".parquet": frame.to_parquet,
        ".feather": frame.to_feather,
        ".jsonl": lambda file: frame.to_json(file, orient="records", lines=True, date_format="iso"),
        ".xlsx": lambda file: frame.to_excel(file, index=False),
    }
    file = tmp_path / name
    write_as[file.suffix](file)
    data, table = read_file(file), read_training(str(file), TableOptions(), None, with_hash=False)
    pd.testing.assert_frame_equal(data.X, table.X)
    assert data.y.tolist() == table.y.tolist()
    assert data.X["day"].dtype.kind == "M"


def test_unknown_format_and_absent_file(tmp_path):
    with pytest.raises(ValueError, match=r"cannot tell the format of 'x\.xls'.*\.csv, \.tsv"):
        read_file(tmp_path / "x.xls")
    with pytest.raises(FileNotFoundError, match=r"no file .*x\.csv"):
        load(tmp_path / "x.csv")
