"""A model of any kind on a small table: contributions of columns are Shapley values by their definition, all coalitions counted."""

import warnings

import numpy as np

from fuzz._api import REFUSALS, public_estimators, random_labels, random_parameters, random_table
from oracle.shapley import shapley_values
from rarewood._core import Tree, split_kinds
from rarewood.inspection import explain

MOST_NODES = 400
FAR = 6.0  # standard errors that an estimate is never off


def run(seed):
    """One model, two rows."""
    rng = np.random.default_rng(seed)
    estimators = [each for each in public_estimators() if hasattr(each, "_score")]
    model = estimators[rng.integers(len(estimators))]()
    drawn = {name: value for name, value in random_parameters(rng, model).items() if name != "n_jobs"}
    model.set_params(**{**drawn, "random_state": seed % 1000})
    if "n_estimators" in drawn:
        model.set_params(n_estimators=int(rng.choice([1, 3])))
    X = random_table(rng)
    y = random_labels(rng, len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y)
        except REFUSALS:
            return "no model"
        if _too_large(model):
            return "too many nodes to count"
        asked = X[:2]
        try:
            told = explain(model, asked, n_permutations=2000)
        except REFUSALS:
            return "refused"
    score = model._score()
    if score.effects is not None or not (score.is_sum or len(model.classes_) == 2):
        return "carried over by more than a factor"
    check(model, score, told, np.asarray(model._columns.read(model, asked), dtype=float))
    return "estimated" if told.standard_errors is not None else "carried over" if not score.is_sum else "exact"


def check(model, score, told, matrix):
    """Values and base, class by class; those of a calibrated sum are the sum's times one factor per row."""
    classes = model.classes_.tolist()
    columns = [classes.index(told.positive)] if told.values.ndim == 2 else range(len(classes))
    for number, row in enumerate(matrix):
        for place, column in enumerate(columns):
            base, values = brute_force(score, row, column)
            found = told.values[number] if told.values.ndim == 2 else told.values[number][:, place]
            found_base = told.base_values if told.values.ndim == 2 else told.base_values[place]
            if not score.is_sum:
                total = base + values.sum()
                ends = score.finished(np.array([_both(base, column), _both(total, column)]))[:, column]
                np.testing.assert_allclose(found_base, ends[0], atol=1e-9)
                if abs(total - base) < 1e-6:
                    continue
                values = values * (ends[1] - ends[0]) / (total - base)
            else:
                np.testing.assert_allclose(found_base, base, atol=1e-12)
            limit = 1e-12 if score.is_sum else 1e-7
            if told.standard_errors is not None:
                errors = told.standard_errors[number]
                limit = 0.02 + FAR * (errors if told.values.ndim == 2 else errors[:, place])
            assert (np.abs(found - values) <= limit).all(), f"{model}: {found} for {values}"


def brute_force(score, row, column):
    """The weighted sum over trees of what each is worth to the columns."""
    trees = _trees(score.trees)
    weights = np.full(len(trees), 1 / len(trees)) if score.tree_weights is None else score.tree_weights
    parts = [shapley_values(tree, row, lambda counts: _share(counts, score.pseudo_counts, column)) for tree in trees]
    if score.normalised:
        weights = weights / weights.sum()
    return sum(w * base for w, (base, _) in zip(weights, parts)), sum(w * each for w, (_, each) in zip(weights, parts))


def _share(counts, pseudo, column):
    added = counts + pseudo
    total = added.sum()
    return added[column] / total if total > 0 else 1 / len(counts)


def _both(share, column):
    return (share, 1 - share) if column == 0 else (1 - share, share)


def _trees(trees):
    return [trees] if isinstance(trees, Tree) else [trees[number] for number in range(len(trees))]


def _too_large(model):
    score = model._score()
    if score is None:
        return False
    trees = _trees(score.trees)
    plane = split_kinds().index("hyperplane")
    lines = any((tree.split_kinds == plane).any() for tree in trees)
    return sum(len(tree.split_kinds) for tree in trees) > (MOST_NODES // 4 if lines else MOST_NODES)
