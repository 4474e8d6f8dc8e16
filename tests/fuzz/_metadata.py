"""Model files of `rarewood fit` whose metadata were changed: commands do their work, or say in one line what is wrong with the file."""

import contextlib
import functools
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from fuzz._commands import call
from fuzz._files import PREAMBLE, changed_value, sealed

OPTIONS = (
    ["-s", "n_estimators=12"],
    ["-s", "n_estimators=12", "--time", "day"],
    ["-s", "n_estimators=12", "--group", "shop", "--id", "key"],
    ["-m", "c4.5", "--missing", "none"],
)
COMMANDS = (
    ("describe", "m.rarewood"),
    ("describe", "m.rarewood", "--json"),
    ("predict", "m.rarewood", "new.csv"),
    ("predict", "m.rarewood", "new.csv", "--rules", "--reasons", "1"),
    ("rules", "m.rarewood", "new.csv"),
    ("rules", "m.rarewood", "new.csv", "--json"),
    ("report", "m.rarewood", "new.csv", "-o", "page.html", "--no-baseline", "--no-learning-curve"),
    (
        "report",
        "m.rarewood",
        "new.csv",
        "--train",
        "old.csv",
        "-o",
        "page.html",
        "--no-baseline",
        "--no-learning-curve",
    ),
    ("monitor", "m.rarewood", "new.csv"),
    ("monitor", "m.rarewood", "new.csv", "--time", "day", "-t", "label"),
    ("recalibrate", "m.rarewood", "new.csv", "-o", "other.rarewood"),
    ("review", "m.rarewood", "new.csv", "-n", "5", "-o", "labels.csv"),
)
ODD = (
    "\ud800",
    "\x1b[2J\0",
    -0.0,
    1e308,
    [[[[[[]]]]]],
    {"a": {"b": {"c": []}}},
    [1, "a", None],
    {"file": 3},
    "nominal",
    "date",
    "a",
)


def table(seed):
    rng = np.random.default_rng(seed)
    n_rows = 160
    a = rng.normal(size=n_rows)
    frame = pd.DataFrame(
        {
            "key": [f"K{seed}{number:04d}" for number in range(n_rows)],
            "shop": [f"S{number % 20}" for number in range(n_rows)],
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(seed * n_rows + np.arange(n_rows), unit="D"),
            "a": [f"{cell:.3f}".replace(".", ",") if row % 9 else "none" for row, cell in enumerate(a)],
            "kind": rng.choice(["x", "y", "it's"], n_rows),
            "flag": rng.choice(["TRUE", "false"], n_rows),
        }
    )
    frame["label"] = np.where((a > 0.5) & (frame["kind"] != "y"), "Yes", "no")
    return frame.to_csv(index=False, sep=";")


@functools.cache
def originals():
    found = []
    for options in OPTIONS:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            Path("old.csv").write_text(table(0), encoding="utf-8")
            code, said = call(["fit", "old.csv", "-t", "label", "-p", "Yes", *options])
            assert code == 0, said
            found.append(next(Path().glob("*.rarewood")).read_bytes())
    return found


def run(seed):
    """The case of this seed; returns what became of it, raises where a promise is broken."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        files = originals()
    file = files[rng.integers(len(files))]
    size = PREAMBLE.unpack_from(file)[4]
    header, data = json.loads(file[PREAMBLE.size : PREAMBLE.size + size]), file[PREAMBLE.size + size :]
    for _ in range(rng.integers(1, 4)):
        part = "metadata" if rng.random() < 0.95 else "provenance"
        key = sorted(header[part])[rng.integers(len(header[part]))]
        if rng.random() < 0.3:
            header[part][key] = ODD[rng.integers(len(ODD))]
        else:
            header[part][key] = changed_value(rng, header[part][key])
    command = COMMANDS[rng.integers(len(COMMANDS))]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("m.rarewood").write_bytes(sealed(json.dumps(header).encode(), data))
        for name, number in (("old.csv", 0), ("new.csv", 1)):
            Path(name).write_text(table(number), encoding="utf-8")
        code, _ = call([str(each) for each in command])
    return f"{command[0]} with exit code {code}"
