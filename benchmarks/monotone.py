"""What monotone constraints cost: models of real tables with and without them, on rows that nothing has seen.

    RAREWOOD_DATA=... python benchmarks/monotone.py            # writes docs/monotone.md

Signs are those that somebody of the trade would write down before looking at the table. Some of five folds; all models see the same.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

import rarewood as rw
from rarewood.ensemble.families import families_for

PAGE = Path(__file__).parents[1] / "docs" / "monotone.md"
_CHOSEN = "<!-- written by benchmarks/monotone.py: tables that families were chosen on -->\n"
_CONFIRMED = "<!-- written by benchmarks/monotone.py: other tables -->\n"
_END = "<!-- to here -->\n"
_HEAD = (
    "| table | model | AP | with | AUC | with | log-loss | with | CPU s | with | rows with a wrong step | with |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


@dataclass(frozen=True)
class Signs:
    """Columns that the risk may only rise with, and only fall with."""

    rising: tuple[str, ...]
    falling: tuple[str, ...]

    def by_name(self) -> dict[str, int]:
        return dict.fromkeys(self.rising, 1) | dict.fromkeys(self.falling, -1)


CHOSEN_ON = {
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
CONFIRMED_ON = {
    "credit-g": Signs(("duration", "credit_amount", "installment_commitment"), ("age",)),
    "heart_kidney": Signs(("BMI", "PhysicalHealth"), ()),
    "nass": Signs(("ageOFocc",), ("yearVeh",)),
    "promotion": Signs(
        ("previous_year_rating", "KPIs_met _greaterthan_80percent", "awards_won", "avg_training_score"), ()
    ),
    "mlc_churn": Signs(("number_customer_service_calls", "total_day_minutes", "total_day_charge"), ()),
    "pima": Signs(("plas", "mass", "pedi", "age"), ()),
    "transfusion": Signs(("frequency", "monetary"), ("recency",)),
    "haberman": Signs(("nodes",), ()),
}
"""Tables that played no part when the families of trees under constraints were chosen."""
FREE_FAMILIES = "its families without constraints"
MODELS = {
    "RareClassifier": lambda signs, seed: rw.RareClassifier(monotonic_cst=signs, random_state=seed),
    FREE_FAMILIES: lambda signs, seed: rw.RareClassifier(monotonic_cst=signs, random_state=seed),
    "HeDExClassifier": lambda signs, seed: rw.HeDExClassifier(monotonic_cst=signs, random_state=seed),
    "ForestClassifier": lambda signs, seed: rw.ForestClassifier(monotonic_cst=signs, random_state=seed),
    "HistGradientBoosting": lambda signs, seed: HistGradientBoostingClassifier(
        monotonic_cst=signs, random_state=seed, categorical_features="from_dtype"
    ),
}


def read(table: str) -> tuple[pd.DataFrame, NDArray[Any], NDArray[Any] | None]:
    """Rows, labels, and the groups of the rows where some belong together."""
    folder = Path(os.environ["RAREWOOD_DATA"])
    if (folder / "real" / f"{table}.parquet").exists():
        frame = pd.read_parquet(folder / "real" / f"{table}.parquet")
    else:
        frame = pd.read_csv(folder / f"{table}.csv").rename(columns={"class": "target"})
        texts = [name for name in frame if name != "target" and not is_numeric_dtype(frame[name])]
        frame = frame.astype(dict.fromkeys(texts, "category"))
        frame["target"] = frame["target"].isin(["positive", 1]).astype(int)
    groups = frame["_group"].to_numpy() if "_group" in frame else None
    return (
        frame.drop(columns=[name for name in frame if name == "target" or name[0] == "_"]),
        frame["target"].to_numpy(),
        groups,
    )


def cells(table: str, signs: dict[str, int], folds: int) -> Iterator[tuple[str, bool, dict[str, float]]]:
    """The figures of each model, with and without constraints, on each fold."""
    X, y, groups = read(table)
    divide = (StratifiedKFold if groups is None else StratifiedGroupKFold)(5, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(divide.split(X, y, groups)):
        if fold == folds:
            return
        for name, make in MODELS.items():
            for constrained in (False, True):
                if name == FREE_FAMILIES and not constrained:
                    continue  # is RareClassifier
                model = make(signs if constrained else None, fold)
                start = time.process_time()
                with warnings.catch_warnings(), families_of(name):
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


@contextmanager
def families_of(name: str) -> Iterator[None]:
    """Inside, the constrained model that is named for it mixes the families of a free one."""
    if name != FREE_FAMILIES:
        yield
        return
    with mock.patch("rarewood.ensemble._rare.families_for", lambda n_classes, **_: families_for(n_classes)):
        yield


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
    page = PAGE.read_text()
    for mark, tables in ((_CHOSEN, CHOSEN_ON), (_CONFIRMED, CONFIRMED_ON)):
        lines = [_HEAD]
        for table, signs in tables.items():
            found: dict[tuple[str, bool], list[dict[str, float]]] = {}
            for name, constrained, figures in cells(table, signs.by_name(), folds):
                found.setdefault((name, constrained), []).append(figures)
            lines += [f"| {table} | {name} | {in_cells(found, name)} |" for name in MODELS]
        text = "\n".join(lines) + "\n"
        print(text)
        head, _, rest = page.partition(mark)
        page = f"{head}{mark}{text}\n{rest[rest.index(_END) :]}"
    PAGE.write_text(page)


def in_cells(found: dict[tuple[str, bool], list[dict[str, float]]], name: str) -> str:
    """Means over folds without and with constraints, as cells of a table."""
    of_key = []
    for key, form in (("AP", ".4f"), ("AUC", ".4f"), ("log-loss", ".4f"), ("seconds", ".1f"), ("wrong", ".0%")):
        means = [[each[key] for each in found.get((name, way), [])] for way in (False, True)]
        of_key.append(" | ".join(f"{np.mean(values):{form}}" if values else "" for values in means))
    return " | ".join(of_key)


if __name__ == "__main__":
    main()
