"""Standard streams that are closed, full, read no further, the file that is read, or of an encoding that lacks characters."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rarewood.cli import _program
from rarewood.cli._app import app
from support.command_line import payments

FEW = ("-m", "brf", "-s", "n_estimators=10", "--rules", 2)
NAME = "größe €–数"

# Every command but `demo`, which prints what these do; with arguments that print names, labels and rules.
COMMANDS = {
    "fit": ("fit", "t.csv", *FEW, "-o", "new.rarewood"),
    "describe": ("describe", "m.rarewood"),
    "rules": ("rules", "m.rarewood", "t.csv"),
    "report": ("report", "m.rarewood", "n.csv", "--no-baseline", "-o", "page.html"),
    "predict": ("predict", "m.rarewood", "n.csv", "-o", "scored.csv"),
    "monitor": ("monitor", "m.rarewood", "n.csv", "--fail-on", "none", "--html", "page.html"),
    "recalibrate": ("recalibrate", "m.rarewood", "n.csv", "-o", "later.rarewood"),
    "review": ("review", "m.rarewood", "n.csv", "-o", "labels.csv"),
    "compare": ("compare", "t.csv", "-m", "c4.5,hddt", "--protocol", "1x2", "--drop", "payment_id", "-j", 1),
    "reproduce": ("reproduce",),
}


def test_every_command_is_here():
    assert {each.callback.__name__ for each in app.registered_commands} == {*COMMANDS, "demo"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables and a model whose names, categories and labels hold letters from everywhere."""
    folder = tmp_path_factory.mktemp("letters")
    for name, n_rows, seed in (("t.csv", 600, 0), ("n.csv", 300, 1)):
        frame = payments(n_rows, seed).rename(columns={"amount": NAME})
        frame["country"] = "ÅÐ→" + frame["country"].astype(str)
        frame["fraud"] = frame["fraud"].map({"yes": "да", "no": "nein–"})
        frame.to_csv(folder / name, index=False)
    fit = ["fit", str(folder / "t.csv"), "-s", "n_estimators=20", "--rules", "2", "--id", "payment_id", "-q"]
    with pytest.raises(SystemExit) as done:
        app([*fit, "-o", str(folder / "m.rarewood")], prog_name="rarewood")
    assert not done.value.code
    return folder


@pytest.fixture
def run(folder, monkeypatch):
    """Runs the program with other standard streams, in this process; returns its exit code."""
    monkeypatch.chdir(folder)

    def run(*arguments, **streams):
        with monkeypatch.context() as patch:
            patch.setattr(_program, "_SIGNALS", ())
            patch.setattr(sys, "unraisablehook", sys.unraisablehook)
            for name in ("stdin", "stdout", "stderr"):
                patch.setattr(sys, name, streams.get(name, getattr(sys, name)))
            with pytest.raises(SystemExit) as stop:
                _program.run_program(lambda: app(list(map(str, arguments)), prog_name="rarewood"))
        return stop.value.code

    return run


@pytest.fixture
def through(run):
    """Runs a command with streams of an encoding; its exit code and what it has printed."""

    def through(encoding, *arguments):
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2))
        code = run(*arguments, stdout=out, stderr=err)
        return code, *(stream.buffer.getvalue().decode(encoding) for stream in (out, err))

    return through


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
@pytest.mark.parametrize("command", COMMANDS)
def test_letters_that_the_encoding_lacks_end_no_command(through, command, encoding):
    code, out, err = through(encoding, *COMMANDS[command])
    assert code == 0, err
    assert "should not happen" not in err
    code, out, err = through(encoding, *COMMANDS[command], "--json")
    assert code == 0, err
    assert json.loads(out) == without_times(
        json.loads(through("utf-8", *COMMANDS[command], "--json")[1]), json.loads(out)
    )


def without_times(found, like):
    """The same with the seconds of another run."""
    return {**found, **{name: like[name] for name in found if "second" in name}}


def test_files_are_utf_8_whatever_the_terminal_takes(through, folder):
    assert through("ascii", *COMMANDS["predict"])[0] == 0
    assert "да" in (folder / "scored.csv").read_text(encoding="utf-8")
    assert through("ascii", *COMMANDS["report"])[0] == 0
    assert NAME in (folder / "page.html").read_text(encoding="utf-8")


on_posix = pytest.mark.skipif(os.name == "nt", reason="numbers of files as POSIX has them")
with_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def lost(way):
    """A stream to which nothing can be written."""
    if way == "full":
        return Path("/dev/full").open("w", encoding="utf-8")
    if way == "unread":
        ours, theirs = os.pipe()
        os.close(ours)
        return os.fdopen(theirs, "w", encoding="utf-8")
    return os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # as a closed one is after the start


