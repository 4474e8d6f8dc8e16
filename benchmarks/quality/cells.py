"""Fitting: a method on one fold, and its honest scores of the rows it is trained on, out of inner folds."""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from quality.methods import Method
from quality.problems import FOLDS, Problem, problem
from quality.store import Key, Store, fingerprint, pack

INNER_FOLDS = 5
LIMIT = 60.0
"""CPU seconds of one fit above which a method is not asked for the other folds of a table."""


def splits(y: NDArray[np.int64], n: int, seed: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class with fewer rows than folds
        yield from StratifiedKFold(n, shuffle=True, random_state=seed).split(y, y)


@functools.lru_cache(maxsize=512)
def rows_of(name: str, fold: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows to train on and rows to test by."""
    return list(splits(problem(name).y, FOLDS, 0))[fold]


def key_of(method: Method, problem: str, fold: int, kind: str) -> Key:
    return (problem, str(fold), kind, method.name, method.key, fingerprint() if method.ours else "")


def compute_fold(store: Store, data: Problem, fold: int, kind: str, method: Method) -> bool:
    """The cell, unless it is there already; False if the method is too slow for this table."""
    key = key_of(method, data.name, fold, kind)
    if key in store:
        return True
    first = key_of(method, data.name, 0, "test")
    if first in store and store[first]["fit"] > LIMIT:
        return False
    train, test = rows_of(data.name, fold)
    if kind == "test":
        store.add(key, **fitted(data, train, test, method, seed=fold))
    else:
        scores = np.zeros((len(train), data.n_classes))
        spent = 0.0
        for fit, score in splits(data.y[train], INNER_FOLDS, fold):
            cell, p = fit_and_score(data, train[fit], train[score], method, seed=fold)
            scores[score] = p
            spent += cell["fit"] + cell["predict"]
        store.add(key, cpu=spent, p=pack(short(scores)))
    return True


def fitted(
    data: Problem, train: NDArray[np.int64], test: NDArray[np.int64], method: Method, seed: int
) -> dict[str, Any]:
    cell, p = fit_and_score(data, train, test, method, seed)
    return {**cell, "p": pack(short(p))}


def fit_and_score(
    data: Problem, train: NDArray[np.int64], test: NDArray[np.int64], method: Method, seed: int
) -> tuple[dict[str, Any], NDArray[np.float64]]:
    X, y = data.rows(train)
    fresh, _ = data.rows(test)
    present, numbered = np.unique(y, return_inverse=True)  # an inner fold may lack a class
    model = method.make(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers warn about their own future
        start = time.process_time()
        model.fit(X, numbered)
        middle = time.process_time()
        p = model.predict_proba(fresh)
        end = time.process_time()
        labels = present[model.predict(fresh)]
    scores = np.zeros((len(test), data.n_classes))
    scores[:, present] = p
    return {"fit": middle - start, "predict": end - middle, "labels": pack(labels.astype(np.uint8))}, scores


def short(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of two classes the second column says all."""
    return p[:, 1] if p.shape[1] == 2 else p
