"""Labels of least expected cost: by a matrix, by one matrix per row, by words; against trying every label."""

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood._decisions import labels_by_costs
from support.tables import mixed_table

CLASSES = np.array(["a", "b", "c"])


def cheapest(probabilities, matrix):
    """By trying every label, one row after the other."""
    expected = [sum(p * cost for p, cost in zip(probabilities, column)) for column in np.transpose(matrix)]
    return CLASSES[int(np.argmin(expected))]


@pytest.mark.parametrize("seed", range(5))
def test_a_matrix_for_all_rows_or_for_each(seed):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), 50)
    one, each = rng.normal(size=(3, 3)), rng.exponential(size=(50, 3, 3))
    assert labels_by_costs(p, CLASSES, 2, one.tolist()).tolist() == [cheapest(row, one) for row in p]
    assert labels_by_costs(p, CLASSES, 2, each).tolist() == [cheapest(*pair) for pair in zip(p, each)]


def test_errors_that_cost_the_same_call_the_most_probable():
    p = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    assert labels_by_costs(p, CLASSES, 2, 1.0 - np.eye(3)).tolist() == CLASSES[p.argmax(axis=1)].tolist()


def test_a_pair_is_a_matrix_of_two_classes():
    p = np.random.default_rng(0).dirichlet(np.ones(2), 200)
    pair = labels_by_costs(p, CLASSES[:2], 1, (1.0, 20.0))
    assert pair.tolist() == labels_by_costs(p, CLASSES[:2], 1, [[0, 1], [20, 0]]).tolist()
    assert pair.tolist() == labels_by_costs(p, CLASSES[:2], 1, "1:20").tolist()


def test_words_may_name_a_column():
    p = np.array([[0.9, 0.1], [0.9, 0.1]])
    table = pd.DataFrame({"amount": [10.0, 10_000.0]})
    assert labels_by_costs(p, CLASSES[:2], 1, "5:amount", table).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([[0, 1], [1, 0]], r"shape \(2, 2\), expected \(3, 3\), a row per true class"),
        (np.zeros((4, 3, 3)), r"or \(2, 3, 3\), one such matrix per row"),
        ([[0, 1, 2], [1, 0]], "no matrix of numbers"),
        (np.full((3, 3), np.nan), "missing or not finite"),
        ("1", "costs='1' is not understood"),
        ("1:dear", "neither a number nor a column of numbers of X"),
    ],
)
def test_what_makes_no_sense_is_refused(costs, words):
    with pytest.raises(ValueError, match=words):
        labels_by_costs(np.full((2, 3), 1 / 3), CLASSES, 2, costs)


def test_a_model_of_three_classes_decides_by_a_matrix():
    X, y = mixed_table(3)
    model = rw.RareClassifier(12, threshold=None, column_effects=False, random_state=0).fit(X, y)
    assert (model.decide(X, costs=1.0 - np.eye(3)) == model.predict(X)).all()
    dear = np.array([[0, 1, 1], [1000, 0, 1000], [1, 1, 0]])  # missing the second class is what costs
    assert (model.decide(X, costs=dear) == model.classes_[1]).mean() > 0.9
