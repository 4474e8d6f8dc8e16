"""Words in files have one reading, whoever reads them: the command and Python give the same rows the same scores."""

import csv
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import rarewood as rw
from rarewood import distributed

N = 300
WORDS = np.array(["", "NA", "?", "a ", "a", " b", "b", "c", None], dtype=object)


def frame():
    rng = np.random.default_rng(0)
    words = rng.choice(WORDS, N)
    likely = pd.Series(words).isin(["", "NA", "?"]).to_numpy()
    labels = np.where(rng.random(N) < np.where(likely, 0.7, 0.1), "yes ", "no")
    return pd.DataFrame({"word": words, "number": rng.normal(size=N), "label": labels})


def _csv(table, path):
    table.to_csv(path, index=False, quoting=csv.QUOTE_ALL if path.suffix == ".csv" else csv.QUOTE_MINIMAL)


def _sqlite(table, path):
    with sqlite3.connect(path) as connection:
        table.to_sql("t", connection, index=False)
    connection.close()


WRITERS = {
    "csv": _csv,
    "tsv": lambda table, path: table.to_csv(path, index=False, sep="\t"),
    "parquet": lambda table, path: table.to_parquet(path, row_group_size=70),
    "feather": lambda table, path: table.to_feather(path),
    "jsonl": lambda table, path: path.write_text("\n".join(map(json.dumps, table.to_dict("records")))),
    "json": lambda table, path: path.write_text(json.dumps(table.to_dict("records"))),
    "xlsx": lambda table, path: table.to_excel(path, index=False),
    "sqlite": _sqlite,
}


def written(folder, suffix, dtype=object):
    table = frame()
    table["word"] = table["word"].astype(dtype)
    path = folder / f"t.{suffix}"
    WRITERS[suffix](table, path)
    return path


def scores(program, path, model="m.rarewood"):
    program("predict", model, path, "-o", "scores.csv")
    return pd.read_csv(program.folder / "scores.csv")["score"].to_numpy()


def own_scores(model, X):
    return model.predict_proba(X)[:, 1]


@pytest.mark.parametrize("memory", [(), ("--memory", "4GB")], ids=["in memory", "in parts"])
@pytest.mark.parametrize("suffix", list(WRITERS))
def test_a_model_of_the_command(program, suffix, memory):
    path = written(program.folder, suffix)
    fitted = written(program.folder, "parquet") if memory else path
    program("fit", fitted, "-t", "label", "-m", "hedex", "-s", "n_estimators=9", *memory, "-o", "m.rarewood")
    model = rw.load(program.folder / "m.rarewood")
    assert model.classes_.tolist() == ["no", "yes"]
    assert model._columns.kinds[0].categories.tolist() == ["a", "b", "c"]
    X = rw.datasets.read_file(path, target="label").X
    np.testing.assert_allclose(scores(program, path), own_scores(model, X), atol=1e-6)


@pytest.mark.parametrize("dtype", [object, "category"])
def test_files_in_parts_are_read_as_by_the_command(program, dtype):
    path = written(program.folder, "parquet", dtype)
    program("fit", path, "-t", "label", "-m", "hedex", "-s", "n_estimators=9", "-o", "m.rarewood")
    command = rw.load(program.folder / "m.rarewood")
    model = distributed.fit(rw.HeDExClassifier(9, random_state=0), path, "label")
    assert model.forest_.feature_importances.tobytes() == command.forest_.feature_importances.tobytes()
    X = rw.datasets.read_file(path, target="label").X
    for each in (model, command):
        in_parts = np.concatenate(list(distributed.predict_proba(each, str(path))))
        np.testing.assert_array_equal(in_parts, each.predict_proba(X))


@pytest.mark.parametrize("suffix", list(WRITERS))
def test_what_a_model_knows_as_a_category_is_never_missing(program, suffix):
    """A frame is taken as it is: there, NA is a word like others. The command must then see it in files, too."""
    table = frame().fillna({"word": "c"})
    if suffix == "xlsx":  # where there is no empty text
        table = table.replace({"word": ""}, "?")
    model = rw.HeDExClassifier(9, random_state=0).fit(table[["word", "number"]], table["label"].str.strip())
    rw.save(model, program.folder / "m.rarewood")
    path = program.folder / f"t.{suffix}"
    WRITERS[suffix](table, path)
    np.testing.assert_allclose(scores(program, path), own_scores(model, table[["word", "number"]]), atol=1e-6)
    if suffix == "parquet":
        in_parts = np.concatenate(list(distributed.predict_proba(model, path)))
        np.testing.assert_array_equal(in_parts, model.predict_proba(table[["word", "number"]]))


def test_other_commands_see_the_categories_of_the_model(program):
    table = frame().fillna({"word": "c"})
    y = table.pop("label").str.strip()
    model = rw.RareClassifier(9, random_state=0).fit(table, y)
    rw.save(model, program.folder / "m.rarewood")
    table.assign(label=y).to_parquet(program.folder / "t.parquet")
    columns = program("monitor", "m.rarewood", "t.parquet", "-t", "label", "--json").json["columns"]
    assert [each["psi"] for each in columns] == [0.0, 0.0]
    measured = program("report", "m.rarewood", "t.parquet", "-t", "label", "--json").json["measures"]
    assert measured["auc"] == pytest.approx(roc_auc_score(y == "yes", own_scores(model, table)))
