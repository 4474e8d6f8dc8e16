"""An equal budget: 30 random settings of each method, by three inner folds, on the first fold of small tables.

The first setting is the default, the other 29 are drawn. The one with the least log-loss of its out-of-fold scores is fitted
again on all training rows; those scores then serve the calibration and the threshold that all get.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.metrics import log_loss

from quality import peers
from quality.cells import fit_and_score, key_of, rows_of, short, splits
from quality.methods import Method, ours
from quality.problems import Problem
from quality.store import Store, pack

SETTINGS, OUTER, INNER = 30, 1, 3

Draw = Callable[[Generator, int], dict[str, Any]]


def _between(rng: Generator, low: float, high: float) -> float:
    """Evenly on a logarithmic scale."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _lightgbm(rng: Generator, n_columns: int) -> dict[str, Any]:  # noqa: ARG001
    return {
        "n_estimators": int(_between(rng, 30, 600)),
        "learning_rate": _between(rng, 0.01, 0.3),
        "num_leaves": int(_between(rng, 4, 64)),
        "min_child_samples": int(_between(rng, 2, 50)),
        "reg_lambda": _between(rng, 1e-3, 30),
        "colsample_bytree": float(rng.uniform(0.3, 1)),
        "subsample": float(rng.uniform(0.5, 1)),
        "subsample_freq": 1,
    }


def _catboost(rng: Generator, n_columns: int) -> dict[str, Any]:  # noqa: ARG001
    return {
        "iterations": int(_between(rng, 50, 600)),
        "learning_rate": _between(rng, 0.02, 0.3),
        "depth": int(rng.integers(2, 9)),
        "l2_leaf_reg": _between(rng, 0.5, 30),
        "random_strength": _between(rng, 0.1, 10),
        "bagging_temperature": float(rng.uniform(0, 1)),
    }


def _rare(rng: Generator, n_columns: int) -> dict[str, Any]:
    return {
        "max_features": int(rng.integers(1, n_columns + 1)),
        "n_estimators": int(_between(rng, 90, 600)),
    }


def _made(name: str, package: str, make: Callable[..., Any], settings: dict[str, Any]) -> Method:
    return Method(name, package, lambda seed: make(seed, **settings), f"{SETTINGS} settings")


SEARCHES: dict[str, tuple[Draw, Callable[[dict[str, Any]], Method]]] = {
    "LightGBM": (_lightgbm, lambda settings: _made("LightGBM", "lightgbm", peers.lightgbm, settings)),
    "CatBoost": (_catboost, lambda settings: _made("CatBoost", "catboost", peers.CatBoost, settings)),
    "RareClassifier": (_rare, lambda settings: ours("RareClassifier", "RareClassifier", **settings)),
}


def tune(store: Store, problem: Problem, fold: int, name: str) -> None:
    draw, with_settings = SEARCHES[name]
    key = key_of(with_settings({}), problem.name, fold, "tuned")
    if key in store:
        return
    train, test = rows_of(problem.name, fold)
    rng = np.random.default_rng([fold, zlib.crc32(problem.name.encode())])
    best: tuple[float, dict[str, Any], Any] = (np.inf, {}, None)
    spent = 0.0
    for number in range(SETTINGS):
        settings = draw(rng, problem.X.shape[1]) if number else {}
        scores = np.zeros((len(train), problem.n_classes))
        for fit, score in splits(problem.y[train], INNER, fold):
            cell, scores[score] = fit_and_score(problem, train[fit], train[score], with_settings(settings), seed=fold)
            spent += cell["fit"] + cell["predict"]
        loss = log_loss(problem.y[train], scores, labels=range(problem.n_classes))
        if loss < best[0]:
            best = (loss, settings, scores)
    cell, p = fit_and_score(problem, train, test, with_settings(best[1]), seed=fold)
    store.add(
        key, **{**cell, "fit": cell["fit"] + spent}, p=pack(short(p)), inner=pack(short(best[2])), settings=best[1]
    )
