"""docs/quality.md: the tables in the order in which they answer questions, and what they say in words."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np

from quality import text
from quality.ablation import ABLATION
from quality.ablation import FOLDS as ABLATION_FOLDS
from quality.extracts import write_extracts
from quality.few import few_table
from quality.large import larger_duels, larger_outcome, larger_table
from quality.measures import MEASURES
from quality.methods import BEFORE, LADDER, METHODS, REFERENCE
from quality.problems import CALIBRATED, FOLDS, LARGE, MORE_CLASSES, TUNED, TWO_CLASSES, problem
from quality.results import DEFAULT, Results, as_they_come, beside_tuned, tuned, with_calibration
from quality.short import short_table
from quality.speed import speed_table
from quality.store import ROOT, Store
from quality.tables import contestants, duels, each_problem, ladder, summary
from quality.tuning import OUTER, SEARCHES
from report import Table

DOCS = ROOT / "docs" / "quality.md"
FIRST = "With default settings"
SAME = "With the same calibration and threshold for all"
BUDGET = "With an equal budget for tuning"
READY = "RareClassifier with default settings against tuned boosting"
MORE = "More classes, with default settings"
LADDER_TITLE = "From extra-trees to HeDEx"
KNOWN = [*METHODS, BEFORE]


def write_page(store: Store, made: str, path: Path = DOCS) -> None:
    full, ready = _on_small_tables(store), _beside_tuned(store)
    path.write_text(page(store, made, path.read_text(encoding="utf-8"), full, ready), encoding="utf-8")
    write_extracts(store, full, ready)
    print(f"written: {path.name}")
    if store.outdated():
        print(f"by other code than is here now: results of {', '.join(store.outdated())}")


def page(store: Store, made: str, before: str, full: Results, ready: Results) -> str:
    """Parts for which there are no results stay as they are in the page of `before`."""
    partly = _partly_run(store, full.methods)
    same = with_calibration(store, CALIBRATED, KNOWN).complete()
    search = tuned(store, TUNED, [*SEARCHES, *(f"{name}{DEFAULT}" for name in SEARCHES)], OUTER).complete()
    more = as_they_come(store, MORE_CLASSES, KNOWN).complete()
    parts = as_they_come(store, CALIBRATED, [REFERENCE, *(method.name for method in ABLATION)], ABLATION_FOLDS)
    steps = as_they_come(store, TWO_CLASSES, [*(method.name for method in LADDER), "HeDEx"]).complete()
    sizes = {name: _size(name) for name in TWO_CLASSES}
    searching = {"fit": "CPU s of search and fit"}
    new = [
        *_contest(full, FIRST, text.as_they_come(full, list(partly)), guests=partly),
        text.in_short({SAME: same, BUDGET: search, READY: ready, MORE: more}, larger_outcome(store)),
        *(section for method, beside in partly.items() for section in _beside(method, beside)),
        _shown(short_table(store, text.release(text.SHORT))),
        _shown(speed_table(store, list(METHODS), text.release(text.SPEED))),
        *_contest(same, SAME, text.same(same)),
        *_contest(search, BUDGET, text.search(search), searching),
        *_contest(ready, READY, text.ready(ready), searching),
        _shown(larger_table(store, text.release(text.LARGER))),
        _shown(larger_duels(store, text.LARGER_PAIRS)),
        *_contest(more, MORE, text.more(more)),
        *_contest_with_itself(parts.complete()),
        _shown(few_table(store, text.release(text.FEW))),
        _shown(ladder(steps, LADDER_TITLE, text.release(text.LADDER))) if len(steps.methods) > 1 else "",
        text.how("EBM" in [*full.methods, *partly]) + text.missing(_missing(store, same, search)),
        f"{made} Versions of the peers: {', '.join(_versions(store))}. Generated; do not edit.\n",
        *(_shown(each_problem(full.only(methods=contestants(full)), name, sizes)) for name in MEASURES),
    ]
    found = sections("\n".join(section for section in new if section))
    body = renewed(sections(before), found)
    return "\n".join(["# Quality compared with other libraries\n", text.opening(full), *body.values()])


def _on_small_tables(store: Store) -> Results:
    found = as_they_come(store, TWO_CLASSES, KNOWN).complete()
    if REFERENCE not in found.methods:
        raise SystemExit(
            f"the results lack {REFERENCE} on some of the {len(TWO_CLASSES)} tables: run --only test first"
        )
    return found


def _beside_tuned(store: Store) -> Results:
    return beside_tuned(store, TUNED, [name for name in SEARCHES if name != REFERENCE], OUTER).complete()


def renewed(kept: dict[str, str], found: dict[str, str]) -> dict[str, str]:
    """What was found, in its order, and what is kept behind the part that it follows now."""
    order = list(found)
    for before, title in pairwise(["", *kept]):
        if title not in found:
            order.insert(order.index(before) + 1 if before in order else 0, title)
    return {title: found[title] if title in found else kept[title] for title in order}


def sections(page: str) -> dict[str, str]:
    """The text of each title of the second level, the title in it."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0].removeprefix("## "): part.rstrip("\n") + "\n" for part in parts}


