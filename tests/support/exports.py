"""Models to export, and rows on which an export would differ if it could: next to every threshold, missing, never seen."""

from contextlib import contextmanager
from functools import cache

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood._decisions import _effect_learning

HARD_ROWS = 2000

MODELS = {
    "TreeClassifier": rw.TreeClassifier(),
    "Tree multiway": rw.TreeClassifier(nominal="multiway", smoothing=0.5),
    "Tree of lines": rw.TreeClassifier(splitter="hyperplane", random_state=0),
    "ForestClassifier": rw.ForestClassifier(n_estimators=7, random_state=0),
    "HeDExClassifier": rw.HeDExClassifier(n_estimators=7, random_state=0),
    "HeDExhClassifier": rw.HeDExhClassifier(n_estimators=5, random_state=0),
    "BEATClassifier": rw.BEATClassifier(n_estimators=5, random_state=0),
    "BalancedForestClassifier": rw.BalancedForestClassifier(n_estimators=5, random_state=0),
    "RareClassifier": rw.RareClassifier(n_estimators=12, random_state=0),
    "RareClassifier, prior": rw.RareClassifier(n_estimators=12, random_state=0),
    "RareClassifier, effects, prior": rw.RareClassifier(n_estimators=12, random_state=0),
    "Ranking": rw.BiasedRankingClassifier(n_iterations=3, n_estimators=5, clean=False, random_state=0),
    "OneVsAll": rw.OneVsAllClassifier(rw.TreeClassifier(max_depth=5)),
    "OneVsAll weka": rw.OneVsAllClassifier(rw.HeDExClassifier(n_estimators=3, random_state=0), normalize="weka"),
    "ECOC": rw.ECOCClassifier(rw.TreeClassifier(max_depth=5)),
}


@cache
def table(n_classes, n_rows=400):
    """Numbers, numbers with missing values, categories that are text and categories that are numbers."""
    rng = np.random.default_rng(n_classes)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=["a", "b", "c c", "d"])
    X["d"] = X["d"].round(1)
    X["city"] = pd.Categorical(rng.choice(["Ulm", "Kiel", "Bonn", "Hof", "Trier", "Zürich"], n_rows))
    X["code"] = pd.Categorical(rng.choice([3, 5, 8, 13], n_rows))
    score = (
        X["a"]
        + X["b"] * X["c c"]
        + X["city"].isin(["Ulm", "Zürich"])
        + X["d"] * X["code"].isin([5])
        + rng.normal(size=n_rows)
    )
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1] ** 0.4))
    X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "city"] = None
    X.loc[rng.random(n_rows) < 0.1, "code"] = None
    return X, np.array(["calm", "wild", "odd"])[y]


@contextmanager
def whatever_they_give():
    """Effects of columns and pairs, even where they are no gain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_effect_learning, "_UNLIKELY", np.inf)
        patch.setattr(_effect_learning, "_SURE", -np.inf)
        yield


@cache
def fitted(name, n_classes):
    X, y = table(n_classes)
    model = MODELS[name]
    model = type(model)(**model.get_params(deep=False))
    if "effects" in name:
        with whatever_they_give():
            model.fit(X, y)
        assert n_classes > 2 or len(model.column_effects_.pairs) == 3
    else:
        model.fit(X, y)
    if name.endswith("prior"):
        model.set_prior({"wild": 0.2})
    return model, X


def thresholds(model):
    """Per column, the thresholds of all trees and effects, or the bounds of all rules."""
    trees = list(model.estimators_) if hasattr(model, "estimators_") else [model]
    found = {}
    effects = getattr(model, "column_effects_", None)
    if effects is not None:
        each = [*enumerate(effects.bounds)]
        each += [(column, limits) for pair in effects.pairs for column, limits in zip(pair.columns, pair.bounds)]
        for column, limits in each:
            if model._columns.categories[column] is None:
                found.setdefault(column, set()).update(limits.tolist())
    if hasattr(model, "rules_"):
        flat = model.rules_.found.conditions
        for column, *bounds in zip(flat.column, flat.lower, flat.upper):
            if model._columns.categories[column] is None:
                found.setdefault(int(column), set()).update(float(each) for each in bounds if np.isfinite(each))
    for tree in trees:
        if not hasattr(tree, "tree_"):
            continue
        for column, threshold in zip(tree.tree_.feature, tree.tree_.threshold):
            if column >= 0 and np.isfinite(threshold):
                found.setdefault(int(column), set()).add(float(threshold))
    return found


def hard_rows(model, X, dtype=np.float32):
    """The training rows, and rows with cells on both sides of every threshold, as near as `dtype` allows."""
    parts = [X]
    rng = np.random.default_rng(0)
    for column, values in thresholds(model).items():
        near = np.array(sorted(values)).astype(dtype)
        cells = np.concatenate([near, np.nextafter(near, dtype(-np.inf)), np.nextafter(near, dtype(np.inf))])
        rows = X.iloc[rng.integers(len(X), size=len(cells))].copy()
        rows[X.columns[column]] = cells.astype(np.float64)
        parts.append(rows)
    strange = X.iloc[:20].copy()
    strange["city"] = pd.Categorical(["Nowhere", None] * 10)
    strange["code"] = pd.Categorical([99, 5] * 10)
    whole = pd.concat([strange, *parts], ignore_index=True)
    for name in ("a", "b", "c c", "d"):
        whole[name] = whole[name].astype(dtype).astype(np.float64)
    whole["city"] = whole["city"].astype(object).where(whole["city"].notna(), None)
    return whole.sample(frac=1.0, random_state=0).reset_index(drop=True) if len(whole) > HARD_ROWS else whole
