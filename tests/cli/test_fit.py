import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.export import describe
from support.command_line import start

FEW = ("-s", "n_estimators=10")


def test_what_fit_prints(tables):
    text = (tables / "fit.txt").read_text()
    for part in (
        "train.csv: 1,500 rows, target 'fraud'",
        "yes",
        "class to find",
        "2.00%",
        "nominal     country, channel, merchant",
        "identifiers payment_id",
        "brf: scores on unseen rows (out-of-bag)",
        "area under the ROC curve",
        "average precision",
        "log-loss",
        "(best F1): call 'yes' at or above it",
        "Rules, on rows that were not used to find them",
        "Model written to m.rarewood",
    ):
        assert part in text


def test_the_model_file_can_be_used_from_python(tables):
    model = rw.load(tables / "m.rarewood")
    assert type(model).__name__ == "BalancedForestClassifier"
    assert model.decision_threshold_.positive == "yes"
    about = describe(tables / "m.rarewood").metadata
    assert about["method"] == "brf"
    assert about["columns"]["country"] == "nominal"
    assert about["columns"]["amount"] == "number"
    assert about["ids"] == ["payment_id"]
    assert len(about["rules"]) >= 2


def test_out_of_bag_figures_are_those_of_the_library(tables, program):
    found = program("fit", tables / "train.csv", "--id", "payment_id", "-m", "brf", *FEW, "--json").json
    data = rw.datasets.read_file(tables / "train.csv")
    X = data.X.drop(columns="payment_id")
    model = rw.BalancedForestClassifier(10, oob_score=True, random_state=0).fit(X, data.y)
    scores = model.oob_decision_function_
    kept = ~np.isnan(scores[:, 1])
    auc = rw.metrics.rare_auc(data.y[kept], scores[kept, 1], positive="yes")
    assert found["measures"]["auc"] == pytest.approx(auc)
    assert found["judged_by"] == "out-of-bag"
    assert found["classes"] == {"no": 1470, "yes": 30}


@pytest.mark.several_threads
def test_the_default_is_the_calibrated_mixture(tables, program):
    """What the command does and what the library does are the same, threshold and all."""
    options = (
        "--id",
        "payment_id",
        "-s",
        "n_estimators=40",
        "--threshold",
        "recall=0.8",
        "--rules",
        0,
        "-o",
        "m.rarewood",
    )
    found = program("fit", tables / "train.csv", *options, "--json").json
    assert found["method"] == "rare"
    assert found["judged_by"] == "out-of-bag"
    frame = pd.read_csv(tables / "train.csv")
    own = rw.RareClassifier(40, threshold="recall=0.8", n_jobs=-1, random_state=0)
    own.fit(frame.drop(columns=["payment_id", "fraud"]), frame["fraud"])
    kept = rw.load(program.folder / "m.rarewood")
    assert kept.decision_threshold_ == own.decision_threshold_
    assert repr(kept) == repr(own)
    assert found["threshold"]["recall"] == own.decision_threshold_.recall


def test_a_pipeline_calls_the_same_rows_for_another_prior(tables, program):
    options = ("--id", "payment_id", "-m", "hedex+patterns", "-s", "n_estimators=10", "--rules", 0, "--prior", 0.01)
    program("fit", tables / "train.csv", *options, "-o", "m.rarewood")
    plain = program("predict", "m.rarewood", tables / "test.csv", "-o", "s.csv", "--json").json
    other = program("predict", "m.rarewood", tables / "test.csv", "--prior", 0.5, "-o", "s.csv", "--json").json
    assert other["called_positive"] == plain["called_positive"] > 0


def test_a_prior_is_kept_with_the_model(tables, program):
    options = ("--id", "payment_id", "-s", "n_estimators=40", "--rules", 0, "--prior", 0.002, "-o", "m.rarewood")
    program("fit", tables / "train.csv", *options)
    kept = rw.load(program.folder / "m.rarewood")
    assert kept.prior_.tolist() == [0.998, 0.002]
    assert "for the prior no 0.998, yes 0.002" in repr(kept)


