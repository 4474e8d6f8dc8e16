"""Larger tables: one split each, four fifths to train on; the workloads have fresh rows of their own.

With one split the tables themselves cannot be resampled, so what is chance is asked of the test rows (`noise`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quality.cells import fitted, key_of, rows_of
from quality.measures import MEASURES, RareMeasures, measure, two_columns
from quality.methods import LARGE_METHODS, REFERENCE, Method
from quality.noise import spread
from quality.problems import FRESH_ROWS, LARGE, Problem
from quality.store import Store, unpack
from report import Table

RIVALS = ["LightGBM 500", "CatBoost 500"]
ERRORS = 2.0
"""Standard errors beyond which a difference is called one."""


def split(data: Problem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not data.name.startswith("workload "):
        return rows_of(data.name, 0)
    rows = np.arange(len(data.y))
    return rows[:-FRESH_ROWS], rows[-FRESH_ROWS:]


def compute_large(store: Store, data: Problem, method: Method) -> None:
    """With its measures, so that the page needs not read a million rows."""
    key = key_of(method, data.name, 0, "large")
    if key in store:
        return
    train, test = split(data)
    cell = fitted(data, train, test, method, seed=0)
    found = measure(data.y[test], two_columns(unpack(cell["p"])), unpack(cell["labels"]))
    store.add(key, **cell, **found, rows=len(train))


def compute_spread(store: Store, data: Problem) -> None:
    """Standard errors of the differences between the reference and its rivals, anew each time: it takes seconds."""
    ours = _latest(store, data.name, REFERENCE)
    for rival in RIVALS:
        theirs = _latest(store, data.name, rival)
        if ours and theirs:
            y = data.y[split(data)[1]]
            errors = spread(y, *(RareMeasures(y, unpack(cell["p"]), unpack(cell["labels"])) for cell in (ours, theirs)))
            store.add((data.name, "0", "spread", rival, "", ""), **errors)


def _latest(store: Store, table: str, method: str) -> dict[str, Any] | None:
    return store.latest(table, 0, "large", method)


def larger_table(store: Store, note: str) -> Table:
    """Every figure; the best of each table and measure bold."""
    columns = ["table", "rows to train on", "", *MEASURES, "fit, s", "predict, s"]
    table = Table("Larger tables", columns, note)
    for name in LARGE:
        cells = {method.name: _latest(store, name, method.name) for method in LARGE_METHODS}
        found = {method: cell for method, cell in cells.items() if cell}
        best = {m: max((sign * round(c[m], 4) for c in found.values()), default=0) for m, sign in MEASURES.items()}
        for method, cell in found.items():
            values = [_figure(cell[m], sign * round(cell[m], 4) == best[m]) for m, sign in MEASURES.items()]
            table.add(name, f"{cell['rows']:,}", method, *values, f"{cell['fit']:.3g}", f"{cell['predict']:.2g}")
    return table


def _figure(value: float, best: bool) -> str:
    return f"**{value:.4f}**" if best else f"{value:.4f}"


def larger_duels(store: Store, note: str) -> Table:
    """How much better the reference is than each rival, and twice the standard error of that."""
    table = Table("Larger tables: pair by pair", ["table", f"{REFERENCE} versus", *MEASURES], note)
    for name in LARGE:
        for rival in RIVALS:
            found = _differences(store, name, rival)
            if found:
                table.add(name, rival, *(f"{d.gain:+.4f} ± {d.noise:.4f}{_WORDS[d.verdict]}" for d in found.values()))
    return table


def larger_outcome(store: Store) -> str:
    """How many differences are told from noise, and where the reference is worse."""
    found = {
        (name, rival, measure): difference.verdict
        for name in LARGE
        for rival in RIVALS
        for measure, difference in _differences(store, name, rival).items()
    }
    if not found:
        return ""
    better = sum(verdict > 0 for verdict in found.values())
    worse = [f"{measure} against {rival} on {name}" for (name, rival, measure), v in found.items() if v < 0]
    beaten = f"worse in {len(worse)} ({'; '.join(worse)})" if worse else "worse in none"
    return f"of {len(found)} differences, better in {better}, {beaten}, the rest within twice the standard error."


def widest_gap(store: Store) -> str:
    """Where a rival falls farthest behind in average precision."""
    found = [
        (ours["average precision"] - theirs["average precision"], name, rival, ours, theirs)
        for name in LARGE
        for rival in RIVALS
        if (ours := _latest(store, name, REFERENCE)) and (theirs := _latest(store, name, rival))
    ]
    _, name, rival, ours, theirs = max(found, key=lambda each: each[0])
    values = f"{theirs['average precision']:.2f} by {rival} and {ours['average precision']:.2f} by {REFERENCE}"
    return f"The widest gap is on {name}, with average precision {values}."


_WORDS = {1: ", better", 0: "", -1: ", **worse**"}


@dataclass(frozen=True)
class Difference:
    """How much better the reference is, and how much of that may be noise."""

    gain: float
    noise: float

    @property
    def verdict(self) -> int:
        return 0 if abs(round(self.gain, 4)) <= self.noise else 1 if self.gain > 0 else -1


def _differences(store: Store, table: str, rival: str) -> dict[str, Difference]:
    ours, theirs = _latest(store, table, REFERENCE), _latest(store, table, rival)
    error = store.latest(table, 0, "spread", rival)
    if not (ours and theirs and error):
        return {}
    return {m: Difference(sign * (ours[m] - theirs[m]), ERRORS * error[m]) for m, sign in MEASURES.items()}
