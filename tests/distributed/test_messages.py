"""Messages that `make fuzz-core` found: refused with words, whatever they claim to hold."""

import numpy as np
import pytest

from rarewood import _core, criteria

CLAIMS = {
    "more candidates than memory, and no counts of them": "0105f0f0f0f0f0f0f00102010001010000",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_answers(claim):
    with pytest.raises(ValueError, match="counts do not fit"):
        _core.sum_of_answers([bytes.fromhex(CLAIMS[claim])])


@pytest.fixture
def part():
    """Three rows of one column, none of which has moved."""
    shape = _core.TableShape([0], [0], 2)
    plan = _core.ForestPlan([criteria.get("gini")._spec()], n_trees=1, splitter="random")
    table = shape.table(np.array([0, 1, 1], dtype=np.int32))
    table.fill(0, 0, np.arange(3.0, dtype=np.float32))
    table.end_filling()
    rows = _core.PartRows(_core.TableDraws(plan, [1, 2]), [0, 0], [], np.empty(0, dtype=np.uint32))
    return rows, table, _core.LevelGrower(shape, plan, 0, 1, 0.0).questions()


def test_a_part_that_misses_splits_says_so(part):
    rows, table, questions = part
    after_five = bytes([0, 1, 0, 1, 5])  # from tree 0 on, one tree: no new splits, behind five others
    assert rows.is_behind(after_five)
    with pytest.raises(ValueError, match="misses splits that come before"):
        rows.answer(table, after_five, questions)
    assert not rows.is_behind(bytes([0, 1, 0, 1, 0]))
    rows.answer(table, bytes([0, 1, 0, 1, 0]), questions)


def test_splits_of_other_trees_are_refused(part):
    with pytest.raises(ValueError, match="splits are of other trees"):
        part[0].is_behind(bytes([0, 1, 0, 2, 0, 0]))
