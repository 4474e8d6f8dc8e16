"""The page docs/real-tables.md, README's table and the guide's: from cells to tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from methods import BEFORE, BOOSTING, CALIBRATED, OTHERS, OURS, PLACEBO
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from tables import DRAWS, MOST_ROWS, kind_of, table_names

from quality.marks import renew
from quality.measures import MEASURES
from quality.store import Store
from quality.text import listed, wrapped
from report import markdown_rows

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "real-tables.md"
README, GUIDE = ROOT / "README.md", ROOT / "docs" / "guide" / "why-not-lightgbm.md"
SIGNS = {**MEASURES, "calibration error": -1}
LEAD = 0.005
"""Of average precision, below which a lead is not worth a word."""

INTRODUCTION = f"""\
# Real tables

Thirteen tables of the kind users bring: 5,000 to 40,000 rows, categories, gaps, duplicates, groups, time. Each is divided as its kind
asks for: rows at random, whole groups, later rows, or the rows that its source marks. At most {MOST_ROWS:,} rows are learned from, drawn
{DRAWS} times. Every method has the settings its library gives it and one thread; categories are handed over as each library takes them. The
design of `RareClassifier` [has seen](decisions/0007-families-and-leaf-weights.md) these tables; the others had no part in it.
[Quality](quality.md) has smaller tables, larger ones and those with more classes.

`python benchmarks/real` makes this page. In each line, a mean over the tables that the method was run on; behind it, against
`RareClassifier` on the same tables, how often that one is better and worse, and the p-value of Wilcoxon's signed-rank test, not corrected.
*Another seed* is the same `RareClassifier` with other random numbers: a difference that is no larger means nothing. *Calibration error* is
the mean distance of probability and frequency in tenths of the rows; *slope* that of the truth on the log-odds of new rows, median over
the tables: 1 is right, below 1 probabilities are too extreme. CPU time is a ratio to `RareClassifier`, the geometric mean over tables, of
one division each, measured by turns on a machine that did nothing else (`--times`).
"""

EQUAL = """\
## With the same calibration and threshold

