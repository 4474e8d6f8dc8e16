"""How the columns of the test rows, and the share of the rare class, differ from those of the training rows.

The population stability index compares the shares of rows in bins: PSI = sum (q - p) ln(q / p) over bins, with p of the training
rows and q of the test rows. Without drift, PSI n m / (n + m) is approximately chi-squared with one degree of freedom less than
there are bins (B. Yurdakul, "Statistical properties of population stability index", 2018), which says how large it gets by chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from rarewood.report._sections.segments import differs
from rarewood.report._subject import Subject
from rarewood.report._tables import ReportTables
from rarewood.report._uncertainty import wilson

Floats = NDArray[np.float64]

BINS = 10
SOME, MUCH = 0.1, 0.25  # by convention
_NAMED = 5


def drift(subject: Subject) -> dict[str, Any] | None:
    """The index of each column, the largest first, and the shares of the rare class; None without training rows."""
    tables, train_rare = subject.tables, subject.train_rare
    if train_rare is None:
        return None
    columns = [_of_column(tables, j) for j in range(len(tables.names))]
    columns.sort(key=lambda column: -column["psi"])
    return {
        "columns": columns,
        "n_much": sum(column["level"] == "much" for column in columns),
        "n_some": sum(column["level"] == "some" for column in columns),
        "rare_share": rare_shares(train_rare, subject.rows.is_rare),
    }


def rare_shares(train_rare: NDArray[np.bool_], is_rare: NDArray[np.bool_]) -> dict[str, Any]:
    """The share of the rare class in training and test rows with 95 % intervals, and whether the two differ."""
    (n_train, of_train), (n_test, of_test) = ((int(rare.sum()), len(rare)) for rare in (train_rare, is_rare))
    return {
        "train": [n_train / of_train, *wilson(n_train, of_train)],
        "test": [n_test / of_test, *wilson(n_test, of_test)],
        "differs": differs((n_test, of_test), (n_train + n_test, of_train + of_test)),
    }


def _of_column(tables: ReportTables, j: int) -> dict[str, Any]:
    assert tables.train is not None
    train, test = tables.train[:, j], tables.test[:, j]
    counts = _category_counts(tables, j) if tables.nominal[j] else number_counts(train, test)
    psi, by_chance = stability_index(*counts), chance_limit(*counts)
    new = _new_categories(tables, j)
    return {
        "name": tables.names[j],
        "psi": psi,
        "by_chance": by_chance,
        "level": level_of(psi, by_chance),
        "train_missing": float(np.isnan(train).mean()),
        "test_missing": float(np.isnan(test).mean()),
        "change": _change_of_categories(tables, j, *counts) if tables.nominal[j] else _change_of_numbers(tables, j),
        **new,
    }


def level_of(psi: float, by_chance: float) -> str:
    """The conventional word for the size of an index; "none" where chance explains it."""
    return "none" if psi <= by_chance or psi < SOME else "some" if psi < MUCH else "much"


def stability_index(train: NDArray[np.int64], test: NDArray[np.int64]) -> float:
    """PSI of two lists of counts; half a row is added to each bin, so that an empty one does not make it infinite."""
    used = (train + test) > 0
    p, q = (_shares(counts[used]) for counts in (train, test))
    return float(((q - p) * np.log(q / p)).sum())


def _shares(counts: NDArray[np.int64]) -> Floats:
    return np.asarray((counts + 0.5) / (counts.sum() + 0.5 * len(counts)), dtype=np.float64)


def chance_limit(train: NDArray[np.int64], test: NDArray[np.int64]) -> float:
    """The value that the index exceeds in 5 of 100 pairs of tables without drift."""
    n_bins = int(((train + test) > 0).sum())
    return float(chi2.ppf(0.95, n_bins - 1) * (1 / train.sum() + 1 / test.sum())) if n_bins > 1 else 0.0


def number_counts(train: Any, test: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows per bin: tenths of the training values, then missing ones."""
    known = train[~np.isnan(train)].astype(np.float64)
    edges = (
        np.unique(np.quantile(known, np.arange(1, BINS) / BINS, method="inverted_cdf")) if len(known) else np.empty(0)
    )
    return _binned(train, edges), _binned(test, edges)


def _binned(values: Any, edges: Floats) -> NDArray[np.int64]:
    missing = np.isnan(values)
    place = np.searchsorted(edges, values[~missing].astype(np.float64), side="left")
    return np.append(np.bincount(place, minlength=len(edges) + 1), int(missing.sum())).astype(np.int64)


def _category_counts(tables: ReportTables, j: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows per category that training knows, then all new categories as one, then missing ones."""
    n_known = int(tables.n_categories[j])

    def counted(values: Any) -> NDArray[np.int64]:
        codes = np.where(np.isnan(values), n_known + 1, np.minimum(values, n_known)).astype(np.intp)
        return np.bincount(codes, minlength=n_known + 2).astype(np.int64)

    return counted(tables.train[:, j]), counted(tables.test[:, j])  # type: ignore[index]


def _new_categories(tables: ReportTables, j: int) -> dict[str, Any]:
    """Categories of test rows that no training row has."""
    if not tables.nominal[j] or tables.train is None:
        return {"new_categories": [], "n_new_categories": 0, "new_share": 0.0}
    seen = np.unique(tables.train[:, j])
    test = tables.test[:, j]
    is_new = ~np.isnan(test) & ~np.isin(test, seen)
    codes, counts = np.unique(test[is_new], return_counts=True)
    frequent = codes[np.argsort(-counts, kind="stable")][:_NAMED]
    return {
        "new_categories": [tables.in_words(j, float(code)) for code in frequent.tolist()],
        "n_new_categories": len(codes),
        "new_share": float(is_new.mean()),
    }


def _change_of_numbers(tables: ReportTables, j: int) -> str:
    both = [values[:, j][~np.isnan(values[:, j])] for values in (tables.train, tables.test)]  # type: ignore[index]
    if not all(map(len, both)):
        return "no values on one side"
    before, after = (tables.in_words(j, float(np.median(values))) for values in both)
    return f"median {before} → {after}"


def _change_of_categories(tables: ReportTables, j: int, train: NDArray[np.int64], test: NDArray[np.int64]) -> str:
    """The category whose share has changed most."""
    p, q = train / train.sum(), test / test.sum()
    most = int(np.argmax(np.abs(q - p)))
    n_known = int(tables.n_categories[j])
    name = tables.in_words(j, most) if most < n_known else "new categories" if most == n_known else "missing"
    return f"{name}: {100 * p[most]:.1f} % → {100 * q[most]:.1f} %"
