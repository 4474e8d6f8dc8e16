"""What monotone constraints cost: models of credit tables with and without them, on rows that nothing has seen.

    RAREWOOD_DATA=... python benchmarks/monotone.py            # writes docs/monotone.md

Signs are those that a lender would write down before looking at the table. Some of five folds; all models see the same.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import rarewood as rw

PAGE = Path(__file__).parents[1] / "docs" / "monotone.md"
_MARK = "<!-- the table is written by benchmarks/monotone.py -->\n"


@dataclass(frozen=True)
class Signs:
    """Columns that the risk may only rise with, and only fall with."""

    rising: tuple[str, ...]
    falling: tuple[str, ...]

    def by_name(self) -> dict[str, int]:
        return dict.fromkeys(self.rising, 1) | dict.fromkeys(self.falling, -1)


TABLES = {
    "gmsc": Signs(
        (
            "RevolvingUtilizationOfUnsecuredLines",
            "NumberOfTime30-59DaysPastDueNotWorse",
            "NumberOfTime60-89DaysPastDueNotWorse",
            "NumberOfTimes90DaysLate",
        ),
        ("age", "MonthlyIncome"),
    ),
    "lending": Signs(
        (
            "int_rate",
            "revol_util",
            "all_util",
            "inq_last_6mths",
            "inq_last_12m",
            "inq_fi",
            "delinq_2yrs",
            "acc_now_delinq",
        ),
        ("annual_inc",),
    ),
    # liabilities and short-term liabilities to assets; net profit, working capital, retained earnings, EBIT, equity to assets, liquidity
    "polish1": Signs(("Attr2", "Attr51"), ("Attr1", "Attr3", "Attr4", "Attr6", "Attr7", "Attr8", "Attr10")),
}
MODELS = {
    "RareClassifier": lambda signs, seed: rw.RareClassifier(monotonic_cst=signs, random_state=seed),
    "HeDExClassifier": lambda signs, seed: rw.HeDExClassifier(monotonic_cst=signs, random_state=seed),
    "ForestClassifier": lambda signs, seed: rw.ForestClassifier(monotonic_cst=signs, random_state=seed),
    "HistGradientBoosting": lambda signs, seed: HistGradientBoostingClassifier(
        monotonic_cst=signs, random_state=seed, categorical_features="from_dtype"
    ),
}


def cells(table: str, folds: int) -> Iterator[tuple[str, bool, dict[str, float]]]:
    """The figures of each model, with and without constraints, on each fold."""
    frame = pd.read_parquet(Path(os.environ["RAREWOOD_DATA"]) / "real" / f"{table}.parquet")
    X, y, signs = frame.drop(columns="target"), frame["target"].to_numpy(), TABLES[table].by_name()
    for fold, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)):
        if fold == folds:
            return
        for name, make in MODELS.items():
            for constrained in (False, True):
                model = make(signs if constrained else None, fold)
                start = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model.fit(X.iloc[train], y[train])
                seconds = time.process_time() - start
                scores = model.predict_proba(X.iloc[test])[:, 1]
                found = {
                    "AP": average_precision_score(y[test], scores),
                    "AUC": roc_auc_score(y[test], scores),
                    "log-loss": log_loss(y[test], np.clip(scores, 1e-6, 1.0 - 1e-6)),
                    "seconds": seconds,
                    "wrong": wrong_steps(model, X.iloc[test[:200]], signs, X),
                }
                print(
                    table, fold, name, constrained, {key: round(value, 4) for key, value in found.items()}, flush=True
                )
                yield name, constrained, found


def wrong_steps(model: Any, rows: pd.DataFrame, signs: dict[str, int], X: pd.DataFrame) -> float:
    """The share of rows whose score takes a step the wrong way somewhere along a constrained column."""
    wrong: NDArray[np.bool_] = np.zeros(len(rows), dtype=bool)
    for name, sign in signs.items():
        grid = np.unique(np.quantile(X[name].dropna(), np.linspace(0, 1, 30)))
        along = rows.iloc[np.repeat(np.arange(len(rows)), len(grid))].copy()
        along[name] = np.tile(grid, len(rows)).astype(X[name].dtype)
        scores = model.predict_proba(along)[:, 1].reshape(len(rows), len(grid))
        wrong |= (sign * np.diff(scores, axis=1) < -1e-12).any(axis=1)
    return float(wrong.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=5, help="of five")
    folds = parser.parse_args().folds
    lines = [
        "| table | model | AP | with | AUC | with | log-loss | with | CPU s | with | rows with a wrong step | with |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for table in TABLES:
        found: dict[tuple[str, bool], list[dict[str, float]]] = {}
        for name, constrained, figures in cells(table, folds):
            found.setdefault((name, constrained), []).append(figures)
        for name in MODELS:
            means = [
                {key: np.mean([each[key] for each in found[name, way]]) for key in found[name, way][0]}
                for way in (False, True)
            ]
            pairs = [
                f"{before[key]:{form}} | {after[key]:{form}}"
                for before, after in [means]
                for key, form in (
                    ("AP", ".4f"),
                    ("AUC", ".4f"),
                    ("log-loss", ".4f"),
                    ("seconds", ".1f"),
                    ("wrong", ".0%"),
                )
            ]
            lines.append(f"| {table} | {name} | {' | '.join(pairs)} |")
    text = "\n".join(lines) + "\n"
    print(text)
    head, _, rest = PAGE.read_text().partition(_MARK)
    tail = rest[rest.rfind("|\n") + 2 :] if "|\n" in rest else rest
    PAGE.write_text(f"{head}{_MARK}{text}{tail}")


if __name__ == "__main__":
    main()
