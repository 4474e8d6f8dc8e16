"""A reproduction in a process of its own that is killed goes on where it stopped and prints the same."""

import signal
import subprocess
import sys
import time

import pytest

from rarewood.reproduction.__main__ import main

SETS, METHODS = ["wine", "breast"], ["Gini", "HDDT", "iHDw"]  # the sets are those of scikit-learn
N_RESULTS = len(SETS) * len(METHODS) * 10
ARGUMENTS = [
    "ihd",
    *("--experiment", "table-3"),
    *(word for name in SETS for word in ("--dataset", name)),
    *(word for name in METHODS for word in ("--method", name)),
]


def start(cache):
    command = [sys.executable, "-m", "rarewood.reproduction", *ARGUMENTS, "--cache", str(cache)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def without_date(text):
    """The lines but for the one of date, versions and command."""
    lines = [line for line in text.splitlines() if not line.startswith("Run of ")]
    assert len(lines) == len(text.splitlines()) - 1
    return lines


def results(file):
    """The whole lines with a result."""
    lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
    return [line for line in lines if b'"kind": "result"' in line and line.endswith(b"\n")]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_reproduction_goes_on_and_prints_the_same_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("RAREWOOD_DATA", raising=False)
    file = tmp_path / "ihd-table-3.jsonl"
    process = start(tmp_path)
    limit = time.monotonic() + 120
    while len(results(file)) < 5:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < limit, "no results after two minutes"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    before = results(file)
    assert 5 <= len(before) < N_RESULTS

    process = start(tmp_path)
    resumed, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert main(ARGUMENTS) == 0  # undisturbed
    assert without_date(resumed) == without_date(capsys.readouterr().out)
    assert "| wine | " in resumed
    after = results(file)
    assert after[: len(before)] == before  # none was lost
    assert len(after) == N_RESULTS  # none was computed twice
