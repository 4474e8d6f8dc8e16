"""RareClassifier with and without effects of columns, beside boosting, where the signal is smooth; and where it is what it is.

    python benchmarks/smooth_signals.py signals --rows 1000,4000 --peers       # with LightGBM and CatBoost
    python benchmarks/smooth_signals.py signals --names a --rows 10000         # the workloads of the benchmarks: what it costs
    RAREWOOD_DATA=... python benchmarks/smooth_signals.py tables --set untouched --folds 1

Prints a line per fit: average precision, AUC, log-loss on rows that nothing has seen, CPU seconds of fit. Thresholds of the signals are
quantiles of a large draw, so every size has the same truth.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import chi2
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import rarewood as rw
from quality.problems import problem
from rarewood.datasets import make_workload, workload_names

Rows = tuple[Any, NDArray[np.int64]]

DESIGN = """pima haberman ecoli2 yeast:ME1 yeast-2_vs_4 oil vehicle-opel car:vgood winequality-red-4 credit-g allhyper cardio:3 phoneme
satimage-4 ism""".split()  # noqa: SIM905
UNTOUCHED = """transfusion wpbc glass-headlamps yeast:EXC yeast-0-2-5-6_vs_3-7-8-9 balance-B flare:F wisconsin breast-y cleveland:4
steel:Dirtiness waveform:1 sick-3772 page segment-brickface spambase pendigits-7 letter-A""".split()  # noqa: SIM905
"""Written down before anything was measured; looked at once, when all was settled on the others."""

_REFERENCE_ROWS = 200_000
_TEST_ROWS = 8_000


def _hastie(share: float) -> Callable[[int, int], Rows]:
    """Ten normal columns, the rare class where their squares add up to much; some labels are wrong."""
    radius = chi2(10).ppf(1.0 - share)

    def make(n_rows: int, seed: int) -> Rows:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_rows, 10))
        y = (X**2).sum(axis=1) > radius
        return X, np.where(rng.random(n_rows) < 0.2 * share, ~y, y).astype(np.int64)

    return make


def _friedman(maker: Any, noise: float, share: float, **options: Any) -> Callable[[int, int], Rows]:
    top = np.quantile(maker(_REFERENCE_ROWS, noise=noise, random_state=12345, **options)[1], 1.0 - share)

    def make(n_rows: int, seed: int) -> Rows:
        X, z = maker(n_rows, noise=noise, random_state=seed, **options)
        return X, (z > top).astype(np.int64)

    return make


def _additive(share: float) -> Callable[[int, int], Rows]:
    """Twelve normal columns, six of which add up to the log-odds."""

    def log_odds(X: Any) -> Any:
        smooth = 2 * np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + 1.5 * np.abs(X[:, 2])
        return 1.3 * (smooth + X[:, 3] - 0.7 * X[:, 4] + 0.5 * X[:, 5])

    reference = log_odds(np.random.default_rng(1).normal(size=(_REFERENCE_ROWS, 12)))
    low, high = -30.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if expit(reference + middle).mean() > share else (middle, high)

    def make(n_rows: int, seed: int) -> Rows:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_rows, 12))
        return X, (rng.random(n_rows) < expit(log_odds(X) + low)).astype(np.int64)

    return make


SIGNALS: dict[str, Callable[[float], Callable[[int, int], Rows]]] = {
    "hastie": _hastie,
    "additive": _additive,
    "friedman1": lambda share: _friedman(make_friedman1, 1.0, share),
    "friedman2": lambda share: _friedman(make_friedman2, 125.0, share),
    "friedman3": lambda share: _friedman(make_friedman3, 0.1, share),
}


def _signal(name: str) -> Callable[[int, int], Rows]:
    """By kind and percentage of rare rows."""
    kind, _, percent = name.partition("@")
    return SIGNALS[kind](float(percent) / 100.0)


def _workload(name: str) -> Callable[[int, int], Rows]:
    """Seed 1 is the training part, any other the fresh rows."""

    def make(n_rows: int, seed: int) -> Rows:
        data = make_workload(name, rows=n_rows, part="train" if seed == 1 else "test")
        return data.X, data.y

    return make


def _plain(X: Any, y: Any, seed: int) -> Any:
    return rw.RareClassifier(column_effects=False, random_state=seed).fit(X, y)


def _with_effects(X: Any, y: Any, seed: int) -> Any:
    return rw.RareClassifier(random_state=seed).fit(X, y)


def _hedex(X: Any, y: Any, seed: int) -> Any:
    return rw.HeDExClassifier(100, random_state=seed).fit(X, y)


def _lightgbm(X: Any, y: Any, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=500, random_state=seed, n_jobs=1, verbose=-1).fit(X, y)


def _catboost(X: Any, y: Any, seed: int) -> Any:
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(iterations=500, random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False)
    return model.fit(X, y)


OURS = {"HeDEx, 100 trees": _hedex, "without effects": _plain, "with effects": _with_effects}
PEERS = {"LightGBM 500": _lightgbm, "CatBoost 500": _catboost}


def race(name: str, train: Rows, test: Rows, methods: dict[str, Any], seed: int) -> None:
    for method, fit in methods.items():
        start = time.process_time()
        model = fit(*train, seed)
        seconds = time.process_time() - start
        p = np.clip(model.predict_proba(test[0])[:, 1], 1e-7, 1 - 1e-7)
        measures = (average_precision_score(test[1], p), roc_auc_score(test[1], p), log_loss(test[1], p))
        effects = getattr(model, "column_effects_", None)
        told = "" if effects is None else effects
        figures = "  ".join(f"{value:.4f}" for value in measures)
        size = f"{len(train[1]):,} rows, {int(train[1].sum())} rare"
        print(f"{name:26}  {size:24}  {method:16}  {figures}  {seconds:6.2f} s  {told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    signals = commands.add_parser("signals")
    signals.add_argument("--names", default="hastie@10,additive@5,friedman1@5,friedman2@5,friedman3@5")
    signals.add_argument("--rows", default="1000,4000")
    signals.add_argument("--draws", type=int, default=1)
    signals.add_argument("--peers", action="store_true")
    tables = commands.add_parser("tables")
    tables.add_argument("--set", choices=("design", "untouched"), default="untouched")
    tables.add_argument("--folds", type=int, default=1, help="how many of five")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.command == "signals":
        methods = {**OURS, **PEERS} if given.peers else OURS
        for name in given.names.split(","):
            make = _workload(name) if name in workload_names() else _signal(name)
            for n_rows in map(int, given.rows.split(",")):
                for draw in range(1, given.draws + 1):
                    race(name, make(n_rows, draw), make(_TEST_ROWS, 1000 + draw), methods, 0)
        return
    for name in DESIGN if given.set == "design" else UNTOUCHED:
        data = problem(name)
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(data.y)), data.y))
        for number, (train, test) in enumerate(folds[: given.folds]):
            race(name, data.rows(train), data.rows(test), OURS, number)


if __name__ == "__main__":
    main()
