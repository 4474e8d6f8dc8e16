"""The commands of docs/command-line.md do what the page shows."""

import doctest
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rarewood.cli._errors import ExitCode

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the guides are not part of a source distribution")


def commands():
    """Command and shown output of every example: lines that are indented and start with a dollar sign."""
    blocks = re.findall(r"^    \$ (.*)\n((?:(?:    (?!\$ ).*)?\n)*)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [(command, re.sub(r"^    ", "", shown, flags=re.MULTILINE)) for command, shown in blocks]


def test_the_commands_of_the_page(program, monkeypatch):
    pytest.importorskip("jinja2")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")  # starting processes takes longer than the work
    install(program.folder / "bin", monkeypatch)
    check = doctest.OutputChecker()
    assert len(commands()) > 10
    for command, shown in commands():
        found = run(program, command).lstrip("\n")
        shown, found = (re.sub(r"\b[\d.]+ s\b", "0 s", text) for text in (shown, found))  # how long it took
        assert check.check_output(shown, found, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), f"{command}\n{found}"


def install(folder, monkeypatch):
    """Make `rarewood` a command of the shell."""
    folder.mkdir()
    script = folder / "rarewood"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rarewood.cli "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def run(program, command):
    """What a command prints: by the shell if it needs one, else without a process of its own, which is faster.

    `rarewood ... | head -2` needs none; another example of the page has pipes before and behind the program.
    """
    before, _, behind = command.partition(" | ")
    first, *arguments = shlex.split(before)
    head = re.fullmatch(r"head -(\d+)", behind)
    if first == "rarewood" and (head or not behind):
        answer = program(*arguments, code=None)
        lines = (answer.out + answer.err).splitlines(keepends=True)
        return "".join(lines[: int(head[1]) if head else None])
    done = subprocess.run(command, shell=True, cwd=program.folder, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_the_table_of_exit_codes_is_complete():
    listed = re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(code) for code in listed] == [int(code) for code in ExitCode]
