"""`rarewood monitor`, `recalibrate` and `review`: what they print, their exit codes, and what they refuse."""

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from support.command_line import payments


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("monitoring")
    train, new = payments(2500, 0), payments(2500, 1)
    new["day"] = (np.datetime64("2026-01-01") + np.arange(2500) // 40).astype(str)
    moved = pd.concat([new] + [new[new["fraud"] == "yes"]] * 4).sample(frac=1.0, random_state=0)
    blank = moved.assign(fraud=np.where(np.arange(len(moved)) % 2 == 0, moved["fraud"], ""))
    for name, frame in {"train": train, "new": new, "moved": moved, "blank": blank}.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    new.drop(columns="fraud").to_csv(folder / "pool.csv", index=False)
    model = rw.RareClassifier(45, random_state=0).fit(train.drop(columns=["payment_id", "fraud"]), train["fraud"])
    columns = {name: "nominal" if train[name].dtype.kind not in "if" else "numeric" for name in model.feature_names_in_}
    told = {"columns": columns, "target": "fraud", "ids": ["payment_id"]}
    rw.save(model, folder / "m.rarewood", metadata=told)
    rw.save(model, folder / "forgetful.rarewood", metadata=told, memory=False)
    return folder


def test_exit_codes_tell_fine_attention_and_error(program, files):
    fine = program("monitor", files / "m.rarewood", files / "new.csv", "--time", "day", "--block-rows", "700")
    assert "Nothing asks for attention" in fine.out
    assert "2026-02" in fine.out
    seen = program("monitor", files / "m.rarewood", files / "moved.csv", "--json", code=1).json
    assert {"alarms", "share", "calibration"} <= {each["code"] for each in seen["findings"]}
    program("monitor", files / "m.rarewood", files / "moved.csv", "--fail-on", "drift,recall")
    program("monitor", files / "m.rarewood", files / "moved.csv", "--fail-on", "none", "-q")
    half = program("monitor", files / "m.rarewood", files / "blank.csv", "--json", code=1).json
    assert half["labels"]["n_rows"] == (seen["n_rows"] + 1) // 2
    for arguments, code, words in (
        (["forgetful.rarewood", "new.csv"], 5, "remembers nothing"),
        (["m.rarewood", "new.csv", "--time", "dya"], 4, "did you mean 'day'"),
        (["m.rarewood", "new.csv", "--time", "country"], 4, "--time"),
        (["m.rarewood", "new.csv", "--target", "nothing"], 4, "no column 'nothing'"),
        (["m.rarewood", "new.csv", "--target", "country"], 6, "which the model does not know"),
        (["m.rarewood", "new.csv", "--fail-on", "everything"], 2, "calibration"),
        (["m.rarewood", "absent.csv"], 3, "absent.csv"),
        (["new.csv", "m.rarewood"], 5, "name the model first"),
    ):
        paths = [files / each if "." in each else each for each in arguments]
        answer = program("monitor", *paths, code=code)
        assert words in answer.err
        assert "Traceback" not in answer.err


def test_a_model_knows_the_days_of_its_rows(program, files):
    options = ("--target", "fraud", "--id", "payment_id", "-s", "n_estimators=12", "--rules", 0, "-o", "dated.rarewood")
    program("fit", files / "new.csv", "--time", "day", *options)
    seen = program("monitor", "dated.rarewood", files / "new.csv", "--fail-on", "none")
    assert "compared with the 2,500 rows of the fit, from 2026-01-01 to 2026-03-04" in seen.out


def test_a_page_is_written(program, files):
    pytest.importorskip("jinja2")
    program("monitor", files / "m.rarewood", files / "moved.csv", "--html", "page.html", code=1)
    assert "Attention" in (program.folder / "page.html").read_text(encoding="utf-8")


def test_recalibrating_writes_a_model_that_fits(program, files):
    answer = program("recalibrate", files / "m.rarewood", files / "moved.csv", "-o", "later.rarewood")
    assert "recalibrated on" in answer.out
    program("monitor", "later.rarewood", files / "moved.csv")
    told = rw.export.describe(program.folder / "later.rarewood").metadata
    assert told["recalibrated"]["n_rare"] > 100
    assert told["target"] == "fraud"
    model = rw.load(files / "m.rarewood")
    alarms = payments(2500, 1)[model.predict(payments(2500, 1).drop(columns=["payment_id", "fraud"])) == "yes"]
    alarms.assign(w=2.0).to_csv(program.folder / "alarms.csv", index=False)
    refused = program("recalibrate", files / "m.rarewood", "alarms.csv", "-o", "x.rarewood", code=4)
    assert "because they raised one" in refused.err
    assert not (program.folder / "x.rarewood").exists()
    program("recalibrate", files / "m.rarewood", "alarms.csv", "-o", "x.rarewood", "--weight", "w")
    missing = program("recalibrate", files / "m.rarewood", "alarms.csv", "-o", "y.rarewood", "--weight", "v", code=4)
    assert "no column 'v'" in missing.err
    own = program("recalibrate", "later.rarewood", files / "moved.csv", "-o", "later.rarewood", code=2)
    assert "name another file" in own.err


def test_rows_to_label_and_what_their_labels_say(program, files):
    program("review", files / "m.rarewood", files / "pool.csv", "-n", "100", "-o", "review.csv")
    chosen = pd.read_csv(program.folder / "review.csv")
    assert list(chosen.columns) == ["payment_id", "row", "score", "chosen", "weight", "alarm", "label"]
    assert (chosen["chosen"] == "drawn").sum() == 20
    new = payments(2500, 1).set_index("payment_id")["fraud"]
    chosen["label"] = new[chosen["payment_id"]].to_numpy()
    chosen.to_csv(program.folder / "labelled.csv", index=False)
    answer = program("review", files / "m.rarewood", "labelled.csv", "--estimate", "--json").json
    assert answer["n_drawn"] == 20
    assert answer["base_rate"][1] <= 0.03
    unlabelled = program("review", files / "m.rarewood", "review.csv", "--estimate", code=4)
    assert "have no label" in unlabelled.err
    other = program("review", files / "m.rarewood", files / "new.csv", "--estimate", code=4)
    assert "no column 'chosen'" in other.err
    assert program("review", files / "m.rarewood", files / "pool.csv", "-n", "3").out.count("\n") == 4
