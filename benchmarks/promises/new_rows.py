"""Are probabilities of new rows right? Before and after the calibration is carried from out-of-bag rows to new ones.

    python benchmarks/promises/new_rows.py            the tables in RAREWOOD_DATA, and noise
    python benchmarks/promises/new_rows.py --write    also writes new_rows.md beside this file

Half of a table, at most 4,000 rows, is the training set, the rest (at most 20,000 rows) is new. *Before* is the calibration that fits
out-of-bag rows, which a fifth of the trees have scored; *after* is what `predict_proba` gives. Both are of the same fit, without column
effects, whose calibration is carried by other means. Slope: of a logistic regression of the labels on the log-odds; 1 is right,
more is under-confident. Excess: the mean probability of new rows less the share of the class in training.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

import rarewood as rw

TABLES = [
    "car",
    "cardio",
    "covtype-3_vs_4",
    "credit-g",
    "ecoli2",
    "haberman",
    "ism",
    "letter-A",
    "oil",
    "page",
    "phoneme",
    "pima",
    "satimage-4",
    "sick",
    "splice",
    "steel",
    "transfusion",
    "vehicle3",
    "winequality-red-4",
    "yeast-2_vs_4",
]
HEAD = ["table", "rare", "slope", "", "log-loss", "", "excess", "", "F1", ""]
MOST, MOST_NEW = 4000, 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7, help="of the splits; the design used 1")
    parser.add_argument("--write", action="store_true", help="write new_rows.md beside this file")
    given = parser.parse_args()
    warnings.simplefilter("ignore", rw.exceptions.RarewoodWarning)
    lines, found = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)], []
    print(*lines, sep="\n")
    for name, X, y in tables():
        figures = np.mean(list(judged(X, y, given)), axis=0)
        if name != "noise":
            found.append(figures)
        lines.append(line(name, figures))
        print(lines[-1], flush=True)
    lines.append(line(f"mean of {len(found)} real tables", np.mean(found, axis=0)))
    summary = summed(np.array(found))
    print(lines[-1], summary, sep="\n")
    if given.write:
        Path(__file__).with_suffix(".md").write_text(page(lines, summary, given))


def tables() -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """Real ones, of which the folder has some; noise of 8 % rare rows."""
    rng = np.random.default_rng(0)
    yield "noise", pd.DataFrame(rng.normal(size=(24_000, 8))), (rng.random(24_000) < 0.08).astype(int)
    folder = Path(os.environ["RAREWOOD_DATA"])
    for path in sorted((folder / "real").glob("*.parquet")):
        frame = pd.read_parquet(path)
        if "target" in frame and path.stem != "handbook":
            kept = [column for column in frame if column != "target" and not column.startswith("_")]
            yield path.stem, frame[kept], frame["target"].to_numpy().astype(int)
    for name in TABLES:
        data = rw.datasets.load(name)
        y = np.asarray(data.y)
        yield name, data.X, (y == rw.metrics.rarest_label(y)).astype(int)


def judged(X: pd.DataFrame, y: np.ndarray, given: argparse.Namespace) -> Iterator[list[float]]:
    rng = np.random.default_rng(given.seed)
    for split in range(given.splits):
        order = rng.permutation(len(y))
        size = min(len(y) // 2, MOST)
        train, new = order[:size], order[size : size + MOST_NEW]
        model = rw.RareClassifier(given.trees, column_effects=False, random_state=split).fit(X.iloc[train], y[train])
        after = logit(np.clip(model.predict_proba(X.iloc[new])[:, 1], 1e-12, 1 - 1e-12))
        line = model._sharpening
        before = (after - line.offset) / line.slope
        cut = logit(model.decision_threshold_.value)
        yield [
            y[train].sum(),
            *(slope(z, y[new]) for z in (before, after)),
            *(np.logaddexp(0.0, np.where(y[new] == 1, -z, z)).mean() for z in (before, after)),
            *(expit(z).mean() - y[train].mean() for z in (before, after)),
            *(f1_score(y[new], z >= cut, zero_division=0.0) for z in (before, after)),
        ]


def slope(log_odds: np.ndarray, y: np.ndarray) -> float:
    return float(LogisticRegression(C=1e6, max_iter=1000).fit(log_odds[:, np.newaxis], y).coef_[0, 0])


def line(name: str, figures: np.ndarray) -> str:
    n_rare, *rest = figures
    digits = [3, 3, 5, 5, 4, 4, 4, 4]
    cells = [
        f"{value:+.{n}f}" if 4 <= place < 6 else f"{value:.{n}f}"
        for place, (value, n) in enumerate(zip(rest, digits, strict=True))
    ]
    return f"| {name} | {n_rare:.0f} | " + " | ".join(cells) + " |"


def summed(found: np.ndarray) -> str:
    slopes, losses = found[:, 1:3], found[:, 3:5]
    change = np.log(losses[:, 1] / losses[:, 0]).mean()
    return (
        f"Median slope {np.median(slopes[:, 0]):.3f} before, {np.median(slopes[:, 1]):.3f} after; slopes above 1.05 on "
        f"{(slopes[:, 0] > 1.05).sum()} tables before, {(slopes[:, 1] > 1.05).sum()} after, below .95 on {(slopes[:, 0] < 0.95).sum()} and "
        f"{(slopes[:, 1] < 0.95).sum()}; mean |log slope| {np.abs(np.log(slopes[:, 0])).mean():.3f} and "
        f"{np.abs(np.log(slopes[:, 1])).mean():.3f}. Log-loss is lower on {(losses[:, 1] < losses[:, 0]).sum()} of {len(found)} tables, "
        f"mean {losses[:, 0].mean():.5f} before and {losses[:, 1].mean():.5f} after, {100 * change:+.2f} % in the geometric mean."
    )


def page(lines: list[str], summary: str, given: argparse.Namespace) -> str:
    about = "\n".join((__doc__ or "").split("\n\n")[2].splitlines())
    return (
        "# Probabilities of new rows, before and after they are carried to all trees\n\n"
        f"Written by `python benchmarks/promises/new_rows.py --write`, {given.trees} trees, {given.splits} splits each.\n\n"
        f"{about}\n\nOf each pair of columns, the first is before, the second after.\n\n"
        + "\n".join(lines)
        + f"\n\n{summary}\n"
    )


if __name__ == "__main__":
    main()
