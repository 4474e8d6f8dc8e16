"""Seeded tables for benchmarks.

Names and contents do not change: a figure from last year must mean the same today. A trap is a table on which a fast method
is easily slower than a plain one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import NONE, Choice, Integer, check_parameter, did_you_mean

Part = Literal["train", "test"]
Table = tuple[NDArray[np.float32], NDArray[np.int64]]
_TEST_ROWS = 20_000
_SUBGROUPS = 2


@dataclass(frozen=True, eq=False)
class Workload:
    """A table for measuring speed, with its labels.

    Parameters
    ----------
    X : ndarray of float32 of shape (n_rows, n_columns)
        The table.
    y : ndarray of int of shape (n_rows,)
        Class numbers; 0 is the most frequent class.
    name : str
        What :func:`make_workload` calls it.
    description : str
        Its size and what is special about it.
    categorical_features : tuple of int, default=()
        The columns of ``X`` that hold numbers of categories, for the parameter of this name; all others hold numbers.
    """

    X: NDArray[np.float32]
    y: NDArray[np.int64]
    name: str
    description: str
    categorical_features: tuple[int, ...] = ()

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1

    def __repr__(self) -> str:
        return f"Workload({self.name!r}, {len(self.y)} rows: {self.description})"


def workload_names() -> list[str]:
    """List the workloads that :func:`make_workload` knows: a, b, c, d, e, then the traps.

    Returns
    -------
    list of str
        Their names.

    Examples
    --------
    >>> from rarewood.datasets import workload_names
    >>> workload_names()[:5]
    ['a', 'b', 'c', 'd', 'e']
    """
    return list(_RECIPES)


def make_workload(name: str, *, rows: int | None = None, part: Part = "train") -> Workload:
    """Generate a fixed table for measuring speed.

    The workloads a to d have overlapping classes, so that an unpruned tree grows deep; their first column is log-normal and
    every sixth column is rounded, so that values repeat. Workload e looks like a table of customers or claims: half of its
    columns hold categories, few of them frequent, some cells are missing, and most columns say nothing about the class. A name
    always gives the same table.

    Parameters
    ----------
    name : str
        ``"a"`` (10 000 x 20, 2 % rare), ``"b"`` (100 000 x 30, 1 %), ``"c"`` (1 000 000 x 30, 0.5 %), ``"d"`` (50 000 x 30,
        eight imbalanced classes), ``"e"`` (20 000 x 40, 5 %; 20 columns of 2 to 700 categories, missing values), or one of the traps
        of :func:`workload_names`.
    rows : int, optional
        Number of rows, in place of the usual one.
    part : {"train", "test"}, default="train"
        ``"test"`` draws fresh rows of the same distribution.

    Returns
    -------
    Workload
        Table and class numbers.

    Examples
    --------
    >>> from rarewood.datasets import make_workload
    >>> data = make_workload("a", rows=1000)
    >>> data.X.shape, int(data.y.sum())
    ((1000, 20), 20)
    """
    if name not in _RECIPES:
        raise ValueError(f"unknown workload {name!r}{did_you_mean(name, _RECIPES)} Choose from {', '.join(_RECIPES)}.")
    check_parameter("rows", rows, NONE, Integer(40))
    check_parameter("part", part, Choice(("train", "test")))
    recipe = _RECIPES[name]
    if rows is None:
        rows = recipe.rows if part == "train" else min(recipe.rows, _TEST_ROWS)
    X, y = recipe.make(rows, np.random.default_rng([recipe.seed, 0 if part == "train" else 1]))
    X = np.ascontiguousarray(X, dtype=np.float32)
    return Workload(X, y, name, recipe.description, recipe.categorical_features)


@dataclass(frozen=True)
class _Recipe:
    description: str
    rows: int
    make: Callable[[int, np.random.Generator], Table]
    seed: int
    categorical_features: tuple[int, ...] = ()


# ---------------------------------------------------------------------------------------------------------
# parts


def _labels(rows: int, priors: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Class numbers in random order with the exact shares asked for; every class has at least two rows."""
    counts = np.maximum(np.round(priors * rows).astype(np.int64), 2)
    counts[0] = rows - counts[1:].sum()
    return rng.permutation(np.repeat(np.arange(len(priors)), counts))


def _centres(n_classes: int, columns: int, distance: float) -> NDArray[np.float32]:
    """Shift of each class and subgroup, (classes, subgroups, columns): the same for every row count and part.

    Class 0 stays at the origin. A subgroup of another class moves along about a third of the columns, so no
    single threshold finds the whole class.
    """
    rng = np.random.default_rng([n_classes, columns])
    centres = rng.normal(size=(n_classes, _SUBGROUPS, columns)) * (rng.random((n_classes, _SUBGROUPS, columns)) < 1 / 3)
    centres *= distance / np.maximum(np.linalg.norm(centres, axis=2, keepdims=True), 1e-9)
    centres[0] = 0.0
    return centres.astype(np.float32)


def _overlapping(rows: int, columns: int, priors: list[float], distance: float, rng: np.random.Generator) -> Table:
    y = _labels(rows, np.asarray(priors), rng)
    X = rng.standard_normal((rows, columns), dtype=np.float32)
    X += _centres(len(priors), columns, distance)[y, rng.integers(0, _SUBGROUPS, rows)]
    return X, y


def _with_skew_and_ties(X: NDArray[np.float32]) -> NDArray[np.float32]:
    X[:, 0] = np.exp(1.5 * X[:, 0])
    X[:, 5::6] = np.round(X[:, 5::6], 1)
    return X


