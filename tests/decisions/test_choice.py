"""Thresholds of calibrated probabilities and decisions by the costs of each row."""

import numpy as np
import pytest

from oracle.decisions import best_f1
from rarewood._decisions import choose_for_probabilities, half_best_f1, labels_by_costs
from rarewood.metrics import choose_threshold, minority_f1
from rarewood.metrics.thresholds import read_rule


@pytest.mark.parametrize("seed", range(5))
def test_half_of_the_best_f1(seed):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.4, 3.0, size=80), 3)
    y = rng.random(80) < p
    # ties are cut in the order of the rows; the oracle's order may be another one, at most a tie's width away
    assert half_best_f1(p, y) == pytest.approx(best_f1(p, y) / 2, rel=0.02)
    distinct = rng.permutation(80) / 100 + 0.001
    assert half_best_f1(distinct, y) == pytest.approx(best_f1(distinct, y) / 2, rel=1e-12)


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    p, times = rng.permutation(40) / 50, rng.integers(1, 4, size=40)
    y = rng.random(40) < p
    assert half_best_f1(p, y, times.astype(float)) == pytest.approx(
        half_best_f1(np.repeat(p, times), np.repeat(y, times))
    )


def test_the_best_cut_of_probabilities_that_are_true():
    """Lipton et al.: no cut beats half of the best F-measure on new rows."""
    rng = np.random.default_rng(0)
    p = rng.beta(0.3, 4.0, size=200_000)
    y = rng.random(len(p)) < p
    cut = half_best_f1(p[:100_000], y[:100_000])
    on_new = [minority_f1(y[100_000:], p[100_000:] >= value, positive=True) for value in (cut, 0.8 * cut, 1.25 * cut)]
    assert on_new[0] == max(on_new)
    assert cut <= 0.5


def test_few_rows_do_not_move_it_far():
    """With five positive rows the top of the raw curve stands anywhere; half its height does not."""
    rng = np.random.default_rng(0)
    halves, tops = [], []
    for _ in range(60):
        p = rng.beta(0.3, 6.0, size=120)
        y = rng.random(120) < p
        if y.sum() > 1:
            halves.append(half_best_f1(p, y))
            tops.append(choose_threshold(y, p, positive=True).value)
    assert np.std(halves) < 0.5 * np.std(tops)


@pytest.mark.parametrize("rule", ["precision=0.5", "recall=0.8", "alerts=10%", "alerts=7", 0.3])
def test_other_rules_try_every_cut(rule):
    rng = np.random.default_rng(1)
    p = rng.beta(0.5, 2.0, size=100)
    y = np.where(rng.random(100) < p, "bad", "good")
    assert choose_for_probabilities(read_rule(rule), y, p, positive="bad") == choose_threshold(
        y, p, rule=rule, positive="bad"
    )


def test_costs_say_the_threshold():
    rng = np.random.default_rng(1)
    p = rng.beta(0.5, 2.0, size=100)
    y = rng.random(100) < p
    chosen = choose_for_probabilities(read_rule("cost=1:19"), y, p, positive=True)
    assert chosen.value == 0.05
    assert chosen.recall == y[p >= 0.05].sum() / y.sum()
    assert chosen.cost == pytest.approx(np.mean(np.where(p >= 0.05, ~y, 19 * y)))


def test_a_fraud_of_10_and_one_of_10_000():
    p = np.array([[0.99, 0.01], [0.99, 0.01], [0.2, 0.8], [0.9, 0.1]])
    amounts = np.array([10.0, 10_000.0, 10.0, 5.0])
    labels = labels_by_costs(p, np.array(["ok", "fraud"]), 1, (5.0, amounts))
    for row, (label, amount) in enumerate(zip(labels, amounts)):
        expected = {"fraud": 5.0 * p[row, 0], "ok": amount * p[row, 1]}
        assert label == min(expected, key=expected.get)
    assert labels.tolist() == ["ok", "fraud", "fraud", "ok"]


def test_more_classes_by_costs():
    p = np.array([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2]])
    assert labels_by_costs(p, np.array(["a", "b", "c"]), 2, (1.0, 1.0)).tolist() == ["a", "b"]
    assert labels_by_costs(p, np.array(["a", "b", "c"]), 2, (1.0, [9.0, 1.0])).tolist() == ["c", "b"]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (5, "costs=5 is not accepted; give a pair"),
        ((1.0, [1.0, 2.0]), r"the cost of a miss has shape \(2,\), expected \(3,\)"),
        ((-1.0, 2.0), "the cost of a false alarm has values that are negative or not finite"),
        ((1.0, [1.0, np.inf, 2.0]), "cost of a miss"),
    ],
)
def test_costs_that_make_no_sense(costs, message):
    with pytest.raises(ValueError, match=message):
        labels_by_costs(np.full((3, 2), 0.5), np.arange(2), 1, costs)
