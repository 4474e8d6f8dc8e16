import gzip
import json

import numpy as np
import pytest

import rarewood as rw
from rarewood.export import describe

FEW = ("-s", "n_estimators=10")


def test_what_fit_prints(tables):
    text = (tables / "fit.txt").read_text()
    for part in (
        "train.csv: 1,500 rows, target 'fraud'",
        "yes",
        "to be found",
        "2.00%",
        "nominal     country, channel, merchant",
        "identifiers payment_id",
        "brf on rows it has not seen (out-of-bag)",
        "area under the ROC curve",
        "average precision",
        "log-loss",
        "class yes from here on, by f1",
        "Rules on rows that took no part in finding them",
        "The model is in m.rarewood",
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
    data = rw.datasets.read_file(tables / "train.csv")
    own = rw.RareClassifier(40, threshold="recall=0.8", n_jobs=-1, random_state=0)
    own.fit(data.X.drop(columns="payment_id"), data.y)
    kept = rw.load(program.folder / "m.rarewood")
    assert kept.decision_threshold_ == own.decision_threshold_
    assert repr(kept) == repr(own)
    assert found["threshold"]["recall"] == own.decision_threshold_.recall


def test_a_prior_is_kept_with_the_model(tables, program):
    options = ("--id", "payment_id", "-s", "n_estimators=40", "--rules", 0, "--prior", 0.002, "-o", "m.rarewood")
    program("fit", tables / "train.csv", *options)
    kept = rw.load(program.folder / "m.rarewood")
    assert kept.prior_.tolist() == [0.998, 0.002]
    assert "for the prior no 0.998, yes 0.002" in repr(kept)


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
        ("recall=0.9", lambda t: t["recall"] >= 0.9),
        ("precision=0.5", lambda t: t["precision"] >= 0.5),
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
    notes = [line for line in out.splitlines() if line.startswith("note: ")]
    assert [note.split("'")[1] for note in notes] == ["number", "empty", "same", "price", "height", "name"]
    for note, part in zip(
        notes,
        (
            "numbers the rows: use --id",
            "is empty",
            "is constant",
            "because of cells such as '1,800': numbers have a point and no commas",
            "because of cells such as '0,0'",
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
