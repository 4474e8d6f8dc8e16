"""What happens to awkward tables is what docs/awkward-tables.md says; the same table gives the same model through every door."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

import rarewood as rw
from rarewood.inspection import export_text

ROOT = Path(__file__).parents[1]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


awkward = load(ROOT / "scripts" / "awkward_tables.py")
PAGE = (ROOT / "docs" / "awkward-tables.md").read_text(encoding="utf-8")


def said(case, what):
    """Whether the page has the line; messages of other libraries differ by version, so a beginning will do."""
    start = f"| {awkward._escaped(case)} | {awkward._escaped(what)}"
    return start in PAGE or (what.startswith("refused") and start[: len(case) + 60] in PAGE)


@pytest.mark.parametrize("case", list(awkward.frames()))
def test_frames(case):
    assert said(case, awkward.ask_python(awkward.frames()[case]()))


@pytest.mark.parametrize("case", list(awkward.files()))
def test_files(case, tmp_path):
    name, contents = awkward.files()[case]
    assert said(case, awkward.ask_program(name, contents(), tmp_path))


def test_there_are_many():
    assert len(awkward.frames()) + len(awkward.files()) >= 70


def test_the_same_table_gives_the_same_model_through_every_door(tmp_path):
    frame = awkward.plain()
    X, y = frame.drop(columns="label"), frame["label"]
    wanted = export_text(rw.TreeClassifier().fit(X, y))
    assert "day <= 2024-" in wanted
    made = awkward.files()
    doors = ("CSV", "Parquet called .csv", "Excel", "Feather", "JSON lines", "SQLite", "DuckDB", "the same in UTF-16")
    for case in doors:
        name, contents = made[case]
        (tmp_path / name.split("::")[0]).write_bytes(contents())
        model = str(tmp_path / "m.rarewood")
        text, code = awkward._run(
            ["fit", str(tmp_path / name), "-m", "hddt", "--set", "nominal=subset", "--rules", "0", "-o", model]
        )
        assert code == 0, text
        kept = rw.load(model)
        tree = rw.TreeClassifier(**{**kept.get_params(), "random_state": 0}).fit(X, y)
        assert export_text(kept) == export_text(tree), case
        pd.testing.assert_frame_equal(pd.DataFrame(kept.predict_proba(X)), pd.DataFrame(tree.predict_proba(X)))
