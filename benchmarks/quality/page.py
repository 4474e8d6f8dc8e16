"""docs/quality.md: the tables in the order in which they answer questions, and what they say in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quality import text
from quality.ablation import ABLATION
from quality.few import few_table
from quality.measures import MEASURES
from quality.methods import LADDER, LARGE_METHODS, METHODS
from quality.problems import CALIBRATED, LARGE, MORE_CLASSES, TUNED, TWO_CLASSES, problem
from quality.results import DEFAULT, Results, as_they_come, tuned, with_calibration
from quality.speed import speed_table
from quality.store import ROOT, Store
from quality.tables import REFERENCE, duels, each_problem, ladder, summary
from quality.tuning import OUTER, SEARCHES
from report import Table

DOCS = ROOT / "docs" / "quality.md"


def write_page(store: Store, made: str, path: Path = DOCS) -> None:
    path.write_text(page(store, made))
    print(f"written: {path.name}")
    if store.outdated():
        print(f"by other code than is here now: results of {', '.join(store.outdated())}")


def page(store: Store, made: str) -> str:
    plain = as_they_come(store, TWO_CLASSES, list(METHODS))
    full = plain.complete()
    if REFERENCE not in full.methods:
        raise SystemExit(
            f"the results lack {REFERENCE} on some of the {len(TWO_CLASSES)} tables: run --only test first"
        )
    same = with_calibration(store, CALIBRATED, list(METHODS))
    search = tuned(store, TUNED, [*SEARCHES, *(f"{name}{DEFAULT}" for name in SEARCHES)], OUTER)
    more = as_they_come(store, MORE_CLASSES, list(METHODS))
    parts = as_they_come(store, CALIBRATED, [REFERENCE, *(method.name for method in ABLATION)])
    steps = as_they_come(store, TWO_CLASSES, [*(method.name for method in LADDER), "HeDEx"]).complete()
    sizes = {name: _size(name) for name in TWO_CLASSES}
    searching = {"fit": "CPU s of search and fit"}
    sections = [
        "# Quality beside other libraries\n",
        text.opening(full),
        *_contest(full, "As they come", text.as_they_come(full)),
        *_partly_run(plain),
        _shown(speed_table(store, list(METHODS), text.SPEED)),
        *_contest(same.complete(), "With the same calibration and threshold for all", text.same(same)),
        *_contest(search.complete(), "With an equal budget for tuning", text.search(search), searching),
        *(_shown(_larger(store, name)) for name in MEASURES),
        _shown(_larger_times(store)),
        *_contest(more.complete(), "More classes, as they come", text.more(more)),
        *_contest_with_itself(parts.complete()),
        _shown(few_table(store, text.FEW)),
        _shown(ladder(steps, "From extra-trees to HeDEx", text.LADDER)) if len(steps.methods) > 1 else "",
        text.HOW,
        f"{made} Versions of the peers: {', '.join(_versions(store))}. Generated; do not edit.\n",
        *(_shown(each_problem(full, name, sizes)) for name in MEASURES),
    ]
    return "\n".join(section for section in sections if section)


def _shown(table: Table) -> str:
    if not table.rows:
        print(f"left out, since nothing was computed for it: {table.title}")
        return ""
    return table.to_markdown()


def _contest(results: Results, title: str, note: str, times: dict[str, str] | None = None) -> list[str]:
    """Means and ranks, the outcome in words, and the tests; nothing if there is nobody to compare."""
    if REFERENCE not in results.methods or len(results.methods) < 2:
        print(f"left out, since {REFERENCE} or all others were not run on all tables: {title}")
        return []
    tests = duels(results, f"{title}: pair by pair", text.PAIRS)
    return [_shown(summary(results, title, note, times)), text.verdicts(results), _shown(tests)]


def _contest_with_itself(parts: Results) -> list[str]:
    if REFERENCE not in parts.methods or len(parts.methods) < 2:
        print("left out, since no part was taken away: What each part of RareClassifier gives")
        return []
    return [_shown(duels(parts, "What each part of RareClassifier gives", text.ABLATION))]


def _partly_run(plain: Results) -> list[str]:
    """A method too slow for some tables, beside the others on those it was run on."""
    tables = []
    for method in plain.methods:
        seen = plain.measured_by(method)
        if seen and len(seen) < len(plain.problems):
            beside = plain.only(seen).complete()
            tables.append(summary(beside, f"{method}, where it was run", text.partly(method, beside)).to_markdown())
            tables.append(text.verdicts(beside))
    return tables


def _larger(store: Store, measure: str) -> Table:
    names = [method.name for method in LARGE_METHODS]
    table = Table(f"Larger tables: {measure}", ["table", "rows to train on", *names], text.LARGER)
    for name in LARGE:
        found = [store.latest(name, 0, "large", method) for method in names]
        values = np.array([np.nan if cell is None else cell[measure] for cell in found])
        if np.isnan(values).all():
            continue
        best = np.nanmax(MEASURES[measure] * np.round(values, 4))
        rows = next(cell["rows"] for cell in found if cell)
        table.add(name, f"{rows:,}", *(_cell(v, MEASURES[measure] * round(v, 4) == best) for v in values))
    return table


def _larger_times(store: Store) -> Table:
    names = [method.name for method in LARGE_METHODS]
    table = Table("Larger tables: CPU seconds", ["table", *names], "Fit, then predict, one thread.")
    for name in LARGE:
        found = [store.latest(name, 0, "large", method) for method in names]
        if any(found):
            table.add(name, *("-" if c is None else f"{c['fit']:.3g}, {c['predict']:.2g}" for c in found))
    return table


def _cell(value: float, best: bool) -> str:
    if np.isnan(value):
        return "-"
    return f"**{value:.4f}**" if best else f"{value:.4f}"


def _size(name: str) -> str:
    y = problem(name).y
    return f"{len(y):,}, {np.bincount(y).min():,}"


def _versions(store: Store) -> list[str]:
    used = {cell["key"][4].split(",")[0] for cell in store.cells.values() if cell["key"][5] == ""}
    return sorted(used)
