import csv
import gzip
import io
import math
import re

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.cli._csv_writing import not_a_formula
from rarewood.cli._screen import Screen
from rarewood.export import describe
from rarewood.inspection import Condition
from support.command_line import start


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def expected(tables):
    """Scores of the test rows by the library."""
    model = rw.load(tables / "m.rarewood")
    data = rw.datasets.read_file(tables / "test.csv")
    probabilities = model.predict_proba(data.X.drop(columns="payment_id"))
    return probabilities[:, 1], model.decision_threshold_.labels(probabilities, model.classes_)


def test_scores_and_labels_are_those_of_the_library(tables, program, expected):
    found = rows(program("predict", tables / "m.rarewood", tables / "test.csv").out)
    assert list(found[0]) == ["payment_id", "score", "label"]
    assert [row["payment_id"] for row in found[:2]] == ["T0", "T1"]
    np.testing.assert_allclose([float(row["score"]) for row in found], expected[0], rtol=1e-5)
    assert [row["label"] for row in found] == expected[1].tolist()


@pytest.mark.parametrize("block", [1, 7, 699, 10_000])
def test_blocks_make_no_difference(tables, program, block):
    few = "\n".join((tables / "test.csv").read_text().splitlines()[:41]) + "\n"
    (program.folder / "few.csv").write_text(few)
    whole = program("predict", tables / "m.rarewood", "few.csv").out
    assert program("predict", tables / "m.rarewood", "few.csv", "--block-rows", block).out == whole


def test_cells_in_quotes_make_no_difference(tables, program):
    header, *few = (tables / "test.csv").read_text().splitlines()[:41]
    quoted = [header, *(",".join(f'"{cell}"' for cell in line.split(",")) for line in few)]
    (program.folder / "few.csv").write_text("\n".join([header, *few]))
    (program.folder / "quoted.csv").write_text("\n".join(quoted))
    plain = program("predict", tables / "m.rarewood", "few.csv", "--rules").out
    assert program("predict", tables / "m.rarewood", "quoted.csv", "--rules").out == plain


def test_rules_that_hold(tables, program):
    program("predict", tables / "m.rarewood", tables / "test.csv", "--rules", "-o", "s.csv")
    found = rows((program.folder / "s.csv").read_text())
    data = rw.datasets.read_file(tables / "test.csv")
    told = describe(tables / "m.rarewood").metadata["rules"]
    for rule in told:
        held = np.all([naive(condition, data.X[condition["column"]]) for condition in rule["conditions"]], axis=0)
        written = [rule["rule"] in row["rules"].split(" | ") for row in found]
        assert written == held.tolist()
    assert any(row["rules"] for row in found)


def naive(condition, column):
    """One cell at a time."""
    result = []
    for value in column.tolist():
        if value is None or value != value:
            result.append(condition["missing"])
        elif condition["categories"] is not None:
            result.append(value in condition["categories"])
        else:
            lower = -math.inf if condition["lower"] is None else condition["lower"]
            upper = math.inf if condition["upper"] is None else condition["upper"]
            result.append(lower < value <= upper)
    return result


def test_rules_keep_their_conditions_in_json():
    from rarewood._rules import RuleList
    from rarewood.inspection import Pattern

    conditions = (
        Condition("a", -math.inf, 2.5, None, True, "a <= 2.5 or missing"),
        Condition("b", -math.inf, math.inf, ("x", "y"), False, "b in {x, y}"),
    )
    rules = RuleList((Pattern("a <= 2.5 and b in {x, y}", conditions, "rare", 3, 1, 3.0, 2.25, 1, -1, -1),), "a note")
    assert RuleList.from_json(rules.to_json(), "rare") == rules


def test_formats_of_the_output(tables, program):
    pytest.importorskip("pyarrow")
    text = program("predict", tables / "m.rarewood", tables / "test.csv").out
    for name in ("s.csv", "s.csv.gz", "s.parquet", "s.tsv"):
        program("predict", tables / "m.rarewood", tables / "test.csv", "-o", name, "--block-rows", 100)
    here = program.folder
    assert (here / "s.csv").read_text() == text
    assert gzip.decompress((here / "s.csv.gz").read_bytes()).decode() == text
    assert (here / "s.tsv").read_text() == text.replace(",", "\t")
    frame = pd.read_parquet(here / "s.parquet")
    assert frame["label"].tolist() == [row["label"] for row in rows(text)]
    assert len(list(here.iterdir())) == 4


