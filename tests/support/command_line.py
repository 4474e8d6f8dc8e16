"""The program and tables for it, for the tests of the command line."""

import json
import subprocess
import sys

import numpy as np

from rarewood.datasets import make_planted_rules


def payments(n_rows, seed, letter="P"):
    """A frame of payments with a column of identifiers in front and the target last."""
    data = make_planted_rules(n_rows, as_frame=True, random_state=seed)
    frame = data.X.copy()
    frame.insert(0, "payment_id", [f"{letter}{number}" for number in range(n_rows)])
    frame["fraud"] = np.where(data.y == 1, "yes", "no")
    return frame


def start(*arguments, folder, **more):
    """The program in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "rarewood.cli", *map(str, arguments)],
        cwd=folder,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more},
    )


class Program:
    """Runs commands in a folder by calling the program inside this process."""

    def __init__(self, folder, monkeypatch, capfd):
        self.folder = folder
        self._capture = capfd
        monkeypatch.chdir(folder)

    def __call__(self, *arguments, code=0):
        from rarewood.cli._app import app

        self._capture.readouterr()
        try:
            app(list(map(str, arguments)), prog_name="rarewood")
            found = 0
        except SystemExit as stop:
            found = stop.code or 0
        out, err = self._capture.readouterr()
        assert code is None or found == code, f"exit code {found}\n{out}\n{err}"
        return Answer(out, err)


class Answer:
    def __init__(self, out, err):
        self.out, self.err = out, err

    @property
    def json(self):
        return json.loads(self.out)
