"""Does a threshold keep its word on later rows? Chosen out of bag, from rows of all times, and on later rows.

    python benchmarks/promises/in_time.py                                   recall=0.8, the tables in RAREWOOD_DATA/real
    python benchmarks/promises/in_time.py --rule recall=0.8 precision=0.5   several rules
    python benchmarks/promises/in_time.py --write                           also writes the table into docs/promises.md

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
from page import renew, table

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.evaluation import time_split

TABLES = {  # the column of time, or None where the rows are in order
    "fraud_oracle": "_time",
    "handbook": None,
    "bank_additional": "_time",
}
HEAD = ["table", "rule", "chosen", "threshold", "promised", "kept", "precision", "alarms", "AUC"]
Row = list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", nargs="+", default=["recall=0.8"], help="threshold rules, such as recall=0.8")
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write the table into docs/promises.md")
    given = parser.parse_args()
    folder = Path(os.environ.get("RAREWOOD_DATA", "data")) / "real"
    rows: list[Row] = []
    for name, column in TABLES.items():
        path = folder / f"{name}.parquet"
        if not path.exists():
            continue
        for row in judged(name, pd.read_parquet(path), column, given):
            rows.append(row)
            print(*row, sep="  ", flush=True)
    if given.write:
        renew({"time": table(HEAD, rows)})


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


if __name__ == "__main__":
    main()