def test_formats_of_the_input(tables, program):
    pytest.importorskip("pyarrow")
    frame = pd.read_csv(tables / "test.csv")
    text = program("predict", tables / "m.rarewood", tables / "test.csv").out
    frame.to_parquet(program.folder / "t.parquet")
    (program.folder / "t.gz").write_bytes(gzip.compress((tables / "test.csv").read_bytes()))
    shuffled = frame[frame.columns[::-1]].assign(more=1)
    shuffled.to_csv(program.folder / "shuffled.csv", index=False, sep=";")
    for name in ("t.parquet", "t.gz", "shuffled.csv"):
        assert program("predict", tables / "m.rarewood", name, "--block-rows", 333).out == text


def test_progress_of_a_small_file_is_told_in_kilobytes(tables, program, monkeypatch):
    monkeypatch.setattr(Screen, "verbose", 1)
    lines = (tables / "test.csv").read_bytes().splitlines(keepends=True)
    for n_rows in (1, 600):
        content = b"".join(lines[: n_rows + 1])
        (program.folder / "t.csv").write_bytes(content)
        n = math.ceil(len(content) / 1000)
        shown = program("predict", tables / "m.rarewood", "t.csv", "-o", "s.csv").err
        assert re.search(rf"scoring t.csv, kB .* {n}/{n} ", shown), shown


@pytest.mark.parametrize("kind", ["gz", "parquet"])
def test_standard_input(tables, tmp_path, program, kind):
    pytest.importorskip("pyarrow")
    data = (tables / "test.csv").read_bytes()
    if kind == "gz":
        data = gzip.compress(data)
    if kind == "parquet":
        pd.read_csv(tables / "test.csv").to_parquet(tmp_path / "t.parquet")
        data = (tmp_path / "t.parquet").read_bytes()
    process = start("predict", tables / "m.rarewood", "-", "--quiet", folder=tmp_path, stdin=-1)
    process.stdin.buffer.write(data)
    out, err = process.communicate(timeout=60)
    assert err == ""
    assert out == program("predict", tables / "m.rarewood", tables / "test.csv").out


def test_unseen_categories_missing_cells_and_spaces(tables, program):
    header = "amount,country,hour,channel,merchant,card_age_days,payments_today,distance_km,balance,customer_age"
    lines = [
        "950,Atlantis,3,online,jewellery,20,7,1,100,50",
        ",?, 3 ,NA,, 20,nan,1,100,50",
        "950, NG ,3,online,,20,7,1,100,50",
    ]
    (program.folder / "x.csv").write_text("\n".join([header, *lines, "", ""]))
    found = rows(program("predict", tables / "m.rarewood", "x.csv").out)
    assert [row["row"] for row in found] == ["1", "2", "3"]
    model = rw.load(tables / "m.rarewood")
    last = pd.DataFrame([[950, "NG", 3, "online", None, 20, 7, 1, 100, 50]], columns=header.split(","))
    assert float(found[2]["score"]) == pytest.approx(model.predict_proba(last)[0, 1], rel=1e-5)


@pytest.mark.parametrize("name", ["t.csv", "quoted.csv", "t.parquet"])
def test_errors_of_a_spreadsheet_are_counted(tables, program, name):
    frame = pd.read_csv(tables / "test.csv", dtype=str)
    frame.loc[::7, "country"], frame.loc[3, "amount"] = "#NAME?", "#DIV/0!"
    frame.loc[5, "payment_id"] = "#REF!"  # copied, and not read
    frame.to_parquet(name) if name == "t.parquet" else frame.to_csv(name, index=False, quoting=int(name != "t.csv"))
    told = program("predict", tables / "m.rarewood", name, "-o", "s.csv", "--block-rows", 60).out
    for column, count in (("country", 100), ("amount", 1)):
        assert f"column {column!r} has errors of a spreadsheet, such as #VALUE!, in {count} of 700 rows" in told
    assert told.count("errors of a spreadsheet") == 2


def test_one_decision_everywhere(tables, program):
    """The command, the library after load, and the report call the same rows positive."""
    found = program("predict", tables / "m.rarewood", tables / "test.csv", "-o", "s.csv", "--json").json
    model = rw.load(tables / "m.rarewood")
    data = rw.datasets.read_file(tables / "test.csv")
    labels = model.predict(data.X.drop(columns="payment_id"))
    assert found["called_positive"] == int((labels == "yes").sum())
    written = rows((program.folder / "s.csv").read_text())
    assert [row["label"] for row in written] == labels.tolist()
    summary = rw.report.summarise(model, data.X.drop(columns="payment_id"), data.y)
    assert summary["decisions"]["alarms"] == found["called_positive"]


