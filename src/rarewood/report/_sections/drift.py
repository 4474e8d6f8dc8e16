"""How the columns of the test rows, and the share of the rare class, differ from those of the training rows.

`rarewood._memory` counts and compares, as for new rows that are monitored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._memory import ColumnMemory, compare_counts
from rarewood.metrics.uncertainty import wilson
from rarewood.report._distributions import Places
from rarewood.report._sections.segments import differs
from rarewood.report._subject import Subject
from rarewood.report._tables import ReportTables

_NAMED = 5
_DRAWN = 6


def drift(subject: Subject) -> dict[str, Any] | None:
    """The index of each column, the largest first, and the shares of the rare class; None without training rows."""
    tables, train_rare = subject.tables, subject.train_rare
    if train_rare is None:
        return None
    columns = [_of_column(tables, j) for j in range(len(tables.names))]
    columns.sort(key=lambda column: -column["psi"])
    for column in [each for each in columns if each["level"] != "none"][:_DRAWN]:
        column["drawing"] = _drawing(tables, tables.names.index(column["name"]))
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
    memory = ColumnMemory.of_categories(train) if tables.nominal[j] else ColumnMemory.of_numbers(train)
    found = compare_counts(memory.counts, memory.count(test), len(tables.names))
    new = _new_categories(tables, j)
    return {
        "name": tables.names[j],
        "psi": found.psi,
        "by_chance": found.by_chance,
        "level": found.level,
        "train_missing": float(np.isnan(train).mean()),
        "test_missing": float(np.isnan(test).mean()),
        "change": _change_of_categories(tables, j) if tables.nominal[j] else _change_of_numbers(tables, j),
        **new,
    }


def _drawing(tables: ReportTables, j: int) -> dict[str, Any] | None:
    """Where the values of a column lie, before and here."""
    places = Places.of(tables, j)
    if places is None or tables.train is None:
        return None
    before, here = (places.shares(values[:, j]) for values in (tables.train, tables.test))
    return {**places.in_words(tables, j), "before": before, "here": here}


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


def _change_of_categories(tables: ReportTables, j: int) -> str:
    """The category whose share has changed most."""
    n_known = int(tables.n_categories[j])

    def shares(values: Any) -> NDArray[np.float64]:
        codes = np.where(np.isnan(values), n_known + 1, np.minimum(values, n_known)).astype(np.intp)
        return np.bincount(codes, minlength=n_known + 2) / len(codes)

    p, q = (shares(values[:, j]) for values in (tables.train, tables.test))  # type: ignore[index]
    most = int(np.argmax(np.abs(q - p)))
    name = tables.in_words(j, most) if most < n_known else "new categories" if most == n_known else "missing"
    return f"{name}: {100 * p[most]:.1f} % → {100 * q[most]:.1f} %"
