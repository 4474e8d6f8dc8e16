"""What starting the program costs: nothing heavy is imported before it is needed."""

import subprocess
import sys

import pytest

HEAVY = {"numpy", "scipy", "sklearn", "pandas", "imblearn", "joblib"}


def imported_by(program, *arguments):
    report = "import atexit, sys\natexit.register(lambda: print('loaded', *sys.modules, file=sys.stderr))\n"
    done = subprocess.run([sys.executable, "-c", report + program, *arguments], capture_output=True, text=True)
    return done.stdout, set(done.stderr.partition("loaded")[2].split())


def test_importing_the_package_loads_no_numpy():
    _, loaded = imported_by("import rarewood")
    assert "rarewood" in loaded
    assert not HEAVY & loaded


@pytest.mark.parametrize("command", [[], ["fit"], ["predict"]])
def test_help_loads_no_numpy(command):
    text, loaded = imported_by("from rarewood.cli import main\nmain()", *command, "--help")
    assert "Usage: rarewood" in text
    assert "rarewood.cli" in loaded
    assert not HEAVY & loaded


def test_every_command_of_the_contract_is_there():
    text, _ = imported_by("from rarewood.cli import main\nmain()", "--help")
    for command in ("demo", "fit", "predict", "rules", "compare", "reproduce", "report"):
        assert f" {command} " in text