def test_a_model_that_forgets_cannot_be_compared(tables, program):
    options = ("--id", "payment_id", "-m", "brf", *FEW, "--rules", 0, "-o", "m.rarewood")
    program("fit", tables / "train.csv", *options, "--forget")
    assert rw.load(program.folder / "m.rarewood").memory_ is None
    assert "remembers nothing" in program("monitor", "m.rarewood", tables / "test.csv", code=5).err
    program("fit", tables / "train.csv", *options)
    assert rw.load(program.folder / "m.rarewood").memory_ is not None


def test_methods_that_see_all_rows_are_cross_validated(tables, program):
    found = program("fit", tables / "train.csv", "--id", "payment_id", "-m", "hedex", *FEW, "--rules", 0, "--json").json
    assert found["judged_by"] == "5-fold cross-validation"
    assert 0.8 < found["measures"]["auc"] <= 1
    assert found["rules"] == []
    assert found["model"] == "train.rarewood"
    assert (program.folder / "train.rarewood").exists()


@pytest.mark.parametrize("method", ["hddt", "ova-hddt", "hedex+patterns"])
def test_other_methods_make_usable_files(tables, program, method):
    program("fit", tables / "train.csv", "--id", "payment_id", "-m", method, "--rules", 0, "-o", "x.rarewood", "-q")
    answer = program("predict", "x.rarewood", tables / "test.csv", "-o", "s.csv", "--json")
    assert answer.json["rows"] == 700


def test_kinds_of_columns_can_be_overridden(tables, program):
    found = program(
        "fit", tables / "train.csv", "-t", "fraud", "--id", "payment_id", "--drop", "balance,distance_km",
        "--nominal", "payments_today", *FEW, "--rules", 0, "--json"
    ).json  # fmt: skip
    assert found["columns"]["payments_today"] == "nominal"
    assert "balance" not in found["columns"]
    assert "payment_id" not in found["columns"]
    assert describe(program.folder / "train.rarewood").metadata["columns"]["payments_today"] == "nominal"


def test_a_column_that_names_rows_is_pointed_out(tables, program):
    answer = program("fit", tables / "train.csv", *FEW, "--rules", 0, "-m", "brf")
    assert "column 'payment_id' has 1,500 categories in 1,500 rows: use --id" in " ".join(answer.out.split())