@on_posix
@with_full_device
@pytest.mark.parametrize(
    "arguments", [*COMMANDS.values(), ("--help",), ("--version",)], ids=[*COMMANDS, "--help", "--version"]
)
@pytest.mark.parametrize("way", ["full", "unread", "closed"])
def test_what_is_printed_may_be_lost_and_the_work_is_done(run, folder, arguments, way):
    for path in ("new.rarewood", "page.html", "scored.csv", "later.rarewood", "labels.csv"):
        (folder / path).unlink(missing_ok=True)
    err = io.StringIO()
    with lost(way) as out:
        code = run(*arguments, stdout=out, stderr=err)
    if way == "unread":  # as with `head`, which has seen enough
        assert (code, err.getvalue()) == (0, "")
    else:
        assert code == 7
        assert err.getvalue().startswith("rarewood: standard output cannot be written: ")
        assert err.getvalue().count("\n") == 1
    if {"-o", "--html"} & set(arguments):
        assert (folder / arguments[-1]).stat().st_size > 0


@on_posix
@with_full_device
@pytest.mark.parametrize("way", ["full", "unread", "closed"])
def test_rows_for_standard_output_are_lost_with_an_error(run, way):
    for command in (("predict", "m.rarewood", "n.csv", "-q"), ("review", "m.rarewood", "n.csv", "-q")):
        err = io.StringIO()
        with lost(way) as out:
            assert run(*command, stdout=out, stderr=err) == (0 if way == "unread" else 7)
        assert ("name a file with --output" in err.getvalue()) == (way != "unread")


@on_posix
@with_full_device
@pytest.mark.parametrize("way", ["full", "unread", "closed"])
def test_errors_that_nobody_can_read_have_their_exit_code(run, way):
    with lost(way) as err:
        assert run("fit", "nothing.csv", stderr=err) == 3
    with lost(way) as err:
        assert run(*COMMANDS["fit"], stderr=err, stdout=io.StringIO()) == 0


def test_a_terminal_that_has_no_width_is_shown_all(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "0")
    out = io.StringIO()
    assert run("describe", "m.rarewood", stdout=out) == 0
    assert NAME in out.getvalue()


def test_standard_input_that_is_closed(run):
    err = io.StringIO()
    assert run("predict", "m.rarewood", "-", "-q", stdin=None, stderr=err) == 3
    assert "standard input is closed" in err.getvalue()


@on_posix
@pytest.mark.parametrize(
    ("line", "streams"),
    [
        ("predict m.rarewood - -o c.csv", {"stdin": "c.csv"}),
        ("predict m.rarewood c.csv", {"stdout": "c.csv"}),
        ("predict m.rarewood -", {"stdin": "c.csv", "stdout": "c.csv"}),
        ("fit c.csv -o new.rarewood", {"stdout": "c.csv"}),
        ("describe c.rarewood", {"stdout": "c.rarewood"}),
        ("report m.rarewood n.csv --train c.csv -o page.html", {"stdout": "c.csv"}),
        ("report m.rarewood n.csv --others c.rarewood -o page.html", {"stdout": "c.rarewood"}),
        ("compare n.csv c.csv -m c4.5,hddt", {"stdout": "c.csv"}),
    ],
)
def test_standard_streams_that_are_what_is_read(run, folder, monkeypatch, line, streams):
    monkeypatch.chdir(folder)
    for name, like in (("c.csv", "n.csv"), ("c.rarewood", "m.rarewood")):
        (folder / name).write_bytes((folder / like).read_bytes())
    err = io.StringIO()
    with contextlib.ExitStack() as stack:
        modes = {"stdin": "r", "stdout": "a"}
        opened = {
            stream: stack.enter_context(Path(name).open(modes[stream], encoding="utf-8"))
            for stream, name in streams.items()
        }
        code = run(*line.split(), stderr=err, **opened)
    assert code == 2
    assert "which is read" in err.getvalue()
    for name, like in (("c.csv", "n.csv"), ("c.rarewood", "m.rarewood")):
        assert (folder / name).read_bytes() == (folder / like).read_bytes()


@on_posix
def test_the_program_starts_with_all_of_that(folder):
    def done(line):
        return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True)

    program = f"{sys.executable} -m rarewood.cli"
    shown = done(f"PYTHONIOENCODING=ascii {program} describe m.rarewood")
    assert shown.returncode == 0, shown.stderr
    assert "gr\\xf6\\xdfe \\u20ac" in shown.stdout
    assert done(f"{program} --version >&-").stderr == (
        "rarewood: standard output cannot be written: it is closed; the rest is done\n"
    )
    assert done(f"{program} fit nothing.csv <&- >&- 2>&-").returncode == 3
    assert done(f"{program} predict m.rarewood n.csv -q -o /dev/stdout | head -1").stdout == "payment_id,score,label\n"
