"""The page docs/real-tables.md: from cells to tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from methods import CALIBRATED
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from tables import DRAWS, MOST_ROWS, divisions_of, kind_of

from quality.measures import MEASURES
from quality.store import Store
from report import markdown_rows

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "real-tables.md"
SHORT = [ROOT / "README.md", ROOT / "docs" / "guide" / "why-not-lightgbm.md"]
"""Those that show the short table, between two marks."""
BEGIN, END = "<!-- quality-table: begin -->", "<!-- quality-table: end -->"
OURS, PLACEBO, BEFORE = "RareClassifier", "RareClassifier, another seed", "RareClassifier 0.2.0"
OTHERS = [
    "CatBoost 300",
    "CatBoost 1,000",
    "LightGBM",
    "HistGradientBoosting",
    "random forest (scikit-learn)",
    "extra-trees (scikit-learn)",
    "TabPFN 0.1",
]
SIGNS = {**MEASURES, "calibration error": -1}

INTRODUCTION = f"""\
# Real tables

Thirteen tables of the kind users bring: 5,000 to 40,000 rows, categories, gaps, duplicates, groups, time. Each is divided as its kind
asks for: rows at random, whole groups, later rows, or the rows that its source marks. At most {MOST_ROWS:,} rows are learned from, drawn
{DRAWS} times. Below them, the 44 small tables of [quality](quality.md) in the same 5 folds, and tables with more classes. Every method
has the settings its library gives it and one thread; categories are handed over as each library takes them. The design of
`RareClassifier` [has seen](decisions/0007-families-and-leaf-weights.md) the real tables; the others had no part in it.

`python benchmarks/real` makes this page. In each line, a mean over the tables that the method was run on; behind it, against
`RareClassifier` on the same tables, how often that one is better and worse, and the p-value of Wilcoxon's signed-rank test, not corrected.
*Another seed* is the same `RareClassifier` with other random numbers: a difference that is no larger means nothing. CPU time is a ratio to
`RareClassifier`, the geometric mean over tables. For the real tables it was measured by turns on a machine that did nothing else
(`--times`); elsewhere the machine was busy with other work, so 10 % mean little.
"""

EQUAL = """\
## With the same calibration and threshold

Boosting does not calibrate itself and decides at 0.5. Here each gets what `RareClassifier` has: scores of training rows from 3 folds, beta
calibration fitted to them, and half the best F1 as the threshold. The order of scores, and so AUC and average precision, stay nearly the
same; fitting costs three further fits.
"""


def write_page(store: Store) -> None:
    parts = [INTRODUCTION]
    for kind, title in (
        ("real", "Real tables"),
        ("small", "44 small tables"),
        ("many classes", "More than two classes"),
    ):
        parts += [f"## {title}", "", *_lines(store, kind, [OURS, PLACEBO, BEFORE, *OTHERS]), ""]
    parts += [EQUAL, *_lines(store, "equal", [OURS, *CALIBRATED]), ""]
    parts += ["## Average precision on each real table", "", *_each_table(store), ""]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    for path in SHORT:
        before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        path.write_text("\n".join([before + BEGIN, *_short(store), END + after]), encoding="utf-8")


def _short(store: Store) -> list[str]:
    """What README says of quality and speed: means over the real tables, as they come and with the same calibration and threshold."""
    rows = [["", "AUC", "average precision", "F1", "log-loss", "F1, equal", "log-loss, equal", "fit", "predict"]]
    for method in [OURS, *OTHERS[:-1]]:
        cells, equal = _cells(store, "real", method), _cells(store, "equal", method)
        if len(cells) < len(_cells(store, "real", OURS)):
            continue
        shown = [f"{_by_table(cells, list(cells), name).mean():.3f}" for name in rows[0][1:5]]
        shown += [f"{_by_table(equal, list(equal), name).mean():.3f}" if equal else "" for name in ("F1", "log-loss")]
        rows.append([method, *shown, *_costs(store, "real", method, list(cells))])
    for j in range(1, 7):
        best = (min if "log-loss" in rows[0][j] else max)(row[j] for row in rows[1:] if row[j])
        for row in rows[1:]:
            row[j] = f"**{row[j]}**" if row[j] == best else row[j]
    rows[1][0] = f"**`{OURS}`**"
    return markdown_rows(rows)


Cells = dict[tuple[str, int], dict[str, float]]
"""By table and division."""


def _cells(store: Store, kind: str, method: str) -> Cells:
    own = "real" if kind == "equal" and method == OURS else kind
    tables = divisions_of("real" if kind in ("equal", "times") else kind)
    places = [(name, n) for name, numbers in tables.items() for n in numbers]
    found = {place: store.latest(*place, own, method) for place in places}
    return {place: cell for place, cell in found.items() if cell is not None}


def _by_table(cells: Cells, places: Sequence[tuple[str, int]], name: str) -> NDArray[np.float64]:
    """Of each table, the mean over these divisions of it."""
    tables = list(dict.fromkeys(table for table, _ in places))
    return np.array([np.mean([cells[place][name] for place in places if place[0] == table]) for table in tables])


def _lines(store: Store, kind: str, methods: Sequence[str]) -> list[str]:
    ours = _cells(store, kind, OURS)
    measures = [name for name in SIGNS if name in next(iter(ours.values()))]
    rows = [["", "tables", *measures, *(["slope"] if len(measures) == len(SIGNS) else []), "fit", "predict"]]
    for method in methods:
        theirs = _cells(store, kind, method)
        places = [place for place in ours if place in theirs]
        if not places:
            continue
        row = [method, str(len({table for table, _ in places}))]
        for name in measures:
            a, b = (_by_table(cells, places, name) for cells in (theirs, ours))
            row.append(f"{a.mean():.4f}" if method == OURS else f"{a.mean():.4f} ({_duel(SIGNS[name] * (b - a))})")
        if "slope" in rows[0]:
            row.append(f"{np.median(_by_table(theirs, places, 'slope')):.2f}")
        rows.append([*row, *_costs(store, kind, method, places)])
    return markdown_rows(rows)


def _costs(store: Store, kind: str, method: str, places: Sequence[tuple[str, int]]) -> list[str]:
    """Of fit and predict: CPU time as a ratio to ours, if possible as measured by turns."""
    if kind == "real":
        kind, places = "times", [place for place in places if place[1] == 0]
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
    methods = [OURS, PLACEBO, BEFORE, *OTHERS[:-1]]
    cells = {method: _cells(store, "real", method) for method in methods}
    rows = [["table", "divided", *methods, "effects kept"]]
    for table, numbers in divisions_of("real").items():
        places = [(table, number) for number in numbers]
        known = [all(place in cells[method] for place in places) for method in methods]
        values = [
            _by_table(cells[method], places, "average precision")[0] if there else np.nan
            for method, there in zip(methods, known, strict=True)
        ]
        shown = ["" if np.isnan(v) else f"**{v:.3f}**" if v == np.nanmax(values) else f"{v:.3f}" for v in values]
        kept = sum(cells[OURS][place]["effects"] for place in places)
        rows.append([table, kind_of(table), *shown, f"{kept:.0f} of {len(places)}"])
    return markdown_rows(rows)
