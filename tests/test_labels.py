"""The rarest class, and the number of a class by its label."""

import numpy as np
import pytest

import rarewood as rw
from rarewood._validation import column_of, encode_labels, rarest_class, rarest_label


def test_the_rarest_class_has_rows():
    assert rarest_class(np.array([4, 0, 2, 2])) == 2


@pytest.mark.parametrize(
    ("y", "rarest"),
    [(["b", "a"], "a"), ([1, 1, 0], 0), ([True, False, True], False), (np.array([2, 1, 2], dtype=object), 1)],
)
def test_the_rarest_label_is_a_plain_value(y, rarest):
    label = rarest_label(y)
    assert label == rarest
    assert type(label) is type(rarest)


def test_no_rarest_label_of_nothing():
    with pytest.raises(ValueError, match="y is empty"):
        rarest_label([])


def test_the_number_of_a_label():
    assert column_of("c", np.array(["a", "c"])) == 1


@pytest.mark.parametrize("wrong", ["b", 0, None, ["a"], np.array(["a", "c"])])
def test_labels_that_are_no_class(wrong):
    with pytest.raises(ValueError, match=r"is not among the classes, which are \['a', 'c'\]"):
        column_of(wrong, np.array(["a", "c"]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float64, bool])
@pytest.mark.parametrize("values", [[0, 1], [1, 0, 5], [-3, 7], [7], [0, 2**40]])
def test_whole_numbers_are_numbered_as_sorting_would(values, dtype):
    wanted = np.array(values, dtype=np.int64)
    if np.any(wanted.astype(dtype).astype(np.int64) != wanted):
        pytest.skip("does not apply: this type does not hold them")
    y = np.resize(wanted.astype(dtype), 3000)
    labels = encode_labels(None, y, len(y))
    classes, codes = np.unique(y, return_inverse=True)
    assert labels.classes.dtype == y.dtype
    assert labels.codes.dtype == np.int32
    np.testing.assert_array_equal(labels.classes, classes)
    np.testing.assert_array_equal(labels.codes, codes)


def test_labels_at_the_ends_of_their_type():
    for y in (
        np.resize(np.array([-128, 127], dtype=np.int8), 2000),
        np.resize(np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64), 2000),
    ):
        labels = encode_labels(None, y, None)
        np.testing.assert_array_equal(labels.classes[labels.codes], y)


@pytest.mark.parametrize(
    ("given", "classes"),
    [("boolean", [False, True]), ("Int64", [0, 1]), ("bool[pyarrow]", [False, True]), ("int64[pyarrow]", [0, 1])],
)
def test_nullable_labels_keep_their_type(given, classes):
    pd = pytest.importorskip("pandas")
    y = pd.Series([0, 1] * 10).astype(bool if "bool" in given else int).astype(given)
    found = rw.TreeClassifier().fit(np.arange(20.0).reshape(-1, 1), y).classes_.tolist()
    assert found == classes
    assert [type(label) for label in found] == [type(label) for label in classes]


def test_a_nullable_label_that_is_missing_is_named():
    pd = pytest.importorskip("pandas")
    y = pd.Series([0, 1] * 10, dtype="Int64")
    y[3] = None
    with pytest.raises(ValueError, match="row 3 has no label"):
        rw.TreeClassifier().fit(np.arange(20.0).reshape(-1, 1), y)
