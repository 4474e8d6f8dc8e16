"""Who is compared: by default settings, one thread, categories as each library takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rarewood as rw
from quality import peers

Make = Callable[[int], Any]
_OTHER_SEED = 10_000


def rare(seed: int) -> Any:
    return rw.RareClassifier(random_state=seed, n_jobs=1)


def tabpfn(seed: int) -> Any:
    return TabPFN(seed)


METHODS: dict[str, Make] = {
    "RareClassifier": rare,
    "RareClassifier, another seed": lambda seed: rare(seed + _OTHER_SEED),
    "CatBoost 300": lambda seed: peers.CatBoost(seed, iterations=300),
    "CatBoost 1,000": lambda seed: peers.CatBoost(seed, iterations=1000),
    "LightGBM": peers.lightgbm,
    "HistGradientBoosting": peers.hist_gradient_boosting,
    "random forest (scikit-learn)": peers.random_forest,
    "extra-trees (scikit-learn)": peers.extra_trees,
    "TabPFN 0.1": tabpfn,
}

CALIBRATED = ("CatBoost 300", "LightGBM", "HistGradientBoosting")
"""Those that are also given the calibration and the threshold that RareClassifier gives itself."""


def takes(name: str, n_rows: int, n_columns: int) -> bool:
    """TabPFN was trained for small tables."""
    return name != "TabPFN 0.1" or (n_rows <= 1000 and n_columns <= 100)


class TabPFN:
    """Version 1, as in the source distribution of release 0.1, which holds its weights; categories as numbers, gaps as 0.

    It was written for older releases of torch and scikit-learn and needs a few names of theirs put back before it can be imported.
    """

    def __init__(self, seed: int) -> None:
        import torch
        from tabpfn.scripts.transformer_prediction_interface import TabPFNClassifier

        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.model = TabPFNClassifier(device="cpu", N_ensemble_configurations=16)

    def fit(self, X: Any, y: Any) -> TabPFN:
        self.model.fit(_numbers(X), y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.asarray(self.model.predict_proba(_numbers(X)), dtype=np.float64)

    def predict(self, X: Any) -> Any:
        return self.predict_proba(X).argmax(axis=1)


def _numbers(X: Any) -> Any:
    codes = X.assign(**{name: X[name].cat.codes for name in X.columns if X[name].dtype == "category"})
    return codes.fillna(0).to_numpy(dtype=float)
