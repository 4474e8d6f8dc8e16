import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import decoding
from rarewood import ECOCClassifier
from rarewood.decomposition import codes


def canonical_columns(code):
    """Columns with the first class that takes part on the side of the ones."""
    columns = []
    for column in code.T.tolist():
        flip = next(bit for bit in column if bit != -1) == 0
        columns.append(tuple(1 - bit if flip and bit != -1 else bit for bit in column))
    return columns


def assert_sound(code, n_classes):
    assert code.shape[0] == n_classes
    for column in code.T:
        assert {0, 1} <= set(column.tolist()) <= {-1, 0, 1}
    assert len(set(canonical_columns(code))) == code.shape[1]
    assert len({tuple(row) for row in code.tolist()}) == n_classes


@pytest.mark.parametrize("n_classes", range(2, 12))
def test_exhaustive_code_is_that_of_the_paper(n_classes):
    code = codes.exhaustive_code(n_classes)
    np.testing.assert_array_equal(code, decoding.exhaustive(n_classes))
    assert_sound(code, n_classes)
    if n_classes <= 7:
        assert set(canonical_columns(code)) == decoding.all_dense_columns(n_classes)


@pytest.mark.parametrize("n_classes", range(3, 9))
def test_rows_of_the_exhaustive_code_are_as_far_apart_as_rows_can_be(n_classes):
    code = codes.exhaustive_code(n_classes)
    distances = {int(np.sum(a != b)) for a, b in itertools.combinations(code, 2)}
    assert distances == {2 ** (n_classes - 2)}
    assert codes.smallest_row_distance(code) == 2 ** (n_classes - 2)


@pytest.mark.parametrize("n_classes", range(2, 8))
def test_numbers_of_columns(n_classes):
    assert codes.most_dense_columns(n_classes) == len(decoding.all_dense_columns(n_classes))
    assert codes.most_sparse_columns(n_classes) == len(decoding.all_sparse_columns(n_classes))


@given(st.integers(3, 14), st.data())
def test_random_codes_of_any_possible_length_are_sound(n_classes, data):
    fewest = (n_classes - 1).bit_length()
    length = data.draw(st.integers(fewest, min(codes.most_dense_columns(n_classes), 30)))
    code = codes.random_code(n_classes, length, np.random.RandomState(data.draw(st.integers(0, 99))))
    assert code.shape[1] == length
    assert_sound(code, n_classes)
    assert (code[0] == 1).all()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n_classes", [3, 4, 5, 6, 8, 26, 100])
def test_default_lengths(n_classes, sparse):
    n_bits = codes.default_bits(n_classes, sparse=sparse)
    code = codes.random_code(n_classes, n_bits, np.random.RandomState(0), sparse=sparse)
    assert_sound(code, n_classes)
    wanted = int(np.ceil((15 if sparse else 10) * np.log2(n_classes)))
    possible = (codes.most_sparse_columns if sparse else codes.most_dense_columns)(n_classes)
    assert code.shape[1] == min(wanted, possible)
    if sparse and n_classes > 8:
        assert np.mean(code == -1) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("n_classes", [3, 4])
def test_a_code_of_all_columns_has_all_columns(n_classes):
    code = codes.random_code(n_classes, codes.most_sparse_columns(n_classes), np.random.RandomState(0), sparse=True)
    assert set(canonical_columns(code)) == decoding.all_sparse_columns(n_classes)


def test_the_best_of_many_codes_is_better_than_most():
    best = codes.smallest_row_distance(codes.random_code(10, 34, np.random.RandomState(0)))
    single = [
        codes.smallest_row_distance(codes._draw_columns(10, 34, np.random.RandomState(seed), sparse=False))
        for seed in range(200)
    ]
    assert best >= np.quantile(single, 0.95) > np.median(single)


def test_distance_counts_bits_of_classes_left_out_half():
    code = np.array([[1, 1, -1, 0], [1, 0, 1, -1]], dtype=np.int8)
    assert codes.smallest_row_distance(code) == 0 + 1 + 0.5 + 0.5


def fitted(code, n_classes, **parameters):
    X = np.arange(3.0 * n_classes).reshape(-1, 1)
    return ECOCClassifier(code=code, **parameters).fit(X, np.repeat(np.arange(n_classes), 3))


def test_the_same_seed_draws_the_same_code():
    first, again, other = (fitted("dense", 13, random_state=seed).code_book_ for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_code_of_ones_own():
    code = [[1, 1], [0, 1], [-1, 0]]
    model = fitted(code, 3)
    assert model.code_book_.tolist() == code
    assert len(model.estimators_) == 2


@pytest.mark.parametrize(
    ("code", "n_classes", "words"),
    [
        ("exhaustive", 12, r"2047 problems of 12 classes.*code='dense' \(36 problems\), code='sparse' \(54\)"),
        (8, 4, "code=8 is more than the 7 ways to divide 4 classes into two groups; give at most 7"),
        (2, 5, "2 problems cannot tell 5 classes apart; give at least 3"),
        ([[1], [0], [0]], 3, "Two rows of code are the same"),
        ([[1, 0], [0, 1], [0, 1]], 3, "none may repeat another column or its complement"),
        ([[1, 1], [1, 0], [1, -1]], 3, "must have a 1 and a 0"),
        ([[1, 2], [0, 0], [1, 1]], 3, "entries other than 1, 0"),
        ([[1, 0], [0, 1]], 3, r"the shape \(2, 2\); give one row for each of the 3 classes"),
        ("hadamard", 3, "code='hadamard' is not accepted; give 'exhaustive' or 'dense' or 'sparse', an integer"),
        (0, 3, "code=0 is not accepted"),
    ],
)
def test_codes_that_do_not_exist_are_refused(code, n_classes, words):
    with pytest.raises(ValueError, match=words):
        fitted(code, n_classes)
