"""Are promises kept on real tables? A part of each table is learned from, the rest judges.

    python benchmarks/promises/real_tables.py             the tables in RAREWOOD_DATA that hold at least 240 rare rows
    python benchmarks/promises/real_tables.py --write     also writes the table into docs/promises.md

Rows are drawn at random, each class in its share: so many that 40, or 120, of them are rare. RareClassifier chooses its thresholds on
out-of-bag scores. A promise counts as kept if the rest of the table shows it; the rest has a sampling error of its own.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from page import renew, table

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import RarewoodWarning

FOLDER = ("covtype-3_vs_4", "ism", "letter-A", "page", "pendigits-7", "phoneme", "satimage-4", "nursery-very_recom")
REAL = ("gmsc", "promotion", "mlc_churn", "polish1", "caravan", "lending")
SIZES = (40, 120)
RULES = ("precision=0.6", "precision=0.8", "recall=0.8")


@dataclass
class Score:
    """Promises of a rule: how many tables, how many were made, how many of these held, and what was left of the rest."""

    n: int = 0
    made: int = 0
    kept: int = 0
    rest: list[float] = field(default_factory=list)

    def add(self, made: bool, held: bool, rest: float) -> None:
        self.n += 1
        self.made += made
        self.kept += made and held
        self.rest.append(rest if made else 0.0)

    def __add__(self, other: Score) -> Score:
        return Score(self.n + other.n, self.made + other.made, self.kept + other.kept, self.rest + other.rest)

    def cells(self) -> list[str]:
        coverage = 1 - (self.made - self.kept) / self.n
        return [f"{coverage:.2f}", f"{self.kept} of {self.made}", f"{np.mean(self.rest):.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=5, help="of each table and size")
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--write", action="store_true", help="write the table into docs/promises.md")
    given = parser.parse_args()
    warnings.simplefilter("ignore", RarewoodWarning)
    scores: dict[tuple[str, int, str, bool], Score] = {}
    for name, X, y in tables():
        for n_rare in SIZES:
            for split in range(given.splits):
                for rule, promised, result in run(X, y, n_rare, split, given.trees):
                    scores.setdefault((name, n_rare, rule, promised), Score()).add(*result)
            told = [" ".join(scores[name, n_rare, rule, True].cells()) for rule in RULES]
            print(f"{name:20}{n_rare:4}  " + "   ".join(told), flush=True)
    text = table(
        ["table", "rare rows", *(f"{rule}@90%: coverage | kept | {other(rule)}".replace("|", "/") for rule in RULES)],
        rows_of(scores),
    )
    print(text)
    if given.write:
        renew({"real tables": text})


def tables() -> Iterator[tuple[str, Any, Any]]:
    for name in FOLDER:
        found = rw.datasets.load(name)
        yield name, found.X, np.asarray(found.y == rw.metrics.rarest_label(found.y)).astype(int)
    for name in REAL:
        frame = pd.read_parquet(Path(os.environ["RAREWOOD_DATA"]) / "real" / f"{name}.parquet")
        X = frame.drop(columns=[each for each in frame if each == "target" or each.startswith("_")])
        yield name, X, frame["target"].to_numpy()


def run(X: Any, y: Any, n_rare: int, split: int, trees: int) -> Iterator[tuple[str, bool, tuple[bool, bool, float]]]:
    """What each rule gives with and without a promise: whether it was made, whether it holds, and what is left of the rest."""
    rng = np.random.default_rng([split, n_rare])
    train = np.zeros(len(y), dtype=bool)
    for label in (0, 1):
        rows = rng.permutation(np.flatnonzero(y == label))
        train[rows[: round(n_rare * len(rows) / (y == 1).sum())]] = True
    model = rw.RareClassifier(trees, threshold=None, random_state=split).fit(X[train], y[train])
    scores, truth = model.predict_proba(X[~train])[:, 1], y[~train]
    for rule in RULES:
        what, floor = rule.split("=")
        for promised in (True, False):
            asked = f"{rule}@90%" if promised else rule
            threshold = fit_threshold(model, X[train], y[train], rule=asked, positive=1)
            called = threshold.apply(scores)
            true = {"recall": called[truth == 1].mean(), "precision": truth[called].mean() if called.any() else 1.0}
            made = threshold.promised or not promised
            yield rule, promised, (made, bool(true[what] >= float(floor)), float(true[other(rule)]))


def other(rule: str) -> str:
    return "recall" if rule.startswith("precision") else "precision"


def rows_of(scores: dict[tuple[str, int, str, bool], Score]) -> Iterator[list[str]]:
    names = list(dict.fromkeys(name for name, *_ in scores))
    for name in names:
        for n_rare in SIZES:
            yield [name, str(n_rare), *(" / ".join(scores[name, n_rare, rule, True].cells()) for rule in RULES)]
    for promised in (True, False):
        for n_rare in SIZES:
            sums = [sum((scores[name, n_rare, rule, promised] for name in names), Score()) for rule in RULES]
            label = "**all**" if promised else "all, without a promise"
            yield [label, str(n_rare), *(" / ".join(each.cells()) for each in sums)]


if __name__ == "__main__":
    main()
