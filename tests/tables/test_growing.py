"""Arrays that become longer in place, and tables whose numbers are there once."""

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood._table_files._matrix import Growing, GrowingMatrix, MatrixColumn
from rarewood._tables import Columns, Rows, encode_in_place, read_table, take_rows


@pytest.mark.parametrize("about", [0, 3, 250, 1000])
def test_an_array_of_parts_is_their_concatenation(about):
    parts = [np.arange(n, dtype=np.int32) for n in (100, 1, 130, 20)]
    growing = Growing(about)
    for part in parts:
        growing.add(part)
    assert growing.whole().tobytes() == np.concatenate(parts).tobytes()


@pytest.mark.parametrize("about", [0, 3, 250, 1000])
@pytest.mark.parametrize("some", [False, True])
def test_a_matrix_of_parts_is_their_concatenation(about, some):
    random = np.random.default_rng(about)
    parts = [random.normal(size=(n, 5)) for n in (100, 1, 130, 20)]
    matrix = GrowingMatrix(5, about)
    columns = [MatrixColumn(matrix, place) for place in range(5)]
    for part in parts:
        for place in (0, 2, 3):  # nobody writes to the others
            columns[place].add(part[:, place])
    rows = random.random(251) < 0.7 if some else None
    whole = matrix.end(rows)
    expected = np.concatenate(parts)[slice(None) if rows is None else rows]
    assert whole.shape == expected.shape
    assert whole.flags.f_contiguous
    np.testing.assert_array_equal(whole[:, [0, 2, 3]], expected[:, [0, 2, 3]])
    np.testing.assert_array_equal(matrix.end()[:, [0, 2, 3]], expected[:, [0, 2, 3]])


@pytest.fixture
def frame_and_room():
    """A frame whose numbers are columns of a matrix, one of which was left out of the frame."""
    random = np.random.default_rng(0)
    room = np.full((400, 6), 7.0, order="F")
    room[:, [0, 2, 3, 5]] = random.normal(size=(400, 4))
    room[::9, 5] = np.nan
    words = pd.Categorical.from_codes(random.integers(-1, 3, 400), ["a", "b", "c"])
    days = np.datetime64("2024-01-01") + random.integers(0, 90, 400)
    columns = {"x": room[:, 0], "word": words, "y": room[:, 3], "day": days.astype("M8[us]"), "z": room[:, 5]}
    return pd.DataFrame(columns, copy=False), room


def test_a_frame_encoded_where_its_numbers_lie_is_the_same_table(frame_and_room):
    frame, room = frame_and_room
    owner = rw.TreeClassifier()
    table = read_table(owner, frame.copy(deep=True), reset=True)
    columns, matrix = Columns.learn(table, names=owner.feature_names_in_)
    rows = encode_in_place(room, frame)
    assert np.shares_memory(rows.matrix, room)
    np.testing.assert_array_equal(rows.matrix, matrix)
    assert rows.columns.names.tolist() == columns.names.tolist()
    assert [kind.word for kind in rows.columns.kinds] == [kind.word for kind in columns.kinds]
    assert rows.columns.has_missing.tolist() == columns.has_missing.tolist() == [False, True, False, False, True]


def test_room_of_another_size_or_type_is_not_used(frame_and_room):
    frame, room = frame_and_room
    assert not np.shares_memory(encode_in_place(room[:100].copy(order="F"), frame).matrix, room)
    words = frame[["word"]]
    assert encode_in_place(room, words).matrix.dtype == np.float32  # as ever, where that is enough


@pytest.mark.parametrize(
    "model",
    [
        rw.TreeClassifier(random_state=0),
        rw.RareClassifier(n_estimators=15, random_state=0),
        rw.HeDExClassifier(n_estimators=5, random_state=0),
        rw.BalancedForestClassifier(n_estimators=60, oob_score=True, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_encoded_rows_give_the_model_of_the_frame(frame_and_room, model):
    frame, room = frame_and_room
    y = np.where(np.nan_to_num(frame["x"] + frame["z"]) > 1, "yes", "no")
    new = frame.head(50).copy(deep=True)
    expected = model.fit(frame.copy(deep=True), y).predict_proba(new)
    rows = encode_in_place(room, frame)
    model.fit(rows, y)
    np.testing.assert_array_equal(model.predict_proba(new), expected)
    assert model.feature_names_in_.tolist() == ["x", "word", "y", "day", "z"]
    first = take_rows(rows, np.arange(50))
    np.testing.assert_array_equal(model.predict_proba(Rows(first.matrix, model._columns)), expected)


def test_columns_of_some_rows_know_what_is_missing_there(frame_and_room):
    frame, room = frame_and_room
    rows = encode_in_place(room, frame)
    present = take_rows(rows, np.flatnonzero(~np.isnan(rows.matrix).any(axis=1)))
    assert not Columns.learn(present)[0].has_missing.any()
