"""Two tables, a handful of methods, rules that are known, reasons for an alarm: the work of `rarewood demo`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import rarewood
from rarewood._recipes import Selected
from rarewood._rules import RuleList
from rarewood.cli._files import whole_file
from rarewood.cli._table_fit import Fitted, fit_table, prepare
from rarewood.cli._training import TableOptions, read_training
from rarewood.datasets import PlantedRules, load, make_planted_rules
from rarewood.evaluation import Comparison, compare
from rarewood.inspection import explain

TARGET, RARE, OTHER, ID = "fraud", "yes", "no", "payment_id"
_ROWS, _TEST_ROWS = 10_000, 5_000
_QUICK_ROWS, _QUICK_TEST_ROWS = 1_500, 800


@dataclass(frozen=True, eq=False)
class Payments:
    """Card payments with planted fraud rules, to learn from and to test on, as objects and as CSV files."""

    train: PlantedRules
    test: PlantedRules
    train_path: Path
    test_path: Path


@dataclass(frozen=True)
class Recovery:
    """A planted rule beside the found one that is most alike: of fresh rows where either holds, both hold in that share."""

    planted: str
    found: str
    likeness: float


def make_payments(folder: Path, seed: int, quick: bool) -> Payments:
    """Generate the tables and write them to the folder."""
    sizes = (_QUICK_ROWS, _QUICK_TEST_ROWS) if quick else (_ROWS, _TEST_ROWS)
    train, test = (make_planted_rules(n, as_frame=True, random_state=seed + i) for i, n in enumerate(sizes))
    paths = (folder / "payments.csv", folder / "payments-test.csv")
    for data, path, letter in zip((train, test), paths, "PT"):
        frame = data.X.copy()
        frame.insert(0, ID, [f"{letter}{number:06d}" for number in range(1, len(frame) + 1)])
        frame[TARGET] = np.where(data.y == 1, RARE, OTHER)
        with whole_file(str(path)) as file:
            frame.to_csv(file, index=False)
    return Payments(train, test, *paths)


def compare_methods(payments: Payments, *, seed: int, n_jobs: int, quick: bool, verbose: int) -> Comparison:
    """Methods on the payments and on scikit-learn's handwritten digits, where an eight, one image in ten, is rare."""
    digits = load("sklearn:digits")
    eight = np.where(digits.y.astype(str) == "8", "eight", "other")
    tables = {"payments": (payments.train.X, payments.train.y, 1), "digits": (digits.X, eight, "eight")}
    return compare(
        _methods(few_trees=quick),
        {"payments": tables["payments"]} if quick else tables,
        "1x2" if quick else "5x2",
        ["auc", "average_precision", "log_loss"],
        n_jobs=n_jobs,
        progress=bool(verbose),
        random_state=seed,
    )


def _methods(few_trees: bool) -> dict[str, Any]:
    trees = {"n_estimators": 10} if few_trees else {}
    known = {"RareClassifier": "rare", "HeDEx": "hedex", "HeDExh": "hedexh"}
    ours = {title: rarewood.make(name, **trees) for title, name in known.items()}
    boosting = {"LightGBM": rarewood.make("lightgbm", settings=trees)} if find_spec("lightgbm") else {}
    categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((categories, Selected("from_dtype", nominal=True)), remainder="passthrough")
    weighted = make_pipeline(columns, RandomForestClassifier(class_weight="balanced", **trees))
    return {**ours, **boosting, "weighted forest": weighted}


def fit_payments(payments: Payments, *, seed: int, n_jobs: int, quick: bool, verbose: int) -> Fitted:
    """The default on the payments, as `rarewood fit` would."""
    settings = ["n_estimators=30"] if quick else []
    model = prepare("rare", settings, n_jobs=n_jobs, seed=seed, verbose=verbose)
    table = read_training(str(payments.train_path), TableOptions(TARGET, ids=(ID,)), RARE)
    return fit_table(model, table, "rare", rule="f1", prior=None, n_rules=10, n_jobs=n_jobs, seed=seed, verbose=verbose)


def recoveries(payments: Payments, rules: RuleList) -> list[Recovery]:
    """Each planted rule and the found rule that holds for most of the same test rows."""
    fresh = payments.test.X
    held = rules.covers(fresh).T
    recovered = []
    for planted in payments.test.rules:
        truth = planted.holds(fresh)
        alike = [float((cover & truth).sum()) / max(1.0, float((cover | truth).sum())) for cover in held]
        best = int(np.argmax(alike)) if alike else -1
        recovered.append(Recovery(str(planted), rules.rules[best].rule if alike else "", alike[best] if alike else 0.0))
    return recovered


def strongest_alarm(model: Any, payments: Payments) -> str:
    """Why the likeliest fraud among the test payments is one, in a few lines."""
    column = model.classes_.tolist().index(RARE)
    likeliest = payments.test.X.iloc[[int(model.predict_proba(payments.test.X)[:, column].argmax())]]
    return explain(model, likeliest, positive=RARE).text(0, top=4)
