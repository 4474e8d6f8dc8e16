"""Metadata of model files: those of `rarewood fit` are checked before a command relies on them, those of others are nobody's business."""

import json

import pandas as pd
import pytest

import rarewood as rw
from fuzz._files import PREAMBLE, sealed
from fuzz._metadata import COMMANDS, originals, table

AS_FITTED = pytest.mark.filterwarnings("ignore")


def written(folder, file):
    (folder / "m.rarewood").write_bytes(file)
    for name, number in (("old.csv", 0), ("new.csv", 1)):
        (folder / name).write_text(table(number), encoding="utf-8")


def with_metadata(file, **entries):
    size = PREAMBLE.unpack_from(file)[4]
    header = json.loads(file[PREAMBLE.size : PREAMBLE.size + size])
    return sealed(
        json.dumps({**header, "metadata": {**header["metadata"], **entries}}).encode(), file[PREAMBLE.size + size :]
    )


@AS_FITTED
@pytest.mark.parametrize("number", range(3))
def test_files_of_fit_serve_every_command(program, number):
    for command in COMMANDS:
        written(program.folder, originals()[number])
        program(*command, code=None if command[0] == "monitor" else 0)


@AS_FITTED
@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ({"measures": {"auc": "high"}}, "under 'measures'"),
        ({"split": {"time": "day", "time_kind": ["date"]}}, "under 'split'"),
        ({"ids": 3}, "under 'ids'"),
        ({"fitted_to": "old.csv"}, "under 'fitted_to'"),
        ({"n_rows": "many"}, "under 'n_rows'"),
        ({"columns": {"a": "number"}}, "about different columns"),
        ({"columns": {"a": ["number"]}}, "under 'columns'"),
    ],
)
def test_what_fit_does_not_write_is_told_in_one_line(program, entries, what):
    written(program.folder, with_metadata(originals()[1], **entries))
    for command in COMMANDS:
        said = program(*command, code=5).err
        assert what in said
        assert said.count("\n") == 1


@AS_FITTED
def test_rules_on_other_columns_are_damaged(program):
    condition = {
        "column": "kind",
        "lower": 0.5,
        "upper": None,
        "categories": None,
        "missing": False,
        "text": "kind > 0.5",
    }
    rule = {"rule": "kind > 0.5", "rare": 5, "rest": 1, "strength": 4.2, "conditions": [condition]}
    written(program.folder, with_metadata(originals()[0], rules=[rule]))
    said = program("predict", "m.rarewood", "new.csv", "--rules", code=5).err
    assert "they ask for 'kind > 0.5', which does not fit the columns of the model" in said


def test_metadata_of_others_may_say_anything(program):
    """The names of entries are those of `rarewood fit`; without its columns, they are its author's."""
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0] * 20, "label": ["x", "x", "y", "y"] * 20})
    frame.to_csv("new.csv", index=False)
    told = {
        "columns": ["a"],
        "measures": "see the wiki",
        "split": 5,
        "n_rows": "80",
        "fitted_to": [1],
        "rules": {"a": 1},
        "ids": None,
    }
    model = rw.TreeClassifier(max_depth=2).fit(frame[["a"]], frame["label"])
    rw.save(model, "m.rarewood", metadata=told)
    assert program("describe", "m.rarewood", "--json").json["metadata"] == told
    program("describe", "m.rarewood")
    program("predict", "m.rarewood", "new.csv", "--rules")
    program("report", "m.rarewood", "new.csv", "-t", "label", "-o", "page.html", "--no-learning-curve", "--no-baseline")
