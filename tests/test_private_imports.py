"""The rule of `make lint` that no package imports what another keeps to itself, tried on a small project."""

import importlib.util
from pathlib import Path

import grimp
import pytest
from importlinter.configuration import configure

SCRIPT = Path(__file__).parents[1] / "scripts" / "private_imports.py"


@pytest.fixture(scope="module")
def rule():
    configure()  # its earlier versions print nothing without
    spec = importlib.util.spec_from_file_location("private_imports", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def check(rule, tmp_path, monkeypatch):
    """A project of two packages; the function checks it with more files."""

    def check(**files):
        texts = {
            "wood/__init__.py": "",
            "wood/tree/__init__.py": "from wood.tree._classifier import Tree",
            "wood/tree/_classifier.py": "from wood.tree import base\nclass Tree: pass",
            "wood/tree/base.py": "",
            "wood/_core/__init__.py": "",
            "wood/_core/_rows.py": "",
            "wood/forest/__init__.py": "",
            **{f"wood/forest/{name}.py": text for name, text in files.items()},
        }
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        graph = grimp.build_graph("wood", cache_dir=None)
        return rule.PrivateImports("", {}, {"root": "wood"}).check(graph, verbose=False)

    return check


def test_what_a_package_offers_may_be_imported(check):
    assert check(
        _bagging="from wood import _core\nfrom wood.tree import Tree, base\nfrom wood.forest import _rows",
        _rows="import wood._core\nfrom wood.tree.base import *",
    ).kept


@pytest.mark.parametrize(
    ("line", "imported"),
    [
        ("from wood.tree import _classifier", "wood.tree._classifier"),
        ("from wood.tree._classifier import Tree", "wood.tree._classifier"),
        ("def later():\n    import wood.tree._classifier", "wood.tree._classifier"),
        ("from wood._core._rows import *", "wood._core._rows"),
    ],
)
def test_what_it_keeps_to_itself_may_not(check, capsys, rule, line, imported):
    found = check(_bagging=line)
    assert not found.kept
    assert found.metadata["wrong"] == [("wood.forest._bagging", imported)]
    rule.PrivateImports("", {}, {"root": "wood"}).render_broken_contract(found)
    assert f"wood.forest._bagging imports {imported}" in " ".join(capsys.readouterr().out.split())
