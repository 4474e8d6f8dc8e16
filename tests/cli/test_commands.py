"""The commands besides fit and predict."""

import hashlib
import html
import re

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.cli._errors import ExitCode
from rarewood.cli._model import read_model
from rarewood.cli._reporting import _values, build_report
from rarewood.export import describe


def test_rules_of_a_model(tables, program):
    answer = program("rules", tables / "m.rarewood")
    assert "Rules of class yes, on rows that were not used to find them" in answer.out
    assert "with 90 % intervals" in answer.out
    found = program("rules", tables / "m.rarewood", "--top", 1, "--json").json
    assert len(found["rules"]) == 1


def test_rules_counted_on_other_rows(tables, program):
    found = program("rules", tables / "m.rarewood", tables / "test.csv", "--json").json
    data = rw.datasets.read_file(tables / "test.csv")
    assert found["counted_on"] == "test.csv"
    for rule in found["rules"]:
        assert rule["rare"] + rule["rest"] <= len(data.y)
        assert 0 <= rule["rare"] <= (data.y == "yes").sum()
    assert sum(rule["rare"] for rule in found["rules"]) > 0


def test_rules_counted_on_a_file_that_has_to_be_described(tables, program):
    rows = pd.read_csv(tables / "test.csv")
    rows.to_csv(program.folder / "t.txt", sep="#", decimal=",", encoding="utf-16", index=False)
    told = ("--sep", "#", "--decimal", ",", "--encoding", "utf-16")
    first, second = (
        program("rules", tables / "m.rarewood", *given, "--json").json["rules"]
        for given in ((tables / "test.csv",), ("t.txt", *told))
    )
    assert first == second


def test_a_report_shows_the_rules_of_the_file(tables, program):
    counted = program("rules", tables / "m.rarewood", tables / "test.csv", "--json").json["rules"]
    kept = describe(tables / "m.rarewood").metadata["rules"]
    file = read_model(str(tables / "m.rarewood"), None)
    page = build_report(
        file, str(tables / "test.csv"), None, target=None, title=None, threshold=None, costs=None, baseline=False,
        n_jobs=1, seed=0, verbose=0
    )  # fmt: skip
    section = page.summary["rules"]
    assert [each["rule"] for each in section["rules"]] == [each["rule"] for each in kept]
    assert [(each["test_rare"], each["test_rest"]) for each in section["rules"]] == [
        (each["rare"], each["rest"]) for each in counted
    ]
    assert section["rules"][0]["expected"] == [kept[0]["unseen"][name] for name in ("precision", "low", "high")]
    assert kept[0]["conditions"][0]["text"] in html.unescape(page.html)


def test_compare_prints_the_tables_of_papers(tables, program):
    answer = program(
        "compare", tables / "train.csv", "sklearn:iris", "--drop", "payment_id", "-m", "hddt,c4.5",
        "--protocol", "1x2", "--metric", "auc", "--reference", "hddt", "-o", "page.html", "-j", 1
    )  # fmt: skip
    assert "AUC of the rare class, 1x2" in answer.out
    assert re.search(r"^train +\S*0\.", answer.out, re.MULTILINE)
    assert "win/draw/loss" in answer.out
    assert "<table" in (program.folder / "page.html").read_text()


def test_compare_names_suspect_columns_and_leaves_them_out_if_asked(program):
    rng = np.random.default_rng(0)
    label = np.where(np.arange(60) < 15, "yes", "no")
    pd.DataFrame({"noise": rng.normal(size=60), "refund": label == "yes", "label": label}).to_csv(
        program.folder / "leaky.csv", index=False
    )
    few = ("compare", "leaky.csv", "-m", "hddt", "--protocol", "1x2", "--metric", "auc", "-j", 1)
    told = program(*few)
    assert "note: leaky: 1 column is suspect" in told.out
    found, dropped = program(*few, "--json").json, program(*few, "--drop-suspects", "--json").json
    assert any("refund" in note for note in found["notes"]["leaky"])
    assert found["means"]["auc"]["leaky"]["hddt"] == 1 > dropped["means"]["auc"]["leaky"]["hddt"]
    assert dropped["notes"]["leaky"][-1] == "left out as suspect: refund"


def test_compare_as_json(program):
    found = program(
        "compare", "sklearn:iris", "-m", "hddt", "--protocol", "1x2", "--metric", "auc", "-j", 1, "--json"
    ).json
    assert 0.9 < found["means"]["auc"]["sklearn:iris"]["hddt"] <= 1


@pytest.mark.parametrize("reference", ["hddt", "c4.5"])
def test_the_reference_is_the_one_asked_for(program, reference):
    found = program(
        "compare", "sklearn:iris", "-m", "hddt,c4.5", "--protocol", "1x2", "--metric", "auc", "-j", 1, "--json",
        "--reference", reference
    ).json  # fmt: skip
    assert found["folds"]["auc"]["reference"] == reference
    assert set(found["folds"]["auc"]["differences"]) == {"hddt", "c4.5"} - {reference}


def test_reproduce(program):
    assert "hedex" in program("reproduce").out.split()
    program(
        "reproduce", "ihd", "--experiment", "table-3", "--dataset", "wine", "-m", "Gini,iHD",
        "--protocol", "1x2", "-o", "ihd.md", "-j", 1
    )  # fmt: skip
    assert "wine" in (program.folder / "ihd.md").read_text()