def test_formats_give_the_same_model(tables, program):
    pytest.importorskip("pyarrow")
    pytest.importorskip("arff")
    import pandas as pd

    frame = pd.read_csv(tables / "train.csv").drop(columns="payment_id")
    frame.to_parquet(program.folder / "t.parquet")
    text = frame.to_csv(index=False)
    (program.folder / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    (program.folder / "t.csv").write_text(text.replace(",", ";"))
    (program.folder / "t.arff").write_text(as_arff(frame))
    measures = {
        name: program("fit", name, *FEW, "-m", "brf", "--rules", 2, "-o", "x.rarewood", "--json").json
        for name in ("t.csv", "t.csv.gz", "t.parquet", "t.arff")
    }
    for found in measures.values():
        assert found["measures"] == measures["t.csv"]["measures"]
        assert found["rules"] == measures["t.csv"]["rules"]


def as_arff(frame):
    kinds = {
        name: "numeric" if frame[name].dtype.kind == "f" or frame[name].dtype.kind == "i" else "string"
        for name in frame
    }
    head = "".join(f"@attribute {name} {kind}\n" for name, kind in kinds.items())
    return f"@relation t\n{head}@data\n" + frame.to_csv(index=False, header=False, na_rep="?")


@pytest.mark.parametrize(
    ("rule", "held"),
    [
        ("recall=0.9", lambda t: t["n_hits"] == 27),
        ("precision=0.5", lambda t: t["n_hits"] >= 0.5 * t["n_alarms"] > 0),
        ("cost=1:50", lambda t: t["costs"] == [1, 50]),
        ("alerts=30", lambda t: t["alerts"] == 0.02),
        ("alerts=2%", lambda t: t["alerts"] == 0.02),
        ("0.3", lambda t: t["value"] == 0.3),
        ("none", lambda t: t is None),
    ],
)
def test_thresholds(tables, program, rule, held):
    found = program(
        "fit", tables / "train.csv", "--id", "payment_id", "-m", "brf", *FEW, "--threshold", rule, "--rules", 0, "--json"
    ).json  # fmt: skip
    assert held(found["threshold"])


def test_quiet_prints_nothing(tables, program):
    answer = program("fit", tables / "train.csv", "-m", "brf", *FEW, "--rules", 0, "--quiet")
    assert (answer.out, answer.err) == ("", "")


def test_json_is_all_there_is_on_standard_output(tables, program):
    answer = program("fit", tables / "train.csv", "-m", "brf", *FEW, "--rules", 1, "--json")
    assert json.loads(answer.out)["rows"] == 1500


def test_odd_columns_are_pointed_out(program):
    head = "number,empty,same,amount,price,height,name,fraud"
    lines = [
        f'{i},,1,{i / 7},"{i * 900:,}","{i // 10},{i % 10}",n{i},{"yes" if i % 10 == 0 else "no"}' for i in range(200)
    ]
    (program.folder / "t.csv").write_text("\n".join([head, *lines]))
    out = program("fit", "t.csv", "-m", "brf", *FEW, "--rules", 0).out
    notes = [line for line in out.splitlines() if line.startswith("note RW")]
    assert "t.csv is read with thousands separators" in notes.pop(0)
    assert "column 'price' is read as numbers, commas between thousands: " in notes.pop(0)
    assert "column 'height' is read as numbers, decimal commas: " in notes.pop(0)
    *notes, advice = notes
    assert "2 columns are suspect; --drop-suspects leaves them out" in advice  # nobody writes 1,800 for an identifier
    assert [note.split("'")[1] for note in notes] == ["number", "empty", "same", "name"]
    for note, part in zip(
        notes,
        (
            "numbers the rows: use --id",
            "is empty",
            "is constant",
            "has 200 categories in 200 rows: use --id",
        ),
        strict=True,
    ):
        assert part in note


def test_a_file_that_was_unpacked_but_kept_its_name(tables, program):
    (program.folder / "t.csv.gz").write_bytes((tables / "train.csv").read_bytes())
    assert (
        program("fit", "t.csv.gz", "--id", "payment_id", "-m", "brf", *FEW, "--rules", 0, "--json").json["rows"] == 1500
    )


@pytest.mark.parametrize("word", ["N/A", "null", "NULL", "#N/A", "nan", "?"])
def test_words_for_missing_numbers(program, word):
    lines = [f"{word if i % 9 == 0 else i},{'yes' if i % 10 == 0 else 'no'}" for i in range(100)]
    (program.folder / "t.csv").write_text("\n".join(["x,y", *lines]))
    assert "numbers     x" in program("fit", "t.csv", "-m", "brf", *FEW, "--rules", 0).out


def test_rows_without_a_label_are_left_out_and_counted(tables, program):
    lines = (tables / "train.csv").read_text().splitlines()
    gaps = [line.rsplit(",", 1)[0] + "," if i % 50 == 7 else line for i, line in enumerate(lines)]
    (program.folder / "gaps.csv").write_text("\n".join(gaps))
    found = program("fit", "gaps.csv", "--id", "payment_id", "-m", "hddt", "--rules", 0, "--json").json
    assert found["rows"] == 1470
    assert found["notes"][0] == "30 of 1,500 rows have no label in column 'fraud' and are left out"
    answer = program("fit", "gaps.csv", "--unlabelled=error", code=4)
    assert "30 rows have no label in column 'fraud', the first is row 7" in answer.err
    assert "give drop or error" in program("fit", "gaps.csv", "--unlabelled=keep", code=2).err


def test_labels_that_are_odd_are_pointed_out(program):
    labels = ["no"] * 60 + ["No "] * 20 + ["yes"] * 12 + ["maybe"] * 3
    (program.folder / "t.csv").write_text("x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    found = program("fit", "t.csv", "-m", "hddt", "--rules", 0, "--json").json
    assert found["positive"] == "yes"
    notes = " ".join(found["notes"])
    assert "the labels 'No', 'no' of 'y' differ only by case or spaces" in notes
    assert "class 'maybe' has 3 rows and is not the class to find" in notes
    assert "the class to find is 'yes', which is not the rarest" in notes


def test_labels_that_differ_by_case_can_be_merged(program):
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "No ", "NO", "Yes", "yes"], [60, 20, 5, 12, 9])
    is_rare = np.char.lower(y) == "yes"
    frame = pd.DataFrame({"x": rng.normal(size=len(y)) + 1.5 * is_rare, "leak": is_rare, "y": y})
    frame.to_csv(program.folder / "t.csv", index=False)
    fit = (
        "fit",
        "t.csv",
        "-m",
        "hedex",
        *FEW,
        "--merge-labels",
        "--drop-suspects",
        "-o",
        "m.rarewood",
        "-j",
        1,
        "--json",
    )
    found = program(*fit).json
    assert found["classes"] == {"Yes": 21, "no": 85}
    assert "the labels 'NO', 'No', 'no' of 'y' count as one class" in found["notes"]

    frame["x"] += 0.01
    frame["y"] = np.char.upper(y)
    frame.to_csv(program.folder / "new.csv", index=False)
    assert "106 rows, 21 of class Yes" in program("report", "m.rarewood", "new.csv", "-j", 1).out
    assert "counted on new.csv" in program("rules", "m.rarewood", "new.csv").out
    compared = program(
        "compare", "t.csv", "-m", "hddt", "--protocol", "1x2", "--metric", "auc", "--merge-labels", "-j", 1
    )
    assert "count as one class" in compared.out


