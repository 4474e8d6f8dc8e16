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
        ("a,b\n1,2\n3\n", {}, "line 3: 1 cells, but the header has 2"),
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
    with pytest.warns(RarewoodWarning, match="1 of 3 rows have no label in column 'y' and are left out"):
        data = read_file(file)
    assert data.y.tolist() == ["no", "yes"]
    assert data.X["x"].tolist() == [1, 3]


def test_unknown_format_and_absent_file(tmp_path):
    with pytest.raises(ValueError, match=r"cannot tell the format of 'x\.xls'.*\.csv, \.tsv"):
        read_file(tmp_path / "x.xls")
    with pytest.raises(FileNotFoundError, match=r"no file .*x\.csv"):
        load(tmp_path / "x.csv")
