"""How a user helps the program to read a file, and what the model file keeps of it."""

import json

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.datasets import read_file
from rarewood.exceptions import RarewoodWarning

FIT = ("fit", "t.csv", "-m", "hddt", "--rules", 0)


def table(n=200):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.integers(0, 900, n), "flag": rng.random(n) < 0.5, "town": rng.choice(list("ab"), n)})
    return frame.assign(bad=np.where((frame["x"] > 700) & frame["flag"], "yes", "no"))


def with_words(frame, *words):
    cells = frame["x"].astype(object)
    for row, word in enumerate(words):
        cells[7 + 20 * row] = word
    return frame.assign(x=cells)


@pytest.fixture
def write(program):
    def to(frame, name="t.csv", **options):
        frame.to_csv(program.folder / name, index=False, **options)

    return to


def test_the_model_knows_the_words_for_missing_cells(program, write):
    write(with_words(table(), "k.A.", "#NV", "-", "-1"))
    told = program(
        *FIT, "--missing", "k.A.,#NV", "--missing", "-", "--missing", "x=-1", "--json", "-o", "m.rarewood"
    ).json
    assert not any("holds numbers, but" in note for note in told["notes"])
    assert rw.load(program.folder / "m.rarewood")._columns.has_missing.tolist() == [True, False, False]
    write(with_words(table(), "k.A.", "-1").drop(columns="bad"), "new.csv")
    quiet = program("predict", "m.rarewood", "new.csv", "-o", "s.csv")
    assert "note" not in quiet.out
    scores = pd.read_csv(program.folder / "s.csv")["score"]
    missing = table().assign(x=table()["x"].astype(float)).drop(columns="bad").astype({"flag": str})
    missing.loc[[7, 27], "x"] = np.nan
    expected = rw.load(program.folder / "m.rarewood").predict_proba(missing)[:, 1]
    np.testing.assert_allclose(scores, expected, rtol=1e-5)
    assert "no column 'y' (--missing)" in program(*FIT, "--missing", "y=-1", code=4).err


@pytest.mark.parametrize("command", ["predict", "report", "rules", "monitor"])
def test_odd_cells_in_new_rows(program, write, command):
    write(table(400))
    program("fit", "t.csv", "-s", "n_estimators=10", "-j", 1, "--rules", 1, "-o", "m.rarewood")
    write(with_words(table(), "unknown", "<5"), "new.csv")
    options = {"report": ["--no-baseline"], "predict": ["-o", "s.csv"], "monitor": ["--fail-on", "none"]}.get(
        command, []
    )
    told = program(command, "m.rarewood", "new.csv", *options).out.replace("\n", " ")
    assert "column 'x' holds numbers, but 2 of 200 cells do not, such as 'unknown' in row 8" in told
    refused = program(command, "m.rarewood", "new.csv", "--strict", *options, code=6).err
    assert "column 'x' should hold numbers, but row 8 has 'unknown'" in refused


def test_dates_of_new_rows_are_written_as_in_the_training_rows(program, write):
    days = (pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(400), unit="D")).strftime("%d/%m/%Y")
    write(table(400).assign(day=days, bad=table(400)["bad"]))
    program("fit", "t.csv", "-t", "bad", "-s", "n_estimators=10", "--rules", 0, "--time", "day", "-o", "m.rarewood")
    write(table(50).assign(day=days[:50]), "new.csv")
    told = program("monitor", "m.rarewood", "new.csv", "--time", "day", "--fail-on", "none").out
    assert "from 2024-01-01 to 2025-02-03" in told


def test_the_highest_scores_of_a_file(program, write):
    write(table(400))
    program("fit", "t.csv", "-s", "n_estimators=10", "-j", 1, "--rules", 0, "-o", "m.rarewood")
    write(table().drop(columns="bad"), "new.csv")
    told = program(
        "predict", "m.rarewood", "new.csv", "--top", 7, "-o", "s.csv", "--block-rows", 30, "--reasons", 1
    ).out
    assert "7 of them called yes, the highest scores down to" in told
    found = pd.read_csv(program.folder / "s.csv", keep_default_na=False)
    top = found.sort_values("score", ascending=False, kind="stable").index[:7]
    assert set(found.index[found["label"] == "yes"]) == set(top)
    assert (found["reasons"] != "").tolist() == (found["label"] == "yes").tolist()
    shares = program("predict", "m.rarewood", "new.csv", "--threshold", "alerts=3.5%", "-o", "t.csv", "--json").json
    assert shares["called_positive"] == 7
    assert pd.read_csv(program.folder / "t.csv")["label"].tolist() == found["label"].tolist()
    for wrong in (["--top", 3, "--threshold", "0.5"], ["--threshold", "alerts=3@90%"], ["--reasons-for", "some"]):
        program("predict", "m.rarewood", "new.csv", *wrong, code=2)


