"""What other pages repeat of docs/quality.md, between marks."""

from __future__ import annotations

import numpy as np

from quality.large import larger_outcome, widest_gap
from quality.marks import renew
from quality.measures import MEASURES
from quality.methods import REFERENCE
from quality.results import Results
from quality.store import ROOT, Store
from quality.tables import contestants, critical_difference, differences, ranks
from quality.text import contest, release, wrapped
from report import markdown_rows

GUIDE = ROOT / "docs" / "guide"
WHY_NOT, CHOOSING = GUIDE / "why-not-lightgbm.md", GUIDE / "choosing.md"
_ON_SMALL_TABLES = ["CatBoost", "CatBoost 300", "LightGBM", "HistGradientBoosting"]
_TO_CHOOSE_FROM = [
    "CatBoost",
    "CatBoost 300",
    "HeDExh",
    "HeDEx",
    "random forest (scikit-learn)",
    "balanced forest",
    "LightGBM",
]


def write_extracts(store: Store, full: Results, ready: Results) -> None:
    """A part for which there are no results stays as it is."""
    small = [name for name in _ON_SMALL_TABLES if name in full.methods]
    renew(WHY_NOT, "small-tables", _means(full, [REFERENCE, *small]))
    if contest(ready):
        tuned = _means(ready, ready.methods, "CPU s of search and fit")
        renew(WHY_NOT, "after-tuning", [*tuned, "", release("")])
    if larger := larger_outcome(store):
        said = f"Against LightGBM and CatBoost with 500 rounds, {larger} {widest_gap(store)}"
        renew(WHY_NOT, "larger-tables", [wrapped(release(said))])
    renew(CHOOSING, "ranks", _ranks(full))


def _means(results: Results, methods: list[str], cost: str = "") -> list[str]:
    rows = [["", *MEASURES, *([cost] if cost else [])]]
    for method in methods:
        j = results.methods.index(method)
        means = [f"{results.values[name][:, j].mean():.4f}" for name in MEASURES]
        rows.append([method, *means, *([f"{results.values['fit'][:, j].sum():.3g}"] if cost else [])])
    return markdown_rows(rows)


def _ranks(full: Results) -> list[str]:
    ranked = full.only(methods=contestants(full))
    places = {name: ranks(ranked, name).mean(axis=0) for name in MEASURES}
    rows = [["method", *MEASURES]]
    for method in [REFERENCE, *(name for name in _TO_CHOOSE_FROM if name in ranked.methods)]:
        shown = [places[name][ranked.methods.index(method)] for name in MEASURES]
        best = [place == places[name].min() for name, place in zip(MEASURES, shown, strict=True)]
        rows.append([method, *(f"**{p:.1f}**" if b else f"{p:.1f}" for p, b in zip(shown, best, strict=True))])
    lines = [
        f"Mean ranks among {len(ranked.methods)} methods: 1 is best, and differences below {critical_difference(full):.1f} may be chance.",
        "",
        *markdown_rows(rows),
    ]
    for rival in [name for name in ("CatBoost", "CatBoost 300") if name in ranked.methods]:
        ahead = np.round(differences(full, "AUC", [rival])[:, 0], 4)
        wins = f"on {np.sum(ahead > 0)} of {len(ahead)} tables and worse on {np.sum(ahead < 0)}"
        lines += ["", wrapped(f"No method wins everywhere: {REFERENCE} ranks rows better than {rival} in AUC {wins}.")]
    return lines
