"""The rarest class, and the number of a class by its label."""

import numpy as np
import pytest

from rarewood._validation import column_of, rarest_class, rarest_label


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
