"""What happens to awkward tables is what docs/awkward-tables.md says; the same table gives the same model through every door."""

import gzip
import importlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rarewood as rw

ROOT = Path(__file__).parents[1]


def load(name):
    """A module of the scripts, which are no package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        return importlib.import_module(name)


awkward, exports = load("awkward_tables"), load("awkward.exports")
run = load("awkward.common").run


@pytest.fixture(scope="module")
def page():
    path = ROOT / "docs" / "awkward-tables.md"
    if not path.exists():
        pytest.skip("the documentation is not part of a source distribution")
    return path.read_text(encoding="utf-8")


def says(page, case, what):
    """Whether the page has the line; messages of other libraries differ by version, so a beginning will do."""
    start = f"| {awkward._escaped(case)} | {awkward._escaped(what)}"
    return start in page or (what.startswith("refused") and start[: len(case) + 60] in page)


@pytest.mark.parametrize("case", list(awkward.frames()))
def test_frames(case, page):
    assert says(page, case, awkward.ask_python(awkward.frames()[case]()))


@pytest.mark.parametrize("case", list(awkward.files()))
def test_files(case, tmp_path, page):
    assert says(page, case, awkward.ask_program(*awkward.files()[case], folder=tmp_path))


READ = {
    "insurance": ("number", "number", "date"),
    "loans": ("number", "number", "number"),
    "hospital": ("number", "date", "number", "nominal"),
    "sensors": ("number", "number", "nominal"),
    "events": ("datetime", "nominal", "number", "nominal", "number"),
    "orders": ("number", "number"),
    "tiny": ("number", "number", "nominal"),
    "wide": ("number",) * 301,
    "panel": ("number", "number", "number"),
}
SAID = {
    "insurance": [
        "'Claim' is read as numbers, commas between thousands",
        "'Opened' is read as dates, month before day",
    ],
    "loans": [
        "'betrag' is read as numbers, points between thousands",
        "'zins' is read as numbers, decimal commas, percent signs left out",
        "'beginn' is read as dates, day before month",
        "recoveries alone finds",
        "the last row looks like a total ('Summe')",
    ],
    "hospital": ["'lactate' has errors of a spreadsheet", "1 of 400 rows has no label", "threshold"],
    "sensors": ["'unit' is constant", "rows from time"],
    "orders": ["'total' is read as numbers, points between thousands", "'refund' is read as numbers, brackets"],
}


@pytest.mark.parametrize("name", list(exports.exports()))
def test_exports_go_the_whole_way(name, tmp_path):
    answers = exports.take_the_whole_way(name, tmp_path)
    for command, (text, code) in answers.items():
        assert code == 0, f"{command}: {text}"
        assert "Traceback" not in text
        assert "should not happen" not in text
    model = rw.load(tmp_path / f"{name}.rarewood")
    assert tuple(kind.word for kind in model._columns.kinds) == READ[name]
    for said in SAID.get(name, ()):
        assert said in answers["fit"][0].replace("\n", " ")
    assert "No dates are known" not in (tmp_path / f"{name}.html").read_text() or name not in ("loans", "sensors")


def test_there_are_many():
    assert len(awkward.frames()) + len(awkward.files()) >= 70


def test_nothing_surprises_the_program(page):
    assert "Traceback" not in page
    assert "should not happen" not in page


# ---------------------------------------------------------------------------------------------------------
# one table, many doors


def every_kind(n=400):
    """Numbers, whole and not, words, truth values, days and moments, cells missing in some of each."""
    random = np.random.default_rng(5)
    start = pd.Timestamp("2023-11-20 22:13:07")
    frame = pd.DataFrame(
        {
            "third": random.integers(-3000, 3000, n) / 3,  # no decimal has them
            "tiny": random.normal(size=n) * 1e-9,
            "count": random.integers(0, 9, n),
            "town": random.choice(["Aix", "Köln", "Bern", "St. Gallen"], n).astype(object),
            "open": random.random(n) < 0.4,
            "paid": random.random(n) < 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 90, n), unit="D"),
            "moment": start + pd.to_timedelta(random.integers(0, 10**7, n), unit="s"),
        }
    )
    hits = (frame["third"] > 300) & (frame["town"] == "Köln") | (frame["day"] < "2024-01-09") & frame["open"]
    hits |= (frame["moment"] > "2024-03-08") & frame["paid"]
    frame["label"] = np.where(hits ^ (random.random(n) < 0.03), "bad", "good")
    frame = frame.astype({"paid": object})
    for place, name in enumerate(["third", "town", "paid", "day", "moment"]):
        frame.loc[place :: 11 + place, name] = None
    return frame


def plain_rows(frame, write_day=str):
    """Cells as plain values, missing ones None."""
    written = frame.assign(
        day=[None if pd.isna(cell) else write_day(cell.date()) for cell in frame["day"]],
        moment=[None if pd.isna(cell) else str(cell) for cell in frame["moment"]],
    )
    return [[None if pd.isna(cell) else cell for cell in row] for row in written.astype(object).to_numpy().tolist()]


def as_european(frame):
    def cell(value):
        return "" if value is None else repr(value).replace(".", ",") if isinstance(value, float) else str(value)

    rows = plain_rows(frame, lambda day: day.strftime("%d.%m.%Y"))
    lines = [list(frame.columns), *([cell(value) for value in row] for row in rows)]
    return "\r\n".join(";".join(line) for line in lines).encode("utf-16")


def as_sqlite(frame, path):
    with closing(sqlite3.connect(path)) as connection:
        types = {"open": "BOOLEAN", "paid": "BOOLEAN"}
        columns = ", ".join(f"{name} {types.get(name, '')}" for name in frame)
        connection.execute(f"CREATE TABLE t ({columns})")
        places = ", ".join("?" for _ in frame.columns)
        connection.executemany(f"INSERT INTO t VALUES ({places})", plain_rows(frame))
        connection.commit()


def as_json(frame):
    rows = plain_rows(frame)
    return "\n".join(json.dumps(dict(zip(frame.columns, row)), ensure_ascii=False) for row in rows).encode()


def as_duckdb(frame, path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(path) as connection:
        connection.register("given", as_arrow(frame))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")


def as_arrow(frame):
    return pa.Table.from_pandas(frame.assign(day=frame["day"].dt.date), preserve_index=False)


FILES = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "packed.csv": lambda frame, path: path.write_bytes(gzip.compress(frame.to_csv(index=False).encode())),
    "european.csv": lambda frame, path: path.write_bytes(as_european(frame)),
    "t.parquet": lambda frame, path: frame.to_parquet(path),
    "t.feather": lambda frame, path: frame.to_feather(path),
    "t.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "t.jsonl": lambda frame, path: path.write_bytes(as_json(frame)),
    "t.db::t": as_sqlite,
    "t.duckdb::t": as_duckdb,
}
FRAMES = {
    "pandas": lambda X: X,
    "pandas, nullable": lambda X: X.convert_dtypes(),
    "polars": lambda X: pl.from_arrow(as_arrow(X)),
    "pyarrow": as_arrow,
}
SETTINGS = {"rare": ["-s", "n_estimators=15"], "hddt": []}


def trees_of(model):
    """The bytes of all trees."""
    state = getattr(model, "forest_", None) or model.tree_
    return {name: value.tobytes() for name, value in state.__getstate__().items() if isinstance(value, np.ndarray)}


@pytest.fixture(scope="module")
def through_pandas():
    """The model of the frame."""
    frame = every_kind()
    return rw.RareClassifier(15, random_state=0).fit(frame.drop(columns="label"), frame["label"])


def test_the_model_uses_every_kind_of_column(through_pandas):
    assert (through_pandas.forest_.feature_importances > 0).all()


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_frame_gives_the_same_trees(kind, through_pandas):
    frame = every_kind()
    model = rw.RareClassifier(15, random_state=0).fit(FRAMES[kind](frame.drop(columns="label")), frame["label"])
    assert trees_of(model) == trees_of(through_pandas)
    assert model.decision_threshold_ == through_pandas.decision_threshold_


@pytest.mark.parametrize("method", SETTINGS)
@pytest.mark.parametrize("name", FILES)
def test_the_same_table_gives_the_same_trees_through_every_door(name, method, tmp_path):
    frame = every_kind()
    if name == "t.xlsx":  # workbooks keep 15 digits
        short = {each: [float(f"{cell:.15g}") for cell in frame[each]] for each in ("third", "tiny")}
        frame = frame.assign(**short)
    FILES[name](frame, tmp_path / name.split("::")[0])
    command = [
        "fit",
        str(tmp_path / name),
        "-m",
        method,
        *SETTINGS[method],
        "--rules",
        "0",
        "-o",
        str(tmp_path / "m.rarewood"),
    ]
    text, code = run(command)
    assert code == 0, text
    kept = rw.load(tmp_path / "m.rarewood")
    wanted = type(kept)(**kept.get_params()).fit(frame.drop(columns="label"), frame["label"])
    words = [kind.word for kind in kept._columns.kinds]
    assert words == ["number", "number", "number", "nominal", "nominal", "nominal", "date", "datetime"]
    assert kept._columns.has_missing.tolist() == wanted._columns.has_missing.tolist()
    assert trees_of(kept) == trees_of(wanted)
    if method == "rare":
        assert kept.decision_threshold_ == wanted.decision_threshold_
        assert kept.family_weights_ == wanted.family_weights_