def test_costs_and_priors(tables, program, expected):
    by_cost = program(
        "predict", tables / "m.rarewood", tables / "test.csv", "--threshold", "cost=1:4", "-o", "s.csv", "--json"
    )
    assert by_cost.json["called_positive"] == int((expected[0] >= 0.2).sum())
    plain = program(
        "predict", tables / "m.rarewood", tables / "test.csv", "--threshold", "none", "-o", "s.csv", "--json"
    )
    assert plain.json["called_positive"] == int((expected[0] > 0.5).sum())
    found = rows(program("predict", tables / "m.rarewood", tables / "test.csv", "--prior", 0.01).out)
    odds = expected[0] / (1 - expected[0]) * 0.01 / 0.99  # a balanced forest: its trees saw equal shares
    np.testing.assert_allclose([float(row["score"]) for row in found], odds / (1 + odds), rtol=1e-4)
    assert [row["label"] for row in found] == expected[1].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--threshold", "recall=0.8"), "needs labelled rows, so use it in `rarewood fit`"),
        (("--threshold", "2"), "--threshold 2 is not understood"),
        (("--prior", "1.5"), "give a share above 0 and at most 1"),
        (("--prior", "maybe=0.1"), "the labels are no, yes"),
    ],
)
def test_decisions_that_make_no_sense(tables, program, options, message):
    answer = program("predict", tables / "m.rarewood", tables / "test.csv", *options, code=2)
    assert message in answer.err


def test_another_threshold_and_a_summary(tables, program, expected):
    answer = program("predict", tables / "m.rarewood", tables / "test.csv", "--threshold", 0.9, "-o", "s.csv", "--json")
    assert answer.json["called_positive"] == int((expected[0] >= 0.9).sum())
    assert answer.json["rows"] == 700
    text = program("predict", tables / "m.rarewood", tables / "test.csv", "-o", "s.csv").out
    assert "700 rows scored" in text


def test_a_model_made_in_python(program, tables):
    """Its categories may be numbers, and it has no threshold and no rules of its own in the file."""
    frame = pd.DataFrame({"code": pd.Categorical([1, 2, 3, 1, 2, 3] * 5), "x": np.arange(30.0)})
    y = np.array([0, 0, 1, 0, 0, 1] * 5)
    rw.save(rw.TreeClassifier().fit(frame, y), program.folder / "t.rarewood")
    (program.folder / "t.csv").write_text("x,code\n1,3\n2,1\n")
    found = rows(program("predict", "t.rarewood", "t.csv", "--rules").out)
    assert [row["label"] for row in found] == ["1", "0"]
    assert [row["rules"] for row in found] == ["code = 3", ""]


def test_reasons_are_those_of_explain(tables, program):
    few = "\n".join((tables / "test.csv").read_text().splitlines()[:9]) + "\n"
    (program.folder / "few.csv").write_text(few)
    found = rows(program("predict", tables / "m.rarewood", "few.csv", "--reasons", 2, "--reasons-for", "all").out)
    assert list(found[0]) == ["payment_id", "score", "label", "reasons"]
    model = rw.load(tables / "m.rarewood")
    data = rw.datasets.read_file(program.folder / "few.csv")
    told = rw.inspection.explain(model, data.X.drop(columns="payment_id"), n_permutations=16)
    for number, row in enumerate(found):
        wanted = [f"{r.column} = {r.cell} ({r.value:+.3g})" for r in told.reasons(number, 2)]
        assert row["reasons"].split(" | ") == wanted


def test_reasons_of_a_model_that_has_none_are_refused_in_a_line(tables, program):
    program("fit", tables / "train.csv", "-m", "biased-ranking", "-o", "r.rarewood", "-q")
    told = program("predict", "r.rarewood", tables / "test.csv", "--reasons", 3, "-o", "s.csv", code=2)
    assert "--reasons" in told.err
    assert not (program.folder / "s.csv").exists()


class TestSpreadsheets:
    def test_formulas_are_copied_or_made_text(self, tables, program):
        header, *few = (tables / "test.csv").read_text().splitlines()[:7]
        ids = ["=1+1", "+cmd|x", "@SUM(A1)", "-2+3", "-2.5", "plain"]
        lines = [header, *(f"{identifier},{line.partition(',')[2]}" for identifier, line in zip(ids, few))]
        (program.folder / "few.csv").write_text("\n".join(lines))
        plain = rows(program("predict", tables / "m.rarewood", "few.csv").out)
        safe = rows(program("predict", tables / "m.rarewood", "few.csv", "--safe-csv").out)
        assert [row["payment_id"] for row in plain] == ids
        assert [row["payment_id"] for row in safe] == ["'=1+1", "'+cmd|x", "'@SUM(A1)", "'-2+3", "-2.5", "plain"]
        assert [row["score"] for row in plain] == [row["score"] for row in safe]

    @pytest.mark.parametrize("cell", ["", "a=b", "-1e-3", "+7", 3, "1-2"])
    def test_other_cells_stay(self, cell):
        assert not_a_formula(cell) == cell

    @pytest.mark.parametrize("cell", ["=A1", " =A1", "\t@x", "--1", "+1+2", "-"])
    def test_formulas_get_a_quote(self, cell):
        assert not_a_formula(cell) == "'" + cell