@pytest.mark.parametrize("words", [("TRUE", "FALSE"), ("true", "false"), ("True", "False")])
def test_truth_values_are_the_same_in_every_file(program, write, words):
    frame = table(300)
    frame["bad"] = frame["bad"] == "yes"
    (program.folder / "t.jsonl").write_text("\n".join(json.dumps(row) for row in frame.to_dict("records")))
    frame.to_parquet(program.folder / "t.parquet")
    truths = {True: words[0], False: words[1]}
    write(frame.assign(flag=frame["flag"].map(truths), bad=frame["bad"].map(truths)))
    for name in ("t.jsonl", "t.parquet", "t.csv"):
        told = program("fit", name, "-m", "hddt", "--rules", 0, "--json", "-o", f"{name}.rarewood", "-p", "true").json
        assert told["classes"] == {"False": 300 - int(frame["bad"].sum()), "True": int(frame["bad"].sum())}
        program("predict", f"{name}.rarewood", "t.csv", "-o", f"{name}.scores.csv")
        program("report", "t.jsonl.rarewood", name, "--no-baseline", code=0 if name != "t.jsonl" else 2)
    first, *others = ((program.folder / f"t.{each}.scores.csv").read_bytes() for each in ("jsonl", "parquet", "csv"))
    assert all(other == first for other in others)


def test_sheets_are_named(program):
    frame = table()
    with pd.ExcelWriter(program.folder / "book.xlsx") as book:
        pd.DataFrame({"about": ["this book"]}).to_excel(book, sheet_name="Cover", index=False)
        frame.to_excel(book, sheet_name="April", index=False, startrow=2, startcol=1)
        table(150).to_excel(book, sheet_name="May", index=False)
    told = program("fit", "book.xlsx", "-m", "hddt", "--rules", 0, "-o", "m.rarewood").out
    assert "book.xlsx::April: 200 rows" in told
    assert "book.xlsx has 3 sheets, Cover, April, May; April is read, --sheet reads another" in told.replace("\n", " ")
    assert "names of the columns are in row 3" in told
    program("report", "m.rarewood", "book.xlsx", "--sheet", "May", "--no-baseline", "-o", "page.html")
    page = (program.folder / "page.html").read_text()
    assert "test rows: May of book.xlsx" in page
    assert "200 rows of book.xlsx::April" in page
    assert "has no sheet 'Apri', did you mean 'April'" in program("fit", "book.xlsx", "--sheet", "Apri", code=3).err


def test_python_takes_the_same(program, write):
    write(with_words(table(), "k.A.", "unknown"), sep=";")
    with pytest.warns(RarewoodWarning) as told:
        data = read_file(program.folder / "t.csv", missing="k.A.", rare="yes")
    assert any(
        "1 of 200 cells does not: 'unknown' in row 28; it counts as missing" in str(each.message) for each in told
    )
    assert not any("--" in str(each.message) for each in told)
    assert data.X["x"].isna().sum() == 2
    with pytest.raises(ValueError, match="row 28 has 'unknown'"):
        read_file(program.folder / "t.csv", missing=["k.A."], strict=True, sep=";")
    (program.folder / "t.csv").write_text("about\nday,n,y\n02/01/2024,1.234,a\n03/01/2024,2,b\n")
    with pytest.warns(RarewoodWarning, match="day before month"):
        data = read_file(program.folder / "t.csv", skip=1, date_format={"day": "dmy"}, decimal=".")
    assert data.X["n"].tolist() == [1.234, 2]
    assert data.X["day"].tolist()[0] == pd.Timestamp("2024-01-02")
    with pytest.raises(ValueError, match="missing names 'm', which is not a column"):
        read_file(program.folder / "t.csv", skip=1, missing={"m": ["-"]})
    with pytest.raises(ValueError, match="decimal ; should be"):
        read_file(program.folder / "t.csv", decimal=";")


def test_the_class_to_find_in_little_memory(program):
    frame = table(400).assign(bad=np.random.default_rng(0).choice(["a", "b", "c"], 400, p=[0.1, 0.3, 0.6]))
    frame.to_parquet(program.folder / "t.parquet")
    command = ("fit", "t.parquet", "-p", "b", "-s", "n_estimators=10", "--rules", 0)
    program(*command, "-o", "whole.rarewood")
    program(*command, "--memory", "8GB", "-o", "parts.rarewood")
    whole, parts = (rw.load(program.folder / f"{name}.rarewood") for name in ("whole", "parts"))
    assert whole.positive_ == parts.positive_ == "b"
    assert parts.decision_threshold_ == whole.decision_threshold_
    assert "no row has the label 'x'" in program(*command[:2], "-p", "x", "--memory", "8GB", code=4).err