def test_many_classes_are_summed_up(program):
    labels = [f"c{number}" for number in range(40) for _ in range(6)]
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=240), "y": labels})
    frame.to_csv(program.folder / "many.csv", index=False)
    answer = program("fit", "many.csv", "-m", "hedex", *FEW, "--rules", 0, "-j", 1)
    assert re.search(r"^39 others +234 +97\.50%", answer.out, re.MULTILINE)
    assert "note RW125: 40 of 40 classes have fewer than 10 rows, such as 'c0', 'c1', 'c10'\n" in answer.out
    assert answer.out.count("moves its recall") == 1


def test_a_target_of_too_many_values_is_refused(program):
    days = pd.date_range("2024-01-01", periods=150).strftime("%Y-%m-%d")
    pd.DataFrame({"x": range(600), "day": list(days) * 4}).to_csv(program.folder / "days.csv", index=False)
    answer = program("fit", "days.csv", "--target", "day", code=4)
    assert "the target 'day' of days.csv has 150 different values in 600 rows, too many for classes" in answer.err


def test_dates_without_time_are_pointed_out(program):
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=90).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"day": days, "x": rng.normal(size=90), "y": ["yes", "no", "no"] * 30})
    frame.to_csv(program.folder / "days.csv", index=False)
    fit = ("fit", "days.csv", "-m", "hddt", "--rules", 0, "-j", 1)
    note = "note RW108: column 'day' holds dates: if new rows will be later ones, --time day tests the model on the latest rows"
    assert note in program(*fit).out
    assert "holds dates" not in program(*fit, "--time", "day").out


def test_text_files_of_other_lands(program):
    rows = [
        f"{i},5;{1 + i % 28}.01.2024;{'Köln' if i % 3 else 'Bern'};{'ja' if i % 5 == 0 else 'nein'}" for i in range(80)
    ]
    text = "\n".join(["betrag;tag;ort;betrug", *rows])
    for name, encoding in (("a.csv", "utf-8"), ("b.csv", "latin-1"), ("c.csv", "utf-16")):
        (program.folder / name).write_bytes(text.encode(encoding))
        found = program("fit", name, "-m", "hddt", "--rules", 0, "-o", f"{name}.rarewood", "--json").json
        assert found["columns"] == {"betrag": "number", "tag": "date", "ort": "nominal"}
        assert "semicolons between cells, decimal commas" in found["notes"][0]
        program("predict", f"{name}.rarewood", name, "-o", f"{name}.out")
    assert (program.folder / "a.csv.out").read_text() == (program.folder / "c.csv.out").read_text()
    wrong = program("fit", "a.csv", "--sep", ",", "--decimal", ".", code=4)
    assert "rarewood:" in wrong.err
    assert "single character" in program("fit", "a.csv", "--sep", "::", code=2).err
    assert ". or ," in program("fit", "a.csv", "--decimal", ";", code=2).err