def test_reproduce_without_a_folder_of_data(program, monkeypatch):
    monkeypatch.delenv("RAREWOOD_DATA", raising=False)
    text = program("reproduce", "ihd", "--dataset", "wine,sonar,lung", "-m", "Gini", "--protocol", "1x2", "-j", 1).out
    assert "| wine | " in text
    assert "- sonar: not in the folder RAREWOOD_DATA" in text
    assert "- lung: 203 rows of 3312 gene expressions, in none of the sources" in text


def test_the_example_of_reproduce_names_what_there_is():
    from rarewood.cli.reproduce import reproduce
    from rarewood.reproduction.papers import PAPERS

    words = reproduce.__doc__.partition("Example: rarewood reproduce ")[2].split()
    paper, options = PAPERS[words[0]], dict(zip(words[1::2], words[2::2]))
    experiment = paper.experiment(options["--experiment"])
    assert set(options["--dataset"].split(",")) <= {each.name for each in experiment.datasets}


def test_report(tables, program):
    pytest.importorskip("jinja2")
    answer = program(
        "report", tables / "m.rarewood", tables / "test.csv", "--train", tables / "train.csv", "--costs", "1:30", "-j", 1
    )  # fmt: skip
    assert "Page written to m.html" in answer.out
    page = (program.folder / "m.html").read_text()
    assert page.startswith("<!doctype html>")
    found = program("report", tables / "m.rarewood", tables / "test.csv", "-o", "p.html", "--json").json
    assert found["measures"]["auc"] > 0.9


@pytest.fixture
def dated(tables, program):
    """A model divided by days, with the files of its rows."""
    for name, first in (("train", "2024-01-01"), ("test", "2024-06-01")):
        frame = pd.read_csv(tables / f"{name}.csv")
        days = pd.Timestamp(first) + pd.to_timedelta(np.arange(len(frame)) * 60 // len(frame), unit="D")
        frame.assign(day=days.strftime("%Y-%m-%d"), region=np.arange(len(frame)) % 2).to_csv(f"{name}.csv", index=False)
    program("fit", "train.csv", "-t", "fraud", "--id", "payment_id", "--time", "day", "--drop", "region", "-m", "brf",
            "-s", "n_estimators=20", "--rules", 3, "-o", "d.rarewood", "-j", 1, "-q")  # fmt: skip
    return program.folder


def test_a_report_for_a_committee(dated, program):
    pytest.importorskip("jinja2")
    program(
        "report", "d.rarewood", "test.csv", "--train", "train.csv", "--segments", "country,region", "--review", "1,7",
        "--card", "Owner=the fraud team", "--no-baseline", "-o", "p.html", "-j", 1
    )  # fmt: skip
    page = html.unescape((dated / "p.html").read_text())
    for name in ("d.rarewood", "test.csv", "train.csv"):
        assert hashlib.sha256((dated / name).read_bytes()).hexdigest() in page
    assert "rows of train.csv, the same file as the training rows listed below." in page
    assert "<dt>Owner</dt><dd>the fraud team</dd>" in page
    assert "These rows cover 60 days" in page
    caught = page.split("What is caught, on these")[1].split("</table>")[0]
    assert re.findall(r'<tr><th scope="row">(\d+)</th>', caught) == ["1", "7"]
    assert "Groups by country" in page
    assert page.count('aria-label="Rules"') == 1
    assert re.search(r'<tr><th scope="row">T\d+</th>', page)  # rows are called by their identifier


def test_a_report_says_if_the_training_rows_are_others(dated, program):
    pytest.importorskip("jinja2")
    (dated / "other.csv").write_text((dated / "train.csv").read_text() + "\n")
    program("report", "d.rarewood", "test.csv", "--train", "other.csv", "--no-baseline", "-o", "p.html", "-j", 1)
    assert "The training rows given for this page are from a different file." in (dated / "p.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["--segments", "contry"],
            ExitCode.DATA,
            "no column 'contry' to group by (--segments), did you mean 'country'?",
        ),
        (["--review", "many"], ExitCode.USAGE, "--review many should be a number of rows"),
        (["--review", "0"], ExitCode.USAGE, "--review 0 should be a number of rows"),
        (["--card", "Owner"], ExitCode.USAGE, "--card Owner should be NAME=TEXT"),
    ],
)
def test_reports_that_cannot_be(tables, program, arguments, code, message):
    answer = program("report", tables / "m.rarewood", tables / "test.csv", "-j", 1, *arguments, code=int(code))
    assert message in answer.err


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["1", "2.5", ""], [1.0, 2.5, np.nan]),
        (["2024-01-01", "", "2024-01-03"], np.array(["2024-01-01", "NaT", "2024-01-03"], dtype="M8[us]")),
        (["a", None, "?"], np.array(["a", None, None], dtype=object)),
    ],
)
def test_columns_beside_the_model_are_read_for_what_they_are(cells, wanted):
    np.testing.assert_array_equal(_values(cells, "c"), wanted)


def test_demo(program):
    pytest.importorskip("jinja2")
    answer = program("demo", "--quick", "-o", "out", "-j", 1)
    for part in (
        "HeDEx",
        "weighted forest",
        "Was the promise kept?",
        "strongest alarm",
        "Nothing asks for attention.",
        "1 column has changed a lot: black_share",
        "report.html",
    ):
        assert part in " ".join(answer.out.split())
    assert {path.name for path in (program.folder / "out").iterdir()} == {
        *(f"{name}.csv" for name in ("blocks", "blocks-test", "january", "february", "payments", "payments-test")),
        *(f"{name}.html" for name in ("report", "january", "february")),
        "blocks.rarewood",
    }
    program("predict", "out/blocks.rarewood", "out/january.csv", "-o", "s.csv", "-q")


def test_version(program):
    assert program("--version").out == f"rarewood {rw.__version__}\n"
