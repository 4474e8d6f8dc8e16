"""Does a threshold keep its word on later rows? Chosen out of bag, from rows of all times, and on later rows.

    python benchmarks/promises/in_time.py                                   recall=0.8, the tables in RAREWOOD_DATA/real
    python benchmarks/promises/in_time.py --rule recall=0.8 precision=0.5   several rules
    python benchmarks/promises/in_time.py --write                           also writes in_time.md beside this file

The rows are in the order of time: the last quarter is the future, on which all is judged. *Out of bag*: a model of the first three
quarters chooses its threshold on its own out-of-bag rows. *On later rows*: a model of the first half chooses it on the third
quarter; it is judged as it is, and carried to a model of the first three quarters, as `rarewood fit --time` does.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.evaluation import time_split

TABLES = {  # the column of time, or None where the rows are in order
    "fraud_oracle": ("car insurance claims, 1994 to 1996", "_time"),
    "handbook": ("simulated card payments, Fraud Detection Handbook", None),
    "bank_additional": ("bank marketing by date, 2008 to 2010", "_time"),
}
HEAD = ["table", "rule", "chosen", "threshold", "promised", "kept", "precision", "alarms", "AUC"]
Row = list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", nargs="+", default=["recall=0.8"], help="threshold rules, such as recall=0.8")
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write in_time.md beside this file")
    given = parser.parse_args()
    folder = Path(os.environ.get("RAREWOOD_DATA", "data")) / "real"
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    print(*lines, sep="\n")
    for name, (_, column) in TABLES.items():
        path = folder / f"{name}.parquet"
        if not path.exists():
            continue
        for row in judged(name, pd.read_parquet(path), column, given):
            lines.append("| " + " | ".join(row) + " |")
            print(lines[-1], flush=True)
    if given.write:
        Path(__file__).with_suffix(".md").write_text(page(lines, given))


def judged(name: str, frame: pd.DataFrame, column: str | None, given: argparse.Namespace) -> Iterator[Row]:
    """The three ways on one table, a row for each rule."""
    times = np.arange(len(frame)) if column is None else frame[column].to_numpy()
    X = frame.drop(columns=[each for each in frame if each == "target" or each.startswith("_")])
    y = frame["target"].to_numpy()
    past, future = (side(time_split(times)) for side in (lambda split: split.train, lambda split: split.later))
    inner = time_split(times[past], test_size=1 / 3)
    half, third = past[inner.train], past[inner.later]
    settings = {"n_estimators": given.trees, "random_state": given.seed, "threshold": None, "n_jobs": -1}
    early = rw.RareClassifier(**settings).fit(X.iloc[half], y[half])
    whole = rw.RareClassifier(**settings).fit(X.iloc[past], y[past])
    scores = {"early": early.predict_proba(X.iloc[future])[:, 1], "whole": whole.predict_proba(X.iloc[future])[:, 1]}
    for rule in given.rule:
        out_of_bag = fit_threshold(whole, X.iloc[past], y[past], rule=rule, positive=1)
        later = fit_threshold(early, X.iloc[third], y[third], rule=rule, positive=1, held_out=True)
        for chosen, threshold, model in (
            ("out of bag", out_of_bag, "whole"),
            ("on later rows, same model", later, "early"),
            ("on later rows, carried", later, "whole"),
        ):
            yield [name, rule, chosen, *figures(threshold, scores[model], y[future], rule)]


def figures(threshold: rw.metrics.DecisionThreshold, scores: np.ndarray, y: np.ndarray, rule: str) -> Row:
    """What a threshold was said to give, and what it gives on the future."""
    called = threshold.apply(scores)
    recall = float(called[y == 1].mean())
    precision = float((y[called] == 1).mean()) if called.any() else float("nan")
    auc = rw.metrics.rare_auc(y, scores, positive=1)
    of = {"precision": (threshold.precision, precision)}.get(rule.split("=")[0], (threshold.recall, recall))
    return [
        f"{threshold.value:.4f}",
        f"{of[0]:.3f}",
        f"**{of[1]:.3f}**",
        f"{precision:.3f}",
        f"{called.mean():.1%}",
        f"{auc:.3f}",
    ]


def page(lines: list[str], given: argparse.Namespace) -> str:
    about = "\n".join(f"- `{name}`: {what}" for name, (what, _) in TABLES.items())
    return (
        f"""# Thresholds on later rows

`python benchmarks/promises/in_time.py --rule {" ".join(given.rule)} --write`, RareClassifier with {given.trees} trees, seed {given.seed}.

Rows in the order of time; all is judged on the last quarter. *Out of bag*: a model of the first three quarters chooses its threshold on
its own out-of-bag rows, which are of all times. *On later rows*: a model of the first half chooses it on the third quarter
(`fit_threshold(held_out=True)`). *Same model*: that model is judged. *Carried*: the threshold is used by a model of the first three
quarters, as `rarewood fit --time` does. *Promised* is the recall (precision, for a rule on precision) on the rows that the threshold was
chosen on, *kept* the same on the last quarter; precision, alarms and AUC are those of the last quarter.

{about}

"""
        + "\n".join(lines)
        + "\n"
    )


if __name__ == "__main__":
    main()
