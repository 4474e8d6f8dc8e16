"""What a model remembers: against slow counts, against chance, and in files that lie."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from export.test_damage import as_text, parts, sealed
from hypothesis import given
from hypothesis import strategies as st

import rarewood as rw
from rarewood._memory import FEWEST, ColumnMemory, ScoreMemory, compare_counts
from rarewood.exceptions import ModelFileError
from rarewood.export import from_bytes, to_bytes
from rarewood.monitoring import monitor

cells = st.lists(st.one_of(st.just(np.nan), st.integers(-3, 12).map(float)), min_size=1, max_size=60)


@given(cells, cells)
def test_numbers_are_counted_between_tenths(train, new):
    memory = ColumnMemory.of_numbers(np.array(train))
    bounds = [-np.inf, *memory.bounds, np.inf]
    slow = [sum(low < value <= high for value in new) for low, high in pairwise(bounds)]
    assert memory.count(np.array(new)).tolist() == [*slow, sum(value != value for value in new)]
    known = sorted(value for value in train if value == value)
    tenths = {known[-(-len(known) * i // 10) - 1] for i in range(1, 10)} if known else set()
    assert memory.bounds.tolist() == sorted(tenths)
    assert memory.counts.sum() == len(train)


@given(st.lists(st.one_of(st.just(np.nan), st.integers(0, 5).map(float)), min_size=1, max_size=300), cells)
def test_categories_with_few_rows_are_counted_together(train, new):
    memory = ColumnMemory.of_categories(np.array(train))
    slow = [sum(value == bound for value in new) for bound in memory.bounds]
    missing = sum(value != value for value in new)
    assert memory.count(np.array(new)).tolist() == [*slow, len(new) - sum(slow) - missing, missing]
    assert memory.counts.sum() > 0, "no distribution"
    for bound in memory.bounds:
        assert train.count(bound) >= FEWEST


@pytest.mark.parametrize("shape", ["many rare values", "a long tail", "identifiers"])
def test_categories_that_were_never_seen_are_no_drift_by_themselves(shape):
    rng = np.random.default_rng(1)
    draw = {
        "many rare values": lambda size: rng.integers(0, 3000, size),
        "a long tail": lambda size: rng.zipf(1.4, size) % 10**6,
        "identifiers": lambda size: rng.integers(0, 10**9, size),
    }[shape]
    levels = [
        compare_counts(memory.counts, memory.count(draw(1500).astype(float))).level
        for memory in (ColumnMemory.of_categories(draw(3000).astype(float)) for _ in range(40))
    ]
    assert levels.count("none") >= 38


def test_new_categories_beyond_expectation_are_drift():
    rng = np.random.default_rng(0)
    train, new = rng.integers(0, 3000, 9000).astype(float), rng.integers(0, 3000, 4000).astype(float)
    train[:4500] = 1.0
    new[:1200] = 1.0  # half of the rows had it, a third has it now
    memory = ColumnMemory.of_categories(train)
    assert compare_counts(memory.counts, memory.count(new)).level != "none"


def test_no_column_of_many_drifts_by_chance():
    rng = np.random.default_rng(0)
    tables = 0
    for _ in range(30):
        train, new = rng.normal(size=(300, 40)), rng.normal(size=(60, 40))
        memories = [ColumnMemory.of_numbers(column) for column in train.T]
        found = [compare_counts(m.counts, m.count(column), 40).level for m, column in zip(memories, new.T)]
        tables += set(found) != {"none"}
    assert tables <= 4


scores = st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans(), st.integers(0, 3)), min_size=8, max_size=60)


@given(scores, st.floats(0.01, 0.99))
def test_scores_are_exact_at_the_threshold(rows, cut):
    score, rare, weight = (np.array(each) for each in zip(*rows))
    memory = ScoreMemory.of(score, rare, weight.astype(float), cut)
    used = weight > 0
    if min((rare & used).sum(), (~rare & used).sum()) < 2:
        assert memory is None
        return
    for side, found in ((score >= cut, memory.above(cut)), (score < cut, memory.below(cut))):
        assert found.rows == pytest.approx(weight[side].sum())
        assert found.rare == pytest.approx(weight[side & rare].sum())
        if weight[side].sum():
            assert found.mean == pytest.approx(np.average(score[side], weights=weight[side]))
    assert memory.share == pytest.approx(np.average(rare, weights=weight))


def test_rows_of_a_group_say_less():
    rng = np.random.default_rng(0)
    score, rare = rng.random(200), rng.random(200) < 0.3
    alone = ScoreMemory.of(score, rare, groups=np.arange(200))
    assert alone.sizes.tolist() == ScoreMemory.of(score, rare).sizes.tolist()
    four = ScoreMemory.of(np.repeat(score, 4), np.repeat(rare, 4), groups=np.repeat(np.arange(200), 4))
    assert four.sizes == pytest.approx(alone.sizes)
    few = ScoreMemory.of(np.array([0.1, 0.1, 0.9, 0.9]), np.array([False, False, True, True]), groups=np.zeros(4, int))
    assert few.sizes.min() >= 1.0  # as files of models have it


def test_a_stretched_memory_is_that_of_stretched_scores():
    rng = np.random.default_rng(0)
    rare = rng.random(20_000) < 0.05
    z = rng.normal(-4 + 3 * rare, 1.2)
    memory, other = (ScoreMemory.of(1 / (1 + np.exp(-each)), rare, None, None) for each in (z, 1.4 * z + 0.3))
    found = memory.stretched(1.4, 0.3, memory.share)
    assert found.means == pytest.approx(other.means, abs=0.003)
    assert found.variances == pytest.approx(other.variances, abs=0.003)
    assert found.above(0.3).rows == pytest.approx(other.above(0.3).rows, rel=0.05)
    assert memory.stretched(1.0, 0.0, 0.2).share == pytest.approx(0.2)


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=400), "kind": pd.Categorical(rng.choice(list("abc"), 400))})
    y = np.where(X["x"] + rng.normal(size=400) > 1.8, "bad", "good")
    return rw.RareClassifier(9, column_effects=False, random_state=0).fit(X, y)


def test_a_file_keeps_the_memory_unless_told_not_to(model):
    again, without = from_bytes(to_bytes(model)), from_bytes(to_bytes(model, memory=False))
    assert repr(again.memory_) == repr(model.memory_) == "TrainingMemory of 400 rows and 2 columns"
    for mine, theirs in zip(model.memory_.columns, again.memory_.columns):
        assert mine.nominal == theirs.nominal
        np.testing.assert_array_equal(mine.counts, theirs.counts)
    np.testing.assert_array_equal(model.memory_.scores.rows, again.memory_.scores.rows)
    assert without.memory_ is None
    with pytest.raises(TypeError, match="memory='no'"):
        to_bytes(model, memory="no")


def test_days_of_the_rows(model):
    times = np.datetime64("2025-03-01T10:00") + np.arange(400).astype("m8[h]")
    told = from_bytes(to_bytes(model))
    assert told.memory_.period is None
    told.memory_ = told.memory_.dated(times)
    again = from_bytes(to_bytes(told))
    assert again.memory_.period == told.memory_.period == ("2025-03-01", "2025-03-18")
    rows = pd.DataFrame({"x": [0.0, 1.0], "kind": ["a", "b"]})
    assert "the 400 rows of the fit, from 2025-03-01 to 2025-03-18" in monitor(again, rows).text()
    assert "from 2025-03-01 to 2025-03-18" in monitor(again, rows).html
    with pytest.raises(ValueError, match="3 entries for 400 rows"):
        told.memory_.dated(times[:3])
    text, data = parts(to_bytes(told))
    header = json.loads(text)
    for lie in ([2, 1], [1], [1, 2.5], [0, 10**30], "days", None, [True, True]):
        header["model"]["memory"]["days"] = lie
        with pytest.raises(ModelFileError):
            from_bytes(sealed(as_text(header), data))


@pytest.mark.parametrize("name", ["n_bounds", "bounds", "counts", "class_shares", *ScoreMemory.__dataclass_fields__])
@pytest.mark.parametrize("lie", [-1.0, 1e300])
def test_a_memory_that_lies_is_refused(model, name, lie):
    text, data = parts(to_bytes(model))
    header = json.loads(text)
    memory = header["model"]["memory"]
    place = (memory["columns"] | memory["scores"] | memory)[name]
    begin = 0
    for number, (kind, shape) in enumerate(header["arrays"]):
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        if number == place:
            values = np.frombuffer(data[begin : begin + size], dtype=kind).copy()
            values[0] = max(lie, -1) if np.dtype(kind).kind == "f" else np.int64(-1 if lie < 0 else 2**62)
            data = data[:begin] + values.tobytes() + data[begin + size :]
        begin += -(-size // 8) * 8
    allowed = name == "bounds" and lie < 0  # a bound of numbers may be anywhere
    if allowed:
        return
    with pytest.raises(ModelFileError):
        from_bytes(sealed(text, data))


@pytest.mark.parametrize("key", ["n_rows", "positive", "class_shares", "scores", "columns"])
@pytest.mark.parametrize("value", [-1, 10**6, "x", [1], {}])
def test_a_memory_of_the_wrong_shape_is_refused(model, key, value):
    text, data = parts(to_bytes(model))
    header = json.loads(text)
    header["model"]["memory"][key] = value
    if key == "n_rows" and value == 10**6:
        return
    with pytest.raises(ModelFileError):
        from_bytes(sealed(as_text(header), data))
