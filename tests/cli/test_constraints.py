"""Monotone constraints on the command line: told, kept in the file, named by describe and the report."""

import numpy as np
import pandas as pd
import pytest

import rarewood as rw

SMALL = ("-s", "n_estimators=12", "--rules", 0)
CONSTRAINTS = ("--increasing", "debt", "--decreasing", "age")


@pytest.fixture
def loans(program):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"debt": rng.random(400), "age": rng.integers(18, 80, 400), "town": rng.choice(["a", "b"], 400)}
    )
    frame["default"] = np.where(frame["debt"] + rng.random(400) > 1.6, "bad", "good")
    frame[:300].to_csv(program.folder / "loans.csv", index=False)
    frame[300:].to_csv(program.folder / "test.csv", index=False)
    frame.to_parquet(program.folder / "loans.parquet")
    return frame


def steps(path, frame, positive="bad"):
    """What the probability does along the debt of some rows."""
    model = rw.load(path)
    grid = np.linspace(0, 1, 40)
    rows = frame.drop(columns="default").iloc[np.repeat(np.arange(5), 40)].assign(debt=np.tile(grid, 5))
    column = model.classes_.tolist().index(positive)
    return np.diff(model.predict_proba(rows)[:, column].reshape(5, 40), axis=1)


@pytest.mark.parametrize("method", ["rare", "hedex"])  # the first class is the one to find; hedex speaks of the second
def test_constraints_are_about_the_class_to_find(loans, program, method):
    told = program("fit", "loans.csv", "-m", method, *SMALL, *CONSTRAINTS, "-o", "m.rarewood", "--json").json
    assert told["constraints"] == {"increasing": ["debt"], "decreasing": ["age"]}
    found = steps(program.folder / "m.rarewood", loans)
    assert found.min() >= -1e-15
    assert found.max() > 0
    described = program("describe", "m.rarewood").out
    assert "probability   can only rise with debt; can only fall with age" in described
    other = program("fit", "loans.csv", "-m", method, *SMALL, *CONSTRAINTS, "-p", "good", "-o", "g.rarewood").out
    assert "can only rise with debt; can only fall with age" in other
    assert steps(program.folder / "g.rarewood", loans, "good").min() >= -1e-15


def test_the_model_card_names_them(loans, program):
    pytest.importorskip("jinja2")
    program("fit", "loans.csv", *SMALL, *CONSTRAINTS, "-o", "m.rarewood")
    program("report", "m.rarewood", "test.csv", "-o", "page.html")
    page = (program.folder / "page.html").read_text()
    assert "the score can only rise with debt, and only fall with age" in page


def test_parts_take_them_too(loans, program):
    pytest.importorskip("pyarrow")
    parts = ("fit", "loans.parquet", "--memory", "2GB", *SMALL, *CONSTRAINTS, "-o", "m.rarewood", "--json")
    assert program(*parts).json["constraints"] == {"increasing": ["debt"], "decreasing": ["age"]}
    assert steps(program.folder / "m.rarewood", loans).min() >= -1e-15


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--increasing", "town"), "--increasing town: the column holds categories, which have no order"),
        (("--increasing", "dept"), "no column 'dept' to learn from (--increasing), did you mean 'debt'?"),
        (("--decreasing", "default"), "no column 'default' to learn from (--decreasing)"),
        (("--increasing", "debt", "--decreasing", "age,debt"), "'debt' cannot be both --increasing and --decreasing"),
        (("-m", "ova-hddt", "--increasing", "debt"), "ova-hddt takes no --increasing and --decreasing"),
    ],
)
def test_what_makes_no_sense_is_told(loans, program, options, words):
    ran = program("fit", "loans.csv", "--rules", 0, *options, code=None)
    assert words in ran.err
