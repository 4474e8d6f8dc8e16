"""The tables that tests of many kinds fit models to."""

from functools import cache

import numpy as np
import pandas as pd

NUMBERS = ["a", "b", "c c", "d"]


@cache
def mixed_table(n_classes, n_rows=300):
    """Numbers, numbers with missing values, categories that are text and categories that are numbers; labels of text."""
    rng = np.random.default_rng(n_classes)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=NUMBERS)
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


def array_of(dtype):
    """A table of numbers alone, without names, and whole numbers as labels."""

    @cache
    def table(n_classes, n_rows=300):
        X, y = mixed_table(n_classes, n_rows)
        return X[NUMBERS].to_numpy().astype(dtype), np.unique(y, return_inverse=True)[1] * 5 - 1

    return table


@cache
def noisy_numbers(n_rows, n_columns=5, limit=1.5, labels=(0, 1), seed=0):
    """Numbers alone; a row is rare, the second of the labels, where its first number and noise together are above the limit."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    return X, np.asarray(labels)[(X[:, 0] + rng.normal(size=n_rows) > limit).astype(int)]


def noise(n_rows=400, times=4, seed=0, n_columns=6):
    """Rows that say nothing of the label, each so many times."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_rows, n_columns)), (rng.random(n_rows) < 0.1).astype(int)
    return np.repeat(X, times, axis=0), np.repeat(y, times)
