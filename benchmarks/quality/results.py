"""Cells put together: a matrix of problems and methods for each measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quality.cells import rows_of
from quality.measures import MEASURES, RELIABILITY, calibrated, measure, reliability, two_columns
from quality.methods import CALIBRATES_ITSELF
from quality.problems import FOLDS, SAME_FOLDS, problem
from quality.store import Store, unpack

TIMES = ("fit", "predict")
DEFAULT, SEARCHED = " (not tuned)", " (tuned)"


@dataclass(frozen=True)
class Results:
    """`values[measure][problem, method]` are means over folds; so are the CPU seconds under "fit" and "predict".

    How reliable probabilities are is asked of the rows of all folds together; of more than two classes it is NaN.
    """

    problems: list[str]
    methods: list[str]
    values: dict[str, NDArray[np.float64]]

    def only(self, problems: Sequence[str] | None = None, methods: Sequence[str] | None = None) -> Results:
        rows = [self.problems.index(name) for name in (self.problems if problems is None else problems)]
        columns = [self.methods.index(name) for name in (self.methods if methods is None else methods)]
        return Results(
            [self.problems[i] for i in rows],
            [self.methods[j] for j in columns],
            {name: matrix[np.ix_(rows, columns)] for name, matrix in self.values.items()},
        )

    def complete(self) -> Results:
        """The methods that were run on all problems."""
        known = ~np.isnan(self.values["AUC"]).any(axis=0)
        return self.only(methods=[name for name, all_there in zip(self.methods, known, strict=True) if all_there])

    def measured_by(self, method: str) -> list[str]:
        known = ~np.isnan(self.values["AUC"][:, self.methods.index(method)])
        return [name for name, there in zip(self.problems, known, strict=True) if there]


def as_they_come(store: Store, problems: list[str], methods: list[str], folds: int = FOLDS) -> Results:
    return _gather(problems, methods, lambda name, fold, method: _plain(store, name, fold, method), folds)


def with_calibration(store: Store, problems: list[str], methods: list[str]) -> Results:
    return _gather(problems, methods, lambda name, fold, method: _calibrated(store, name, fold, method), SAME_FOLDS)


Values = dict[str, Any]
"""What was measured on a fold, and, of two classes, its rows: their labels, and the probabilities of the rare one."""


def tuned(store: Store, problems: list[str], methods: list[str], folds: int) -> Results:
    """On the first folds: each method by its best setting, and, under its name with `DEFAULT` behind it, by its own settings."""

    def value(name: str, fold: int, method: str) -> Values | None:
        plain = method.removesuffix(DEFAULT)
        return _calibrated(store, name, fold, plain) if method != plain else _tuned(store, name, fold, method)

    return _gather(problems, methods, value, folds)


def beside_tuned(store: Store, problems: list[str], rivals: list[str], folds: int) -> Results:
    """The reference as it comes beside the others by their best settings, which have `SEARCHED` behind their names."""

    def value(name: str, fold: int, method: str) -> Values | None:
        searched = method.removesuffix(SEARCHED)
        return _plain(store, name, fold, method) if method == searched else _tuned(store, name, fold, searched)

    methods = [*CALIBRATES_ITSELF, *(f"{name}{SEARCHED}" for name in rivals)]
    return _gather(problems, methods, value, folds)


def _gather(
    problems: list[str], methods: list[str], value: Callable[[str, int, str], Values | None], n_folds: int = FOLDS
) -> Results:
    found = {name: np.full((len(problems), len(methods)), np.nan) for name in (*MEASURES, *RELIABILITY, *TIMES)}
    for i, name in enumerate(problems):
        for j, method in enumerate(methods):
            folds = [value(name, fold, method) for fold in range(n_folds)]
            if not all(fold is not None for fold in folds):
                continue
            known = [fold for fold in folds if fold is not None]
            for key in (*MEASURES, *TIMES):
                found[key][i, j] = np.mean([fold[key] for fold in known])
            if all("rows" in fold for fold in known):
                y, p = (np.concatenate(parts) for parts in zip(*(fold["rows"] for fold in known), strict=True))
                for key, value_of_all in reliability(y, p).items():
                    found[key][i, j] = value_of_all
    return Results(problems, methods, found)


def _plain(store: Store, name: str, fold: int, method: str) -> Values | None:
    cell = store.latest(name, fold, "test", method)
    return None if cell is None else _as_it_says(name, fold, cell)


def _as_it_says(name: str, fold: int, cell: dict[str, Any]) -> Values:
    _, test = rows_of(name, fold)
    return {**_times(cell), **_measured(problem(name).y[test], two_columns(unpack(cell["p"])), unpack(cell["labels"]))}


def _calibrated(store: Store, name: str, fold: int, method: str) -> Values | None:
    if method in CALIBRATES_ITSELF:
        return _plain(store, name, fold, method)
    cell, inner = store.latest(name, fold, "test", method), store.latest(name, fold, "inner", method)
    if cell is None or inner is None:
        return None
    values = _given_the_same(name, fold, inner["p"], cell)
    return {**values, "fit": cell["fit"] + inner["cpu"]}


def _tuned(store: Store, name: str, fold: int, method: str) -> Values | None:
    cell = store.latest(name, fold, "tuned", method)
    if cell is None:
        return None
    if method in CALIBRATES_ITSELF:
        return _as_it_says(name, fold, cell)
    return _given_the_same(name, fold, cell["inner"], cell)


def _given_the_same(name: str, fold: int, honest: dict[str, Any], cell: dict[str, Any]) -> Values:
    y, (train, test) = problem(name).y, rows_of(name, fold)
    p, decided = calibrated(two_columns(unpack(honest)), y[train], two_columns(unpack(cell["p"])))
    return {**_times(cell), **_measured(y[test], p, decided)}


def _measured(y: NDArray[np.int64], p: NDArray[np.float64], decided: NDArray[np.int64]) -> Values:
    rows = {"rows": (y, p[:, 1])} if p.shape[1] == 2 else {}
    return {**measure(y, p, decided), **rows}


def _times(cell: dict[str, Any]) -> Values:
    return {name: cell[name] for name in TIMES}
