"""One numbering of rows: those of files from 1, below the names of the columns; those of tables in memory from 0."""

import csv
import json
import re

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood._tables.row_numbers import row_in_file

ROW = 7  # with something wrong in it
FIT = ("-t", "bad", "-m", "hddt", "--rules", 0, "-o", "m.rarewood")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60).round(2), "z": rng.normal(size=60).round(2)}).astype(object)
    return frame.assign(day="2024-01-01", amount=5.0, bad=np.where(np.arange(60) % 6, "no", "yes"))


def with_cell(rows, column, cell):
    found = rows.astype(object)
    found.at[ROW - 1, column] = cell
    return found


def written(rows, folder, form):
    """The same table as a file of each kind, below a title where it can have one."""
    path = folder / f"t.{form}"
    if form == "csv":
        rows.to_csv(path, index=False)
    elif form == "title.csv":
        path.write_text("Payments of 2024,,,,\n,,,,\n" + rows.to_csv(index=False))
    elif form == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows.to_dict("records"))))
    else:
        pytest.importorskip("openpyxl")
        rows.to_excel(path, index=False)
    return path.name


@pytest.mark.parametrize("form", ["csv", "title.csv", "jsonl", "xlsx"])
@pytest.mark.parametrize(
    ("column", "cell", "options"),
    [
        ("x", "what", ("--strict",)),
        ("bad", "", ("--unlabelled=error",)),
        ("day", "", ("--time", "day")),
    ],
)
def test_messages_number_rows_of_files_from_1(program, rows, form, column, cell, options):
    name = written(with_cell(rows, column, cell), program.folder, form)
    assert re.search(rf"\brow {ROW}\b", program("fit", name, *FIT, *options, code=4).err)


def test_lines_are_told_beside_rows(program, rows):
    text = rows.to_csv(index=False).splitlines()
    text[3] = '"1\n\n"' + text[3][text[3].index(",") :]  # a cell over three lines
    text[ROW] += ",1"
    (program.folder / "t.csv").write_text("Payments of 2024,,,,\n" + "\n".join(text))
    told = program("fit", "t.csv", *FIT, code=4).err
    assert f"row {ROW} (line {1 + 1 + ROW + 2}): 6 cells" in told


def test_notes_predictions_reviews_and_reports_number_alike(program, rows):
    learned = rows.drop(columns=["day", "amount"])
    learned.to_csv(program.folder / "t.csv", index=False)
    program("fit", "t.csv", "-t", "bad", "-s", "n_estimators=10", "--rules", 0, "-o", "m.rarewood")
    new = with_cell(learned, "x", "what")
    new.to_csv(program.folder / "new.csv", index=False)
    assert f"'what' in row {ROW};" in program("predict", "m.rarewood", "new.csv", "-o", "p.csv").out.replace("\n", " ")
    told = list(csv.DictReader((program.folder / "p.csv").read_text().splitlines()))
    assert [int(row["row"]) for row in told] == list(range(1, 61))
    program("review", "m.rarewood", "new.csv", "-n", 10, "-o", "r.csv")
    scores = {row["row"]: float(row["score"]) for row in told}
    for row in csv.DictReader((program.folder / "r.csv").read_text().splitlines()):
        assert float(row["score"]) == pytest.approx(scores[row["row"]], rel=1e-5)
    with_cell(learned, "bad", "").drop(index=0).to_csv(program.folder / "labelled.csv", index=False)
    pytest.importorskip("jinja2")
    program("report", "m.rarewood", "labelled.csv", "-o", "page.html", "--no-learning-curve")
    shown = set(map(int, re.findall(r">row (\d+)<", (program.folder / "page.html").read_text())))
    assert shown
    assert ROW - 1 not in shown  # it has no label, and keeps its number


def test_rows_in_memory_are_numbered_from_0(rows):
    X = rows[["x", "z"]].astype(float)
    X.loc[ROW - 1, "x"] = np.inf
    with pytest.raises(ValueError, match=rf"infinity in row {ROW - 1}\b"):
        rw.TreeClassifier().fit(X, rows["bad"])
    X = X.replace(np.inf, 0.0)
    told = rw.inspection.explain(rw.TreeClassifier(max_depth=2).fit(X, rows["bad"]), X[:3])
    assert "row 0" in told._repr_html_()
    assert row_in_file(ROW - 1) == ROW
