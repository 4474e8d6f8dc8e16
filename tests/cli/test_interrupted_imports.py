"""A signal at any time from the start of the program to its end: one line and the exit code of the signal, no traceback."""

import os
import signal
import subprocess
import sys

import pytest

from support.command_line import start

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")

TOLD = "rarewood: stopped; output files are complete or absent\n"

# The program, with a signal in the moment when a module is looked for. It may reach code that makes another error of it, as
# compiled modules do while they are imported, or a destructor, whose errors Python discards.
PROGRAM = """
import os, sys, time

module, number, way = sys.argv.pop(1), int(sys.argv.pop(1)), sys.argv.pop(1)

class Dying:
    def __del__(self):
        os.kill(os.getpid(), number)
        time.sleep(0)

class Finder:
    def find_spec(self, name, path, target=None):
        if name == module:
            sys.meta_path.remove(self)
            if way == "discarded":
                Dying()
                time.sleep(5)
            try:
                exec("os.kill(os.getpid(), number)\\ntime.sleep(5)")  # after which `python -m` would end by the signal itself
            except BaseException as error:
                raise ImportError("no such thing") from (error if way == "kept" else None)

sys.meta_path.insert(0, Finder())
from rarewood.cli import main
main()
"""


@pytest.mark.parametrize(
    ("module", "name", "way"),
    [
        ("typer", "SIGINT", "kept"),
        ("rarewood.cli._app", "SIGHUP", "kept"),
        ("rarewood.cli._table_fit", "SIGINT", "lost"),
        ("numpy", "SIGTERM", "discarded"),
    ],
)
def test_a_signal_during_imports_is_told_in_one_line(tmp_path, module, name, way):
    number = getattr(signal, name)
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "program", module, str(int(number)), way, "fit", "t.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", TOLD)


def test_a_signal_when_all_is_done_changes_nothing(tables, tmp_path):
    program = (
        "import atexit, os\natexit.register(lambda: os.kill(os.getpid(), 2))\nfrom rarewood.cli import main\nmain()\n"
    )
    command = [sys.executable, "-c", program, "describe", str(tables / "m.rarewood")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "BalancedForestClassifier" in done.stdout


def test_a_signal_that_is_ignored_stays_so(tables, tmp_path):
    process = start(
        "predict",
        tables / "m.rarewood",
        "-",
        folder=tmp_path,
        stdin=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    process.stdin.write((tables / "test.csv").read_text())
    process.send_signal(signal.SIGHUP)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert len(out.splitlines()) == 701
