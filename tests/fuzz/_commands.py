"""Command lines over tables of any content in any format: exit code and one line, never a traceback."""

import contextlib
import functools
import io
import tempfile
from pathlib import Path

import numpy as np

from fuzz import _formats

METHODS = ("rare", "hddt", "ihd", "brf", "hedex", "c4.5", "beat", "nonsense", "")
CELLS = ("", "0", "1", "-3.5", "1e400", "nan", "x", "=1+1", "ä", '"q"', "NA", "a b", "\x00", "9" * 40)
THRESHOLDS = (
    "f1",
    "none",
    "0.5",
    "2",
    "recall=0.8",
    "recall=9",
    "cost=1:20",
    "cost=0:0",
    "alerts=3",
    "alerts=0.5%",
    "?",
)
AFTERWARDS = (
    ("predict",),
    ("predict", "--safe-csv", "--rules"),
    ("predict", "--reasons", "2"),
    ("predict", "--threshold", "none", "-o", "scored.csv"),
    ("predict", "--prior", "0.4", "--block-rows", "7", "--json"),
    ("rules",),
    ("rules", "--json", "--top", "2"),
    ("report", "-o", "page.html"),
    ("report", "-o", "page.html", "--segments", "a", "--costs", "1:9", "--no-baseline"),
    ("describe",),
    ("describe", "--json"),
    ("monitor",),
    ("monitor", "--html", "page.html", "-t", "label"),
    ("recalibrate", "-o", "other.rarewood"),
    ("review", "-n", "5", "-o", "labels.csv"),
)


def random_file(rng, tame):
    """A table with a column of labels at its end; one that is not tame has odd names, odd cells and odd lines."""
    n_rows, n_columns = int(rng.choice([20, 40, 80] if tame else [0, 1, 3, 40])), int(rng.integers(2 if tame else 1, 5))
    names = [str(rng.choice(["a", "b", "c", "label", "", "score", "=x"])) for _ in range(n_columns)]
    names = [*"abc"[: n_columns - 1], "label"] if tame else names
    lines = [",".join(names)]
    for _ in range(n_rows):
        odd = rng.random(n_columns - 1) < (0.03 if tame else 0.15)
        cells = [str(rng.choice(CELLS[:-2])) if each else f"{rng.normal():.3g}" for each in odd]
        lines.append(",".join([*cells, str(rng.choice(["yes", "no", "no"]))]))
        if not tame and rng.random() < 0.01:
            lines[-1] += ",extra"
    return rng.choice(["\n", "\r\n"]).join(lines) + ("\n" if rng.random() < 0.8 else "")


def random_arguments(rng, name, tame):
    arguments = ["fit", name, "-o", str(rng.choice(["m.rarewood", "m.rarewood", "m.rarewood", "no/m.rarewood"]))]
    options = {
        "-m": METHODS,
        "-t": ("label", "a", "nonsense", ""),
        "-p": ("yes", "no", "maybe", ""),
        "-s": ("n_estimators=3", "n_estimators=0", "max_depth=2", "criterion=gini", "x", "n_jobs=0"),
        "--threshold": THRESHOLDS,
        "--prior": ("0.1", "2", "yes=0.1", "yes=0.5,no=0.5", "?"),
        "--rules": ("0", "3", "-1"),
        "--nominal": ("a", "b", "z"),
        "--numeric": ("a", "label"),
        "--drop": ("a", "z"),
        "--id": ("a", "z"),
        "-j": ("1", "0", "-1", "x"),
        "--seed": ("0", "-1", "5"),
        "--memory": ("4GB", "4GB", "1MB"),
    }
    for name, pool in options.items():
        if rng.random() < (0.7 if name == "-m" else 0.03 if tame else 0.2):
            arguments += [name, str(pool[rng.integers(len(pool))])]
    return arguments


def run(seed):
    """The case of this seed; returns what became of it, raises where a promise is broken."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        tame = rng.random() < 0.5
        name = _formats.write(rng, random_file(rng, tame))
        if rng.random() < 0.05:
            return compare(rng, name)
        code, _ = call(random_arguments(rng, name, tame))
        if code or not Path("m.rarewood").exists():
            assert [each.name for each in Path().iterdir()] == [name], "output of a command that failed"
            return f"exit code {code}"
        command, *options = AFTERWARDS[rng.integers(len(AFTERWARDS))]
        Path("new").mkdir()
        with contextlib.chdir("new"):
            later = f"new/{_formats.write(rng, random_file(rng, tame))}"
        asked = name if rng.random() < 0.3 else later
        before = sorted(Path().rglob("*"))
        code, _ = call([command, "m.rarewood", *([asked] if command != "describe" else []), *options])
        assert code == 0 or sorted(Path().rglob("*")) == before, "output of a command that failed"
        return f"fitted, then {command} with exit code {code}"


def compare(rng, name):
    options = {
        "--method": ("hddt,c4.5", "c4.5", "nonsense", ""),
        "--metric": ("auc,log_loss", "minority_f1", "nonsense"),
        "--protocol": ("1x2", "2x2", "0x0", "x"),
        "--cache": ("results.jsonl", "no/results.jsonl"),
        "--output": ("page.html",),
        "--reference": ("hddt", "nonsense"),
    }
    arguments = ["compare", name, "-m", "hddt", "--protocol", "1x2", "-j", "1"]
    for option, pool in options.items():
        if rng.random() < 0.3:
            arguments += [option, str(pool[rng.integers(len(pool))])]
    code, _ = call(arguments)
    assert code == 0 or not Path("page.html").exists(), "output of a command that failed"
    return f"compare with exit code {code}"


@functools.cache
def program():
    """All commands; made of their functions once, which takes longer than most of them run."""
    from typer.main import get_command

    from rarewood.cli._app import app

    return get_command(app)


def call(arguments):
    """Exit code and standard error of a command, run in this process."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            program()(arguments, prog_name="rarewood")
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
    if code == 130:
        raise KeyboardInterrupt  # of whoever watches the campaign
    assert "Traceback" not in err.getvalue(), err.getvalue()
    # What `told_in_one_line` makes of an error that nobody thought of.
    assert "should not happen" not in err.getvalue(), f"{arguments}: {err.getvalue()}"
    assert code in (0, 1, 2, 3, 4, 5, 6, 7, 8), f"exit code {code}"
    if arguments[0] == "monitor" and code == 1:  # something needs attention: told as a result
        return 0, err.getvalue()
    assert code == 0 or err.getvalue().strip(), "an error without words"
    return code, err.getvalue()
