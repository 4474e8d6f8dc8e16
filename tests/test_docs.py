"""The pages of the documentation: their examples run as they stand, and the reference forgets no public name."""

import doctest
import inspect
import re
import tomllib
from pathlib import Path

import pytest

import rarewood as rw

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if ">>> " in page.read_text(encoding="utf-8")]

pytestmark = pytest.mark.skipif(
    not (DOCS / "api").exists(), reason="the documentation is not part of a source distribution"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_examples_of_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a page may write files
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    outcome = doctest.testfile(str(page), module_relative=False, optionflags=options, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_every_page_of_the_guide_has_examples():
    pages = set((DOCS / "guide").glob("*.md")) - {DOCS / "guide" / "index.md"}
    assert pages
    assert pages <= set(PAGES)


def test_reference_lists_every_public_name():
    listed = {line.strip() for line in (DOCS / "api" / "index.md").read_text(encoding="utf-8").splitlines()}
    covered_by_classes = {"__docs_dir__", "__version__", "decomposition", "ensemble", "sampling", "tree"}
    assert set(rw.__all__) - covered_by_classes <= listed


@pytest.mark.parametrize("name", [name for name in rw.__all__ if inspect.isclass(getattr(rw, name))])
def test_every_parameter_is_explained_in_place(name):
    """A reader of one page of the reference needs no other: each parameter has an entry of its own, with its default."""
    cls = getattr(rw, name)
    section = re.split(r"\n\w.*\n-{4,}\n", inspect.getdoc(cls).partition("Parameters\n----------\n")[2])[0]
    entries = dict(re.findall(r"^(\w[\w, ]*) : (.*)$", section, re.MULTILINE))
    explained = {one for names in entries for one in names.split(", ")}
    assert explained == set(inspect.signature(cls).parameters)
    assert all(kind for kind in entries.values())
    assert "s in :class:" not in section


def test_every_claim_that_does_not_reproduce_has_a_reason():
    page = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    failed = [line for line in page.splitlines() if "| **does not** |" in line]
    assert failed
    assert [line for line in failed if not line.removesuffix("|").rsplit("|", 1)[1].strip()] == []


def test_the_guide_is_found_where_the_package_is():
    assert (rw.__docs_dir__ / "guide" / "first-model.md").is_file()
    assert "rarewood.__docs_dir__" in (rw.__docs_dir__ / "llms.txt").read_text(encoding="utf-8")


def test_llms_txt_names_pages_that_exist():
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    pages = re.findall(r"\(([a-z/-]+)\.html\)", text)
    assert len(pages) > 10
    assert [page for page in pages if not (DOCS / f"{page}.md").exists()] == []


def test_a_wheel_gets_every_page_that_the_build_asks_for():
    asked = re.search(r"foreach\(page ([^)]+)\)", (DOCS.parent / "CMakeLists.txt").read_text(encoding="utf-8"))[
        1
    ].split()
    kept = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]["sdist"][
        "include"
    ]
    assert {f"docs/{page}" for page in asked} | {"docs/guide/*.md"} == set(kept)
    assert all((DOCS / page).exists() for page in asked)
