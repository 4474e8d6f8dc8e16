"""Files that are readable and yet no tables to learn from: one line and an exit code, before any fit."""

import datetime
import gzip
import sqlite3

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import rarewood as rw
from rarewood.cli import _table_fit
from rarewood.cli._errors import SHOW_ERRORS, ExitCode

N = 80
Y = np.where(np.arange(N) % 8 == 0, "bad", "good")
A = np.arange(N) % 7 + (Y == "bad")
FRAME = pd.DataFrame({"a": A, "b": np.where(A > 3, "u", "v"), "label": Y})
FIT = ("-m", "gini", "--rules", 0, "-o", "m.rarewood")
ARFF = "@relation r\n@attribute a numeric\n@attribute label {good,bad}\n@data\n"


def arrow(**columns):
    return lambda path: parquet.write_table(pa.table({"a": A, **columns}), path)


def frame(names):
    return lambda path: FRAME.set_axis(names, axis=1).to_parquet(path)


def text(content):
    return lambda path: path.write_text(content)


def blob(path):
    with sqlite3.connect(path) as database:
        database.execute("create table t(a real, b blob, label text)")
        database.executemany("insert into t values(?, ?, ?)", [(float(a), b"\xff", y) for a, y in zip(A, Y)])


NULLABLE = pd.DataFrame({"a": pd.array(A, dtype="Int64"), "label": pd.array((Y == "bad").astype(int), dtype="Int64")})
NULLABLE.loc[5, "label"] = pd.NA
NULLABLE.loc[7, "a"] = pd.NA
TRUTH = pd.DataFrame({"a": A, "label": pd.array(Y == "bad", dtype="boolean")})
TRUTH.loc[5, "label"] = pd.NA

READ = {
    "integers for names.parquet": frame([0, 1, 2]),
    "names of two levels.parquet": frame(pd.MultiIndex.from_tuples([("x", "a"), ("x", "b"), ("y", "label")])),
    "nullable target.parquet": NULLABLE.to_parquet,
    "nullable truth.parquet": TRUTH.to_parquet,
    "decimals.parquet": arrow(d=pa.array([__import__("decimal").Decimal(i) for i in range(N)]), label=Y),
    "nothing but nulls.parquet": arrow(z=pa.nulls(N), label=Y),
    "dictionaries.parquet": arrow(z=pa.array(Y.tolist()).dictionary_encode(), label=pa.array(Y).dictionary_encode()),
    "times.parquet": arrow(t=pa.array([datetime.time(i % 24) for i in range(N)]), label=Y),
    "commas.tsv": lambda path: FRAME.to_csv(path, index=False),
    "commas.tab": lambda path: FRAME.to_csv(path, index=False),
    "tabs.tsv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "sparse.arff": text(ARFF + "".join(f"{{0 {a},1 {y}}}\n" for a, y in zip(A, Y))),
}
REFUSED = {
    "no rows.parquet": (FRAME.iloc[:0].to_parquet, ExitCode.DATA, "holds no rows"),
    "no columns.parquet": (lambda path: parquet.write_table(pa.table({}), path), ExitCode.UNREADABLE, "has no columns"),
    "lists.parquet": (
        arrow(l=[[1, 2]] * N, label=Y),
        ExitCode.DATA,
        "column 'l' holds lists (list<element: int64>); a cell",
    ),
    "lists in structures.parquet": (
        arrow(l=[{"p": [1]}] * N, label=Y),
        ExitCode.DATA,
        "boolean, date or time, so leave the column out (--drop l.p) or split it into several",
    ),
    "bytes.parquet": (arrow(l=[b"x\xff"] * N, label=Y), ExitCode.DATA, "column 'l' holds bytes (binary); a cell"),
    "a late list.jsonl": (
        text("".join(f'{{"a": {"[1]" if i == 70 else 2}, "label": "{y}"}}\n' for i, y in enumerate(Y))),
        ExitCode.DATA,
        "column 'a' holds lists: row 71 has [1]",
    ),
    "lists.feather": (
        lambda path: feather.write_feather(pa.table({"a": A, "l": [[1]] * N, "label": Y}), str(path)),
        ExitCode.DATA,
        "column 'l' holds lists",
    ),
    "blobs.db": (blob, ExitCode.DATA, "column 'b' holds bytes"),
    "lists for labels.parquet": (
        arrow(label=[[y] for y in Y]),
        ExitCode.DATA,
        "row 1 of the target 'label' has lists (list<element: string>), which is no label",
    ),
    "lists for labels.jsonl": (
        text("".join(f'{{"a": {i}, "label": ["{y}"]}}\n' for i, y in enumerate(Y))),
        ExitCode.DATA,
        "row 1 of the target 'label' has ['bad'], which is no label",
    ),
    "bytes for labels.parquet": (
        arrow(label=[y.encode() for y in Y]),
        ExitCode.DATA,
        "row 1 of the target 'label' has bytes (binary), which is no label",
    ),
    "a name twice.parquet": (
        lambda path: parquet.write_table(
            pa.table([pa.array(A), pa.array(A), pa.array(Y)], names=["a", "a", "label"]), path
        ),
        ExitCode.UNREADABLE,
        "has more than one column named 'a'",
    ),
    "far away.parquet": (
        arrow(t=pa.array([i * 10**12 for i in range(N)], type=pa.timestamp("s")), label=Y),
        ExitCode.DATA,
        "far away.parquet: column 't' has type timestamp[ms], which cannot be read",
    ),
    "infinite.parquet": (arrow(x=np.where(A == 3, np.inf, A), label=Y), ExitCode.DATA, "column 'x' is infinite in row"),
    "no rows.arff": (text(ARFF), ExitCode.DATA, "holds no rows"),
    "infinite.arff": (
        text(ARFF + "".join(f"{a if i != 3 else 'inf'},{y}\n" for i, (a, y) in enumerate(zip(A, Y)))),
        ExitCode.DATA,
        "column 'a' is infinite in row 4",
    ),
    "another label.arff": (text(ARFF + "1,purple\n" * 20), ExitCode.DATA, "is not a valid ARFF file"),
    "no attributes.arff": (text("@relation r\n@data\n"), ExitCode.UNREADABLE, "is not a valid ARFF file"),
}


