"""Some rows of whatever holds rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from rarewood._tables import LabelledRows, Rows, take_rows
from rarewood._validation import Labels

ROWS = np.array([2, 0, 2])
CELLS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
TAKEN = [[5.0, 6.0], [1.0, 2.0], [5.0, 6.0]]


@pytest.mark.parametrize(
    ("container", "as_lists"),
    [
        (CELLS, list),
        (np.array(CELLS), np.ndarray.tolist),
        (pd.DataFrame(CELLS, index=[7, 8, 9]), lambda frame: frame.to_numpy().tolist()),
        (pl.DataFrame(CELLS, orient="row", schema=["a", "b"]), lambda frame: frame.to_numpy().tolist()),
        (pa.table({"a": [1.0, 3.0, 5.0], "b": [2.0, 4.0, 6.0]}), lambda table: table.to_pandas().to_numpy().tolist()),
        (sparse.coo_matrix(CELLS), lambda matrix: matrix.toarray().tolist()),
        (Rows(np.array(CELLS), None), lambda rows: rows.matrix.tolist()),
    ],
    ids=["lists", "array", "pandas", "polars", "pyarrow", "sparse", "encoded"],
)
def test_rows_come_in_the_order_asked_for(container, as_lists):
    assert as_lists(take_rows(container, ROWS)) == TAKEN


def test_labels_and_series():
    assert take_rows(("a", "b", "c"), ROWS) == ["c", "a", "c"]
    assert take_rows(pd.Series(["a", "b", "c"], index=[7, 8, 9]), ROWS).to_dict() == {0: "c", 1: "a", 2: "c"}
    assert take_rows(pl.Series(["a", "b", "c"]), ROWS).to_list() == ["c", "a", "c"]


def test_many_rows_of_columns_stay_columns():
    matrix = np.asfortranarray(np.random.default_rng(0).normal(size=(3000, 3)))
    rows = np.random.default_rng(1).permutation(3000)[:2000]
    taken = take_rows(Rows(matrix, None), rows).matrix
    np.testing.assert_array_equal(taken, matrix[rows])
    assert taken.flags.f_contiguous


def test_labelled_rows_keep_classes_weights_and_the_class_to_find_together():
    labels = Labels(np.array(["bad", "good"]), np.array([1, 0, 1], dtype=np.int32))
    given = LabelledRows(Rows(np.array(CELLS), None), labels, "bad", np.array([1.0, 2.0, 3.0]))
    assert given.y.tolist() == ["good", "bad", "good"]
    assert given.is_rare.tolist() == [False, True, False]
    taken = given.take(ROWS)
    assert taken.matrix.tolist() == TAKEN
    assert taken.y.tolist() == ["good"] * 3
    assert taken.weights.tolist() == [3.0, 1.0, 3.0]
    assert taken.labels.n_classes == 2
    assert len(given.take(ROWS[:1])) == 1