Boosting does not calibrate itself and decides at 0.5. Here each gets what `RareClassifier` has: scores of training rows from 3 folds, beta
calibration fitted to them, and half the best F1 as the threshold. The order of scores, and so AUC and average precision, stay nearly the
same; fitting costs three further fits. What fitting took is from the busy machine that made the other figures.
"""


def write_page(store: Store) -> None:
    parts = [INTRODUCTION, "## As they come", "", *_lines(store, "real", [OURS, PLACEBO, BEFORE, *OTHERS]), ""]
    parts += [_slopes(store), "", EQUAL, *_lines(store, "equal", [OURS, PLACEBO, *CALIBRATED]), ""]
    parts += ["## Average precision on each real table", "", *_each_table(store), "", *_leads(store), ""]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    for path in (README, GUIDE):
        renew(path, "quality-table", _short(store))
    renew(GUIDE, "leads", _leads(store))


def _slopes(store: Store) -> str:
    """Whether probabilities of new rows, which all trees score, are too extreme or too timid."""
    slopes = {
        method: np.median(_by_table(cells, list(cells), "slope"))
        for method in (OURS, *BOOSTING)
        if (cells := _cells(store, "real", method))
    }
    others = listed([f"{slope:.2f} of {method}" for method, slope in slopes.items() if method != OURS])
    return wrapped(
        f"The calibration is learned from rows that trees left out, and carried to new rows, which all trees score "
        f"([decision 6](decisions/0006-calibration-for-new-rows.md)): the slope of {slopes[OURS]:.2f} stands beside {others}."
    )


def _leads(store: Store) -> list[str]:
    """Where boosting finds the rare class better than `RareClassifier`, by more than another seed does, in words."""
    found = []
    for table in table_names():
        ours, again, *theirs = (_of_table(store, method, table) for method in (OURS, PLACEBO, *BOOSTING))
        if max(theirs) - ours > max(LEAD, abs(again - ours)):
            found.append(f"{BOOSTING[np.argmax(theirs)]} on *{table}* ({max(theirs):.3f} beside {ours:.3f})")
    said = f"by more than {LEAD} and by more than another seed: {listed(found)}" if found else "by so much"
    count = f"{len(found)} of the {len(table_names())} tables"
    return [wrapped(f"On {count} the best of boosting is ahead in average precision {said}.")]


def _of_table(store: Store, method: str, table: str) -> float:
    cells = {place: cell for place, cell in _cells(store, "real", method).items() if place[0] == table}
    return float(_by_table(cells, list(cells), "average precision")[0]) if cells else -np.inf


def _short(store: Store) -> list[str]:
    """What README says of quality and speed: means over the real tables, as they come and with the same calibration and threshold."""
    rows = [["", "AUC", "average precision", "F1", "log-loss", "F1, equal", "log-loss, equal", "fit", "predict"]]
    for method in [OURS, PLACEBO, *OTHERS]:
        cells, equal = _cells(store, "real", method), _cells(store, "equal", method)
        if len(cells) < len(_cells(store, "real", OURS)):
            continue
        shown = [f"{_by_table(cells, list(cells), name).mean():.3f}" for name in rows[0][1:5]]
        shown += [f"{_by_table(equal, list(equal), name).mean():.3f}" if equal else "" for name in ("F1", "log-loss")]
        rows.append([method, *shown, *_costs(store, method, list(cells))])
    for j in range(1, 7):
        best = (min if "log-loss" in rows[0][j] else max)(row[j] for row in rows[1:] if row[j])
        for row in rows[1:]:
            row[j] = f"**{row[j]}**" if row[j] == best else row[j]
    rows[1][0] = f"**`{OURS}`**"
    return markdown_rows(rows)


Cells = dict[tuple[str, int], dict[str, float]]
"""By table and division."""


def _cells(store: Store, kind: str, method: str) -> Cells:
    own = "real" if kind == "equal" and method in (OURS, PLACEBO) else kind  # they calibrate themselves
    places = [(name, number) for name in table_names() for number in range(DRAWS)]
    found = {place: store.latest(*place, own, method) for place in places}
    return {place: cell for place, cell in found.items() if cell is not None}


def _by_table(cells: Cells, places: Sequence[tuple[str, int]], name: str) -> NDArray[np.float64]:
    """Of each table, the mean over these divisions of it."""
    tables = list(dict.fromkeys(table for table, _ in places))
    return np.array([np.mean([cells[place][name] for place in places if place[0] == table]) for table in tables])


def _lines(store: Store, kind: str, methods: Sequence[str]) -> list[str]:
    ours = _cells(store, kind, OURS)
    measures = [name for name in SIGNS if name in next(iter(ours.values()))]
    rows = [["", "tables", *measures, "slope", "fit", "predict"]]
    for method in methods:
        theirs = _cells(store, kind, method)
        places = [place for place in ours if place in theirs]
        if not places:
            continue
        row = [method, str(len({table for table, _ in places}))]
        for name in measures:
            a, b = (_by_table(cells, places, name) for cells in (theirs, ours))
            row.append(f"{a.mean():.4f}" if method == OURS else f"{a.mean():.4f} ({_duel(SIGNS[name] * (b - a))})")
        row.append(f"{np.median(_by_table(theirs, places, 'slope')):.2f}")
        rows.append([*row, *_costs(store, method, places, "times" if kind == "real" else kind)])
    return markdown_rows(rows)


def _costs(store: Store, method: str, places: Sequence[tuple[str, int]], kind: str = "times") -> list[str]:
    """Of fit and predict: CPU time as a ratio to ours."""
    ours, theirs = _cells(store, kind, OURS), _cells(store, kind, method)
    both = [place for place in places if place in ours and place in theirs]
    if method == OURS or not both:
        return ["1", "1"] if method == OURS else ["", ""]
    ratios = {time: _by_table(theirs, both, time) / _by_table(ours, both, time) for time in ("fit", "predict")}
    return ["" if np.isnan(r).any() else f"{np.exp(np.log(r).mean()):.2g}" for r in ratios.values()]


def _duel(gains: NDArray[np.float64]) -> str:
    gains = np.round(gains, 5)
    p = wilcoxon(gains).pvalue if (gains != 0).any() else 1.0
    return f"{np.sum(gains > 0)}-{np.sum(gains < 0)}, p {p:.2g}"


def _each_table(store: Store) -> list[str]:
    methods = [OURS, PLACEBO, BEFORE, *OTHERS]
    cells = {method: _cells(store, "real", method) for method in methods}
    rows = [["table", "divided", *methods, "effects kept"]]
    for table in table_names():
        places = [(table, number) for number in range(DRAWS)]
        known = [all(place in cells[method] for place in places) for method in methods]
        values = [
            _by_table(cells[method], places, "average precision")[0] if there else np.nan
            for method, there in zip(methods, known, strict=True)
        ]
        shown = ["" if np.isnan(v) else f"**{v:.3f}**" if v == np.nanmax(values) else f"{v:.3f}" for v in values]
        kept = sum(cells[OURS][place]["effects"] for place in places)
        rows.append([table, kind_of(table), *shown, f"{kept:.0f} of {len(places)}"])
    return markdown_rows(rows)
