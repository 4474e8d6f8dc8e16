"""A tree or forest under monotone constraints, on any table and with any settings: no probability ever takes a step the wrong way.

Along a grid of each constrained column, with the other cells of a row as they are. Some constraints agree with the rows, others do not.
"""

import contextlib
import warnings

import numpy as np
import pandas as pd

from fuzz._api import REFUSALS, public_estimators
from rarewood import criteria
from support.models import effects_at_any_price

LARGEST_STEP = 1e-12  # the wrong way: rounding
seen = {"models": 0, "steps": 0, "steps that rise or fall": 0, "wrong": 0, "worst": 0.0}
pairs = set()  # of criterion and splitter, in models that have both


def run(seed):
    """One model, its probabilities along grids, by several weights of leaves."""
    rng = np.random.default_rng(seed)
    X, y, signs = random_problem(rng)
    kinds = [kind for kind in public_estimators() if "monotonic_cst" in kind().get_params()]
    kind = kinds[rng.integers(len(kinds))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind()
        given = signs if rng.random() < 0.5 else [signs.get(name, 0) for name in X.columns]
        settings = {**random_settings(rng), "random_state": seed % 100, "monotonic_cst": given}
        model.set_params(**{name: value for name, value in settings.items() if name in model.get_params()})
        weights = random_weights(rng, len(y))
        try:
            with effects_at_any_price() if rng.random() < 0.5 else contextlib.nullcontext():
                model.fit(X, y, sample_weight=weights)
        except REFUSALS as error:
            return f"{kind.__name__} refused: {str(error)[:60]}"
        if model.monotonic_cst_ is None:  # one class is left
            return "nothing to obey"
        seen["models"] += 1
        told = model.get_params()
        pairs.update({(told["criterion"], told["splitter"])} if {"criterion", "splitter"} <= told.keys() else ())
        for ready in smoothed_in_many_ways(model):
            check_steps(rng, ready, X, signs)
    return kind.__name__


def random_settings(rng):
    """Every criterion and splitter, every way to draw rows and to treat categories."""
    pools = {
        "criterion": criteria.names(),
        "splitter": ("best", "random", "hyperplane"),
        "nominal": ("subset", "multiway", "one_vs_rest"),
        "sampling": ("bootstrap", "stratified", "balanced"),
        "pruning": (None, "pessimistic"),
        "calibration": (None, "beta"),
        "class_weight": (None, "balanced", {0: 3.0}),
        "smoothing": (0.0, 1.0),
        "max_depth": (None, 3),
        "max_features": (None, "sqrt"),
        "min_samples_leaf": (1, 5),
        "n_cuts": (3, 20),
        "positive": (0, 1, None),
        "clean": (True, False),
        "n_estimators": (1, 4, 12),
    }
    return {name: pool[rng.integers(len(pool))] for name, pool in pools.items()}


def smoothed_in_many_ways(model):
    """The model, then with other weights of leaves, which may change after the fit."""
    yield model
    if hasattr(model, "leaf_weight_"):
        for model.leaf_weight_ in (1.0, 4.0, 16.0, 64.0):
            yield model
    elif "smoothing" in model.get_params():
        for smoothing in (0.0, 0.3, 1.0, 8.0, 32.0):
            yield model.set_params(smoothing=smoothing)


def check_steps(rng, model, X, signs):
    """Raise where a probability takes a wrong step along a constrained column."""
    positive = getattr(model, "positive_", model.classes_[-1])
    column = model.classes_.tolist().index(positive)
    for name, sign in signs.items():
        rows = X.iloc[rng.integers(0, len(X), 6)]
        grid = grid_of(rng, X[name])
        repeated = rows.iloc[np.repeat(np.arange(len(rows)), len(grid))].copy()
        repeated[name] = np.tile(grid, len(rows))
        found = model.predict_proba(repeated)[:, column].reshape(len(rows), len(grid))
        steps = sign * np.diff(found, axis=1)
        seen["steps"] += steps.size
        seen["steps that rise or fall"] += int(np.count_nonzero(steps))
        seen["wrong"] += int(np.count_nonzero(steps < 0))
        seen["worst"] = min(seen["worst"], float(steps.min()))
        assert steps.min() >= -LARGEST_STEP, (type(model).__name__, name, sign, steps.min())
        called = (model.predict(repeated) == positive).reshape(len(rows), len(grid)).astype(int)
        assert not (sign * np.diff(called, axis=1) < 0).any(), (type(model).__name__, name, sign)


def grid_of(rng, cells):
    """Known values, what lies between them, and what lies beyond."""
    known = np.unique(cells.dropna())
    chosen = rng.choice(known, min(len(known), 25), replace=False) if len(known) else np.zeros(1)
    between = rng.uniform(chosen.min() - 1.0, chosen.max() + 1.0, 15)
    return np.unique(np.concatenate([chosen, between, [-1e6, 1e6]]))


def random_problem(rng):
    """A table of numbers and categories with missing cells, labels of two classes, and constraints on some of the numbers."""
    n_rows = int(rng.choice([40, 150, 400]))
    n_columns = int(rng.integers(1, 6))
    X = pd.DataFrame(rng.normal(size=(n_rows, n_columns)), columns=[f"n{number}" for number in range(n_columns)])
    for name in X.columns:
        if rng.random() < 0.3:
            X[name] = X[name].round(int(rng.integers(0, 2)))
    score = sum(rng.normal() * X[name] + rng.normal() * X[name].abs() for name in X.columns) + rng.normal(size=n_rows)
    if rng.random() < 0.5:
        levels = [f"c{level}" for level in range(int(rng.integers(2, 12)))]
        codes = rng.integers(0, len(levels), n_rows)
        score = score + rng.normal(size=len(levels))[codes]
        codes[rng.random(n_rows) < 0.1] = -1
        X["kind"] = pd.Categorical.from_codes(codes, levels)
    y = (score > np.quantile(score, rng.choice([0.5, 0.8, 0.95]))).astype(int)
    numbers = [name for name in X.columns if name != "kind"]
    for name in numbers:
        if rng.random() < 0.3:
            X.loc[rng.random(n_rows) < rng.choice([0.05, 0.5]), name] = np.nan
    constrained = rng.choice(numbers, int(rng.integers(1, len(numbers) + 1)), replace=False)
    along = {name: 1 if X[name][y == 1].mean() > X[name][y == 0].mean() else -1 for name in constrained}
    return X, y, {str(name): along[name] if rng.random() < 0.6 else int(rng.choice([-1, 1])) for name in constrained}


def random_weights(rng, n_rows):
    """None, whole numbers, or shares; some of them 0."""
    which = rng.integers(3)
    if which == 0:
        return None
    return rng.integers(0, 4, n_rows) if which == 1 else rng.exponential(size=n_rows) * (rng.random(n_rows) < 0.9)


def summary():
    """How many steps were looked at, and the worst."""
    models = f"{seen['models']} models, {len(pairs)} pairs of criterion and splitter"
    counted = f"{models}, {seen['steps']:,} steps, {seen['steps that rise or fall']:,} of them not level"
    return f"{counted}; the wrong way: {seen['wrong']}, at most by {-seen['worst']:.2g}", 0