def _main(columns: int, priors: list[float], distance: float = 2.2) -> Callable[[int, np.random.Generator], Table]:
    def make(rows: int, rng: np.random.Generator) -> Table:
        X, y = _overlapping(rows, columns, priors, distance, rng)
        return _with_skew_and_ties(X), y

    return make


_LEVELS = (2, 2, 2, 3, 3, 4, 5, 6, 7, 9, 12, 16, 20, 30, 45, 70, 120, 210, 390, 700)
"""Categories of the nominal columns of workload e, which are its last columns."""


def _like_life(rows: int, rng: np.random.Generator) -> Table:
    """Twenty numeric and twenty nominal columns.

    A third of the columns raises or lowers a score; the rows that score highest, with noise, are the rare ones. Numbers are
    log-normal, counts with many zeros, or rounded. The n-th most frequent category of a column has a weight of 1 / n. Cells of every
    second column are missing, more often among the rare rows.
    """
    laws = np.random.default_rng(5)  # what the columns mean: the same for every row count and part
    numbers = rng.standard_normal((rows, 20), dtype=np.float32)
    score = numbers[:, :6] @ laws.normal(size=6) + numbers[:, 6] * numbers[:, 7]
    codes = np.empty((rows, len(_LEVELS)), dtype=np.float32)
    for column, levels in enumerate(_LEVELS):
        weights = 1 / np.arange(1, levels + 1)
        ranks = rng.choice(levels, rows, p=weights / weights.sum())
        codes[:, column] = laws.permutation(levels)[ranks]
        effect = laws.normal(size=levels)
        if column % 3 == 0:
            score += effect[ranks]
    score += rng.normal(scale=2.0, size=rows)
    y = np.zeros(rows, dtype=np.int64)
    y[np.argsort(-score, kind="stable")[: max(round(0.05 * rows), 2)]] = 1
    numbers[:, ::4] = np.exp(1.5 * numbers[:, ::4])
    numbers[:, 1::4] = np.maximum(np.round(2 * numbers[:, 1::4]), 0)
    numbers[:, 2::4] = np.round(numbers[:, 2::4], 1)
    X = np.hstack([numbers, codes])
    shares = laws.uniform(0.01, 0.3, size=20)
    X[:, ::2][rng.random((rows, 20)) < shares * (1 + 0.5 * y[:, None])] = np.nan
    return X, y


# ---------------------------------------------------------------------------------------------------------
# traps


def _constant(rows: int, rng: np.random.Generator) -> Table:
    X, y = _overlapping(rows, 30, [0.98, 0.02], 2.2, rng)
    X[:, 5:] = 1.0
    return X, y


def _nearly_constant(rows: int, rng: np.random.Generator) -> Table:
    X, y = _overlapping(rows, 30, [0.98, 0.02], 2.2, rng)
    X[:, 5:][rng.random((rows, 25), dtype=np.float32) > 0.002] = 0.0
    return X, y


def _three_level(rows: int, rng: np.random.Generator) -> Table:
    X, y = _overlapping(rows, 30, [0.95, 0.05], 2.2, rng)
    return np.digitize(X, [-0.6, 0.6]).astype(np.float32), y


def _lognormal(rows: int, rng: np.random.Generator) -> Table:
    X, y = _overlapping(rows, 30, [0.98, 0.02], 2.2, rng)
    return np.exp(2.0 * X), y


def _noise(rows: int, rng: np.random.Generator) -> Table:
    return _overlapping(rows, 30, [0.7, 0.3], 0.0, rng)


def _duplicates(rows: int, rng: np.random.Generator) -> Table:
    """Every row about ten times, with labels that sometimes disagree."""
    X, y = _overlapping(max(rows // 10, 4), 30, [0.95, 0.05], 2.2, rng)
    pick = rng.integers(0, len(y), rows)
    flip = rng.random(rows) < 0.02
    return X[pick], np.where(flip, 1 - y[pick], y[pick])


_EIGHT = [0.45, 0.25, 0.13, 0.08, 0.045, 0.025, 0.013, 0.007]

_RECIPES: dict[str, _Recipe] = {
    "a": _Recipe("10k x 20, 2 % rare", 10_000, _main(20, [0.98, 0.02]), 0),
    "b": _Recipe("100k x 30, 1 % rare", 100_000, _main(30, [0.99, 0.01]), 1),
    "c": _Recipe("1M x 30, 0.5 % rare", 1_000_000, _main(30, [0.995, 0.005]), 2),
    "d": _Recipe("50k x 30, 8 imbalanced classes", 50_000, _main(30, _EIGHT, distance=2.5), 3),
    "e": _Recipe(
        "20k x 40, 5 % rare, 20 columns of 2 to 700 categories",
        20_000,
        _like_life,
        10,
        tuple(range(20, 20 + len(_LEVELS))),
    ),
    "trap-constant": _Recipe("25 of 30 columns constant", 30_000, _constant, 4),
    "trap-nearly-constant": _Recipe("25 of 30 columns constant in most nodes", 30_000, _nearly_constant, 5),
    "trap-three-level": _Recipe("30 columns of three values", 30_000, _three_level, 6),
    "trap-lognormal": _Recipe("30 log-normal columns", 30_000, _lognormal, 7),
    "trap-noise": _Recipe("30 % rare, nothing to learn", 20_000, _noise, 8),
    "trap-duplicates": _Recipe("every row about ten times, with contradictory labels", 50_000, _duplicates, 9),
}
