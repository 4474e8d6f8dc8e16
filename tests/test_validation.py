"""Labels, weights and parameters: what reaches the core, and the words when it cannot."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rarewood._validation import (
    NONE,
    SEED,
    Choice,
    Fraction,
    Integer,
    Number,
    check_parameter,
    check_sample_weight,
    encode_labels,
    resolve_class_weight,
)

NAN = np.nan


class TestLabels:
    @pytest.mark.parametrize(
        "y", [["b", "a", "b"], np.array([7, 3, 7]), pd.Series(["b", "a", "b"]), pl.Series([2, 1, 2])]
    )
    def test_codes_follow_the_sorted_classes(self, y):
        labels = encode_labels(None, y, 3)
        assert labels.codes.tolist() == [1, 0, 1]
        assert labels.codes.dtype == np.int32
        assert labels.n_classes == 2

    def test_one_class_is_enough(self):
        assert encode_labels(None, ["a", "a"], 2).n_classes == 1

    @pytest.mark.parametrize(
        ("y", "words"),
        [
            (None, "requires y"),
            ([0.5, 1.5], "Unknown label type"),
            ([0, NAN], "NaN"),
            ([0, np.inf], "infinity"),
            ([[0, 1], [1, 0]], "1d array"),
            ([0, 1, 1], "2 and 3"),
        ],
    )
    def test_bad_labels_are_refused(self, y, words):
        with pytest.raises(ValueError, match=words):
            encode_labels(None, y, 2)

    def test_mixed_labels_are_refused(self):
        with pytest.raises(TypeError, match="mix types"):
            encode_labels(None, np.array(["a", 1, 2.5], dtype=object), 3)
        with pytest.raises(ValueError, match="row 2 has no label"):
            encode_labels(None, np.array(["a", 1, None], dtype=object), 3)


class TestWeights:
    labels = encode_labels(None, ["a", "a", "a", "b"], 4)

    def test_no_weights_and_ones_are_none(self):
        assert check_sample_weight(None, 4) is None
        assert check_sample_weight([1, 1, 1, 1], 4) is None
        assert check_sample_weight(1, 4) is None
        assert resolve_class_weight(None, self.labels, None) is None

    def test_weights_become_float64(self):
        weights = check_sample_weight([0, 1, 2, 3], 4)
        assert weights.dtype == np.float64
        assert weights.tolist() == [0, 1, 2, 3]

    @pytest.mark.parametrize(
        ("weights", "words"),
        [
            ([1, 1, 1, -1], "Negative"),
            ([0, 0, 0, 0], "zero"),
            ([1, 1], r"\(2,\), expected \(4,\)"),
            ([[1, 1, 1, 1]], "expected"),
            ([1, 1, 1, NAN], "NaN"),
            ([1, 1, 1, np.inf], "infinity"),
            (["a", 1, 1, 1], "could not convert"),
        ],
    )
    def test_bad_weights_are_refused(self, weights, words):
        with pytest.raises(ValueError, match=words):
            check_sample_weight(weights, 4)

    def test_balanced_weights_equal_repeated_rows(self):
        weights = np.array([1.0, 2.0, 0.0, 3.0])
        repeated = encode_labels(None, ["a", "a", "a", "b", "b", "b"], 6)
        balanced = resolve_class_weight("balanced", self.labels, weights)
        assert balanced.tolist() == resolve_class_weight("balanced", repeated, None).tolist() == [1, 1]
        assert resolve_class_weight("balanced", self.labels, None).tolist() == [4 / 6, 2]

    def test_a_class_of_weight_zero_stays_out_of_the_balance(self):
        assert resolve_class_weight("balanced", self.labels, np.array([1.0, 1, 1, 0])).tolist() == [1, 0]

    def test_classes_not_named_weigh_one(self):
        assert resolve_class_weight({"b": 5}, self.labels, None).tolist() == [1, 5]

    @pytest.mark.parametrize(
        ("class_weight", "error", "words"),
        [
            ({"c": 1}, ValueError, "'c', which is not in y.*'a', 'b'"),
            ({"a": -1}, ValueError, "'a'.*at least 0"),
            ({"a": NAN}, ValueError, "finite"),
            ({"a": "much"}, TypeError, "not a number"),
            ({"a": 0, "b": 0}, ValueError, "no row"),
            ("even", ValueError, "'balanced'"),
            (3, TypeError, "class_weight=3"),
            ([1, 2], TypeError, "dictionary"),
        ],
    )
    def test_bad_class_weights_are_refused(self, class_weight, error, words):
        with pytest.raises(error, match=words):
            resolve_class_weight(class_weight, self.labels, None)


class TestParameters:
    @pytest.mark.parametrize(
        ("value", "accepted"),
        [
            (None, [NONE]),
            ("a", [Choice(("a", "b"))]),
            (3, [Integer(1)]),
            (np.int64(3), [Integer(1)]),
            (0, [Number(0.0)]),
            (np.float32(0.5), [Number(0.0, 1.0)]),
            (1.0, [Integer(1), Fraction()]),
            (np.random.RandomState(0), SEED),
        ],
    )
    def test_accepted(self, value, accepted):
        check_parameter("p", value, *accepted)

    @pytest.mark.parametrize(
        ("value", "accepted", "error"),
        [
            ("c", [Choice(("a", "b"))], ValueError),
            (1, [Choice(("a", "b"))], TypeError),
            (True, [Integer(0)], TypeError),
            (np.True_, [Number(0.0)], TypeError),
            (2.0, [Integer(1)], TypeError),
            (0, [Integer(1)], ValueError),
            (2**40, [Integer(1)], ValueError),
            (NAN, [Number(0.0)], ValueError),
            (np.inf, [Number(0.0)], ValueError),
            (0.0, [Number(0.0, 0.5, open_low=True)], ValueError),
            (0.6, [Number(0.0, 0.5, open_low=True)], ValueError),
            (1.5, [Integer(1), Fraction()], ValueError),
            ("1", [Integer(1), NONE], TypeError),
            (-1, SEED, ValueError),
        ],
    )
    def test_refused_with_name_and_value(self, value, accepted, error):
        with pytest.raises(error, match=re.escape(f"p={value!r}")):
            check_parameter("p", value, *accepted)
