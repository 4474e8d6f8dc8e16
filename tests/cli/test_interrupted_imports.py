"""Ctrl-C while a command still loads what it needs."""

import sys

import pytest

from rarewood.cli import main


def test_control_c_during_imports_is_told_in_one_line(monkeypatch, capsys):
    class Slow:
        def find_spec(self, name, path, target=None):
            if name == "rarewood.cli._app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "rarewood.cli._app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Slow(), *sys.meta_path])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 130
    assert capsys.readouterr().err == "rarewood: stopped; no output was written\n"
