"""`TreeClassifier` against the naive twin, node by node.

Where scores tie, two correct trees may differ; so the compiled tree is read into the oracle's nodes and every node is
judged on the rows that really reached it: stopped if and only if the oracle stops there, otherwise split with the best
score the oracle finds among all candidates. Where the scores at a node are either equal or clearly different the very
rule must be the oracle's.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rarewood
from oracle.compiled import read_tree
from oracle.criteria import CRITERIA as TWINS
from oracle.criteria import alpha
from oracle.pruning import prune
from oracle.quinlan import choose_by_quinlan, competing_attributes
from oracle.splits import MISSING, Categories, Threshold
from oracle.tree import (
    Problem,
    Settings,
    all_nodes,
    apply_rule,
    end_nodes,
    first_of_best,
    grow,
    leaf_proba,
    leaves,
    must_stop,
    predict_proba,
    scored_choices,
)
from rarewood.criteria import AlphaDivergence
from support.strategies import DATA_KINDS, WEIGHT_KINDS, few_rows_among_many_values, make_problem, new_rows, problems

NOMINAL_KINDS = ("subset", "one_vs_rest", "multiway")


# ------------------------------------------------------------------------------------------------ the criteria compared


@dataclass(frozen=True)
class Pair:
    """One criterion as the estimator takes it and as the oracle computes it."""

    criterion: object
    twin: Callable
    max_classes: int = 10
    tie_break: Callable | None = None
    select: Callable | None = None

    def settings(self, **parameters):
        return Settings(self.twin, self.tie_break, self.select, **parameters)


def pair_of_name(name):
    return Pair(
        name,
        TWINS[name],
        max_classes=2 if name == "dkm" else 10,
        tie_break=TWINS["hellinger"] if name.startswith("ccp_") else None,
        select=choose_by_quinlan if name == "c45" else None,
    )


def pair_of_alpha(value, reference):
    twin = partial(alpha, alpha=value, reference=reference)
    return Pair(AlphaDivergence(alpha=value, reference=reference), twin, 2 if reference == "flipped" else 10)


PAIRS = {name: pair_of_name(name) for name in rarewood.criteria.names()} | {
    f"alpha-{value}-{reference}": pair_of_alpha(value, reference)
    for value, reference in [(1.0, "marginal"), (2.0, "uniform"), (0.3, "flipped")]
}

# Up to eight categories the core tries every subset. Above, it sorts them by class shares, which is proven to find the
# best subset under these criteria.
ORDER_IS_EXACT = {"gini", "entropy", "gain_ratio", "dkm", "hellinger", "hellinger_ova", "alpha", "ihd"}
ORDER_IS_EXACT_FOR_MANY_CLASSES = {"hellinger", "hellinger_ova"}


def fit(problem, criterion, **parameters):
    class_weight = None if problem.class_weight is None else dict(enumerate(problem.class_weight.tolist()))
    model = rarewood.TreeClassifier(
        criterion, categorical_features=list(problem.nominal), class_weight=class_weight, **parameters
    )
    return model.fit(problem.X, problem.y, sample_weight=problem.sample_weight)


# ------------------------------------------------------------------------------------------------------ the comparison


def assert_equals_oracle(pair, problem, exact=True, smoothing=1.0, **parameters):
    model = fit(problem, pair.criterion, smoothing=smoothing, **parameters)
    twin = pair.settings(**parameters)
    root = read_tree(model.tree_, problem)
    assert len(all_nodes(root)) == model.tree_.node_count
    decided = []
    for node in all_nodes(root):
        assert_node_is_described(model.tree_, problem, node)
        judge = assert_quinlan_agrees if pair.select else partial(assert_score_is_best, exact=exact)
        decided.append(judge(problem, twin, node))
    X = np.vstack([problem.X, new_rows(problem)])
    assert_predictions_are_those_of_the_nodes(model, root, X, smoothing)
    assert_importances_are_shares(model)
    return model, all(decided)


def assert_node_is_described(tree, problem, node):
    np.testing.assert_allclose(tree.value[node.id], node.counts, rtol=1e-12, atol=1e-12)
    assert tree.weighted_n_node_samples[node.id] == pytest.approx(node.counts.sum(), rel=1e-12)
    assert tree.n_node_samples[node.id] == problem.cases(node.rows)
    assert tree.n_children[node.id] == len(node.children)
    if isinstance(node.rule, Categories) and node.rule.unseen_category_stays:
        listed = [c for c in tree.categories(node.id).tolist() if c >= 0]
        assert listed[: len(node.children)] == [c for (c,) in node.rule.groups if c != MISSING]


def assert_score_is_best(problem, twin, node, exact):
    """Returns whether the oracle's rule was the only right answer (and then it is the compiled tree's, too)."""
    choices = [] if must_stop(problem, twin, node) else scored_choices(problem, twin, node.rows)
    if not choices:
        assert node.is_leaf, f"{node.rule} splits a node that is a leaf"
        return True
    if node.is_leaf:
        assert not exact, f"a leaf where {first_of_best(choices, twin)} is possible"
        return False
    chosen = apply_rule(problem, node.rule, node.rows)
    assert min(chosen.cases) >= twin.min_samples_leaf
    score, best = twin.criterion(chosen.table), max(choice.score for choice in choices)
    slack = 1e-9 * max(1.0, abs(best))
    assert score <= best + slack
    if not exact:
        return False
    assert score >= best - slack, f"{node.rule} scores {score}, {first_of_best(choices, twin)} is better"
    return assert_ties_are_decided_as_documented(node, choices, twin, best)


def assert_ties_are_decided_as_documented(node, choices, twin, best):
    tied = [choice for choice in choices if choice.score >= best - 1e-8 * max(1.0, abs(best))]
    if not all_equal([choice.score for choice in tied]):
        return False
    if twin.tie_break is not None:
        tie_scores = [twin.tie_break(choice.table) for choice in tied]
        tied = [c for c, s in zip(tied, tie_scores, strict=True) if s >= max(tie_scores) - 1e-8]
        if not all_equal([twin.tie_break(choice.table) for choice in tied]):
            return False
    expected = tied[0].rule
    assert node.rule.feature == expected.feature, f"{node.rule} was preferred to {expected}"
    if isinstance(expected, Threshold):
        assert node.rule == expected
        return True
    return len(tied) == 1  # the order of category subsets is not documented


def all_equal(scores):
    return max(scores) - min(scores) <= 1e-11


def assert_quinlan_agrees(problem, twin, node):
    attributes = [] if must_stop(problem, twin, node) else competing_attributes(problem, twin, node.rows)
    assert node.is_leaf == (not attributes)
    if node.is_leaf:
        return True
    by_feature = {attribute.choice.rule.feature: attribute for attribute in attributes}
    assert node.rule.feature in by_feature, f"{node.rule} has a gain below the average"
    mine = by_feature[node.rule.feature]
    chosen = apply_rule(problem, node.rule, node.rows)
    assert any(np.array_equal(chosen.child, tied.child) for tied in mine.tied) or is_swapped(chosen, mine.tied)
    worst_of_others = [min(map(other.ratio, other.tied)) for other in attributes]
    assert mine.ratio(chosen) >= max(worst_of_others) - 1e-9
    return all(len(attribute.tied) == 1 for attribute in attributes) and len(attributes) == 1


def is_swapped(chosen, others):
    """Left and right of a category subset have no meaning."""
    if len(chosen.table) != 2 or not isinstance(chosen.rule, Categories):
        return False
    return any(np.array_equal(1 - chosen.child, other.child) for other in others)


def assert_predictions_are_those_of_the_nodes(model, root, X, smoothing):
    ends = end_nodes(root, X)
    assert model.apply(X).tolist() == [end.id for end in ends]
    assert np.asarray(model.decision_path(X).sum(axis=1)).ravel().tolist() == [end.depth + 1 for end in ends]
    expected = [leaf_proba(end.counts, smoothing) for end in ends]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12, atol=1e-15)


def assert_importances_are_shares(model):
    importances = model.feature_importances_
    assert np.all(importances >= 0)
    assert importances.sum() == pytest.approx(1.0) or not importances.any()


# ----------------------------------------------------------------------------------- every criterion x data x nominal


LIMITS = [{}, {"min_samples_leaf": 3}, {"max_depth": 3, "min_samples_split": 7}]


DATA_AND_NOMINAL = [
    (data, nominal)
    for data in DATA_KINDS
    for nominal in NOMINAL_KINDS
    if nominal == "subset" or data in ("nominal", "mixed")
]


@pytest.mark.parametrize(("data", "nominal"), DATA_AND_NOMINAL)
@pytest.mark.parametrize("name", PAIRS)
def test_every_node_is_split_as_the_oracle_says(name, data, nominal):
    pair = PAIRS[name]
    for i, (weights, n_classes) in enumerate([("none", 2), ("integer", 3), ("class", 4), ("both", 2)]):
        problem = make_problem(data, weights, min(n_classes, pair.max_classes), seed=i)
        limits = {"max_depth": 3} if data == "rare" else LIMITS[i % len(LIMITS)]
        assert_equals_oracle(pair, problem, nominal=nominal, **limits)


@pytest.mark.parametrize("name", PAIRS)
def test_where_no_tie_is_left_open_size_and_predictions_are_the_oracles(name):
    pair, compared = PAIRS[name], 0
    for i, data in enumerate(DATA_KINDS):
        problem = make_problem(data, WEIGHT_KINDS[i % 5], min(2 + i % 2, pair.max_classes), seed=30 + i)
        limits = {"nominal": "one_vs_rest", "max_depth": 3}
        model, no_open_tie = assert_equals_oracle(pair, problem, smoothing=0.0, **limits)
        if no_open_tie:
            expected = grow(problem, pair.settings(**limits))
            assert model.tree_.n_leaves == len(leaves(expected))
            np.testing.assert_allclose(
                model.predict_proba(problem.X), predict_proba(expected, problem.X, 0.0), atol=1e-9
            )
            compared += 1
    assert compared >= 2


@pytest.mark.parametrize("n_classes", [5, 8, 10])
@pytest.mark.parametrize("name", [name for name in PAIRS if PAIRS[name].max_classes > 2])
def test_many_classes(name, n_classes):
    problem = make_problem("mixed", n_classes=n_classes, seed=n_classes, n_rows=3 * n_classes)
    assert_equals_oracle(PAIRS[name], problem, nominal="one_vs_rest", max_depth=2)


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
@pytest.mark.parametrize("name", PAIRS)
def test_few_rows_among_many_values(name, missing):
    problem = few_rows_among_many_values(min(3, PAIRS[name].max_classes), seed=0, missing=missing)
    assert_equals_oracle(PAIRS[name], problem, max_depth=4)


@pytest.mark.parametrize("name", PAIRS)
def test_few_rows_among_many_values_below_the_root(name):
    problem = few_rows_among_many_values(n_classes=2, seed=0, split_off=True)
    assert_equals_oracle(PAIRS[name], problem, max_depth=3)


@pytest.mark.parametrize("min_samples_leaf", [1, 5])
@pytest.mark.parametrize("name", [name for name in PAIRS if PAIRS[name].max_classes > 2])
def test_a_node_of_many_rows_and_classes(name, min_samples_leaf):
    problem = make_problem("rare", n_classes=8, seed=1, n_rows=620)
    assert_equals_oracle(PAIRS[name], problem, max_depth=1, min_samples_leaf=min_samples_leaf)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", PAIRS)
def test_many_categories_never_score_above_all_subsets(name, n_classes):
    pair = PAIRS[name]
    if n_classes > pair.max_classes:
        pytest.skip("does not apply: two classes only")
    rng = np.random.default_rng(n_classes)
    codes, y = rng.permutation(np.arange(70) % 10), rng.integers(n_classes, size=70)
    problem = Problem(codes[:, None].astype(float), y, n_classes, nominal=(0,))
    proven = ORDER_IS_EXACT if n_classes == 2 else ORDER_IS_EXACT_FOR_MANY_CLASSES
    assert_equals_oracle(pair, problem, exact=name.split("-")[0] in proven, max_depth=1)


@settings(max_examples=120)
@given(
    problem=problems(),
    name=st.sampled_from(sorted(PAIRS)),
    nominal=st.sampled_from(NOMINAL_KINDS),
    smoothing=st.sampled_from([1.0, 0.0, 0.5]),
    max_depth=st.sampled_from([None, 1, 2]),
    min_samples_split=st.integers(2, 4),
)
def test_small_tables_of_few_values(problem, name, nominal, smoothing, max_depth, min_samples_split):
    pair = PAIRS[name]
    if problem.n_classes <= pair.max_classes:
        limits = {"min_samples_split": min_samples_split} | ({"max_depth": max_depth} if max_depth else {})
        assert_equals_oracle(pair, problem, nominal=nominal, smoothing=smoothing, **limits)


@settings(max_examples=60)
@given(
    problem=problems(),
    name=st.sampled_from(sorted(PAIRS)),
    nominal=st.sampled_from(NOMINAL_KINDS),
    min_samples_leaf=st.integers(2, 5),
)
def test_min_samples_leaf_on_small_tables(problem, name, nominal, min_samples_leaf):
    if problem.n_classes <= PAIRS[name].max_classes:
        assert_equals_oracle(PAIRS[name], problem, nominal=nominal, min_samples_leaf=min_samples_leaf)


@pytest.mark.parametrize("nominal", NOMINAL_KINDS)
@pytest.mark.parametrize("name", ["gini", "hellinger", "c45"])
@pytest.mark.parametrize("confidence", [0.1, 0.25, 0.5])
def test_pruned_tree_is_the_full_tree_pruned_by_the_oracle(name, nominal, confidence):
    for i, weights in enumerate(WEIGHT_KINDS):
        problem = make_problem("mixed", weights, n_classes=2 + i % 3, seed=10 + i)
        full = fit(problem, name, nominal=nominal)
        pruned = fit(problem, name, nominal=nominal, pruning="pessimistic", confidence=confidence)
        expected = prune(read_tree(full.tree_, problem), confidence)
        assert pruned.tree_.n_leaves == len(leaves(expected))
        X = np.vstack([problem.X, new_rows(problem)])
        np.testing.assert_allclose(pruned.predict_proba(X), predict_proba(expected, X), rtol=1e-12)


# ------------------------------------------------------------------------------------------------- trees that are equal


def assert_same_tree(a, b, thresholds=True):
    names = ["children_left", "children_right", "n_children", "feature", "n_node_samples", "missing_go_to_left"]
    for name in names + ["threshold"] * thresholds:
        np.testing.assert_array_equal(getattr(a.tree_, name), getattr(b.tree_, name), err_msg=name)
    np.testing.assert_allclose(a.tree_.value, b.tree_.value, rtol=1e-12)
    for node in np.flatnonzero(a.tree_.feature >= 0):
        assert a.tree_.split_kind(node) == b.tree_.split_kind(node)
        if a.tree_.split_kind(node) != "numeric":
            np.testing.assert_array_equal(a.tree_.categories(node), b.tree_.categories(node))


def repeated(problem):
    repeats = problem.weights.astype(int)
    return replace(
        problem, X=np.repeat(problem.X, repeats, axis=0), y=np.repeat(problem.y, repeats), sample_weight=None
    )


@pytest.mark.parametrize("nominal", NOMINAL_KINDS)
@pytest.mark.parametrize("name", PAIRS)
def test_integer_weights_are_repeated_rows(name, nominal):
    for seed in range(3):
        problem = make_problem("mixed", "integer", min(2 + seed, PAIRS[name].max_classes), seed)
        for limits in LIMITS:
            grow_tree = partial(fit, criterion=PAIRS[name].criterion, nominal=nominal, **limits)
            assert_same_tree(grow_tree(problem), grow_tree(repeated(problem)))


@pytest.mark.parametrize("data", DATA_KINDS)
@pytest.mark.parametrize("name", PAIRS)
def test_the_order_of_rows_does_not_matter(name, data):
    problem = make_problem(data, "integer", n_classes=2, seed=3)
    order = np.random.default_rng(0).permutation(len(problem.y))
    shuffled = replace(problem, X=problem.X[order], y=problem.y[order], sample_weight=problem.sample_weight[order])
    assert_same_tree(fit(problem, PAIRS[name].criterion), fit(shuffled, PAIRS[name].criterion))


@pytest.mark.parametrize("data", ["continuous", "ties", "missing", "rare"])
@pytest.mark.parametrize("name", PAIRS)
def test_a_monotone_transform_of_a_column_leaves_the_structure(name, data):
    problem = make_problem(data, n_classes=2, seed=4)
    bent = problem.X.copy()
    bent[:, 0] = np.exp(bent[:, 0]) - 50
    bent[:, 1] = bent[:, 1] ** 3
    model, other = fit(problem, PAIRS[name].criterion), fit(replace(problem, X=bent), PAIRS[name].criterion)
    assert_same_tree(model, other, thresholds=False)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("data", DATA_KINDS)
def test_dkm_hellinger_and_flipped_one_half_grow_the_same_tree(data, seed):
    problem = make_problem(data, WEIGHT_KINDS[seed], n_classes=2, seed=seed)
    hellinger = fit(problem, "hellinger")
    assert_same_tree(hellinger, fit(problem, "dkm"))
    assert_same_tree(hellinger, fit(problem, AlphaDivergence(alpha=0.5, reference="flipped")))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("data", DATA_KINDS)
def test_alpha_one_half_grows_the_inter_node_hellinger_tree(data, seed):
    problem = make_problem(data, WEIGHT_KINDS[seed], n_classes=2 + seed % 3, seed=seed)
    assert_same_tree(fit(problem, AlphaDivergence(alpha=0.5)), fit(problem, "ihd"))


@pytest.mark.parametrize("data", DATA_KINDS)
@pytest.mark.parametrize("name", ["hellinger", "dkm"])
def test_replicating_one_class_leaves_the_hellinger_tree(name, data):
    problem = make_problem(data, n_classes=2, seed=5)
    repeats = np.where(problem.y == 1, 7, 1)
    more = replace(problem, X=np.repeat(problem.X, repeats, axis=0), y=np.repeat(problem.y, repeats))
    heavier = replace(problem, class_weight=np.array([1.0, 7.0]))
    groups = rows_of_leaves(fit(problem, name), problem)
    assert rows_of_leaves(fit(more, name), problem) == groups
    assert rows_of_leaves(fit(heavier, name), problem) == groups


def rows_of_leaves(model, problem):
    """The tree without the order of children, which for groups of categories depends on their weight."""
    return {tuple(leaf.rows.tolist()) for leaf in leaves(read_tree(model.tree_, problem))}


def gini_of_tables(left, right):
    """Larger is better; a constant of the node is left out, as a user would."""

    def purity(counts):
        total = counts.sum(axis=1)
        return np.sum(counts**2, axis=1) / np.where(total > 0, total, 1)

    return (purity(left) + purity(right)) / (left + right).sum(axis=1)


@pytest.mark.parametrize(("data", "nominal"), [kinds for kinds in DATA_AND_NOMINAL if kinds[1] != "multiway"])
def test_a_criterion_written_in_python_grows_the_same_tree(data, nominal):
    pair = Pair(gini_of_tables, TWINS["gini"])
    for i, weights in enumerate(WEIGHT_KINDS):
        problem = make_problem(data, weights, n_classes=2 + i % 2, seed=20 + i)
        model, _ = assert_equals_oracle(pair, problem, nominal=nominal, max_depth=3)
        if not problem.nominal:
            assert_same_tree(model, fit(problem, "gini", max_depth=3))


# -------------------------------------------------------------------------------------------------------- single facts


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_values_that_differ_only_in_double_precision_are_separable(scale):
    x = np.array([scale, np.nextafter(scale, np.inf)])
    model = rarewood.TreeClassifier("gini", smoothing=0.0).fit(x[:, None], [0, 1])
    assert model.predict(x[:, None]).tolist() == [0, 1]
    assert x[0] <= model.tree_.threshold[0] < x[1]


@pytest.mark.parametrize("weights", WEIGHT_KINDS)
@pytest.mark.parametrize("name", PAIRS)
def test_limits_hold_in_every_node(name, weights):
    problem = make_problem("missing", weights, n_classes=2, seed=6)
    tree = fit(problem, PAIRS[name].criterion, max_depth=4, min_samples_split=8, min_samples_leaf=3).tree_
    inner = tree.n_children > 0
    assert tree.max_depth <= 4
    assert np.all(tree.n_node_samples >= 3)
    assert np.all(tree.n_node_samples[inner] >= 8)


def test_equal_columns_are_decided_for_the_first():
    x = make_problem("continuous", seed=7)
    X = np.column_stack([x.X[:, 0]] * 4)
    for name in PAIRS:
        used = fit(replace(x, X=X), PAIRS[name].criterion).tree_.feature
        assert set(used.tolist()) <= {0, -2}


@pytest.mark.parametrize("categorical_features", [[0], []], ids=["nominal", "numeric"])
def test_c45_does_not_split_where_the_gain_is_zero_but_for_rounding(categorical_features):
    for repeats in ([1, 1, 4, 4], [2, 4, 3, 6], [3, 1, 6, 2], [5, 7, 10, 14]):
        x, y = np.repeat([0.0, 0.0, 1.0, 1.0], repeats), np.repeat([0, 1, 0, 1], repeats)
        model = rarewood.TreeClassifier("c45", categorical_features=categorical_features).fit(x[:, None], y)
        assert model.tree_.node_count == 1


@pytest.mark.parametrize("name", PAIRS)
def test_multiway_and_numeric_splits_into_the_same_groups_tie(name):
    """Four rows, two of each class; both columns separate them, so the first wins."""
    x = np.array([0.0, 0.0, 1.0, 1.0])
    model = rarewood.TreeClassifier(PAIRS[name].criterion, nominal="multiway", categorical_features=[0])
    assert model.fit(np.column_stack([x, x]), [0, 0, 1, 1]).tree_.feature.tolist() == [0, -2, -2]
