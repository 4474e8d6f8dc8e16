"""RareClassifier from its trees, in plain Python: leaves towards the shares of the classes, means over trees, calibration."""

import numpy as np

from oracle.decisions import calibrated
from rarewood import _core


def leaf_means(model, matrix, trees, mask=None):
    """Mean over trees (those in `mask`, rows x trees) of (n_k + m s_k) / (n + m)."""
    shares, m = model.class_prior_, model.leaf_weight_
    total, used = np.zeros((len(matrix), len(shares))), np.zeros(len(matrix))
    for column, number in enumerate(trees):
        tree = model.forest_[number]
        counts = np.asarray(tree.value)[np.asarray(tree.apply(matrix))]
        p = (counts + m * shares) / (counts.sum(axis=1, keepdims=True) + m)
        seen = np.ones(len(matrix), bool) if mask is None else mask[:, column]
        total[seen] += p[seen]
        used += seen
    with np.errstate(invalid="ignore"):
        return total / used[:, np.newaxis]


def families(model):
    """The numbers of the trees of each family: as many as possible for each, the first families one more."""
    n, kinds = len(model.forest_), 4 if len(model.classes_) == 2 else 3
    sizes = [n // kinds + (number < n % kinds) for number in range(kinds)][: len(model.family_weights_)]
    ends = np.cumsum(sizes)
    return [range(end - size, end) for size, end in zip(sizes, ends)]


def out_of_bag(model, matrix, codes, weights=None):
    """Mixed and calibrated scores of the training rows by trees that did not see them."""
    sizes = np.bincount(codes if weights is None else codes[weights > 0])
    drawn = [int(size) if size < 2 else max(1, min(int(size) - 1, round(0.8 * size))) for size in sizes]
    data = _core.Dataset(matrix, np.zeros(matrix.shape[1], np.int32), codes.astype(np.int32), len(sizes))
    parts = []
    for number, trees in enumerate(families(model)):
        plan = _core.ForestPlan(
            [_core.CriterionSpec("gini")],
            n_trees=len(trees),
            seed=(model._seed + 7919 * number) % 2**63,
            sampling="subsample",
            class_sizes=drawn,
            weights=weights,
        )
        left_out = np.array([_core.testing.times_drawn(data, plan, tree) == 0 for tree in range(len(trees))]).T
        parts.append(leaf_means(model, matrix, trees, left_out))
    return blunt(model, mixed(model, parts)), parts


def blunt(model, probabilities):
    """Probabilities of new rows, which all trees score, as those of rows that few trees score: the line between them backwards."""
    if len(model.classes_) != 2 or model.calibration_ is None:
        return probabilities
    line = model._sharpening
    log_odds = (np.log(probabilities[:, 1] / probabilities[:, 0]) - line.offset) / line.slope
    return np.stack([1.0 / (1.0 + np.exp(log_odds)), 1.0 / (1.0 + np.exp(-log_odds))], axis=1)


def predicted(model, matrix):
    parts = [leaf_means(model, matrix, trees) for trees in families(model)]
    return mixed(model, parts, None if model.column_effects_ is None else [added(model, row) for row in matrix])


def added(model, row):
    """What the effects of columns add to the log-odds of a row: each cell is on the first step that does not end before it."""
    total = 0.0
    for cell, bounds, values in zip(row, model.column_effects_.bounds, model.column_effects_.values):
        if np.isnan(cell):
            total += values[-1]
        else:
            total += values[sum(1 for bound in bounds if bound < cell)]
    for pair in model.column_effects_.pairs:
        cells = [row[column] for column in pair.columns]
        place = [sum(1 for bound in bounds if bound < cell) for cell, bounds in zip(cells, pair.bounds)]
        total += pair.values[tuple(-1 if np.isnan(cell) else at for cell, at in zip(cells, place))]
    return total


def mixed(model, parts, shifts=None):
    """Families without a score of a row do not count for it."""
    rows = []
    for number, each in enumerate(zip(*parts)):
        known = [(weight, row) for weight, row in zip(model.family_weights_.values(), each) if not np.isnan(row[0])]
        if not known:
            rows.append(np.full(len(model.classes_), np.nan))
            continue
        row = sum(weight * row for weight, row in known) / sum(weight for weight, _ in known)
        is_plain = model.calibration_ is None
        if is_plain:
            rows.append(row)
            continue
        row = calibrated(row, model.calibration_.slopes, model.calibration_.offsets)
        if shifts is not None:
            raised = row * np.array([1.0, np.exp(shifts[number])])
            row = raised / raised.sum()
        rows.append(row)
    return np.array(rows)
