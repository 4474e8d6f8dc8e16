"""The twin itself: against scikit-learn where both mean the same tree, by hand where scikit-learn has no equal."""

import numpy as np
import pytest
import sklearn
from sklearn.tree import DecisionTreeClassifier

from oracle.pruning import pessimistic_errors, prune
from oracle.quinlan import choose_by_quinlan, entropy, information_gain, split_information
from oracle.splits import MISSING, Categories, Threshold, midpoint, multiway_rules, numeric_rules, subset_rules
from oracle.tree import TIE, Problem, Settings, all_nodes, grow, leaves, must_stop, predict_proba, scored_choices

NAN = np.nan


def gini(table):
    def impurity(counts):
        return 1 - np.sum((counts / counts.sum()) ** 2)

    shares = table.sum(axis=1) / table.sum()
    return impurity(table.sum(axis=0)) - sum(s * impurity(child) for s, child in zip(shares, table, strict=True))


SKLEARN_CRITERIA = {"gini": gini, "entropy": information_gain}


def random_problem(seed, n_classes=3, weighted=False, missing=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).astype(np.float32).astype(np.float64)
    y = np.argmax(X @ rng.normal(size=(3, n_classes)) + rng.gumbel(size=(60, n_classes)), axis=1)
    y[:n_classes] = np.arange(n_classes)
    if missing:
        X[rng.random(X.shape) < 0.15] = NAN
    if not weighted:
        return Problem(X, y, n_classes)
    # Quarters have exact sums; otherwise scikit-learn may split a pure node whose impurity is not exactly 0.
    row_weights, class_weights = rng.integers(2, 9, size=60) / 4, rng.integers(2, 13, size=n_classes) / 4
    return Problem(X, y, n_classes, (), row_weights, class_weights)


def some_tie_decided(problem, settings, root):
    """Whether several choices had the best score somewhere."""
    for node in all_nodes(root):
        if not must_stop(problem, settings, node):
            scores = [choice.score for choice in scored_choices(problem, settings, node.rows)]
            if sum(score >= max(scores) - 100 * TIE for score in scores) > 1:
                return True
    return False


@pytest.mark.parametrize("criterion", SKLEARN_CRITERIA)
@pytest.mark.parametrize("weighted", [False, True], ids=["counts", "weights"])
@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
def test_twin_grows_the_tree_of_scikit_learn(criterion, weighted, missing):
    if missing and sklearn.__version__.startswith("1.6."):
        pytest.skip("scikit-learn 1.6 searches splits with missing values differently")
    settings = Settings(SKLEARN_CRITERIA[criterion], max_depth=3, min_samples_split=12, min_samples_leaf=6)
    compared = 0
    for seed in range(8):
        problem = random_problem(seed, 2 + seed % 3, weighted, missing)
        ours = grow(problem, settings)
        if some_tie_decided(problem, settings, ours):
            continue
        theirs = DecisionTreeClassifier(
            criterion=criterion, max_depth=3, min_samples_split=12, min_samples_leaf=6, random_state=0
        ).fit(problem.X, problem.y, sklearn_weights(problem))
        new = np.random.default_rng(seed).normal(size=(200, 3)).astype(np.float32)
        assert len(leaves(ours)) == theirs.get_n_leaves()
        for X in (problem.X, new):
            np.testing.assert_allclose(predict_proba(ours, X, smoothing=0.0), theirs.predict_proba(X), atol=1e-12)
        compared += 1
    assert compared >= 3


def sklearn_weights(problem):
    return problem.weights * (1.0 if problem.class_weight is None else problem.class_weight[problem.y])


# ---------------------------------------------------------------------------------------------------- candidate rules


def test_thresholds_lie_between_neighbouring_values():
    assert list(numeric_rules(0, np.array([3.0, 1.0, 1.0]))) == [Threshold(0, 2.0)]
    assert list(numeric_rules(0, np.array([3.0, 3.0]))) == []


def test_midpoint_of_neighbouring_doubles_separates_them():
    a, b = 1.0, np.nextafter(1.0, 2.0)
    assert a <= midpoint(a, b) < b
    assert midpoint(-1.7e308, -1.6e308) < -1.6e308