def test_rules_on_dates_and_times_hold_in_files(program):
    random = np.random.default_rng(0)
    day = pd.Timestamp("1960-01-01") + pd.to_timedelta(
        100 * random.integers(0, 200, 900), unit="D"
    )  # far apart, as births
    when = pd.Timestamp("1950-05-05 10:11:12") + pd.to_timedelta(200 * random.integers(0, 10**7, 900), unit="s")
    hits = (day > "1998-05-01") & (when < "1986-07-10")
    frame = pd.DataFrame({"day": day, "when": when, "y": np.where(hits, "yes", "no")})
    frame.to_csv(program.folder / "t.csv", index=False)
    program("fit", "t.csv", "-s", "n_estimators=10", "-o", "t.rarewood")
    found = rows(program("predict", "t.rarewood", "t.csv", "--rules").out)
    held = np.array([bool(row["rules"]) for row in found])
    assert (held == hits).mean() > 0.99


@pytest.mark.parametrize("asked", [(), ("--id", "score")], ids=["of the model", "asked for"])
@pytest.mark.parametrize("command", ["predict", "review"])
def test_identifiers_that_are_called_like_an_output_column_are_refused(tables, program, command, asked):
    frame = pd.read_csv(tables / "train.csv").rename(columns={"payment_id": "score"})
    frame.to_csv("t.csv", index=False)
    program("fit", "t.csv", "-m", "brf", "-s", "n_estimators=10", "--rules", 0, "--id", "score", "-o", "m.rarewood")
    answer = program(command, "m.rarewood", "t.csv", "-o", "s.csv", *asked, code=2)
    assert "the identifier 'score' is also the name of an output column" in answer.err
    assert not (program.folder / "s.csv").exists()
    frame = frame.rename(columns={"score": "rules"})  # taken only if rules are written, too
    frame.to_csv("t.csv", index=False)
    assert program(command, "m.rarewood", "t.csv", "-o", "s.csv", "--id", "rules")


@pytest.mark.parametrize(
    ("command", "name"), [("predict", "s.csv"), ("predict", "s.tsv"), ("predict", "s.csv.gz"), ("review", "s.csv")]
)
def test_cells_with_line_ends_come_back_as_they_were(tables, program, command, name):
    odd = ["a\rb", "a\nb", "a\r\nb", "a\tb", '"', "a,b", "'", "=1", "a\u2028b", ""]
    frame = pd.read_csv(tables / "test.csv").iloc[: len(odd)]
    frame["payment_id"] = odd
    frame = frame.rename(columns={"payment_id": "an\rid"})
    frame.to_json("t.jsonl", orient="records", lines=True)
    program(command, tables / "m.rarewood", "t.jsonl", "--id", "an\rid", "-o", name)
    open_text = gzip.open if name.endswith(".gz") else open
    with open_text(name, "rt", encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file, delimiter="\t" if name == "s.tsv" else ","))
    assert sorted(row["an\rid"] for row in found) == sorted(odd)


@pytest.mark.parametrize("name", ["s.csv.gz", "s.parquet", "s.tsv", "s.xlsx"])
def test_rows_to_label_are_refused_under_the_name_of_another_format(tables, program, name):
    assert "name a .csv file" in program("review", tables / "m.rarewood", tables / "test.csv", "-o", name, code=2).err


def test_safe_csv_guards_names_of_columns_too(tables, program):
    frame = pd.read_csv(tables / "test.csv").iloc[:3].rename(columns={"payment_id": "=1+1"})
    frame.to_csv("t.csv", index=False)
    (row, *_) = rows(program("predict", tables / "m.rarewood", "t.csv", "--safe-csv", "--id", "=1+1").out)
    assert next(iter(row)) == "'=1+1"
    assert not_a_formula("\uff1dSUM(A1)") == "'\uff1dSUM(A1)"


def test_rows_to_label_are_safe_on_request(tables, program):
    frame = pd.read_csv(tables / "test.csv").iloc[:3].assign(payment_id=["=1+1", "@x", "P1"])
    frame.to_csv("t.csv", index=False)
    for option, ids in ((), {"=1+1", "@x", "P1"}), (("--safe-csv",), {"'=1+1", "'@x", "P1"}):
        found = rows(program("review", tables / "m.rarewood", "t.csv", "-n", 3, *option).out)
        assert {row["payment_id"] for row in found} == ids