@pytest.mark.parametrize("name", READ)
def test_what_can_be_read_is(program, name):
    READ[name](program.folder / name)
    program("fit", name, *FIT)
    assert rw.load("m.rarewood").n_classes_ == 2


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_is_refused_in_one_line_before_any_fit(program, name, monkeypatch):
    monkeypatch.setattr(_table_fit, "fit_table", None)
    write, code, words = REFUSED[name]
    write(program.folder / name)
    answer = program("fit", name, *FIT, code=code)
    assert words in answer.err
    assert answer.err.count("\n") == 1
    assert answer.err.startswith("rarewood: ")
    assert words in program("compare", name, "-m", "gini", "--protocol", "1x2", "-j", 1, code=code).err


def test_a_missing_label_of_a_nullable_column_is_left_out(program):
    NULLABLE.to_parquet("t.parquet")
    found = program("fit", "t.parquet", *FIT, "--json").json
    assert "1 of 80 rows has no label in column 'label' and is left out" in found["notes"]
    assert found["classes"] == {"0": 69, "1": 10}


def test_a_column_that_cannot_be_read_may_be_dropped(program):
    arrow(l=[[1, 2]] * N, label=Y)("t.parquet")
    program("fit", "t.parquet", "--drop", "l", *FIT)


def test_even_a_mistake_of_ours_is_one_line(program, monkeypatch):
    def fail(*_args, **_kwargs):
        raise KeyError("lost")

    FRAME.to_csv("t.csv", index=False)
    monkeypatch.setattr("rarewood.cli._training.read", fail)
    answer = program("fit", "t.csv", code=ExitCode.FAILED)
    assert answer.err == (
        "rarewood: this should not happen; please report it: KeyError: 'lost' (RAREWOOD_TRACEBACK=1 shows where)\n"
    )
    monkeypatch.setenv(SHOW_ERRORS, "1")
    with pytest.raises(KeyError):
        program("fit", "t.csv")


def test_a_single_row_that_is_only_written_otherwise(program):
    rows = "".join(f"{i},{'yes' if i % 4 == 0 else 'no'}\n" for i in range(40))
    (program.folder / "t.csv").write_text(f"a,y\n{rows}7,YES\n")
    assert "use --merge-labels if it is the same as 'yes'" in program("fit", "t.csv", code=4).err
    (program.folder / "t.csv").write_text(f"a,y\n{rows}7,odd\n")
    assert "add rows of it or leave it out" in program("fit", "t.csv", code=4).err


def test_a_model_is_no_table(program):
    (program.folder / "t.csv").write_text("a,y\n" + "1,u\n2,v\n" * 20)
    refused = program("fit", "t.csv", "-o", "Model.XLSX", code=2).err
    assert "not a .xlsx file; use a name such as Model.rarewood" in refused
    assert not (program.folder / "Model.XLSX").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "again.rarewood", *FIT),
        ("fit", "copy.csv", *FIT),
        ("fit", "packed", *FIT),
        ("predict", "again.rarewood", "copy.csv", "-o", "p.csv"),
        ("report", "again.rarewood", "copy.csv", "-t", "label", "-o", "r.html"),
        ("rules", "again.rarewood", "copy.csv", "-t", "label"),
        ("compare", "copy.csv", "-m", "gini"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:3])),
)
def test_a_model_file_in_the_place_of_a_table(program, arguments):
    rw.save(rw.TreeClassifier().fit(FRAME[["a"]], Y), program.folder / "again.rarewood")
    contents = (program.folder / "again.rarewood").read_bytes()
    (program.folder / "copy.csv").write_bytes(contents)
    (program.folder / "packed").write_bytes(gzip.compress(contents))
    err = program(*arguments, code=ExitCode.UNREADABLE).err
    assert (
        f"{arguments[2] if arguments[2] == 'copy.csv' else arguments[1]} is a rarewood model file, not a table" in err
    )
    assert "name a table such as a CSV or Parquet file" in err
    assert "rarewood predict MODEL TABLE" in err
