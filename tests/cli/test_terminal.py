"""Names, categories and labels of a file are shown on the terminal, never obeyed by it."""

import os
import sys

import numpy as np
import pandas as pd
import pytest

from rarewood._terminal import printable
from rarewood.cli._screen import Screen
from support.command_line import start

ESCAPES = "\x1b[31m", "\x9b2J", "\x07", "\x7f", "\u202e"


def is_clean(text):
    return text == printable(text)


@pytest.fixture
def hostile(program):
    """A table whose names, categories and labels move the cursor, turn red or write from right to left, and a model of it."""
    rng = np.random.default_rng(0)
    number = rng.normal(size=200)
    kinds = [f"{escape}kind" for escape in ESCAPES]
    frame = pd.DataFrame(
        {
            "\x1b]0;id\x07": [f"\x1b[2J{i}" for i in range(200)],
            "\x1b[31mamount\x9b0m": number,
            "shop\u202e": rng.choice(kinds, 200),
            "label\x1b[8m": np.where(number > 1.2, "\x1b[5mfraud", "\x7fno"),
        }
    )
    frame.to_csv(program.folder / "t.csv", index=False)
    frame.iloc[:150].to_csv(program.folder / "new.csv", index=False)
    program("fit", "t.csv", "-m", "brf", "-s", "n_estimators=25", "--id", frame.columns[0], "-o", "m.rarewood", "-q")
    return program


@pytest.mark.parametrize("json", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "t.csv", "-m", "brf", "-s", "n_estimators=25", "-o", "n.rarewood"),
        ("describe", "m.rarewood"),
        ("rules", "m.rarewood", "t.csv"),
        ("report", "m.rarewood", "new.csv", "--no-baseline"),
        ("predict", "m.rarewood", "t.csv", "-o", "scores.csv"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_commands_print_holds_nothing_that_a_terminal_obeys(hostile, arguments, json):
    answer = hostile(*arguments, *json)
    assert "amount" in answer.out or "fraud" in answer.out
    assert is_clean(answer.out)
    assert is_clean(answer.err)


def test_errors_do_not_either(hostile):
    (hostile.folder / "other.csv").write_text("a\x1b[31m,b\n1,2\n")
    assert "\\x1b[31m" in hostile("predict", "m.rarewood", "other.csv", code=None).err
    assert is_clean(hostile("fit", "t.csv", "-t", "\x1b[31m", code=None).err)


def test_json_has_the_names_as_they_are(hostile):
    assert "shop\u202e" in hostile("describe", "m.rarewood", "--json").json["columns"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_scores_on_a_terminal_are_escaped_and_in_a_pipe_they_are_not(hostile):
    import pty

    ours, theirs = pty.openpty()
    process = start("predict", "m.rarewood", "t.csv", "-q", folder=hostile.folder, stdout=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            some = os.read(ours, 2**16)
        except OSError:  # the other end is closed
            break
        if not some:
            break
        shown += some
    os.close(ours)
    assert process.wait() == 0, process.stderr.read()
    process.stderr.close()
    assert is_clean(shown.decode().replace("\r\n", "\n"))
    assert "\\x1b[2J7" in shown.decode()
    assert "\x1b[2J7" in hostile("predict", "m.rarewood", "t.csv", "-q").out


def test_printable_keeps_what_is_only_text():
    for text in ("", "naïve 数 🌲", "two\nlines\tand a tab", "\\x1b"):
        assert printable(text) == text
    assert printable("\x1b[0m\u202e\ud800") == "\\x1b[0m\\u202e\\ud800"


def test_a_command_in_a_heading_can_be_copied_from_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "20")
    heading = "A month later: rarewood monitor blocks.rarewood january.csv"
    Screen().title(heading)
    assert capsys.readouterr().out == f"\n{heading}\n"
