"""CPU time of fit and predict_proba: all methods in turn in one process, so that a busy machine is busy for all of them."""

from __future__ import annotations

import numpy as np

from quality.cells import fit_and_score, key_of, rows_of
from quality.methods import Method
from quality.problems import problem
from quality.store import Store
from report import Table

ROUNDS = 2
TABLES = ["balance-B", "breast-y", "credit-g", "oil", "page", "pima", "winequality-red-4"]


def compute_speed(store: Store, name: str, methods: list[Method]) -> None:
    """Anew each time: the best of the rounds, whose order is reversed from one to the next."""
    data, (train, test) = problem(name), rows_of(name, 0)
    best = {method.name: np.full(2, np.inf) for method in methods}
    for number in range(ROUNDS):
        for method in methods if number % 2 else methods[::-1]:
            cell, _ = fit_and_score(data, train, test, method, seed=0)
            best[method.name] = np.minimum(best[method.name], [cell["fit"], cell["predict"]])
    for method in methods:
        fit, predict = best[method.name].tolist()
        store.add(key_of(method, name, 0, "speed"), fit=fit, predict=predict)


def speed_table(store: Store, names: list[str], note: str) -> Table:
    table = Table("CPU time", ["", "fit, s", "predict, s", *(f"fit on {name}, s" for name in TABLES)], note)
    for method in names:
        cells = [store.latest(name, 0, "speed", method) for name in TABLES]
        known = [cell for cell in cells if cell is not None]
        if len(known) == len(TABLES):
            totals = [f"{sum(cell[what] for cell in known):.3g}" for what in ("fit", "predict")]
            table.add(method, *totals, *(f"{cell['fit']:.2g}" for cell in known))
    return table