def _shown(table: Table) -> str:
    if not table.rows:
        print(f"nothing was computed, so the page keeps what it had: {table.title}")
        return ""
    return table.to_markdown()


def _contest(
    results: Results,
    title: str,
    note: str,
    times: dict[str, str] | None = None,
    guests: dict[str, Results] | None = None,
) -> list[str]:
    """Means and ranks, the outcome in words, and the tests; nothing if there is nobody to compare."""
    if not text.contest(results):
        print(f"{REFERENCE} or all others were not run on all tables, so the page keeps what it had: {title}")
        return []
    tests = duels(results, f"{title}: pair by pair", text.PAIRS)
    return [_shown(summary(results, title, text.release(note), times, guests)), text.verdicts(results), _shown(tests)]


def _contest_with_itself(parts: Results) -> list[str]:
    if not text.contest(parts):
        print("no part was taken away, so the page keeps what it had: What each part of RareClassifier gives")
        return []
    return [_shown(duels(parts, "What each part of RareClassifier gives", text.release(text.ABLATION)))]


def _partly_run(store: Store, known: list[str]) -> dict[str, Results]:
    """Each method that is run on some tables or folds only, with all the others on the same."""
    found = {}
    for name in [name for name, method in METHODS.items() if name not in known and method.folds < FOLDS]:
        folds = METHODS[name].folds
        seen = as_they_come(store, TWO_CLASSES, [name], folds).measured_by(name)
        beside = as_they_come(store, seen, list(METHODS), folds).complete()
        if seen and REFERENCE in beside.methods:
            found[name] = beside
    return found


def _beside(method: str, results: Results) -> list[str]:
    note = text.release(text.partly(method, results, METHODS[method].folds))
    return [_shown(summary(results, f"{method}, where it was run", note)), text.verdicts(results)]


def _missing(store: Store, same: Results, search: Results) -> list[str]:
    """What parts that were made lack of the plan."""
    untouched = [name for name in LARGE if not store.latest(name, 0, "large", REFERENCE)]
    lacking = [name for name in METHODS if name not in same.methods and text.contest(same)]
    return [
        *([f"the same calibration and threshold for {text.listed(lacking)}"] if lacking else []),
        *(f"the tuning of {name}" for name in SEARCHES if name not in search.methods and text.contest(search)),
        *([f"the larger tables {text.listed(untouched)}"] if 0 < len(untouched) < len(LARGE) else []),
    ]


def _size(name: str) -> str:
    y = problem(name).y
    return f"{len(y):,}, {np.bincount(y).min():,}"


def _versions(store: Store) -> list[str]:
    used = {cell["key"][4].split(",")[0] for cell in store.cells.values() if cell["key"][5] == ""}
    return sorted(used - {""})