def test_missing_values_are_tried_on_both_sides_and_alone():
    assert list(numeric_rules(0, np.array([1.0, NAN, 3.0]))) == [
        Threshold(0, 2.0, missing=0),
        Threshold(0, 2.0, missing=1),
        Threshold(0, np.inf, missing=1),
    ]
    assert list(numeric_rules(0, np.array([NAN, NAN]))) == []


@pytest.mark.parametrize(("n_categories", "n_subsets"), [(1, 0), (2, 1), (3, 3), (4, 7), (6, 31)])
def test_every_bipartition_is_listed_once(n_categories, n_subsets):
    rules = list(subset_rules(0, np.arange(float(n_categories))))
    as_sets = {frozenset(map(frozenset, rule.groups)) for rule in rules}
    assert len(rules) == len(as_sets) == n_subsets


def test_missing_is_the_last_category():
    (rule,) = multiway_rules(0, np.array([NAN, 4.0, 2.0]))
    assert rule.groups == ((2,), (4,), (MISSING,))
    assert rule.assign(np.array([[4.0], [NAN], [3.0]])).tolist() == [1, 2, -1]


def test_exhaustive_subsets_beat_the_order_of_class_shares():
    """Counts of four categories for which no prefix of the sorted categories is the best subset of ccp_gini."""
    counts = np.array([[1, 20], [1, 10], [3, 0], [3, 30]])
    codes, y = np.repeat(np.arange(8) // 2, counts.ravel()), np.repeat(np.arange(8) % 2, counts.ravel())
    problem = Problem(codes[:, None].astype(float), y, 2, nominal=(0,))
    choices = scored_choices(problem, Settings(ccp_gini_of_two_classes), problem.rows)
    order = np.argsort(counts[:, 0] / counts.sum(axis=1)).tolist()
    prefixes = [frozenset(order[:i]) for i in (1, 2, 3)]
    is_prefix = [any(frozenset(group) in prefixes for group in c.rule.groups) for c in choices]
    best_prefix = max(c.score for c, prefix in zip(choices, is_prefix, strict=True) if prefix)
    assert max(c.score for c in choices) > 1.05 * best_prefix


def ccp_gini_of_two_classes(table):
    shares = table.sum(axis=1) / table.sum()
    confidence = table / table.sum(axis=0)
    ccp = confidence / confidence.sum(axis=1, keepdims=True)
    return 0.5 - np.sum(shares * (1 - np.sum(ccp**2, axis=1)))


# ------------------------------------------------------------------------------------------------- weights and limits


def test_integer_weights_are_cases_and_fractional_ones_are_not():
    X, y = np.zeros((3, 1)), np.array([0, 1, 1])
    assert Problem(X, y, 2, sample_weight=np.array([2.0, 0, 3])).cases(np.array([0, 2])) == 5
    assert Problem(X, y, 2, sample_weight=np.array([2.0, 0, 3.5])).cases(np.array([0, 2])) == 2


def test_class_weights_scale_columns_of_the_table_only():
    problem = Problem(np.zeros((3, 1)), np.array([0, 1, 1]), 2, class_weight=np.array([10.0, 0.5]))
    assert problem.counts(problem.rows).tolist() == [10.0, 1.0]
    assert problem.cases(problem.rows) == 3


def test_rows_of_weight_zero_are_absent():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    root = grow(Problem(X, y, 2, sample_weight=np.array([1.0, 0.0, 1.0])), Settings(gini))
    assert root.is_leaf


def test_xor_is_learned_through_a_split_without_gain():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    root = grow(Problem(X, np.array([0, 1, 1, 0]), 2), Settings(gini))
    assert [len(leaf.rows) for leaf in leaves(root)] == [1, 1, 1, 1]


def test_equal_scores_take_the_first_feature_and_the_smallest_threshold():
    X = np.array([[0.0, 0], [1, 1], [2, 2]])
    root = grow(Problem(X, np.array([0, 1, 0]), 2), Settings(gini))
    assert root.rule == Threshold(0, 0.5)


def test_tie_break_comes_before_the_order_of_candidates():
    X = np.array([[0.0, 0], [1, 1], [2, 2]])
    settings = Settings(gini, tie_break=lambda table: table[0].sum())
    assert grow(Problem(X, np.array([0, 1, 0]), 2), settings).rule == Threshold(0, 1.5)


# --------------------------------------------------------------------------------------------------------- prediction


def test_values_that_training_never_saw_go_to_the_heavier_child():
    numeric = Problem(np.array([[0.0], [1.0], [1.0]]), np.array([0, 1, 1]), 2)
    assert predict_proba(grow(numeric, Settings(gini)), np.array([[NAN]]), 0.0).tolist() == [[0.0, 1.0]]
    nominal = Problem(np.array([[0.0], [0.0], [1.0]]), np.array([0, 0, 1]), 2, nominal=(0,))
    new = np.array([[NAN], [7.0]])
    for kind in ("subset", "one_vs_rest"):
        root = grow(nominal, Settings(gini, nominal=kind))
        assert predict_proba(root, new, 0.0).tolist() == [[1.0, 0.0], [1.0, 0.0]]


def test_an_unseen_category_stays_at_a_multiway_node():
    problem = Problem(np.array([[0.0], [0.0], [1.0]]), np.array([0, 0, 1]), 2, nominal=(0,))
    root = grow(problem, Settings(gini, nominal="multiway"))
    assert isinstance(root.rule, Categories)
    np.testing.assert_allclose(predict_proba(root, np.array([[7.0], [NAN]]), 1.0), [[3 / 5, 2 / 5], [3 / 4, 1 / 4]])


# ---------------------------------------------------------------------------------------------------- C4.5 and pruning

# Quinlan's golf data: outlook (sunny, overcast, rain), temperature, humidity, windy; play or not.
GOLF = np.array(
    [
        [0, 85, 85, 0, 0], [0, 80, 90, 1, 0], [1, 83, 86, 0, 1], [2, 70, 96, 0, 1], [2, 68, 80, 0, 1],
        [2, 65, 70, 1, 0], [1, 64, 65, 1, 1], [0, 72, 95, 0, 0], [0, 69, 70, 0, 1], [2, 75, 80, 0, 1],
        [0, 75, 70, 1, 1], [1, 72, 90, 1, 1], [1, 81, 75, 0, 1], [2, 71, 91, 1, 0],
    ],
    dtype=float,
)  # fmt: skip


def golf_tree():
    problem = Problem(GOLF[:, :4], GOLF[:, 4].astype(int), 2, nominal=(0, 3))
    return problem, grow(problem, Settings(information_gain, select=choose_by_quinlan, nominal="multiway"))


def test_golf_gains_are_those_of_the_book():
    by_outlook = np.array([[3, 2], [0, 4], [2, 3]])
    assert information_gain(by_outlook) == pytest.approx(0.246, abs=1e-3)
    assert split_information(by_outlook) == pytest.approx(1.577, abs=1e-3)
    assert entropy(np.array([5, 9])) == pytest.approx(0.940, abs=1e-3)


def test_golf_tree_is_that_of_the_book():
    _, root = golf_tree()
    sunny, overcast, rain = root.children
    assert (root.rule.feature, len(leaves(root))) == (0, 5)
    assert overcast.is_leaf
    assert sunny.rule == Threshold(2, 77.5)
    assert rain.rule.feature == 3


@pytest.mark.parametrize(("n", "rate"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_pessimistic_rate_without_errors_is_that_of_the_book(n, rate):
    assert pessimistic_errors(n, 0, 0.25) / n == pytest.approx(rate, abs=1e-3)


def test_pessimistic_errors_rise_with_errors_and_confidence():
    rising = [pessimistic_errors(20, e, 0.25) for e in np.arange(0, 20.25, 0.25)]
    assert np.all(np.diff(rising) >= 0)
    assert rising[-1] == 20
    assert pessimistic_errors(20, 3, 0.1) > pessimistic_errors(20, 3, 0.25)


def test_golf_tree_survives_pruning_and_noise_does_not():
    _, root = golf_tree()
    assert len(leaves(prune(root))) == 5
    rng = np.random.default_rng(0)
    noise = Problem(rng.normal(size=(60, 2)), (rng.random(60) < 0.1).astype(int), 2)
    full = grow(noise, Settings(information_gain))
    assert len(leaves(prune(full))) < len(leaves(full))
