"""The examples of the guide run as they stand."""

import doctest
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "evaluation.md"


@pytest.mark.skipif(not GUIDE.exists(), reason="the guides are not part of a source distribution")
def test_examples_of_the_guide():
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    outcome = doctest.testfile(str(GUIDE), module_relative=False, optionflags=options, encoding="utf-8")
    assert outcome.attempted > 10
    assert outcome.failed == 0