def test_formats_that_are_not_written_are_refused(tables, program):
    answer = program("predict", tables / "m.rarewood", tables / "test.csv", "-o", "s.xlsx", code=2)
    assert ".xlsx files cannot be written; name a .csv" in answer.err


def test_a_closed_pipe_does_not_stop_a_fit(tables, program):
    process = start(
        "fit", tables / "train.csv", "--id", "payment_id", "-m", "hddt", "-o", "p.rarewood", folder=program.folder
    )
    process.stdout.close()  # as `head -1` does
    assert process.wait(timeout=120) == 0
    process.stderr.close()
    assert type(rw.load(program.folder / "p.rarewood")).__name__ == "TreeClassifier"


def test_describe(tables, program):
    out = program("describe", tables / "m.rarewood").out
    for part in (
        "BalancedForestClassifier, format 1",
        "brf",
        "\ntarget        fraud\n",
        "yes is the class to find",
        "country",
        "nominal",
        "numpy",
    ):
        assert part in out
    about = program("describe", tables / "m.rarewood", "--json").json
    assert about["columns"]["amount"] == "number"
    assert about["positive"] == "yes"


def test_suspect_columns_are_named_and_dropped_if_asked(tables, program):
    lines = (tables / "train.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines]
    more = [["refund", "twin", *rows[0]], *([f"{row[-1] == 'yes':d}", row[1], *row] for row in rows[1:])]
    (program.folder / "t.csv").write_text("\n".join(map(",".join, more)))
    common = ("fit", "t.csv", "-m", "hddt", "--rules", 0, "--json")
    found = program(*common).json
    notes = " ".join(found["notes"])
    assert "refund alone ranks the rows almost perfectly. Its area under the ROC curve is" in notes
    assert f"{rows[0][1]} is the same as twin" in notes
    assert "3 columns are suspect; --drop-suspects leaves them out" in notes
    assert "refund" in found["columns"]
    found = program(*common, "--drop-suspects").json
    assert not {"refund", "payment_id", rows[0][1]} & set(found["columns"])
    assert "left out as suspect: refund" in " ".join(found["notes"])


def test_numbers_of_a_file_are_in_memory_once(tmp_path):
    from rarewood.cli._table_fit import rows_for
    from rarewood.cli._training import TableOptions, read_training

    rows = "".join(f"{i % 7},{'ab'[i % 2]},{i / 3},{'uv'[i % 3 == 0]}\n" for i in range(60)) + "9,a,9,\n"
    (tmp_path / "t.csv").write_text(f"x,word,third,y\n{rows}")
    table = read_training(str(tmp_path / "t.csv"), TableOptions(), None)
    assert len(table.y) == 60  # one row has no label
    for name in ("x", "third"):
        assert np.shares_memory(table.X[name].to_numpy(), table.data.matrix)
    assert rows_for(rw.TreeClassifier(), table) is table.data.rows
    assert table.data.matrix.tolist() == [[i % 7, i % 2, i / 3] for i in range(60)]
    assert rows_for(rw.make("hddt+patterns"), table) is table.X


def test_the_rare_one_of_three_classes_is_found(program):
    rng = np.random.default_rng(0)
    n = 600
    x = rng.normal(size=(n, 3))
    risk = x[:, 0] + rng.normal(size=n)
    outcome = np.where(risk > 2.6, "death", np.where(x[:, 1] > 0, "home", "transfer"))
    pd.DataFrame(x, columns=list("abc")).assign(outcome=outcome).to_csv(program.folder / "ward.csv", index=False)
    fit = ("fit", "ward.csv", "-s", "n_estimators=60", "--rules", 0, "-o", "m.rarewood")
    threshold = program(*fit, "--json").json["threshold"]
    assert (threshold["rule"], threshold["positive"]) == ("f1", "death")
    assert program("predict", "m.rarewood", "ward.csv", "-o", "s.csv", "--json").json["called_positive"] > 10
    named = program(*fit, "--positive", "home", "--json").json["threshold"]
    assert named["positive"] == "home"
    assert rw.load(program.folder / "m.rarewood").positive_ == "home"
