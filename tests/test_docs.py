"""The pages of the documentation: their examples run as they stand, and the reference forgets no public name."""

import doctest
from pathlib import Path

import matplotlib as mpl
import pytest

import rarewood as rw

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if ">>> " in page.read_text(encoding="utf-8")]

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not part of a source distribution")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_examples_of_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a page may write files
    mpl.use("agg")
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
    covered_by_classes = {"__version__", "decomposition", "ensemble", "sampling", "tree"}
    assert set(rw.__all__) - covered_by_classes <= listed
