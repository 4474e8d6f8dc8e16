"""Tables left with 2, 3, 5 or 10 rows of the rare class to train on; all other rows of the fold, and the whole test fold, stay."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quality.cells import fitted, key_of, rows_of
from quality.measures import measure, two_columns
from quality.methods import METHODS, Method
from quality.problems import Problem, problem
from quality.store import Store, unpack
from report import Table

SIZES = [2, 3, 5, 10]
FOLDS = 3
TABLES = ["ecoli2", "glass-headlamps", "pima", "vehicle-opel"]
FEW_METHODS = ["RareClassifier", "HeDEx", "random forest (scikit-learn)", "LightGBM"]


def compute_few(store: Store, name: str, method: Method) -> None:
    for fold in range(FOLDS):
        for size in SIZES:
            key = key_of(method, name, fold, f"few {size}")
            if key not in store:
                data = problem(name)
                store.add(key, **fitted(data, _thinned(data, fold, size), rows_of(name, fold)[1], method, seed=fold))


def _thinned(data: Problem, fold: int, size: int) -> NDArray[np.int64]:
    train = rows_of(data.name, fold)[0]
    rare = data.y[train] == 1
    kept = np.random.default_rng(fold).permutation(train[rare])[:size]
    return np.sort(np.concatenate([train[~rare], kept]))


def few_table(store: Store, note: str) -> Table:
    table = Table("Very few rare rows", ["", *(f"{size} rare rows" for size in SIZES)], note)
    for method in FEW_METHODS:
        cells = []
        for size in SIZES:
            found = [_values(store, name, fold, size, method) for name in TABLES for fold in range(FOLDS)]
            found = [value for value in found if value]
            if len(found) < len(TABLES) * FOLDS:
                break
            auc = np.array([value["AUC"] for value in found])
            cells.append(f"{auc.mean():.3f} ({auc.min():.3f}), {np.mean([value['F1'] for value in found]):.3f}")
        else:
            table.add(method, *cells)
    return table


def few_methods() -> list[Method]:
    return [METHODS[name] for name in FEW_METHODS]


def _values(store: Store, name: str, fold: int, size: int, method: str) -> dict[str, float]:
    cell = store.latest(name, fold, f"few {size}", method)
    if cell is None:
        return {}
    y = problem(name).y[rows_of(name, fold)[1]]
    return measure(y, two_columns(unpack(cell["p"])), unpack(cell["labels"]))
