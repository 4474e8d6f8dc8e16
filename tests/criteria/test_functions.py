"""A Python function as a criterion."""

import threading

import numpy as np
import pytest

from rarewood import criteria
from rarewood._core import testing

TABLE = [[90, 1], [10, 9]]
LEFT = np.array([[90.0, 1.0], [50.0, 5.0], [0.0, 10.0]])
RIGHT = np.array([100.0, 10.0]) - LEFT


def gini(left, right):
    def child(counts):
        size = counts.sum(axis=1)
        return size - (counts**2).sum(axis=1) / np.where(size > 0, size, 1)

    return (child(left + right) - child(left) - child(right)) / (left + right).sum(axis=1)


def test_function_scores_one_split():
    assert criteria.score(gini, TABLE) == pytest.approx(criteria.score("gini", TABLE), abs=1e-15)


def test_function_scores_a_batch():
    expected = [criteria.score("gini", np.array([left, right])) for left, right in zip(LEFT, RIGHT)]
    np.testing.assert_allclose(testing.score_candidates(gini, LEFT, RIGHT), expected, atol=1e-15)


def test_function_gets_arrays_of_its_own():
    seen = []

    def greedy(left, right):
        seen.extend([left, right])
        kept = left[:, 0].copy()
        left[:] = right[:] = -1
        return kept

    left, right = LEFT.copy(), RIGHT.copy()
    assert testing.score_candidates(greedy, left, right).tolist() == LEFT[:, 0].tolist()
    np.testing.assert_array_equal(left, LEFT)
    np.testing.assert_array_equal(right, RIGHT)
    for array in seen:
        assert array.shape == (3, 2)
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert seen[0].sum() == -6  # still there, and still what the function made of it


@pytest.mark.parametrize(
    "returned",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        np.array([1, 2, 3], dtype=np.float32),
        np.arange(9.0)[::3] / 3 + 1,
        np.array([True] * 3) * [1, 2, 3],
    ],
)
def test_function_may_return_anything_like_an_array_of_numbers(returned):
    assert testing.score_candidates(lambda left, right: returned, LEFT, RIGHT).tolist() == [1, 2, 3]


def test_infinite_scores_are_scores():
    returned = [np.inf, -np.inf, 0.0]
    assert testing.score_candidates(lambda left, right: returned, LEFT, RIGHT).tolist() == returned


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "returned a NoneType of dtype object"),
        (1.0, r"returned an array of shape \(\)"),
        ([1.0, 2.0], r"returned an array of shape \(2,\)"),
        (np.ones((3, 1)), r"returned an array of shape \(3, 1\)"),
        (["a", "b", "c"], "returned a list of dtype <U1"),
        (np.ones(3) * 1j, "returned a ndarray of dtype complex128"),
        ([[1], [2, 3], 4], "returned a list that is no array"),
        ([0.0, np.nan, 1.0], r"returned NaN for left counts \[50\.0, 5\.0\] and right counts \[50\.0, 5\.0\]"),
    ],
)
def test_function_that_returns_something_else(returned, message):
    def broken(left, right):
        return returned

    with pytest.raises(ValueError, match=message) as error:
        testing.score_candidates(broken, LEFT, RIGHT)
    assert str(error.value).startswith("criterion function 'broken' returned ")
    assert str(error.value).endswith("expected one real number per candidate, here an array of shape (3,)")


def test_errors_of_the_function_reach_the_caller_unchanged():
    raised = KeyError("lost")

    def failing(left, right):
        raise raised

    with pytest.raises(KeyError) as error:
        criteria.score(failing, TABLE)
    assert error.value is raised


def test_function_scores_two_children_only():
    for table in ([[1, 2]], [[1, 2], [3, 4], [5, 6]]):
        with pytest.raises(ValueError, match=f"a criterion function scores splits with two children, got {len(table)}"):
            criteria.score(gini, table)


def test_callable_objects_are_functions_too():
    class Counter:
        calls = 0

        def __call__(self, left, right):
            self.calls += 1
            return np.full(len(left), np.nan if self.calls > 1 else 0.5)

    counter = Counter()
    assert criteria.get(counter) is counter
    assert criteria.score(counter, TABLE) == 0.5
    with pytest.raises(ValueError, match="criterion function 'Counter' returned NaN"):
        criteria.score(counter, TABLE)


@pytest.mark.several_threads
def test_function_is_called_from_other_threads():
    results = []
    threads = [threading.Thread(target=lambda: results.append(criteria.score(gini, TABLE))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [criteria.score(gini, TABLE)] * 8


def test_check_accepts_functions_for_any_number_of_classes():
    criteria.check(gini, 30)
