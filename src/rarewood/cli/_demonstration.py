"""A real table, a handful of methods, a promise, reasons for an alarm, two later months: the work of `rarewood demo`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from imblearn.ensemble import BalancedRandomForestClassifier
from sklearn.ensemble import RandomForestClassifier

import rarewood
from rarewood._tables import take_rows
from rarewood.cli._files import whole_file
from rarewood.cli._table_fit import Fitted, fit_table, prepare
from rarewood.cli._training import TableOptions, read_training
from rarewood.datasets import load, make_planted_rules
from rarewood.evaluation import Comparison, compare
from rarewood.inspection import explain

TARGET, RARE = "block", "other"
PROMISE = "precision=0.8@90%"
_PARTS = {"blocks": 0.5, "blocks-test": 0.25, "january": 0.125, "february": 0.125}  # files and their shares of the rows
_FAINT = 0.75  # what is left of the ink in the second month
_PAYMENTS, _QUICK_PAYMENTS = (10_000, 5_000), (1_500, 800)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of scanned pages, divided at random: rows to learn from, to test on, and of two later months, as CSV files."""

    paths: dict[str, Path]
    train: tuple[Any, Any]
    test: tuple[Any, Any]


def write_blocks(folder: Path, seed: int) -> Blocks:
    """Divide the table and write its parts. In the second month a scanner is at the end of its toner, which is our doing."""
    data = load("shipped:page_blocks")
    order = np.random.default_rng(seed).permutation(len(data.y))
    ends = (np.cumsum([0.0, *_PARTS.values()]) * len(order)).round().astype(int)
    paths, parts = {}, {}
    for name, start, end in zip(_PARTS, ends[:-1], ends[1:], strict=True):
        rows = order[start:end]
        X, y = take_rows(data.X, rows), data.y[rows]
        parts[name], paths[name] = (X, y), folder / f"{name}.csv"
        frame = X.copy()
        if name == "february":
            for column in ("black_share", "black_pixels"):
                frame[column] = (_FAINT * frame[column]).round(3)
        if name in ("blocks", "blocks-test"):
            frame[TARGET] = y  # nobody has looked at the blocks of later months yet
        with whole_file(str(paths[name])) as file:
            frame.to_csv(file, index=False)
    return Blocks(paths, parts["blocks"], parts["blocks-test"])


def write_payments(folder: Path, seed: int, quick: bool) -> None:
    """Made-up card payments with planted fraud rules, for the examples of the documentation."""
    for number, (n, path, letter) in enumerate(
        zip(_QUICK_PAYMENTS if quick else _PAYMENTS, ("payments.csv", "payments-test.csv"), "PT", strict=True)
    ):
        data = make_planted_rules(n, as_frame=True, random_state=seed + number)
        frame = data.X.copy()
        frame.insert(0, "payment_id", [f"{letter}{row:06d}" for row in range(1, n + 1)])
        frame["fraud"] = np.where(data.y == 1, "yes", "no")
        with whole_file(str(folder / path)) as file:
            frame.to_csv(file, index=False)


def compare_methods(blocks: Blocks, *, seed: int, n_jobs: int, quick: bool, verbose: int) -> Comparison:
    """Methods on the training rows, cross-validated."""
    return compare(
        _methods(few_trees=quick),
        {"blocks": (*blocks.train, RARE)},
        "1x2" if quick else "2x5",
        ["auc", "average_precision", "minority_f1", "log_loss"],
        n_jobs=n_jobs,
        progress=bool(verbose),
        random_state=seed,
    )


def _methods(few_trees: bool) -> dict[str, Any]:
    trees = {"n_estimators": 10} if few_trees else {}
    ours = {title: rarewood.make(name, **trees) for title, name in (("RareClassifier", "rare"), ("HeDEx", "hedex"))}
    others = {title: name for title, name in (("LightGBM", "lightgbm"), ("CatBoost", "catboost")) if find_spec(name)}
    boosting = {title: rarewood.make(name, settings=trees) for title, name in others.items()}
    forests = {"balanced forest": BalancedRandomForestClassifier(**trees)}
    weighted = {"weighted forest": RandomForestClassifier(class_weight="balanced", **trees)}
    return {**ours, **boosting, **forests, **weighted}


def fit_blocks(blocks: Blocks, *, seed: int, n_jobs: int, quick: bool, verbose: int) -> Fitted:
    """The default with a promise, as `rarewood fit` would."""
    model = prepare("rare", ["n_estimators=30"] if quick else [], n_jobs=n_jobs, seed=seed, verbose=verbose)
    table = read_training(str(blocks.paths["blocks"]), TableOptions(TARGET), RARE)
    return fit_table(
        model, table, "rare", rule=PROMISE, prior=None, n_rules=5, n_jobs=n_jobs, seed=seed, verbose=verbose
    )


def alarms_on_test(model: Any, blocks: Blocks) -> str:
    """What the promise came to on rows that nobody has used yet, in a sentence."""
    X, y = blocks.test
    called, rare = model.predict(X) == RARE, y == RARE
    hits = int((called & rare).sum())
    return (
        f"On {len(y):,} blocks that the model has never seen: {int(called.sum())} alarms, {hits} of them right "
        f"({hits / max(1, called.sum()):.0%}); {hits} of the {int(rare.sum())} blocks that are no text are found."
    )


def strongest_alarm(model: Any, blocks: Blocks) -> str:
    """Why the block that is least like text is none, in a few lines."""
    X, _ = blocks.test
    column = model.classes_.tolist().index(RARE)
    likeliest = X.iloc[[int(model.predict_proba(X)[:, column].argmax())]]
    return explain(model, likeliest, positive=RARE).text(0, top=4)
