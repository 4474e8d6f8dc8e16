"""The study of promises: what it makes of thresholds and of fresh rows."""

import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "promises"
if not FOLDER.exists():
    pytest.skip("the benchmarks are not part of a source distribution", allow_module_level=True)
sys.path.append(str(FOLDER))

from page import renew  # noqa: E402
from problems import SHARE, Truth  # noqa: E402


def test_truth_weighs_the_classes_as_the_population_does():
    rng = np.random.default_rng(0)
    rare, common = np.sort(rng.normal(1.5, size=400)), np.sort(rng.normal(size=300))
    truth = Truth(rare, common)
    hits, false = SHARE * np.mean(rare >= 1.0), (1 - SHARE) * np.mean(common >= 1.0)
    found = truth.at(1.0)
    assert found["recall"] == pytest.approx(np.mean(rare >= 1.0))
    assert found["precision"] == pytest.approx(hits / (hits + false))
    assert found["alerts"] == pytest.approx(hits + false)
    assert found["f1"] == pytest.approx(2 / (1 / found["precision"] + 1 / found["recall"]))
    assert truth.best_recall(0.3) == max(
        at["recall"] for at in (truth.at(cut) for cut in rare) if at["precision"] >= 0.3
    )


def test_a_table_is_put_between_its_comments(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- one -->\nold\n<!-- end of one -->\nb\n")
    renew({"one": "| new |"}, page)
    assert page.read_text() == "a\n<!-- one -->\n\n| new |\n\n<!-- end of one -->\nb\n"
    with pytest.raises(SystemExit, match="no place for the table 'two'"):
        renew({"two": ""}, page)
