"""Matrices that grow in place, and rows of files that are the rows of a frame."""

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood._table_files._matrix import GrowingMatrix
from rarewood._table_files.reading import ColumnRoles, read
from rarewood._table_files.sources import Source
from rarewood._tables import Columns, Rows, read_table, take_rows


@pytest.mark.parametrize("about", [0, 3, 250, 1000])
@pytest.mark.parametrize("some", [False, True])
def test_a_matrix_of_parts_is_their_concatenation(about, some):
    random = np.random.default_rng(about)
    parts = [random.normal(size=(n, 5)) for n in (100, 1, 130, 20)]
    matrix = GrowingMatrix(5, about)
    for part in parts:
        for place in range(5):
            matrix.add(place, part[:, place])
    rows = random.random(251) < 0.7 if some else None
    whole = matrix.end(rows)
    expected = np.concatenate(parts)[slice(None) if rows is None else rows]
    assert whole.shape == expected.shape
    assert whole.flags.f_contiguous
    np.testing.assert_array_equal(whole, expected)
    np.testing.assert_array_equal(matrix.end(), expected)


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    numbers = random.normal(size=(400, 3))
    numbers[::9, 2] = np.nan
    words = pd.Categorical.from_codes(random.integers(-1, 3, 400), ["a", "b", "c"])
    days = np.datetime64("2024-01-01") + random.integers(0, 90, 400)
    x, y, z = numbers.T
    return pd.DataFrame({"x": x, "word": words, "y": y, "day": days.astype("M8[us]"), "z": z})


@pytest.fixture
def read_rows(tmp_path):
    """Write a frame to a file and read it again as rows, all or some of its columns."""

    def write_and_read(frame, **roles):
        frame.to_csv(tmp_path / "x.csv", index=False)
        return read(Source(tmp_path / "x.csv", "x.csv"), ColumnRoles(**roles)).learned.build()

    return write_and_read


def test_a_frame_read_from_a_file_is_the_same_table(frame, read_rows):
    owner = rw.TreeClassifier()
    columns, matrix = Columns.learn(read_table(owner, frame, reset=True), names=owner.feature_names_in_)
    rows = read_rows(frame)
    np.testing.assert_array_equal(rows.matrix, matrix)
    assert rows.matrix.flags.f_contiguous
    assert rows.columns.names.tolist() == columns.names.tolist()
    assert [kind.word for kind in rows.columns.kinds] == [kind.word for kind in columns.kinds]
    assert rows.columns.has_missing.tolist() == columns.has_missing.tolist() == [False, True, False, False, True]
    pd.testing.assert_frame_equal(rows.frame(), frame)


def test_words_alone_are_single_floats(frame, read_rows):
    assert read_rows(frame, drop=["x", "y", "day", "z"]).matrix.dtype == np.float32


def test_a_frame_of_rows_looks_at_their_numbers(frame, read_rows):
    rows = read_rows(frame)
    for name in ("x", "y", "z"):
        assert np.shares_memory(rows.frame()[name].to_numpy(), rows.matrix)


def test_columns_are_left_out_in_the_memory_of_the_others(frame, read_rows):
    rows = read_rows(frame)
    kept = rows.keep_columns(["word", "z"])
    assert np.shares_memory(kept.matrix, rows.matrix)
    pd.testing.assert_frame_equal(kept.frame(), frame[["word", "z"]])
    assert kept.columns.has_missing.tolist() == [True, True]


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
def test_encoded_rows_give_the_model_of_the_frame(frame, read_rows, model):
    y = np.where(np.nan_to_num(frame["x"] + frame["z"]) > 1, "yes", "no")
    new = frame.head(50)
    expected = model.fit(frame, y).predict_proba(new)
    rows = read_rows(frame)
    model.fit(rows, y)
    np.testing.assert_array_equal(model.predict_proba(new), expected)
    assert model.feature_names_in_.tolist() == ["x", "word", "y", "day", "z"]
    first = take_rows(rows, np.arange(50))
    np.testing.assert_array_equal(model.predict_proba(Rows(first.matrix, model._columns)), expected)


def test_columns_of_some_rows_know_what_is_missing_there(frame, read_rows):
    rows = read_rows(frame)
    present = take_rows(rows, np.flatnonzero(~np.isnan(rows.matrix).any(axis=1)))
    assert not Columns.learn(present)[0].has_missing.any()
