"""The commands besides fit and predict."""

import html
import re

import pytest

import rarewood as rw
from rarewood.cli._model import read_model
from rarewood.cli._reporting import build_report
from rarewood.export import describe


def test_rules_of_a_model(tables, program):
    answer = program("rules", tables / "m.rarewood")
    assert "Rules of class yes, on rows that took no part in finding them" in answer.out
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


def test_compare_as_json(program):
    found = program(
        "compare", "sklearn:iris", "-m", "hddt", "--protocol", "1x2", "--metric", "auc", "-j", 1, "--json"
    ).json
    assert 0.9 < found["means"]["auc"]["sklearn:iris"]["hddt"] <= 1


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
    assert "The page is in m.html" in answer.out
    page = (program.folder / "m.html").read_text()
    assert page.startswith("<!doctype html>")
    found = program("report", tables / "m.rarewood", tables / "test.csv", "-o", "p.html", "--json").json
    assert found["measures"]["auc"] > 0.9


def test_demo(program):
    pytest.importorskip("jinja2")
    answer = program("demo", "--quick", "-o", "out", "-j", 1)
    for part in (
        "HeDExh",
        "weighted forest",
        "Planted rules beside those that were found",
        "strongest alarm",
        "report.html",
    ):
        assert part in " ".join(answer.out.split())
    assert {path.name for path in (program.folder / "out").iterdir()} == {
        "payments.csv", "payments-test.csv", "payments.rarewood", "report.html"
    }  # fmt: skip
    program("predict", "out/payments.rarewood", "out/payments-test.csv", "-o", "s.csv", "-q")


def test_version(program):
    assert program("--version").out == f"rarewood {rw.__version__}\n"
